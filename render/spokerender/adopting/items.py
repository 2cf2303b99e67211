"""A rendered fleet as the items of a ResourceList, each with its file in an annotation.

The text of an object is composed once for all spokes that share it, as in the tree; it differs
from that by two annotations and its indentation.
"""

from collections.abc import Iterator, Mapping, Sequence
from json import dumps
from operator import itemgetter
from typing import Any

from spokerender.formats import yamlio
from spokerender.model import slots
from spokerender.model.krm import INDICES, PATHS
from spokerender.model.memo import memoised
from spokerender.model.plan import HEADER, KUSTOMIZATION
from spokerender.rendering.values import layout
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant
from spokerender.rendering.values.rendered import Rendered

_BASE = "\udeff"
"""Stands for the path of the folder: a lone surrogate, which no text contains."""
_PLACE = 10**9
"""The number of the slot for the path while a text is composed; a fleet has fewer slots."""
_TRIED = "base/"
"""The folder with which a text is read back."""


class _ItemText:
    """The text of an item in parts, with the path of the folder between them."""

    __slots__ = ("_constants", "_parts")

    def __init__(self, parts: Sequence[yamlio.TextTemplate]) -> None:
        # Nearly always, all of them are constant.
        constants = [part.constant for part in parts if part.constant is not None]
        self._parts = parts
        self._constants = constants if len(constants) == len(parts) else None

    def fill(self, folder: bytes, values: slots.Values, memo: dict[str, bytes]) -> bytes:
        """Return the text in a folder, whose path is escaped for double quotes."""
        if self._constants is not None:
            return folder.join(self._constants)
        return folder.join([part.fill(values, memo) for part in self._parts])


class FleetItems:
    """The items of a rendered fleet."""

    def __init__(self, rendered: Rendered) -> None:
        self._rendered = rendered
        self._one_file = rendered.settings.one_file
        self._texts: dict[tuple[Variant, str, int], _ItemText] = {}
        self._texts_by_blueprint: dict[Blueprint, Sequence[_ItemText]] = {}

    def of_spoke(self, name: str, base: str) -> Iterator[bytes]:
        """Yield the objects of a spoke, by path; `base` is put before each path."""
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
        """Yield everything else of the tree: kustomizations, and the fleet's folder."""
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
        """Yield what a build writes into `published/`."""
        for path, data in self._rendered.contribution.files.items():
            if data is not None:
                yield from _file(path, data)

    def _texts_of(self, bundle: Bundle) -> Sequence[_ItemText]:
        """Return the texts of a blueprint, kept for all its spokes unless a path has a slot."""
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
        """Return the kustomization that lists a folder's files, read back."""
        data = {"apiVersion": "", "kind": "", "metadata": {}}
        data |= layout.kustomization_object(paths)
        composed = yamlio.emit(_annotate(data, slots.text_slot(_PLACE), 0))
        text = _cut_text(composed, KUSTOMIZATION)
        _prove(text, {}, _annotate(data, f"{_TRIED}{KUSTOMIZATION}", 0))
        return text


def make_item(data: Mapping[str, Any], *, is_ours: bool = False) -> bytes:
    """Return an object as an item; one of ours has the same first line as its file."""
    header = HEADER.decode() if is_ours else ""
    return yamlio.write_item(header + yamlio.emit(dict(data))).encode()


def _file(path: str, data: bytes) -> Iterator[bytes]:
    """Yield the items of one of our files; what is for people is no object, and no item."""
    for index, value in enumerate(it for it in _read(data) if "kind" in it):
        yield make_item(_annotate(value, path, index), is_ours=True)


def _cut_text(composed: str, path: str) -> _ItemText:
    """Cut a text, in which a slot stands for the file's path, where the folder's path goes."""
    whole = yamlio.write_item(HEADER.decode() + composed)
    marked = yamlio.mark(slots.text_slot(_PLACE))
    parts = whole.replace(marked, f'"{_BASE}{_escaped(path)}"').split(_BASE)
    return _ItemText([yamlio.cut_at_marks(part) for part in parts])


def _prove(text: _ItemText, values: slots.Values, meant: dict[str, Any]) -> None:
    """Read a text back with the values of the first spoke that gets it."""
    yamlio.prove(text.fill(_TRIED.encode(), values, {}).decode(), [meant])


def _annotate(data: Mapping[str, Any], path: str, index: int) -> dict[str, Any]:
    """Return the object with the annotations that name its file."""
    places = dict.fromkeys(PATHS, path) | dict.fromkeys(INDICES, str(index))
    metadata = data.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), **places}
    return {**data, "metadata": {**metadata, "annotations": annotations}}


def _escaped(text: str) -> str:
    """Escape a text for double quotes."""
    return dumps(text, ensure_ascii=False)[1:-1]


def _read(data: bytes) -> Sequence[dict[str, Any]]:
    return [document.value for document in yamlio.read(data, "")[0]]
