"""Names of objects as users write them: `Kind[.group]/[namespace/]name[@spoke]`."""

from __future__ import annotations

from typing import Self

from msgspec import Struct

from spokerender.model.refs import Ref, kind_name

FORM = "KIND[.GROUP]/[NAMESPACE/]NAME"
"""The form in the help of commands, for an object on every spoke."""


class ObjectName(Struct, frozen=True):
    """An object on a spoke, or on every spoke where `spoke` is empty.

    `group` is None where it is not given: then it may be any. `namespace` is empty where it is not
    given, as for cluster-scoped objects.
    """

    kind: str
    group: str | None
    namespace: str
    name: str
    spoke: str = ""

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Read `AuthPolicy/shop/auth`, `AuthPolicy.kuadrant.io/shop/auth@eu`; None if malformed."""
        what, has_spoke, spoke = text.partition("@")
        word, *place = what.split("/")
        kind, has_group, group = word.partition(".")
        if not (kind and all(place) and len(place) in {1, 2} and bool(spoke) == bool(has_spoke)):
            return None
        namespace = place[0] if len(place) > 1 else ""
        return cls(kind, group if has_group else None, namespace, place[-1], spoke)

    @classmethod
    def of(cls, ref: Ref, *, with_group: bool = True, spoke: str = "") -> Self:
        """Name an object."""
        group = ref.group if with_group and ref.group else None
        return cls(ref.kind, group, ref.namespace, ref.name, spoke)

    def names(self, ref: Ref) -> bool:
        """Tell whether it names the object on any spoke; the kind may be in any case."""
        return (
            self.kind.casefold() == ref.kind.casefold()
            and self.group in (None, ref.group)
            and (self.namespace, self.name) == (ref.namespace, ref.name)
        )

    def __str__(self) -> str:
        """Return the form that `read` accepts."""
        parts = (kind_name(self.group or "", self.kind), self.namespace, self.name)
        return "/".join(filter(None, parts)) + (f"@{self.spoke}" if self.spoke else "")
