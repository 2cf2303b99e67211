"""Somebody's Python, loaded: a file of a project, or an entry point of an installed package."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from msgspec import Struct

from spokerender import authoring
from spokerender.findings.codes.metapolicies import CODE_FAILS, NOT_PURE
from spokerender.findings.results import Fault
from spokerender.wings.metapolicies.config.metapolicies import PythonFunction
from spokerender.wings.metapolicies.model import Code, FailedError

GROUP = "spokerender.metapolicies"
"""The group of entry points that packages offer functions in."""
_HOUSE = str(Path(__file__).resolve().parents[1])


def loaded(said: PythonFunction, name: str, folder: Path, *, twice: bool) -> Code | Fault:
    """The function that a definition of this name means, or why it can't be had.

    With `twice` each question is asked twice, and both answers must be equal.
    """
    at = ("spec", "python", "file" if said.file is not None else "entryPoint")
    try:
        with contextlib.redirect_stdout(sys.stderr):
            found = (
                _of_file(folder / said.file, said.function, name) if said.file else _offered(said)
            )
    except (Exception, SystemExit) as error:  # noqa: BLE001  (what an author's code raises)
        message = f"it can't be loaded: {_described(error)}{_place(error, said.file)}"
        return Fault(CODE_FAILS, message, "", at)
    if not callable(found):
        message = f"{said.file or said.entry_point} has no function {said.function}"
        return Fault(CODE_FAILS, message, "name one with spec.python.function", at)
    return _Called(found, said.file, twice)


def _of_file(path: Path, function: str, name: str) -> Any:  # noqa: ANN401  (whatever it has)
    module = ModuleType(f"metapolicy_{name}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where dataclasses look for it
    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)  # noqa: S102  (allowed)
    return getattr(module, function, None)


def _offered(said: PythonFunction) -> Any:  # noqa: ANN401  (whatever it is)
    found = list(entry_points(group=GROUP, name=said.entry_point or ""))
    if not found:
        names = ", ".join(sorted(each.name for each in entry_points(group=GROUP))) or "none"
        message = f'no installed package offers "{said.entry_point}"; there are {names}'
        raise LookupError(message)
    if len(found) > 1:
        message = f'several installed packages offer "{said.entry_point}"'
        raise LookupError(message)
    return found[0].load()


class _Called(Struct, frozen=True, eq=False):
    """A function; what it raises becomes a finding, and what it prints goes to standard error."""

    function: Callable[[authoring.Policy, authoring.Spoke], Any]
    file: str | None
    twice: bool

    def __call__(
        self, policy: authoring.Policy, spoke: authoring.Spoke
    ) -> Sequence[authoring.Edit]:
        """Call it. Raises `FailedError`."""
        edits = self._called(policy, spoke)
        if self.twice and repr(self._called(policy, spoke)) != repr(edits):
            raise FailedError(NOT_PURE, "called twice, it answers differently")
        return edits

    def _called(self, policy: authoring.Policy, spoke: authoring.Spoke) -> Sequence[authoring.Edit]:
        try:
            with contextlib.redirect_stdout(sys.stderr):
                return list(self.function(policy, spoke) or ())
        except FailedError as error:
            message = f"{error.message}{_place(error, self.file)}"
            raise FailedError(error.finding, message, error.cure) from error
        except (Exception, SystemExit) as error:
            message = f"{_described(error)}{_place(error, self.file)}"
            raise FailedError(CODE_FAILS, message) from error


def _described(error: BaseException) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, LookupError) and not isinstance(error, (KeyError, IndexError)):
        return str(error)
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _place(error: BaseException, file: str | None) -> str:
    """Where in the author's code it was raised: the innermost line that is theirs."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f", in {file or error.filename}:{error.lineno}"
    frames = [each for each in extract_tb(error.__traceback__) if not _is_ours(each.filename)]
    own = [each for each in frames if file is not None and each.filename.endswith(file)]
    if not frames:
        return ""
    last = own[-1] if own else frames[-1]
    return f", in {file if own else last.filename}:{last.lineno}"


def _is_ours(filename: str) -> bool:
    return filename.startswith((_HOUSE, "<frozen importlib"))
