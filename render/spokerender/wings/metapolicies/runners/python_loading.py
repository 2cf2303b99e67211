"""Load the Python of definitions: a file of the project, or an entry point of a package."""

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
from spokerender.wings.metapolicies.config import PythonFunction
from spokerender.wings.metapolicies.functions import AuthoredCode, FailedError

GROUP = "spokerender.metapolicies"
"""The group of entry points under which packages offer functions."""
_WING = str(Path(__file__).resolve().parents[1])


def load_code(
    settings: PythonFunction, name: str, folder: Path, *, twice: bool
) -> AuthoredCode | Fault:
    """Load the function of the definition `name`, or return the reason why it can't be loaded.

    With `twice` the function is called twice for each metapolicy, and both answers must be equal.
    """
    at = ("spec", "python", "file" if settings.file is not None else "entryPoint")
    try:
        # stdout is the product of the command; prints of an author would get into it.
        with contextlib.redirect_stdout(sys.stderr):
            function = (
                _load_file(folder / settings.file, settings.function, name)
                if settings.file
                else _load_entry_point(settings.entry_point or "")
            )
    except (Exception, SystemExit) as error:  # noqa: BLE001  (what an author's code raises)
        message, cure = f"it can't be loaded: {_describe(error)}", "correct the code"
        # Only the file itself: code inside it may fail on another file.
        if isinstance(error, OSError) and error.filename == str(folder / (settings.file or "")):
            cure = "create the file in the project's folder, or correct its path"
            return Fault(CODE_FAILS, f"{message}: {settings.file}", cure, at)
        return Fault(CODE_FAILS, f"{message}{_locate(error, settings.file)}", cure, at)
    if not callable(function):
        message = f"{settings.file or settings.entry_point} has no function {settings.function}"
        return Fault(CODE_FAILS, message, "name one in spec.python.function", at)
    return _LoadedCode(function, settings.file, twice)


def _load_file(path: Path, function: str, name: str) -> Any:  # noqa: ANN401  (whatever it has)
    module = ModuleType(f"metapolicy_{name}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look their module up there
    # With its path, so that tracebacks have its lines.
    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)  # noqa: S102  (the command line allows it)
    return getattr(module, function, None)


def _load_entry_point(name: str) -> Any:  # noqa: ANN401  (whatever it has)
    # All of them: two packages may offer one name, and neither is preferred.
    candidates = list(entry_points(group=GROUP, name=name))
    if not candidates:
        offered = ", ".join(sorted(item.name for item in entry_points(group=GROUP))) or "none"
        raise LookupError(f'no installed package offers "{name}"; packages offer: {offered}')
    if len(candidates) > 1:
        raise LookupError(f'several installed packages offer "{name}"')
    return candidates[0].load()


class _LoadedCode(Struct, frozen=True, eq=False):
    """A loaded function: exceptions become findings, and prints go to standard error."""

    function: Callable[[authoring.Policy, authoring.SpokeTopology], Any]
    file: str | None
    twice: bool

    def __call__(
        self, policy: authoring.Policy, spoke: authoring.SpokeTopology
    ) -> Sequence[authoring.AuthoredEdit]:
        edits = self._call(policy, spoke)
        # By their texts, since edits of authors need not be comparable.
        if self.twice and repr(self._call(policy, spoke)) != repr(edits):
            raise FailedError(NOT_PURE, "two calls of the function return different edits")
        return edits

    def _call(
        self, policy: authoring.Policy, spoke: authoring.SpokeTopology
    ) -> Sequence[authoring.AuthoredEdit]:
        try:
            with contextlib.redirect_stdout(sys.stderr):
                return list(self.function(policy, spoke) or ())
        except FailedError as error:
            (fault,) = error.faults
            message = f"{fault.message}{_locate(error, self.file)}"
            raise FailedError(fault.finding, message, fault.cure) from error
        except (Exception, SystemExit) as error:
            message = f"{_describe(error)}{_locate(error, self.file)}"
            raise FailedError(CODE_FAILS, message) from error


def _describe(error: BaseException) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if type(error) is LookupError:  # ours, of `_load_entry_point`
        return str(error)
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _locate(error: BaseException, file: str | None) -> str:
    """Return `, in FILE:LINE` of the author's code where an exception arose; empty if unknown."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f", in {file or error.filename}:{error.lineno}"
    ours = _WING, "<frozen importlib"
    frames = [
        item for item in extract_tb(error.__traceback__) if not item.filename.startswith(ours)
    ]
    if not frames:
        return ""
    in_file = [frame for frame in frames if file is not None and frame.filename.endswith(file)]
    last = in_file[-1] if in_file else frames[-1]
    return f", in {file if in_file else last.filename}:{last.lineno}"
