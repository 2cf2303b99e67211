"""Identities: what references are resolved by."""

from __future__ import annotations

from dataclasses import dataclass

GATEWAY_API = "gateway.networking.k8s.io"


@dataclass(frozen=True, slots=True, order=True)
class Ref:
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
        """The object that this reference's section is in."""
        return Ref(self.group, self.kind, self.namespace, self.name) if self.section_name else self

    def __str__(self) -> str:
        """Kind, namespace and name, as kubectl users say it: `Gateway shop/public`."""
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind} {place}" + (f" [{self.section_name}]" if self.section_name else "")
