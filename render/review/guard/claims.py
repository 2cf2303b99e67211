"""What somebody has said may go: `--allow-delete`, and `spec.deletions` of the fleet file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from render.model import Ref
from render.review.guard.losses import Lost, Removal


@dataclass(frozen=True, slots=True)
class Claim:
    """One spoke with all that is on it, or one object on a spoke, or on every spoke.

    Without a `kind` it is the whole spoke, without a `spoke` it is every spoke. `group` is None
    where it is not said.
    """

    kind: str = ""
    group: str | None = None
    namespace: str = ""
    name: str = ""
    spoke: str = ""

    @classmethod
    def read(cls, text: str) -> Self:
        """Read `eu-west-1`, `AuthPolicy/shop/auth`, `AuthPolicy.kuadrant.io/shop/auth@eu-west-1`.

        A text of another shape is a claim that names nothing.
        """
        what, _, spoke = text.partition("@")
        match what.split("/"):
            case [kind, *namespace, name] if len(namespace) <= 1:
                kind, has_group, group = kind.partition(".")
                return cls(kind, group if has_group else None, "".join(namespace), name, spoke)
            case _:
                return cls(spoke=text)

    def names(self, ref: Ref, spoke: str) -> bool:
        """Whether it names the object on this spoke."""
        return (
            (self.kind, self.namespace, self.name) == (ref.kind, ref.namespace, ref.name)
            and self.group in (None, ref.group)
            and self.spoke in ("", spoke)
        )


class Claims:
    """Several claims, and which of them came true."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Read the claims."""
        self._texts = {text: Claim.read(text) for text in texts}
        claims = self._texts.values()
        self._spokes = {claim.spoke for claim in claims if not claim.kind}
        self._objects: dict[tuple[str, str], list[Claim]] = {}
        for claim in claims:
            self._objects.setdefault((claim.kind, claim.name), []).append(claim)

    def unclaimed(self, removal: Removal) -> tuple[Lost, ...]:
        """What a spoke would lose, and nobody names: neither it, nor all that it goes with."""
        return tuple(
            item
            for item in removal.lost
            if not (item.replaced or self._names_object(item, removal.spoke))
        )

    def names_spoke(self, spoke: str) -> bool:
        """Whether the whole spoke is named."""
        return spoke in self._spokes

    def _names_object(self, item: Lost, spoke: str) -> bool:
        if self._naming(item.ref, spoke):
            return True
        return bool(item.goes_with) and all(self._naming(ref, spoke) for ref in item.goes_with)

    def _naming(self, ref: Ref, spoke: str) -> list[Claim]:
        known = self._objects.get((ref.kind, ref.name), ())
        return [claim for claim in known if claim.names(ref, spoke)]

    def idle(self, removals: Iterable[Removal]) -> Iterator[str]:
        """The claims, as they were written, that name nothing that would go."""
        came_true = set()
        for removal in removals:
            came_true.add(Claim(spoke=removal.spoke))
            for item in removal.lost:
                came_true.update(self._naming(item.ref, removal.spoke))
        return (text for text, claim in self._texts.items() if claim not in came_true)
