"""Read a project: every file in its folders, in an order that does not depend on the source."""

import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from errno import EFBIG, EILSEQ
from fnmatch import fnmatchcase
from operator import itemgetter
from posixpath import dirname, normpath

from msgspec.structs import replace

from spokerender.config.fleet import MOST_HUB_BYTES
from spokerender.findings.codes.project import EMPTY, MISSING, TOO_LARGE, UNREADABLE
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.model import Origin
from spokerender.model.shapes import is_unicode
from spokerender.model.sources import Files, Source, SourceFile

_SUFFIXES = (".yaml", ".yml", ".json")
MOST_BYTES = 2_000_000
"""The most bytes of the fleet file, and of all templates together."""

Naming = Callable[[str], tuple[str, Origin | None]]
"""Returns the field that names an entry, and the file and line of the field."""


def nowhere(_: str) -> tuple[str, None]:
    """Return an empty field and no origin, for entries that no field of a file names."""
    return "", None


def read_sources(
    source: Source,
    entries: Sequence[str],
    *,
    suffixes: Sequence[str],
    limit_bytes: int,
    named_at: Naming = nowhere,
) -> tuple[tuple[SourceFile, ...], tuple[Result, ...]]:
    """Read files, and all files with these suffixes in folders and their subfolders.

    `entries` are paths in the project. A file that two entries contain is read once; a file that is
    itself an entry may have any suffix, and be hidden. Other hidden files are skipped. Links are
    followed, but not in circles. Returns the readable files, sorted by path, and all problems. If
    the files together are larger than the limit, none is read.
    """
    results: list[Result] = []
    named: dict[str, str] = {}
    for entry in entries:
        named.setdefault(normpath(entry), entry)
    paths: set[str] = set()
    for entry in named.values():
        listed, problems = _list_paths(source, entry, suffixes)
        paths.update(listed)
        results += (_name_entry(problem, entry, named_at) for problem in problems)
    sizes, refused = _sizes(source, paths)
    total = sum(sizes.values())
    # All or none: a part of a hub would look like a smaller hub.
    readable = list(sizes) if total <= limit_bytes else []
    files: list[SourceFile] = []
    for path, data in source.read(readable).items():
        if isinstance(data, OSError):
            refused[path] = data
        else:
            files.append(SourceFile(path, data))
    results += (unreadable(*problem) for problem in sorted(refused.items(), key=itemgetter(0)))
    if total > limit_bytes:
        results.append(_name_entry(_too_large(entries, total, limit_bytes), entries[0], named_at))
    return tuple(files), tuple(results)


def source_has(source: Source, path: str) -> bool:
    """Return whether a folder of the project exists and is not empty."""
    try:
        return any(True for _ in source.entries(path))
    except OSError:
        return False


def files_of(
    source: Source,
    entries: Sequence[str],
    *,
    suffixes: Sequence[str] = _SUFFIXES,
    limit_bytes: int = MOST_HUB_BYTES,
    named_at: Naming = nowhere,
) -> tuple[Files, tuple[Result, ...]]:
    """Return the files of a project with their contents, and all problems.

    The paths in both are as messages show them to the user. Of the files in folders, those with
    one of the suffixes are read.
    """
    read, problems = read_sources(
        source, entries, suffixes=suffixes, limit_bytes=limit_bytes, named_at=named_at
    )
    files = [(source.shown(file.path), file.data) for file in read]
    return files, as_shown(source, problems)


def require_files(
    source: Source,
    entries: Sequence[str],
    *,
    limit_bytes: int = MOST_HUB_BYTES,
    named_at: Naming = nowhere,
) -> Files:
    """Return the YAML files in `entries`. Raises `InputError` if something can't be read."""
    files, problems = files_of(source, entries, limit_bytes=limit_bytes, named_at=named_at)
    if problems:
        raise InputError(problems)
    return files


def read_optional(source: Source, name: str) -> SourceFile | None:
    """Read a file of the project; None if nothing has that name. Raises `InputError`."""
    path = normpath(name)
    sizes, problems = _sizes(source, [path])
    if sizes and sizes[path] > MOST_BYTES:
        raise InputError((_too_large([name], sizes[path], MOST_BYTES),))
    data = source.read([path])[path] if sizes else problems[path]
    if isinstance(data, FileNotFoundError):
        return None
    if isinstance(data, OSError):
        raise InputError((unreadable(path, data),)) from data
    return SourceFile(path, data)


def as_shown(source: Source, problems: Iterable[Result]) -> tuple[Result, ...]:
    """Return findings with the paths that the source shows to its user."""
    return tuple(
        replace(problem, origin=replace(problem.origin, path=source.shown(problem.origin.path)))
        if problem.origin is not None
        else problem
        for problem in problems
    )


def unreadable(path: str, error: OSError) -> Result:
    """Return a finding that the file or folder at `path` can't be read, and why."""
    shown = os.fsencode(path).decode(errors="backslashreplace")
    make = (
        "rename it" if error.errno == EILSEQ else "make it a file or folder that your user can read"
    )
    return UNREADABLE.result(
        f"{shown}: {error.strerror or error}",
        cure=f"{make}, or remove it from the project",
        origin=Origin(shown),
    )


def _name_entry(problem: Result, entry: str, named_at: Naming) -> Result:
    """Return a problem; if it has no origin, with the field and origin that name its `entry`."""
    if problem.origin is not None:
        return problem
    field, origin = named_at(entry)
    return replace(problem, field=field, origin=origin)


def _list_paths(
    source: Source, entry: str, suffixes: Sequence[str]
) -> tuple[Sequence[str], Sequence[Result]]:
    """Return the files of an entry, and problems; those about the entry itself have no origin."""
    path = normpath(entry)
    # A pattern is for files of one folder.
    folder = path if "*" not in path else dirname(path) or "."
    try:
        is_file = source.folder(folder) is None
    except FileNotFoundError:
        folder = source.shown(".")
        where = "" if folder == "." else f" in {folder}"
        cure = _find_misnamed(source, path) or f"create it{where}, or correct the name"
        return (), [MISSING.result(f"{entry}: no such file or folder", cure=cure)]
    except OSError as error:
        return (), [unreadable(path, error)]
    if is_file:
        return (path,), ()
    paths, problems = list_files(source, folder, suffixes)
    paths = [each for each in paths if folder == path or fnmatchcase(each, path)]
    if not (paths or problems):
        kinds = ", ".join(suffixes)
        cure = f"put {kinds} files there; hidden files are not read"
        return (), [EMPTY.result(f"{entry}: no {kinds} file in this folder", cure=cure)]
    return paths, [unreadable(*problem) for problem in problems]


def list_hidden(source: Source, entries: Iterable[str]) -> list[str]:
    """Return the hidden YAML and JSON files, and those in hidden folders, but not Git's own."""
    paths = (list_files(source, path, _SUFFIXES, hidden=True)[0] for path in map(normpath, entries))
    return sorted({path for each in paths for path in each})


def _find_misnamed(source: Source, path: str) -> str:
    """Return a suggested fix if the file exists with YAML's other ending; empty if it does not."""
    # The two endings of YAML are easily mixed up.
    stem, dot, ending = path.rpartition(".")
    other = f"{stem}.{'yml' if ending == 'yaml' else 'yaml'}"
    if not dot or ending not in ("yaml", "yml"):
        return ""
    try:
        source.folder(other)
    except OSError:
        return ""
    return f"rename {source.shown(other)}, which is there, to {path}"


def _sizes(source: Source, paths: Iterable[str]) -> tuple[dict[str, int], dict[str, OSError]]:
    """Return the size of each file, sorted by path, and the errors of unreadable files."""
    sizes: dict[str, int] = {}
    problems: dict[str, OSError] = {}
    for path in sorted(paths):
        try:
            sizes[path] = source.size(path)
        except OSError as error:
            problems[path] = error
    return sizes, problems


def _too_large(entries: Sequence[str], total: int, limit: int) -> Result:
    raising = "" if limit == MOST_BYTES else ", or raise `spec.maxHubBytes` in fleet.yaml"
    return TOO_LARGE.result(
        f"{', '.join(entries)}: {total:,} bytes are more than the {limit:,} that are allowed",
        cure=f"remove what does not belong there{raising}",
    )


MOST_ENTRIES = 100_000
"""More entries than any hub has; links to folders of links can make any number."""

COST_OF_ANOTHER_WAY = 50
"""The number of entries that a folder counts as each time that another link leads to it."""

_Problem = tuple[str, OSError]
"""A path that can't be listed, and why."""


def list_files(
    source: Source, folder: str, suffixes: Sequence[str], *, hidden: bool = False
) -> tuple[list[str], list[_Problem]]:
    """Return the files with these suffixes (in any case) in no particular order, and problems.

    With `hidden`, only hidden files and files in hidden folders are returned, otherwise all others.
    Links are followed, but not to a folder that contains the link. The search ends with a problem
    after `MOST_ENTRIES`, where an entry counts each time a link leads to it. A folder that was
    listed before counts more, as mazes of links consist of such folders.
    """
    paths: list[str] = []
    problems: list[_Problem] = []
    seen = 0
    listed: set[Hashable] = set()
    # Each pending folder knows those above it, so that a link into one of them is a circle.
    pending = [(folder, frozenset[Hashable](), not hidden)]
    while pending:
        place, above, is_meant = pending.pop()
        try:
            identity = source.folder(place)
            inside = above | {identity}
            entries = tuple(source.entries(place)) if inside != above else ()
        except OSError as error:
            problems.append((place, error))
            continue
        seen += (COST_OF_ANOTHER_WAY if identity in listed else 1) + len(entries)
        listed.add(identity)
        if seen > MOST_ENTRIES:
            message = f"more than {MOST_ENTRIES:,} files and folders, counting those behind links"
            return [], [*problems, (folder, OSError(EFBIG, message))]
        for name, is_folder in entries:
            path = normpath(f"{place}/{name}")
            is_hidden = name.startswith(".")
            is_listed = is_meant or is_hidden
            # Git's folder is never meant, not even among hidden files.
            if name == ".git" or (is_hidden and not hidden) or not (is_listed or is_folder):
                continue
            if not is_unicode(name):
                problems.append((path, OSError(EILSEQ, "its name is not UTF-8")))
            elif is_folder:
                pending.append((path, inside, is_listed))
            elif name.lower().endswith(tuple(suffixes)):
                paths.append(path)
    return paths, problems
