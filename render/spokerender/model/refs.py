"""Identities of objects, by which references are resolved."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

GATEWAY_API = "gateway.networking.k8s.io"

_NOTHING: Mapping[str, object] = {}


class Ref(Struct, frozen=True, order=True, cache_hash=True):
    """The identity that references are resolved by (Gateway API: group, kind, namespace, name).

    The version is no part of it: a reference never names one. `section_name` is empty
    where the whole object is meant.
    """

    group: str
    kind: str
    namespace: str
    name: str
    section_name: str = ""

    @property
    def whole(self) -> Ref:
        """Return the object that the section belongs to."""
        return Ref(self.group, self.kind, self.namespace, self.name) if self.section_name else self

    @property
    def full_name(self) -> str:
        """Return its name after its namespace: `shop/checkout`."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def section(self, name: str) -> Ref:
        """Return a section of this object; the object itself where the name is empty."""
        return Ref(self.group, self.kind, self.namespace, self.name, name) if name else self

    def __str__(self) -> str:
        """Write kind, namespace and name as kubectl users do: `Gateway shop/public`."""
        section = f" [{self.section_name}]" if self.section_name else ""
        return f"{self.kind} {self.full_name}{section}"


def identity(data: object) -> Ref | None:
    """Return the identity in an object's fields; None where one of them is no text.

    What is absent is empty, as the namespace of a cluster-scoped object is.
    """
    fields = data if isinstance(data, Mapping) else None
    names = fields.get("metadata", _NOTHING) if fields is not None else None
    if fields is None or not isinstance(names, Mapping):
        return None
    version, kind = (fields.get(key, "") for key in ("apiVersion", "kind"))
    namespace, name = names.get("namespace") or "", names.get("name", "")
    if not all(isinstance(text, str) for text in (version, kind, namespace, name)):
        return None
    return Ref(version.rpartition("/")[0], kind, namespace, name)


def kind_name(group: str, kind: str) -> str:
    """Write a kind with its group, if it has one: `AuthPolicy.kuadrant.io`."""
    return f"{kind}.{group}" if group else kind
