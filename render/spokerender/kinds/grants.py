"""ReferenceGrants: who may name what across namespaces (GEP-709)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from spokerender.kinds.paths import found
from spokerender.model import Ref


class Grant(Struct, frozen=True):
    """What a ReferenceGrant says. `namespace` is its own, and that of all that it grants.

    `referrers` are group, kind and namespace; `referents` are group, kind and name, the name
    empty where any is meant.
    """

    namespace: str
    referrers: frozenset[tuple[str, str, str]]
    referents: frozenset[tuple[str, str, str]]

    def permits(self, referrer: Ref, referent: Ref) -> bool:
        """Whether the referrer may name the referent: any of `from` and any of `to` match."""
        named = {(referent.group, referent.kind, name) for name in ("", referent.name)}
        return (
            self.namespace == referent.namespace
            and (referrer.group, referrer.kind, referrer.namespace) in self.referrers
            and not named.isdisjoint(self.referents)
        )


def grant(data: Mapping[str, Any], namespace: str) -> Grant:
    """Read a ReferenceGrant of that namespace; what can't be understood is left out."""
    return Grant(
        namespace,
        referrers=_entries(data, "spec.from[]", "namespace"),
        referents=_entries(data, "spec.to[]", "name"),
    )


def _entries(data: Mapping[str, Any], path: str, key: str) -> frozenset[tuple[str, str, str]]:
    entries = [entry for _, entry in found(data, path) if isinstance(entry, Mapping)]
    texts = ((e.get("group") or "", e.get("kind") or "", e.get(key) or "") for e in entries)
    return frozenset(item for item in texts if all(isinstance(text, str) for text in item))
