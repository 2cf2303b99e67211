"""The input of a KRM function: a ResourceList, split into a project and what stays as it is.

Source: the KRM functions specification (`config.kubernetes.io/v1`, kustomize's
`cmd/config/docs/api-conventions/functions-spec.md`). Orchestrators annotate items with their
files; kpt keeps the comments of an item, so that its first line says whether we rendered it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from pathlib import PurePosixPath
from typing import NoReturn

from msgspec import Struct, field

from spokerender.config.base import API_VERSION
from spokerender.findings.codes.adopting import NO_RESOURCE_LIST, WRONG_FUNCTION_CONFIG
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import describe
from spokerender.formats import yamlio
from spokerender.kinds.fields import read_value
from spokerender.model import grouped
from spokerender.model.krm import INDICES, PATHS, VERSIONS
from spokerender.model.plan import HEADER
from spokerender.model.shapes import JsonObject, as_mapping
from spokerender.model.sources import Files

_ORCHESTRATORS = (
    "config.k8s.io/id",
    "config.kubernetes.io/",
    "internal.config.kubernetes.io/",
    "kustomize.config.k8s.io/",
)
"""The prefixes of orchestrators' annotations, which are about an item, not the object."""
_OURS = ("Fleet", "Placement")
_TOOLS = (("kpt.dev/v1", "Kptfile"), ("config.kubernetes.io/v1", "Setters"))
_HEADER = HEADER.decode().rstrip("\n")
_UNNAMED = "stdin"
_FUNCTION_CONFIG = "functionConfig"
_DIGITS = 9
"""The longest index of a document in its file that is read, in digits."""


class ListItem(Struct, frozen=True):
    """One object of the list: its file, and whether its first line says that it is ours."""

    object: JsonObject
    path: str
    index: int
    is_rendered: bool

    @property
    def plain(self) -> JsonObject:
        """The object without the annotations of orchestrators."""
        return _plain(self.object)


class ResourceList(Struct, frozen=True):
    """The input of a function."""

    api_version: str
    items: tuple[ListItem, ...]
    config: JsonObject | None


class ProjectParts(Struct, frozen=True):
    """A split list: the placements, the hub's files, and the items in the output, by path."""

    placements: Files
    hub: Files
    rendered: Mapping[str, ListItem] = field(default_factory=dict)


def read_resource_list(data: bytes) -> ResourceList:
    """Read standard input. Raises `InputError`."""
    documents, problems = yamlio.read(data, "")
    if problems:
        line, message = problems[0].line, problems[0].message
        _refuse(f"standard input can't be read, line {line}: {message}")
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict) or value.get("kind") != "ResourceList":
        kind = describe(value.get("kind")) if isinstance(value, dict) else "something else"
        _refuse(f"standard input is not a ResourceList, but {kind}")
    if value.get("apiVersion") not in VERSIONS:
        _refuse(f"the ResourceList is {describe(value.get('apiVersion'))}: {' or '.join(VERSIONS)}")
    items = value.get("items")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        _refuse("the ResourceList has no list of objects under items")
    config = value.get(_FUNCTION_CONFIG)
    if config is not None and not isinstance(config, dict):
        _refuse_config(describe(config))
    return ResourceList(str(value["apiVersion"]), tuple(_items(documents[0], items)), config)


def split_project(resource_list: ResourceList, output: str, folders: Sequence[str]) -> ProjectParts:
    """Find the project in a list.

    `folders` are those of the hub: an orchestrator passes all files of a project, and if any item
    is in them, items elsewhere do not belong to the hub. Items below `output` that are not ours
    stay as they are.

    Raises `InputError` if the functionConfig is neither a Fleet nor a Placement.
    """
    config = _config(resource_list)
    project_items = [*([config] if config is not None else []), *_own_items(resource_list)]
    below = f"{output.strip('/')}/"  # no path begins with a slash: an empty output has nothing
    rendered = [item for item in resource_list.items if item.path.startswith(below)]
    hub = [
        item
        for item in resource_list.items
        if not (item.path.startswith(below) or _is_own(item.object) or _is_tools(item))
    ]
    folder_paths = frozenset(map(PurePosixPath, folders))
    paths = {item.path: PurePosixPath(item.path) for item in hub}
    inside = {
        text for text, path in paths.items() if not folder_paths.isdisjoint((path, *path.parents))
    }
    if inside:
        hub = [item for item in hub if item.path == _UNNAMED or item.path in inside]
    return ProjectParts(
        placements=[
            _file(name, item) for name, item in project_items if item["kind"] == "Placement"
        ],
        hub=list(_files(hub)),
        rendered={item.path: item for item in rendered},
    )


def find_fleet(resource_list: ResourceList) -> tuple[str, bytes] | None:
    """Return the Fleet of the list: the functionConfig, or an item."""
    config = [(_FUNCTION_CONFIG, resource_list.config)] if resource_list.config is not None else []
    for path, data in (*config, *((item.path, item.object) for item in resource_list.items)):
        if _is_own(data) and data["kind"] == "Fleet":
            return _file(path, _plain(data))
    return None


def _items(document: yamlio.Document, items: Sequence[JsonObject]) -> Iterator[ListItem]:
    lines = document.text.split("\n")
    starts = [0, *yamlio.item_lines(document.text, len(items))]
    spans = [*pairwise(starts)] if len(starts) == len(items) + 1 else [(0, 0)] * len(items)
    for number, (item, (start, end)) in enumerate(zip(items, spans, strict=True)):
        is_rendered = any(line.lstrip(" -") == _HEADER for line in lines[start:end])
        marks = as_mapping(read_value(item, ("metadata", "annotations")))
        path = next((marks[key] for key in reversed(PATHS) if isinstance(marks.get(key), str)), "")
        index = next((marks[key] for key in reversed(INDICES) if key in marks), "")
        is_number = path and str(index).isdecimal() and len(str(index)) <= _DIGITS
        place = int(index) if is_number else number
        yield ListItem(item, path or _UNNAMED, place, is_rendered)


def _config(resource_list: ResourceList) -> tuple[str, JsonObject] | None:
    config = resource_list.config
    if config is None or (config.get("kind") == "ConfigMap" and not config.get("data")):
        return None  # kpt passes such a ConfigMap to a function without configuration
    if not _is_own(config):
        version, kind = config.get("apiVersion"), config.get("kind")
        is_named = isinstance(version, str) and isinstance(kind, str)
        _refuse_config(f"a {version} {kind}" if is_named else "without an apiVersion or a kind")
    return _FUNCTION_CONFIG, _plain(config)


def _own_items(resource_list: ResourceList) -> Iterator[tuple[str, JsonObject]]:
    """Yield our own items, except the functionConfig, which generators pass as an item, too."""
    config = _plain(resource_list.config) if resource_list.config is not None else None
    for item in resource_list.items:
        if _is_own(item.object) and item.plain != config:
            yield item.path, item.plain


def _is_own(data: JsonObject) -> bool:
    return data.get("apiVersion") == API_VERSION and data.get("kind") in _OURS


def _is_tools(item: ListItem) -> bool:
    """Return whether an item is a file of an orchestrator, or is applied to no cluster."""
    marks = read_value(item.object, ("metadata", "annotations"))
    is_local = isinstance(marks, dict) and str(marks.get(f"{_ORCHESTRATORS[1]}local-config"))
    identity = (item.object.get("apiVersion"), item.object.get("kind"))
    return identity in _TOOLS or is_local == "true" or item.object.get("kind") == "Kustomization"


def _plain(data: JsonObject) -> JsonObject:
    metadata = data.get("metadata")
    marks = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(marks, dict):
        return data
    annotations = {key: text for key, text in marks.items() if not key.startswith(_ORCHESTRATORS)}
    rest = {key: value for key, value in metadata.items() if key != "annotations"}
    return {**data, "metadata": {**rest, **({"annotations": annotations} if annotations else {})}}


def _files(items: Iterable[ListItem]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the items, with the documents in their order."""
    by_path = grouped((item.path, (item.index, item.plain)) for item in items)
    for path, documents in by_path.items():
        texts = (yamlio.emit(value) for _, value in sorted(documents, key=itemgetter(0)))
        yield path, "---\n".join(texts).encode()


def _file(path: str, data: JsonObject) -> tuple[str, bytes]:
    return path, yamlio.emit(data).encode()


def _refuse_config(kind: str) -> NoReturn:
    message = f"the functionConfig is {kind}, neither a Fleet nor a Placement"
    cure = f"give a Fleet or a Placement of {API_VERSION}"
    raise InputError((WRONG_FUNCTION_CONFIG.result(message, cure=cure),))


def _refuse(message: str) -> NoReturn:
    cure = "give a ResourceList, as kustomize, kpt or `kpt fn source` does"
    raise InputError((NO_RESOURCE_LIST.result(message, cure=cure),))
