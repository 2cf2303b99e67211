"""A rendered fleet as the items of a ResourceList: each says by annotation which file it is.

An object's text is made once for all the spokes that get it, as the tree's are, and differs from
that by two annotations and its indentation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from json import dumps
from typing import Any

from render.adopting.functions import INDICES, PATHS
from render.formats import yamlio
from render.model import slots
from render.model.ownership import HEADER
from render.rendering import layout
from render.rendering.values.bundles import Bundle, Variant
from render.rendering.values.rendered import Rendered

_BASE = "\udeff"
"""Where the folder's path goes into a text: no character, so that no text has it."""


_Text = tuple[yamlio.TextTemplate, ...]
"""An item's text in parts: between them stands the path of the folder."""


class Items:
    """The items that a rendered fleet makes."""

    def __init__(self, rendered: Rendered) -> None:
        """Nothing is made before it is asked for."""
        self._rendered = rendered
        self._one_file = rendered.fleet_file.spec.layout == "spoke"
        self._texts: dict[tuple[int, str, int], _Text] = {}

    def of_spoke(self, name: str, base: str) -> Iterator[bytes]:
        """The objects of a spoke, by path; `base` is what stands before a path, with its `/`."""
        bundle = self._rendered.bundles[name]
        folder = dumps(base, ensure_ascii=False)[1:-1].encode()
        variants = bundle.blueprint.variants
        paths = [slots.fill_text(layout.path_of(each.ref), bundle.values) for each in variants]
        memo: dict[str, bytes] = {}
        for index, (path, variant) in enumerate(
            sorted(zip(paths, variants, strict=True), key=lambda pair: pair[0])
        ):
            text = self._text(path, variant, bundle, index if self._one_file else 0)
            yield folder.join(part.fill(bundle.values, memo) for part in text)
        if self._rendered.fleet_file.spec.namespaces == "create":
            yield from self._namespaces(name, base)

    def _namespaces(self, name: str, base: str) -> Iterator[bytes]:
        for written in self._rendered.tree.written(name):
            if written.variant is None:
                value = _read(written.text)
                path = f"_cluster/namespace_{value['metadata']['name']}.yaml"
                yield item(_marked(value, f"{base}{path}", 0), is_ours=True)

    def beside(self, output: str) -> Iterator[bytes]:
        """Everything else of the tree: what lists a folder's files, and delivery."""
        tree = self._rendered.tree
        for folder in tree.folders:
            is_spoke = folder in self._rendered.bundles
            files: Mapping[str, bytes]
            if is_spoke:
                paths = [path for path in tree.paths(folder) if path != layout.KUSTOMIZATION]
                files = {layout.KUSTOMIZATION: layout.kustomization(paths)}
            else:
                files = tree.files(folder)
            for path, data in files.items():
                for index, value in enumerate(_read_all(data)):
                    yield item(_marked(value, f"{output}/{folder}/{path}", index), is_ours=True)

    def _text(self, path: str, variant: Variant, bundle: Bundle, index: int) -> _Text:
        key = (id(variant), path, index)
        text = self._texts.get(key)
        if text is None:
            place = layout.ALL_IN_ONE if self._one_file else path
            text = self._texts[key] = _made(variant, place, index)
            _prove(text, variant, bundle, place, index)
        return text


def item(data: Mapping[str, Any], *, is_ours: bool = False) -> bytes:
    """An object as an item; one of ours has the first line that its file has."""
    header = HEADER.decode() if is_ours else ""
    return _indented(header + yamlio.emit(dict(data))).encode()


def _made(variant: Variant, path: str, index: int) -> _Text:
    source = variant.shipped.written
    is_kept = source is not None and source.is_spliced
    text, old = (source.text, source.object) if source is not None and is_kept else ("", {})
    mark = slots.text_slot(_PLACE)
    composed = yamlio.compose(text, old, _marked(variant.object, mark, index))
    shown = f'"{_BASE}{dumps(path, ensure_ascii=False)[1:-1]}"'
    whole = _indented(HEADER.decode() + composed.text).replace(yamlio.mark(mark), shown)
    return tuple(map(yamlio.compile_text, whole.split(_BASE)))


_PLACE = 10**9
"""The slot that stands for the path while a text is composed: a fleet never has as many."""


def _prove(text: _Text, variant: Variant, bundle: Bundle, path: str, index: int) -> None:
    """Read a text back with the values of the first spoke that gets it."""
    made = b"base/".join(part.fill(bundle.values, {}) for part in text).decode()
    meant = _marked(bundle.data(variant.object), f"base/{path}", index)
    yamlio.prove(made, [meant])


def _marked(data: Mapping[str, Any], path: str, index: int) -> dict[str, Any]:
    """The object with the annotations that say which file it is."""
    places = dict.fromkeys(PATHS, path) | dict.fromkeys(INDICES, str(index))
    metadata = data.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), **places}
    return {**data, "metadata": {**metadata, "annotations": annotations}}


def _indented(text: str) -> str:
    """The lines as an item of a list; an empty line stays empty, wherever it is."""
    lines = text.removesuffix("\n").split("\n")
    shown = [f"  {line}" if line else "" for line in lines]
    return "-" + "\n".join(shown)[1:] + "\n"


def _read(data: bytes) -> dict[str, Any]:
    value: dict[str, Any] = _read_all(data)[0]
    return value


def _read_all(data: bytes) -> Sequence[dict[str, Any]]:
    return [document.value for document in yamlio.read(data, "")[0]]
