"""Every vendor's shape of reference, as the catalogue of kinds has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spokerender.model import GATEWAY_API

_ROUTES = ("HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute", "UDPRoute")


@dataclass(frozen=True)
class Shape:
    """One place where a kind names its targets: `path` below `spec`, a list or not."""

    group: str
    version: str
    kind: str
    path: str
    fields: tuple[str, ...]
    defaults: Mapping[str, str]

    @property
    def key(self) -> str:
        """The field of `spec`."""
        return self.path.removeprefix("spec.").removesuffix("[]")

    @property
    def is_list(self) -> bool:
        """Whether there may be several entries."""
        return self.path.endswith("[]")


_LATER = ("group", "kind", "name", "sectionName")
LATER = tuple(
    Shape("gateway.kgateway.dev", "v1alpha1", "TrafficPolicy", f"spec.{key}[]", fields, {})
    for key, fields in (
        ("targetRefs", _LATER),
        ("targetSelectors", ("group", "kind", "matchLabels", "sectionName")),
    )
)
"""Of kgateway's later releases, which the catalogue lacks (reference on the Gateway API, 6)."""


def shapes(rows: Sequence[Mapping[str, Any]]) -> tuple[Shape, ...]:
    """Every shape of the catalogue, of one version each; the Gateway API's own are made apart."""
    found = {
        (row["group"], row["kind"], ref["path"]): Shape(
            row["group"],
            row["version"],
            row["kind"],
            ref["path"],
            tuple(ref["fields"]),
            ref["defaults"],
        )
        for row in rows
        for ref in row["refs"]
        if (row["group"], row["kind"]) not in {(GATEWAY_API, kind) for kind in _ROUTES}
        and row["kind"] != "ListenerSet"
    }
    return (*found.values(), *LATER)
