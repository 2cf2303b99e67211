"""The programs that the tests start: built from the Go module proxy, at the versions pinned here.

Each has a module of its own below `engines/`, since their dependencies do not go together. What
is built stays outside of the repository, under a name that tells from what it was made.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.texts import rows_of

ENGINES = Path(__file__).parent / "engines"
_ADDED = "module"
_NO_GO = "there is no Go to build it with"
_NOT_BUILT = "it is not installed, and `make weekly` builds it with Go, once"
SECONDS = 3600
"""kube-apiserver takes most of it on two cores, the first time."""


@dataclass(frozen=True)
class Engine:
    """A program: the folder that pins it, its package, and the module that this is in.

    The package is `.` where a program of ours in that folder calls the module's own code. Where
    that is internal to the module, or the module lacks files that its releases add, the package is
    built in a copy of the module, to which what is in the folder's `module` is added.
    """

    name: str
    pinned: str
    package: str
    module: str

    @property
    def version(self) -> str:
        """The version that the module pins."""
        text = (ENGINES / self.pinned / "go.mod").read_text()
        found = re.search(rf"^\s*(?:require )?{re.escape(self.module)} (\S+)", text, re.MULTILINE)
        assert found is not None, self.module
        return found[1]


ENGINES_BY_NAME = {row[0]: Engine(*row) for row in rows_of(__file__, "engines")}


class MissingError(Exception):
    """A program can't be had here, and why."""


def program(name: str, seconds: int = SECONDS) -> str:
    """The path of a program; it is built where it was not yet, unless in no second.

    Raises:
        MissingError: it can't be built here, or not in so many seconds, and why.

    """
    return str(_available(_built, ENGINES_BY_NAME[name], seconds))


def module_folder(name: str) -> Path:
    """Where the files of a program's module are: what it is installed with, beside its sources.

    Raises:
        MissingError: it can't be had here, and why.

    """
    return _available(_downloaded, ENGINES_BY_NAME[name])


def _available(find: Callable[..., Path], engine: Engine, *arguments: int) -> Path:
    """What is there, or the reason why it is not, without a second try for each test."""
    answer = _tried(find, engine, *arguments)
    if isinstance(answer, MissingError):
        raise answer
    return answer


@cache
def _tried(find: Callable[..., Path], engine: Engine, *arguments: int) -> Path | MissingError:
    try:
        return find(engine, *arguments)
    except MissingError as error:
        return MissingError(f"{engine.name} {engine.version} is missing: {error}")


def _built(engine: Engine, seconds: int) -> Path:
    place = _cache() / _key(engine) / engine.name
    if place.exists():
        return place
    if seconds == 0:
        raise MissingError(_NOT_BUILT)
    if shutil.which("go") is None:
        raise MissingError(_NO_GO)
    place.parent.mkdir(parents=True, exist_ok=True)
    if not (ENGINES / engine.pinned / _ADDED).exists():
        return _compiled(ENGINES / engine.pinned, engine.package, place, seconds)
    with TemporaryDirectory(dir=place.parent) as copy:
        _put_inside(engine, Path(copy) / "module")
        return _compiled(Path(copy) / "module", engine.package, place, seconds)


def _put_inside(engine: Engine, copy: Path) -> None:
    """Copy the module that is pinned, and our files into it."""
    shutil.copytree(_downloaded(engine), copy, copy_function=shutil.copyfile)
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    shutil.copytree(ENGINES / engine.pinned / _ADDED, copy, dirs_exist_ok=True)


def _downloaded(engine: Engine) -> Path:
    command = ["go", "mod", "download", "-json", engine.module]
    folder = ENGINES / engine.pinned
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise MissingError(_NO_GO) from error
    if done.returncode:
        raise MissingError((json.loads(done.stdout or "{}").get("Error") or done.stderr)[-500:])
    return Path(json.loads(done.stdout)["Dir"])


def _compiled(folder: Path, package: str, place: Path, seconds: int) -> Path:
    unfinished = place.with_suffix(f".{os.getpid()}")
    command = ["go", "build", "-mod=readonly", "-buildvcs=false", "-o", str(unfinished), package]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        message = f"it was not built in {seconds} s; what is compiled by now is kept"
        raise MissingError(message) from error
    if done.returncode:
        raise MissingError(done.stderr.strip()[-500:])
    unfinished.rename(place)
    return place


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(home) / "spokerender" / "live"


def _key(engine: Engine) -> str:
    """A name for what a program is made of."""
    folder = ENGINES / engine.pinned
    made_of = [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]
    made_of.append(engine.package.encode())
    return f"{engine.name}-{engine.version}-{hashlib.sha256(b''.join(made_of)).hexdigest()[:12]}"


def build_all() -> int:
    """Build every program that is not there yet; the number of those that can't be built."""
    failures = 0
    for engine in ENGINES_BY_NAME.values():
        try:
            place = program(engine.name) if engine.package else module_folder(engine.name)
        except MissingError as error:
            failures, place = failures + 1, str(error)
        print(f"{engine.name} {engine.version}: {place}", flush=True)  # noqa: T201  (it is asked for)
    return failures


if __name__ == "__main__":
    sys.exit(bool(build_all()))
