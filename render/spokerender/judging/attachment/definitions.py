"""What of a policy's CRD decides about its objects: its label, and how its status is limited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from msgspec import Struct

from spokerender.kinds.edits import read
from spokerender.model.shapes import as_list, as_mapping, as_text

POLICY_LABEL = "gateway.networking.k8s.io/policy"


class Definition(Struct, frozen=True):
    """A CRD as the rules look at it.

    `label` is in small letters: GEP-713 writes `direct`, Gateway API's constant is `Direct`.
    `ancestors` is how many entries its status has room for; None where it sets no limit, or has
    no such list.
    """

    label: str
    ancestors: int | None

    @classmethod
    def of(cls, crd: Mapping[str, Any]) -> Self:
        """Read a CRD; odd data is passed over."""
        limits = [
            limit
            for schema in schemas(crd)
            if isinstance(limit := at(schema, "status", "ancestors").get("maxItems"), int)
        ]
        return cls(label(crd).casefold(), min(limits, default=None))


def definitions(crds: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], Definition]:
    """The definitions by the group and kind that they define."""
    return {
        (str(read(crd, ("spec", "group"))), str(read(crd, ("spec", "names", "kind")))): (
            Definition.of(crd)
        )
        for crd in crds
    }


def label(crd: Mapping[str, Any]) -> str:
    """The value of the policy label; empty where there is none."""
    return as_text(read(crd, ("metadata", "labels", POLICY_LABEL)))


def schemas(crd: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The schemas of the served versions, in order."""
    versions = read(crd, ("spec", "versions"))
    for version in as_list(versions):
        schema = read(version, ("schema", "openAPIV3Schema"))
        if isinstance(schema, Mapping) and version.get("served") is not False:
            yield schema


def at(schema: Mapping[str, Any], *fields: str) -> Mapping[str, Any]:
    """The schema of a field below; of a list's items where one is on the way. Empty if absent."""
    place: Any = schema
    for field in fields:
        items = read(place, ("items",))
        place = read(items if isinstance(items, Mapping) else place, ("properties", field))
    return as_mapping(place)
