"""A KRM function's input: a ResourceList, told apart into a project and what stays as it is.

Source: the KRM functions specification (`config.kubernetes.io/v1`, kustomize's
`cmd/config/docs/api-conventions/functions-spec.md`). Orchestrators annotate items with where they
come from; kpt keeps the comments of an item, so that what a build of ours wrote can be told from
what others did by its first line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Any, NoReturn

from msgspec import Struct, field

from spokerender.config.base import API_VERSION
from spokerender.findings.codes.adopting import NO_RESOURCE_LIST, WRONG_FUNCTION_CONFIG
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import describe
from spokerender.formats import yamlio
from spokerender.kinds.fields import read_value
from spokerender.model.krm import INDICES, PATHS, VERSIONS
from spokerender.model.ownership import HEADER

Json = dict[str, Any]
Files = Sequence[tuple[str, bytes]]
"""Files by the path that messages name, and their bytes."""

_ORCHESTRATORS = (
    "config.k8s.io/id",
    "config.kubernetes.io/",
    "internal.config.kubernetes.io/",
    "kustomize.config.k8s.io/",
)
"""What annotations of orchestrators begin with: about an item, not about the object."""
_OURS = ("Fleet", "Placement")
_TOOLS = (("kpt.dev/v1", "Kptfile"), ("config.kubernetes.io/v1", "Setters"))
_HEADER = HEADER.decode().rstrip("\n")
_UNNAMED = "stdin"
_FUNCTION_CONFIG = "functionConfig"
_DIGITS = 9
"""Of the index of a document in its file."""


class Item(Struct, frozen=True):
    """One object of the list: where it is from, and whether its first line says that it is ours."""

    object: Json
    path: str
    index: int
    is_rendered: bool

    @property
    def plain(self) -> Json:
        """The object without what an orchestrator has put on it."""
        return _plain(self.object)


class ResourceList(Struct, frozen=True):
    """What an orchestrator gives a function."""

    api_version: str
    items: tuple[Item, ...]
    config: Json | None


class Parts(Struct, frozen=True):
    """A list told apart: the placements, the hub's files, and what is in the output, by path."""

    placements: Files
    hub: Files
    rendered: Mapping[str, Item] = field(default_factory=dict)


def read_list(data: bytes) -> ResourceList:
    """Read standard input.

    Raises:
        InputError: it is no ResourceList.

    """
    documents, problems = yamlio.read(data, "")
    if problems:
        line, message = problems[0].line, problems[0].message
        _refuse(f"standard input can't be read, line {line}: {message}")
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict) or value.get("kind") != "ResourceList":
        kind = describe(value.get("kind")) if isinstance(value, dict) else "something else"
        _refuse(f"standard input is no ResourceList, but {kind}")
    if value.get("apiVersion") not in VERSIONS:
        _refuse(f"the ResourceList is {describe(value.get('apiVersion'))}: {' or '.join(VERSIONS)}")
    items = value.get("items")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        _refuse("the ResourceList has no list of objects under items")
    config = value.get(_FUNCTION_CONFIG)
    if config is not None and not isinstance(config, dict):
        _refuse_config(describe(config))
    return ResourceList(
        str(value["apiVersion"]),
        tuple(_items(documents[0], items)),
        config,
    )


def told_apart(given: ResourceList, output: str, folders: Sequence[str]) -> Parts:
    """Find the project in a list.

    Args:
        given: the list.
        output: the folder that the trees are in; what is below it and not ours stays as it is.
        folders: where the hub is. An orchestrator gives all files of a project, so that what is
            elsewhere is no hub where any is there; it is read from the disk, if the Fleet names it.

    Raises:
        InputError: the functionConfig is none of ours.

    """
    config = _config(given)
    own = [*([config] if config is not None else []), *_own_items(given)]
    below = f"{output.strip('/')}/"  # no path begins with a slash: an empty output has nothing
    rendered = [item for item in given.items if item.path.startswith(below)]
    hub = [
        item
        for item in given.items
        if not (item.path.startswith(below) or _is_own(item.object) or _is_tools(item))
    ]
    inside = _inside({item.path for item in hub}, folders)
    if inside:
        hub = [item for item in hub if item.path == _UNNAMED or item.path in inside]
    return Parts(
        placements=[_file(name, item) for name, item in own if item["kind"] == "Placement"],
        hub=list(_files(hub)),
        rendered={item.path: item for item in rendered},
    )


def fleet_of(given: ResourceList) -> tuple[str, bytes] | None:
    """The Fleet of the list: the functionConfig, or an item."""
    own = [(_FUNCTION_CONFIG, given.config)] if given.config is not None else []
    for path, data in (*own, *((item.path, item.object) for item in given.items)):
        if _is_own(data) and data["kind"] == "Fleet":
            return _file(path, _plain(data))
    return None


def _items(document: yamlio.Document, items: Sequence[Json]) -> Iterator[Item]:
    lines = document.text.split("\n")
    starts = [0, *yamlio.item_lines(document.text, "items")]
    spans = [*pairwise(starts)] if len(starts) == len(items) + 1 else [(0, 0)] * len(items)
    for number, (item, (start, end)) in enumerate(zip(items, spans, strict=True)):
        is_rendered = any(line.lstrip(" -") == _HEADER for line in lines[start:end])
        path, index = _place(item, number)
        yield Item(item, path, index, is_rendered)


def _place(item: Json, number: int) -> tuple[str, int]:
    marks = read_value(item, ("metadata", "annotations"))
    marks = marks if isinstance(marks, dict) else {}
    path = next((marks[key] for key in reversed(PATHS) if isinstance(marks.get(key), str)), "")
    index = next((marks[key] for key in reversed(INDICES) if key in marks), "")
    is_number = str(index).isdecimal() and len(str(index)) <= _DIGITS
    return path or _UNNAMED, int(index) if is_number and path else number


def _config(given: ResourceList) -> tuple[str, Json] | None:
    config = given.config
    if config is None or (config.get("kind") == "ConfigMap" and not config.get("data")):
        return None  # what kpt gives a function that is given nothing
    if not _is_own(config):
        version, kind = config.get("apiVersion"), config.get("kind")
        is_named = isinstance(version, str) and isinstance(kind, str)
        _refuse_config(f"a {version} {kind}" if is_named else "without an apiVersion or a kind")
    return _FUNCTION_CONFIG, _plain(config)


def _own_items(given: ResourceList) -> Iterator[tuple[str, Json]]:
    """The items of ours, without the functionConfig: a generator's is among its items."""
    config = _plain(given.config) if given.config is not None else None
    for item in given.items:
        if _is_own(item.object) and item.plain != config:
            yield item.path, item.plain


def _inside(paths: Iterable[str], folders: Iterable[str]) -> frozenset[str]:
    """Those of the paths that are one of the folders, or below one."""
    known = frozenset(map(PurePosixPath, folders))
    return frozenset(
        text for text in paths if not known.isdisjoint((path := PurePosixPath(text), *path.parents))
    )


def _is_own(data: Json) -> bool:
    return data.get("apiVersion") == API_VERSION and data.get("kind") in _OURS


def _is_tools(item: Item) -> bool:
    """Whether the item is a file of an orchestrator, or an input that reaches no cluster."""
    marks = read_value(item.object, ("metadata", "annotations"))
    is_local = isinstance(marks, dict) and str(marks.get(f"{_ORCHESTRATORS[1]}local-config"))
    identity = (item.object.get("apiVersion"), item.object.get("kind"))
    return identity in _TOOLS or is_local == "true" or item.object.get("kind") == "Kustomization"


def _plain(data: Json) -> Json:
    metadata = data.get("metadata")
    marks = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(marks, dict):
        return data
    kept = {key: text for key, text in marks.items() if not key.startswith(_ORCHESTRATORS)}
    rest = {key: value for key, value in metadata.items() if key != "annotations"}
    return {**data, "metadata": {**rest, **({"annotations": kept} if kept else {})}}


def _files(items: Iterable[Item]) -> Iterator[tuple[str, bytes]]:
    """The items as the files that they are from, in the order of their documents."""
    by_path: dict[str, list[tuple[int, Json]]] = {}
    for item in items:
        by_path.setdefault(item.path, []).append((item.index, item.plain))
    for path, documents in by_path.items():
        texts = (yamlio.emit(value) for _, value in sorted(documents, key=itemgetter(0)))
        yield path, "---\n".join(texts).encode()


def _file(path: str, data: Json) -> tuple[str, bytes]:
    return path, yamlio.emit(data).encode()


def _refuse_config(found: str) -> NoReturn:
    message = f"the functionConfig is {found}, neither a Fleet nor a Placement"
    cure = f"give a Fleet or a Placement of {API_VERSION}"
    raise InputError((WRONG_FUNCTION_CONFIG.result(message, cure=cure),))


def _refuse(message: str) -> NoReturn:
    cure = "give a ResourceList, as kustomize, kpt or `kpt fn source` does"
    raise InputError((NO_RESOURCE_LIST.result(message, cure=cure),))
