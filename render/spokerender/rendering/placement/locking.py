"""The lock file, `placement.lock.yaml`, which a build writes beside fleet.yaml."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from spokerender.findings.codes.placement import BAD_LOCK
from spokerender.findings.phrasing import describe
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.formats.yamlio import locate
from spokerender.model import FieldPath, Origin, names
from spokerender.model.refs import shown
from spokerender.model.shapes import Json
from spokerender.model.times import read_time
from spokerender.rendering.values.decisions import Clusters, PlacementLock

_VERSION = "spokerender.io/v1alpha1"
_KIND = "PlacementLock"
_HEAD = """\
# Written by spokerender build, which keeps these decisions as long as they hold: commit this file.
"""
_CURE = "take it from the last commit, or delete it and build: decisions may move then"
_METADATA = {"name": "placement", "annotations": {"config.kubernetes.io/local-config": "true"}}
"""kpt requires a name, and applies objects without this annotation."""
_KEYS = frozenset({"apiVersion", "kind", "metadata", "now", "placements", "others", "left"})


def read_lock(path: str, data: bytes) -> tuple[PlacementLock, tuple[Result, ...]]:
    """Return the lock and its faults; if there are faults, the lock is empty."""
    # Before it is parsed: with conflict markers it is no YAML, and that message would not help.
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.startswith((b"<<<<<<< ", b">>>>>>> ")) or line.rstrip() == b"=======":
            message = "the file has a merge conflict here"
            cure = "take either side, and run spokerender build: it decides anew what does not hold"
            return PlacementLock(), (_refuse(message, path, number, cure=cure),)
    documents, problems = yamlio.read(data, path)
    if not (problems or documents):
        return PlacementLock(), (_refuse("the file is empty", path),)
    if problems:
        return PlacementLock(), tuple(_refuse(p.message, path, p.line) for p in problems)
    document = documents[0]
    value: Any = document.value
    faults = list(_faults(value)) if len(documents) == 1 else [((), "there are two documents")]
    if faults:
        # Lines are looked up only for faults: each costs a parse of the text.
        lines = (document.text_line + locate(document.text, field) for field, _ in faults)
        return PlacementLock(), tuple(
            _refuse(text, path, line, field)
            for line, (field, text) in zip(lines, faults, strict=True)
        )
    return PlacementLock(
        _clusters(value["placements"]),
        _clusters(value.get("others") or {}),
        tuple(value.get("left") or ()),
        value.get("now") or "",
    ), ()


def refuse_strays(path: str, data: bytes, strays: Iterable[str]) -> Iterator[Result]:
    """Yield a finding for each of `strays`, which are no clusters, wherever the lock names it."""
    document = yamlio.read(data, path)[0][0]
    strays, value = frozenset(strays), document.value
    sections: dict[FieldPath, list[str]] = {("left",): value.get("left") or []}
    for key in ("placements", "others"):
        sections |= {(key, name): items for name, items in (value.get(key) or {}).items()}
    for section, clusters in sections.items():
        for index, name in enumerate(clusters):
            if name in strays:
                field: FieldPath = (*section, index)
                line = document.text_line + locate(document.text, field)
                message = f'"{name}" is no cluster of the hub, and has no folder'
                cure = "correct the name, or take it out of the lock"
                yield _refuse(message, path, line, field, cure)


def _faults(value: Json) -> Iterable[tuple[FieldPath, str]]:
    if not isinstance(value, Mapping):
        yield (), f"must be one {_KIND}, but is {describe(value)}"
        return
    if (value.get("apiVersion"), value.get("kind")) != (_VERSION, _KIND):
        yield ("kind",), f"must be {_KIND} of {_VERSION}"
    for key in sorted(value.keys() - _KEYS):
        yield (key,), "there is no such key"
    for key in ("placements", "others"):
        section = value.get(key, {} if key == "others" else None)
        if not isinstance(section, Mapping):
            yield (key,), f"must be a mapping, but is {describe(section)}"
            continue
        for name, clusters in section.items():
            yield from _list_faults(clusters, (key, name))
            if name.count("/") != 1:
                yield (key, name), "must be the namespace and the name of a Placement"
    yield from _list_faults(value.get("left", []), ("left",))
    now = value.get("now", "")
    try:
        read_time(now if isinstance(now, str) and now else "2026-01-01T00:00:00Z")
    except ValueError as error:
        yield ("now",), str(error)


def _list_faults(value: Json, field: FieldPath) -> Iterable[tuple[FieldPath, str]]:
    if not isinstance(value, list):
        yield field, f"must be a list of clusters, but is {describe(value)}"
        return
    seen = set()
    for index, name in enumerate(value):
        fault = names.label_fault(name) if isinstance(name, str) else f"it is {describe(name)}"
        if fault:
            yield (*field, index), f"must be the name of a cluster: {fault}"
        elif name in seen:
            yield (*field, index), f'"{name}" is named twice'
        seen.add(str(name))


def _clusters(section: Mapping[str, list[str]]) -> Clusters:
    return {key: tuple(sorted(clusters)) for key, clusters in section.items()}


def _refuse(
    message: str, path: str, line: int = 1, field: FieldPath = (), cure: str = _CURE
) -> Result:
    return BAD_LOCK.result(message, cure=cure, field=shown(field), origin=Origin(path, line=line))


def write_lock(lock: PlacementLock) -> bytes:
    """Return the lock as YAML, one line per cluster, so that changes can be merged and reviewed."""
    content: dict[str, Any] = {"apiVersion": _VERSION, "kind": _KIND, "metadata": _METADATA}
    if lock.now:
        content["now"] = lock.now
    content["placements"] = _section(lock.placements)
    if lock.others:
        content["others"] = _section(lock.others)
    if lock.left:
        content["left"] = list(lock.left)
    return f"{_HEAD}{yamlio.emit(content)}".encode()


def _section(placements: Clusters) -> dict[str, list[str]]:
    return {key: list(clusters) for key, clusters in sorted(placements.items())}
