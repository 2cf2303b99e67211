"""A rendered fleet as the items of a ResourceList: each says by annotation which file it is.

An object's text is made once for all the spokes that get it, as the tree's are, and differs from
that by two annotations and its indentation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from json import dumps
from typing import Any

from spokerender.formats import yamlio
from spokerender.model import slots
from spokerender.model.krm import INDICES, PATHS
from spokerender.model.ownership import HEADER, KUSTOMIZATION
from spokerender.rendering.values import layout
from spokerender.rendering.values.bundles import Bundle, Variant, is_shared
from spokerender.rendering.values.rendered import Rendered

_BASE = "\udeff"
"""Where the folder's path goes into a text: no character, so that no text has it."""
_PLACE = 10**9
"""The slot that stands for the path while a text is composed: a fleet never has as many."""
_TRIED = "base/"
"""The folder that a text is read back with."""


class _Text:
    """An item's text in parts: between them stands the path of the folder."""

    __slots__ = ("_constants", "_parts")

    def __init__(self, parts: Sequence[yamlio.TextTemplate]) -> None:
        """Nearly always all parts are constant."""
        constants = [part.constant for part in parts if part.constant is not None]
        self._parts = parts
        self._constants = constants if len(constants) == len(parts) else None

    def fill(self, folder: bytes, values: slots.Values, memo: dict[str, bytes]) -> bytes:
        """The text in a folder, which is given as it stands between double quotes."""
        if self._constants is not None:
            return folder.join(self._constants)
        return folder.join([part.fill(values, memo) for part in self._parts])


class Items:
    """The items that a rendered fleet makes."""

    def __init__(self, rendered: Rendered) -> None:
        """Nothing is made before it is asked for."""
        self._rendered = rendered
        self._one_file = rendered.settings.one_file
        self._texts: dict[tuple[int, str, int], _Text] = {}
        self._of_blueprints: dict[int, Sequence[_Text]] = {}
        self._listings: dict[tuple[str, ...], _Text] = {}

    def of_spoke(self, name: str, base: str) -> Iterator[bytes]:
        """The objects of a spoke, by path; `base` is what stands before a path, with its `/`."""
        bundle = self._rendered.bundles[name]
        values, memo, folder = bundle.values, dict[str, bytes](), _escaped(base).encode()
        for text in self._of_blueprint(bundle):
            yield text.fill(folder, values, memo)
        if self._rendered.settings.creates_namespaces:
            yield from self._namespaces(name, base)

    def beside(self, output: str) -> Iterator[bytes]:
        """Everything else of the tree: what lists a folder's files, and delivery."""
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
        """What a build writes into `published/`."""
        for path, data in self._rendered.contribution.files.items():
            if data is not None:
                yield from _file(path, data)

    def _of_blueprint(self, bundle: Bundle) -> Sequence[_Text]:
        """The texts of all that share the blueprint, unless a path differs between them."""
        known = self._of_blueprints.get(id(bundle.blueprint))
        if known is not None:
            return known
        paths = [layout.path_of(variant.ref) for variant in bundle.blueprint.variants]
        filled = [bundle.text(path) for path in paths]
        by_path = sorted(
            zip(filled, bundle.blueprint.variants, strict=True), key=lambda pair: pair[0]
        )
        texts = [
            self._text(path, variant, bundle, index if self._one_file else 0)
            for index, (path, variant) in enumerate(by_path)
        ]
        if all(map(is_shared, paths)):
            self._of_blueprints[id(bundle.blueprint)] = texts
        return texts

    def _text(self, path: str, variant: Variant, bundle: Bundle, index: int) -> _Text:
        key = (id(variant), path, index)
        text = self._texts.get(key)
        if text is None:
            place = layout.ALL_IN_ONE if self._one_file else path
            text = self._texts[key] = _made(variant, place, index)
            meant = _marked(bundle.data(variant.object), f"{_TRIED}{place}", index)
            _prove(text, bundle.values, meant)
        return text

    def _listing(self, paths: tuple[str, ...]) -> _Text:
        """The file that lists a folder's files, read back."""
        text = self._listings.get(paths)
        if text is None:
            data = {"apiVersion": "", "kind": "", "metadata": {}}
            data |= layout.kustomization_object(paths)
            composed = yamlio.emit(_marked(data, slots.text_slot(_PLACE), 0))
            text = self._listings[paths] = _cut(composed, KUSTOMIZATION)
            _prove(text, {}, _marked(data, f"{_TRIED}{KUSTOMIZATION}", 0))
        return text

    def _namespaces(self, name: str, base: str) -> Iterator[bytes]:
        for written in self._rendered.tree.written(name):
            if written.variant is None:
                (value,) = _read(written.text)
                path = f"{base}_cluster/namespace_{value['metadata']['name']}.yaml"
                yield item(_marked(value, path, 0), is_ours=True)


def item(data: Mapping[str, Any], *, is_ours: bool = False) -> bytes:
    """An object as an item; one of ours has the first line that its file has."""
    header = HEADER.decode() if is_ours else ""
    return _indented(header + yamlio.emit(dict(data))).encode()


def _file(path: str, data: bytes) -> Iterator[bytes]:
    """The items of a file of ours."""
    for index, value in enumerate(_read(data)):
        yield item(_marked(value, path, index), is_ours=True)


def _made(variant: Variant, path: str, index: int) -> _Text:
    source = variant.shipped.written
    is_kept = source is not None and source.is_spliced
    text, old = (source.text, source.object) if source is not None and is_kept else ("", {})
    data = _marked(variant.object, slots.text_slot(_PLACE), index)
    return _cut(yamlio.compose(text, old, data).text, path)


def _cut(composed: str, path: str) -> _Text:
    """A text in which a slot stands for the file's path, cut where the folder's goes."""
    whole = _indented(HEADER.decode() + composed)
    marked = yamlio.mark(slots.text_slot(_PLACE))
    parts = whole.replace(marked, f'"{_BASE}{_escaped(path)}"').split(_BASE)
    return _Text([yamlio.compile_text(part) for part in parts])


def _prove(text: _Text, values: slots.Values, meant: dict[str, Any]) -> None:
    """Read a text back with the values of the first spoke that gets it."""
    yamlio.prove(text.fill(_TRIED.encode(), values, {}).decode(), [meant])


def _marked(data: Mapping[str, Any], path: str, index: int) -> dict[str, Any]:
    """The object with the annotations that say which file it is."""
    places = dict.fromkeys(PATHS, path) | dict.fromkeys(INDICES, str(index))
    metadata = data.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), **places}
    return {**data, "metadata": {**metadata, "annotations": annotations}}


def _indented(text: str) -> str:
    """The lines as an item of a list; an empty line stays empty, wherever it is."""
    return "- " + yamlio.indented(text.removesuffix("\n"), "  ") + "\n"


def _escaped(text: str) -> str:
    """The text as it stands between double quotes."""
    return dumps(text, ensure_ascii=False)[1:-1]


def _read(data: bytes) -> Sequence[dict[str, Any]]:
    return [document.value for document in yamlio.read(data, "")[0]]
