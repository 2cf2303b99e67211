"""The input of a KRM function, split into a project and items that stay unchanged; and its output.

Source: the KRM functions specification (`config.kubernetes.io/v1`, kustomize's
`cmd/config/docs/api-conventions/functions-spec.md`). Orchestrators annotate items with their files;
kpt keeps the comments of an item, so that its first line says whether we rendered it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from json import dumps
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Any, NoReturn

from msgspec import Struct, field

from spokerender.config.base import API_VERSION
from spokerender.findings.codes.project import NO_RESOURCE_LIST, WRONG_FUNCTION_CONFIG
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import describe
from spokerender.formats import yamlio
from spokerender.kinds.fields import read_value
from spokerender.model import grouped, slots
from spokerender.model.krm import INDICES, PATHS, VERSIONS
from spokerender.model.memo import memoised
from spokerender.model.plan import HEADER, KUSTOMIZATION
from spokerender.model.shapes import JsonObject, as_mapping
from spokerender.model.sources import Files
from spokerender.rendering.values import layout
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant
from spokerender.rendering.values.rendered import Rendered

_ORCHESTRATORS = (
    "config.k8s.io/id",
    "config.kubernetes.io/",
    "internal.config.kubernetes.io/",
    "kustomize.config.k8s.io/",
)
"""The prefixes of annotations with which orchestrators describe an item, not the object in it."""
_OURS = ("Fleet", "Placement")
_TOOLS = (("kpt.dev/v1", "Kptfile"), ("config.kubernetes.io/v1", "Setters"))
_HEADER = HEADER.decode().rstrip("\n")
_UNNAMED = "stdin"
_FUNCTION_CONFIG = "functionConfig"
_DIGITS = 9
"""The most digits of a document's index in its file; a longer index is ignored."""


class ListItem(Struct, frozen=True):
    """One object of the list: its file, and whether its first line says that we rendered it."""

    object: JsonObject
    path: str
    index: int
    is_rendered: bool

    @property
    def plain(self) -> JsonObject:
        """The object without the annotations of orchestrators."""
        return _plain(self.object)


class ResourceList(Struct, frozen=True):
    """The input of `spokerender fn` as a KRM function; `config` is its functionConfig."""

    api_version: str
    items: tuple[ListItem, ...]
    config: JsonObject | None


class ProjectParts(Struct, frozen=True):
    """A split list: the placements, the hub's files, and the items below the output, by path."""

    placements: Files
    hub: Files
    rendered: Mapping[str, ListItem] = field(default_factory=dict)


def read_resource_list(data: bytes) -> ResourceList:
    """Return the ResourceList on standard input. Raises `InputError`."""
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
    """Return the parts of the project in a list.

    `folders` are the folders of the hub: an orchestrator passes all files of a project, so if any
    item is in these folders, items elsewhere do not belong to the hub. Items below `output` that we
    did not render are unchanged. Raises `InputError` if the functionConfig is neither a Fleet nor a
    Placement.
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
            _written_file(name, item) for name, item in project_items if item["kind"] == "Placement"
        ],
        hub=list(_files(hub)),
        rendered={item.path: item for item in rendered},
    )


def find_fleet(resource_list: ResourceList) -> tuple[str, bytes] | None:
    """Return the Fleet of the list as a file, from the functionConfig or an item, or None."""
    config = [(_FUNCTION_CONFIG, resource_list.config)] if resource_list.config is not None else []
    for path, data in (*config, *((item.path, item.object) for item in resource_list.items)):
        if _is_own(data) and data["kind"] == "Fleet":
            return _written_file(path, _plain(data))
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
    """Yield path and object of items of our own kinds, except the functionConfig, if it is one."""
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
    """Yield the files that items come from, each with its items as documents, sorted by index."""
    by_path = grouped((item.path, (item.index, item.plain)) for item in items)
    for path, documents in by_path.items():
        texts = (yamlio.emit(value) for _, value in sorted(documents, key=itemgetter(0)))
        yield path, "---\n".join(texts).encode()


def _written_file(path: str, data: JsonObject) -> tuple[str, bytes]:
    return path, yamlio.emit(data).encode()


def _refuse_config(kind: str) -> NoReturn:
    message = f"the functionConfig is {kind}, neither a Fleet nor a Placement"
    cure = f"give a Fleet or a Placement of {API_VERSION}"
    raise InputError((WRONG_FUNCTION_CONFIG.result(message, cure=cure),))


def _refuse(message: str) -> NoReturn:
    cure = "give a ResourceList, as kustomize, kpt or `kpt fn source` does"
    raise InputError((NO_RESOURCE_LIST.result(message, cure=cure),))


_BASE = "\udeff"
"""Stands for the path of the folder; no text contains it, as it is a lone surrogate."""
_PLACE = 10**9
"""The number of the slot that stands for the path while a text is composed; no fleet uses it."""
_TRIED = "base/"
"""The example folder that is filled in to read a text back."""


class _ItemText:
    """The text of an item with a gap for the folder's path, which differs between spokes."""

    __slots__ = ("_constants", "_parts")

    def __init__(self, parts: Sequence[yamlio.TextTemplate]) -> None:
        # Nearly always, all of them are constant.
        constants = [part.constant for part in parts if part.constant is not None]
        self._parts = parts
        self._constants = constants if len(constants) == len(parts) else None

    def fill(self, folder: bytes, values: slots.Values, memo: dict[str, bytes]) -> bytes:
        """Return the text filled in with `values` and the path `folder`, escaped for quotes."""
        if self._constants is not None:
            return folder.join(self._constants)
        return folder.join([part.fill(values, memo) for part in self._parts])


class FleetItems:
    """Makes `items` of the ResourceList that `spokerender fn` prints, from a rendered fleet."""

    def __init__(self, rendered: Rendered) -> None:
        self._rendered = rendered
        self._one_file = rendered.settings.one_file
        self._texts: dict[tuple[Variant, str, int], _ItemText] = {}
        self._texts_by_blueprint: dict[Blueprint, Sequence[_ItemText]] = {}

    def of_spoke(self, name: str, base: str) -> Iterator[bytes]:
        """Yield the objects of a spoke as items, sorted by path; each path begins with `base`."""
        bundle = self._rendered.bundles[name]
        values, memo, folder = bundle.values, dict[str, bytes](), _escaped(base).encode()
        for text in self._texts_of(bundle):
            yield text.fill(folder, values, memo)
        if self._rendered.settings.creates_namespaces:
            for written in self._rendered.tree.written(name):
                if written.variant is None:
                    (value,) = _read(written.text)
                    path = f"{base}_cluster/namespace_{value['metadata']['name']}.yaml"
                    yield make_item(_annotate(value, path, 0), is_ours=True)

    def beside(self, output: str) -> Iterator[bytes]:
        """Yield kustomizations and files of the fleet's own folder, but no spoke's objects."""
        tree = self._rendered.tree
        for folder in tree.folders:
            base = f"{output}/{folder}/"
            if folder in self._rendered.bundles:
                paths = (path for path in tree.paths(folder) if path != KUSTOMIZATION)
                listing = self._listing(tuple(paths))
                yield listing.fill(_escaped(base).encode(), {}, {})
                continue
            for path, data in tree.files(folder).items():
                yield from _file(f"{base}{path}", data)

    def published(self) -> Iterator[bytes]:
        """Yield the files that a build writes into `published/`, as items."""
        for path, data in self._rendered.contribution.files.items():
            if data is not None:
                yield from _file(path, data)

    def _texts_of(self, bundle: Bundle) -> Sequence[_ItemText]:
        """Return a blueprint's items, remembered for all its spokes unless a path has a slot."""
        if bundle.blueprint in self._texts_by_blueprint:
            return self._texts_by_blueprint[bundle.blueprint]
        variants = bundle.blueprint.variants
        paths = [layout.path_of(variant.ref) for variant in variants]
        by_path = sorted(zip(map(bundle.text, paths), variants, strict=True), key=itemgetter(0))
        texts = [
            self._text(path, variant, bundle, index if self._one_file else 0)
            for index, (path, variant) in enumerate(by_path)
        ]
        if not any(map(slots.has_slot, paths)):
            self._texts_by_blueprint[bundle.blueprint] = texts
        return texts

    def _text(self, path: str, variant: Variant, bundle: Bundle, index: int) -> _ItemText:
        key = (variant, path, index)
        text = self._texts.get(key)
        if text is None:
            place = layout.ALL_IN_ONE if self._one_file else path
            source = variant.shipped.written
            is_kept = source is not None and source.is_spliced
            old, data = (source.text, source.object) if source is not None and is_kept else ("", {})
            new = _annotate(variant.object, slots.text_slot(_PLACE), index)
            text = self._texts[key] = _cut_text(yamlio.compose(old, data, new).text, place)
            meant = _annotate(bundle.filled(variant.object), f"{_TRIED}{place}", index)
            _prove(text, bundle.values, meant)
        return text

    @memoised
    def _listing(self, paths: tuple[str, ...]) -> _ItemText:
        """Return the kustomization that lists a folder's files, after reading it back."""
        data = {"apiVersion": "", "kind": "", "metadata": {}}
        data |= layout.kustomization_object(paths)
        composed = yamlio.emit(_annotate(data, slots.text_slot(_PLACE), 0))
        text = _cut_text(composed, KUSTOMIZATION)
        _prove(text, {}, _annotate(data, f"{_TRIED}{KUSTOMIZATION}", 0))
        return text


def make_item(data: Mapping[str, Any], *, is_ours: bool = False) -> bytes:
    """Return an object as an item; if `is_ours`, it begins with the first line of our files."""
    header = HEADER.decode() if is_ours else ""
    return yamlio.write_item(header + yamlio.emit(dict(data))).encode()


def _file(path: str, data: bytes) -> Iterator[bytes]:
    """Yield the objects in a file of ours as items; documents without a `kind` are left out."""
    for index, value in enumerate(it for it in _read(data) if "kind" in it):
        yield make_item(_annotate(value, path, index), is_ours=True)


def _cut_text(composed: str, path: str) -> _ItemText:
    """Return `composed` as an item's text; the folder's gap and `path` replace `_PLACE` in it."""
    whole = yamlio.write_item(HEADER.decode() + composed)
    marked = yamlio.mark(slots.text_slot(_PLACE))
    parts = whole.replace(marked, f'"{_BASE}{_escaped(path)}"').split(_BASE)
    return _ItemText([yamlio.cut_at_marks(part) for part in parts])


def _prove(text: _ItemText, values: slots.Values, meant: dict[str, Any]) -> None:
    """Check that a text, filled with the first spoke's `values`, is read back as `meant`."""
    yamlio.prove(text.fill(_TRIED.encode(), values, {}).decode(), [meant])


def _annotate(data: Mapping[str, Any], path: str, index: int) -> dict[str, Any]:
    """Return the object with the annotations that name its file."""
    places = dict.fromkeys(PATHS, path) | dict.fromkeys(INDICES, str(index))
    metadata = data.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), **places}
    return {**data, "metadata": {**metadata, "annotations": annotations}}


def _escaped(text: str) -> str:
    """Return a text escaped for double quotes."""
    return dumps(text, ensure_ascii=False)[1:-1]


def _read(data: bytes) -> Sequence[dict[str, Any]]:
    return [document.value for document in yamlio.read(data, "")[0]]
