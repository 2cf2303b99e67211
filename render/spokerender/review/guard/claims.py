"""What somebody has said may go: `--allow-delete`, and `spec.deletions` of the fleet file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spokerender.model import ObjectName, Ref
from spokerender.review.guard.losses import Lost, Removal


class Claims:
    """Spokes and objects that are named, and which of them would go.

    A text that is no object's name is a spoke with all that is on it.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """Read the claims."""
        self._texts = {text: ObjectName.read(text) for text in texts}
        self._objects: dict[str, list[ObjectName]] = {}
        for name in self._texts.values():
            if name is not None:
                self._objects.setdefault(name.name, []).append(name)

    def unclaimed(self, removal: Removal) -> tuple[Lost, ...]:
        """What a spoke would lose, and nobody names: neither it, nor all that it goes with."""
        return tuple(
            item
            for item in removal.lost
            if not (item.replaced or self._names_object(item, removal.spoke))
        )

    def names_spoke(self, spoke: str) -> bool:
        """Whether the whole spoke is named."""
        return spoke in self._texts and self._texts[spoke] is None

    def _names_object(self, item: Lost, spoke: str) -> bool:
        if self._naming(item.ref, spoke):
            return True
        return bool(item.goes_with) and all(self._naming(ref, spoke) for ref in item.goes_with)

    def _naming(self, ref: Ref, spoke: str) -> list[ObjectName]:
        alike = self._objects.get(ref.name, ())
        return [name for name in alike if name.spoke in ("", spoke) and name.names(ref)]

    def idle(self, removals: Iterable[Removal]) -> Iterator[str]:
        """The claims, as they were written, that name nothing that would go."""
        spokes: set[str] = set()
        objects: set[ObjectName] = set()
        for removal in removals:
            spokes.add(removal.spoke)
            for item in removal.lost:
                objects.update(self._naming(item.ref, removal.spoke))
        return (
            text
            for text, name in self._texts.items()
            if (text not in spokes if name is None else name not in objects)
        )
