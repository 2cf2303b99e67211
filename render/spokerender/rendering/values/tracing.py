"""From a field of a spoke's tree back to the line that it came from."""

from __future__ import annotations

from spokerender.formats.comparing import Steps
from spokerender.model import Ref
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.provenance import History
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.sources import Source


class Tracer:
    """Finds the source of a field by what a difference says of it: folder, identity, path."""

    def __init__(self, rendered: Rendered) -> None:
        """Trace in this render."""
        self._rendered = rendered
        self._variants: dict[int, dict[tuple[str, str], list[Variant]]] = {}
        self._last: tuple[str, Ref, History | None] | None = None

    def source(self, folder: str, ref: Ref, path: Steps = ()) -> Source | None:
        """Tell where the field came from; None for what is not rendered from a hub object."""
        if self._last is None or self._last[:2] != (folder, ref):
            self._last = (folder, ref, self._history(folder, ref))
        history = self._last[2]
        return history.source(path) if history is not None else None

    def _history(self, folder: str, ref: Ref) -> History | None:
        bundle = self._rendered.bundles.get(folder)
        if bundle is None:
            return None
        for variant in self._of_kind(bundle, ref):
            names = (variant.ref.namespace, variant.ref.name)
            if (ref.namespace, ref.name) == tuple(bundle.text(n) for n in names):
                return History(self._rendered, bundle, variant)
        return None

    def _of_kind(self, bundle: Bundle, ref: Ref) -> list[Variant]:
        kinds = self._variants.get(id(bundle.blueprint))
        if kinds is None:
            kinds = self._variants[id(bundle.blueprint)] = {}
            for variant in bundle.blueprint.variants:
                kinds.setdefault((variant.ref.group, variant.ref.kind), []).append(variant)
        return kinds.get((ref.group, ref.kind), [])
