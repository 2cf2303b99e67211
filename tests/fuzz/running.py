"""Running a case in a sandbox, and what must hold whatever it was."""

import contextlib
import gc
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any
from unittest import mock

import yaml

from spokerender import cli
from spokerender.model.plan import is_ours
from tests.fuzz.arguments import IN_THE_PROJECT
from tests.fuzz.cases import Case

SECONDS = 10
"""Of the processor's time: no case of a few kilobytes may take as long."""
PATIENCE = 600
"""Seconds until a case that waits for something is ended, on however busy a machine."""
MOST_MEMORY = 400_000
"""In KiB: what one case may add to the most that the process ever had."""
_MOST_PRINTED = 20_000_000
_MOST_READ = 1_000_000
_ADDRESS_SPACE = 4 << 30
_PRECIOUS = "precious\n"
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class UnboundedError(BaseException):
    """A case took longer than it may; nobody but the fuzzer may catch it."""


class Sandbox:
    """A folder for projects, beside what must not change."""

    def __init__(self, base: Path) -> None:
        """Make it, with a repository, and stay in it."""
        self.base = base
        self.here = base / "a/b"
        self.project = self.here / "project"
        self.outside = self.here / "outside"
        self.outside.mkdir(parents=True)
        (self.outside / "file").write_text(_PRECIOUS)
        self.escapes: list[str] = []
        os.chdir(self.here)
        _commit()
        for command in (
            "build",
            "check",
            "diff",
            "status",
            "effective",
            "explain",
            "init",
            "rules",
            "metapolicies",
        ):
            called([command, "project"])  # so that what is imported late is there
        called(["query", "spoke", "project"])
        called(["fn"])
        guard()
        self._watch()
        gc.freeze()
        gc.set_threshold(50_000, 5, 5)  # a command of its own never looks for garbage

    def _watch(self) -> None:
        """Refuse to open what is elsewhere for writing, and remember that it was tried."""

        def hook(event: str, given: tuple[object, ...]) -> None:
            if event != "open" or not isinstance(given[0], str | bytes):
                return
            path, flags = os.fsdecode(given[0]), given[2]
            writes = isinstance(flags, int) and flags & _WRITING and path.startswith("/")
            if writes and not path.startswith((str(self.base), os.devnull)):
                self.escapes.append(path)
                message = f"the fuzzer lets nobody write {path}"
                raise PermissionError(message)

        sys.addaudithook(hook)

    def faults(self, case: Case) -> list[str]:
        """Run a case; what of the promises it broke."""
        shutil.rmtree(self.project, ignore_errors=True)
        self.project.mkdir()
        case.write(self.project)
        found = []
        for arguments in case.commands:
            found += [f"{' '.join(arguments)[:200]!r}: {fault}" for fault in self._run(arguments)]
        return found

    def _run(self, arguments: list[str]) -> list[str]:
        self.escapes.clear()
        before, memory = self._snapshot(), _memory()
        given = self._given() if arguments[0] == "fn" else self._text() if "-" in arguments else b""
        os.chdir(self.project if arguments[0] in IN_THE_PROJECT else self.here)
        status, printed, fault = called(arguments, given)
        os.chdir(self.here)
        found = [fault] if fault else []
        if status not in {0, 1, 2}:
            found.append(f"exit status {status}")
        if len(printed) > _MOST_PRINTED:
            found.append(f"printed {len(printed):,} characters")
        if control := _CONTROL.search(printed):
            found.append(f"printed {control[0]!r}")
        if _memory() - memory > MOST_MEMORY:
            found.append(f"took {(_memory() - memory) / 1024:.0f} MiB")
        found += [f"wrote {path}" for path in self.escapes]
        is_told = {"-o", "--output"}.intersection(arguments) or (
            "project" not in arguments and arguments[0] not in IN_THE_PROJECT
        )
        if self._snapshot() != before and not is_told:
            found.append("wrote outside of the project")
        plain = {"build", "project", "--format", "text", "table", "json", "github", "yaml", "-v"}
        if arguments[0] == "build" and status == 0 and plain.issuperset(arguments):
            found += self._built()
        return found

    def _text(self) -> bytes:
        """The hub as one stream."""
        return b"---\n".join(_bytes(path) for path in sorted(self.project.glob("hub/*.yaml")))

    def _given(self) -> bytes:
        """The project as an orchestrator of functions gives it."""
        items: list[Any] = []
        config = None
        for path in sorted(self.project.rglob("*.yaml")):
            documents = _readable(path)
            if path.name == "fleet.yaml" and documents:
                config = documents[0]
                continue
            for index, document in enumerate(documents):
                if isinstance(document, dict) and isinstance(document.get("metadata"), dict):
                    at = {
                        "config.kubernetes.io/path": path.relative_to(self.project).as_posix(),
                        "config.kubernetes.io/index": str(index),
                    }
                    marks = document["metadata"].setdefault("annotations", at)
                    if isinstance(marks, dict):
                        marks |= at
                items.append(document)
        made = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}
        try:
            text = json.dumps({**made, "functionConfig": config}, default=str, skipkeys=True)
        except (ValueError, RecursionError):  # a number of thousands of digits, a circle
            return self._text()
        return text.encode(errors="surrogatepass")

    def _snapshot(self) -> list[tuple[str, int, int]]:
        """What stands beside the project."""
        found = []
        for folder in (self.here, self.outside):
            with os.scandir(folder) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    state = (status.st_size, status.st_mtime_ns)
                    is_other = entry.name not in {"project", ".git"}
                    found.append((entry.name, *(state if is_other else (0, 0))))
        return sorted(found)

    def _built(self) -> Iterator[str]:
        """What must hold of what was written."""
        status, printed, fault = called(["check", "project", "--only", "tree"])
        if fault or status != 0:
            yield f"is not true after a build: {status} {fault} {printed[-300:]}"
        for path in self.project.rglob("*.yaml"):
            if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_PRINTED:
                continue
            data = path.read_bytes()
            if is_ours(data):
                yield from _unlike_its_name(path, data)


def _bytes(path: Path) -> bytes:
    """What is in a file, if it is one."""
    try:
        if not path.is_symlink() and path.is_file() and path.stat().st_size <= _MOST_READ:
            return path.read_bytes()
    except OSError:
        pass
    return b""


def _readable(path: Path) -> list[Any]:
    """The documents of a file, if PyYAML reads them; anchors could make them endless."""
    data = _bytes(path)
    if b"&" in data:
        return []
    try:
        return list(yaml.load_all(data, Loader=_LOADER))
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, AttributeError):
        return []


def _unlike_its_name(path: Path, data: bytes) -> Iterator[str]:
    """Whether a file of ours has more than the one object that it is called by."""
    try:
        documents = list(yaml.load_all(data, Loader=_LOADER))
    except (yaml.YAMLError, ValueError) as error:
        yield f"wrote what is no YAML: {path.name}: {error}"
        return
    kind, _, name = path.stem.partition("_")
    if kind == "kustomization" or "_fleet" in path.parts or not name or len(path.parts) < 2:
        return
    if len(documents) != 1 or not isinstance(documents[0], dict):
        yield f"wrote {len(documents)} documents: {path.name}"
    elif str(documents[0].get("kind", "")).lower() != kind.partition(".")[0]:
        yield f"wrote another kind: {path.name}"
    elif str(documents[0]["metadata"].get("name")) != name:
        yield f"wrote another name: {path.name}"


def called(arguments: list[str], given: bytes = b"") -> tuple[int, str, str]:
    """Call the command line in this process: its status, what it printed, and what it broke.

    `given` is its standard input.
    """
    raised: list[BaseException] = []
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    status = -1
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(cli, "_print_internal_error", raised.append),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")),
    ):
        signal.setitimer(signal.ITIMER_PROF, SECONDS, 1)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE, 1)
        try:
            status = cli.run(arguments)
        except BaseException as error:  # noqa: BLE001  (whatever it is, it is a finding)
            raised.append(error)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
    printed = "".join(stream.buffer.getvalue().decode(errors="replace") for stream in (out, err))
    return status, printed, _told(raised[0]) if raised else ""


def _told(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [
        frame
        for frame in frames
        if "/spokerender/" in frame.filename and "/cli/" not in frame.filename
    ]
    last = (ours or list(frames))[-1:]
    place = " ".join(
        f"{Path(frame.filename).parent.name}/{Path(frame.filename).name}:{frame.lineno}"
        for frame in last
    )
    return f"{type(error).__name__} at {place}: {str(error)[:160]!r}"


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _commit() -> None:
    """A repository whose last commit has another project."""
    Path("project").mkdir()
    Case(0, 0, ()).write(Path("project"))
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"],
    ):
        subprocess.run(["git", *command], check=True, capture_output=True)


def guard() -> None:
    """Bound this process: in memory by the system, in time by a signal."""

    def late(_: int, __: FrameType | None) -> None:
        message = "it does not end"
        raise UnboundedError(message)

    signal.signal(signal.SIGPROF, late)
    signal.signal(signal.SIGALRM, late)
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
