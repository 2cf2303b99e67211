"""Constructors that keep the rows of the table short."""

from __future__ import annotations

from typing import TypedDict, Unpack

from spokerender.kinds.controllers import Controller
from spokerender.kinds.demands import Demand, Unseen
from spokerender.kinds.kind import (
    SECTION,
    Authorities,
    Kind,
    ListLimits,
    ListMaps,
    NamespaceRule,
    Reach,
    ReferencePath,
    Role,
    Targetless,
)
from spokerender.kinds.merging import Merging
from spokerender.kinds.need import Need
from spokerender.kinds.traits import Traits
from spokerender.model import GATEWAY_API


def plural_of(kind: str) -> str:
    """The plural that CRDs have, as far as English is regular: `policies`, `gatewayclasses`."""
    word = kind.lower()
    if word.endswith("y") and word[-2:-1] not in set("aeiou"):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "sh", "ch", "x")) else "s")


class Columns(TypedDict, total=False):
    """The columns of a row, but for its identity; `Kind` says what is in them."""

    namespaced: bool
    references: tuple[ReferencePath, ...]
    needs: tuple[Need, ...]
    security: bool
    annotations: tuple[tuple[str, str], ...]
    is_route: bool
    merging: Merging | None
    targets: tuple[str, ...]
    alternatives: tuple[tuple[str, ...], ...]
    targetless: Targetless
    guarded: bool
    controller: Controller
    reach: Reach
    traits: Traits
    protocols: tuple[str, ...]
    own_hostnames: bool
    authorities: Authorities | None
    list_maps: ListMaps
    limits: ListLimits
    credentials: tuple[str, ...]
    demands: tuple[Demand, ...]
    unseen: tuple[Unseen, ...]
    merges_gateways: str
    narrows: str


def row(
    group: str, kind: str, *versions: str, plural: str = "", **columns: Unpack[Columns]
) -> Kind:
    """A row, by default of a namespaced kind with a regular plural."""
    return Kind(
        group=group,
        kind=kind,
        plural=plural or plural_of(kind),
        versions=versions,
        **columns,
    )


def target_ref(
    *,
    path: str = "spec.targetRef",
    namespace: NamespaceRule = NamespaceRule.NONE,
    section: str = "",
    group: str = "",
    kind: str = "",
) -> ReferencePath:
    """One target; local, as GEP-713 wants it, if nothing else is said."""
    return ReferencePath(path, Role.TARGET, group, kind, namespace, section)


def target_refs(
    *,
    max_items: int | None = 16,
    namespace: NamespaceRule = NamespaceRule.NONE,
    section: str = "",
    unique: bool = False,
) -> ReferencePath:
    """A list of targets."""
    return ReferencePath(
        "spec.targetRefs[]",
        Role.TARGET,
        namespace=namespace,
        section=section,
        unique=unique,
        max_items=max_items,
    )


def target_selectors(
    *, group: str = "", section: str = "", max_items: int | None = None
) -> ReferencePath:
    """Targets by their labels."""
    return ReferencePath(
        "spec.targetSelectors[]",
        Role.SELECTOR,
        default_group=group,
        section=section,
        max_items=max_items,
    )


def parent(
    path: str,
    *,
    group: str = GATEWAY_API,
    section: str = SECTION,
    unique: bool = False,
    max_items: int | None = None,
) -> ReferencePath:
    """A `ParentReference` of the Gateway API, or a list of them."""
    return ReferencePath(
        path, Role.PARENT, group, "Gateway", NamespaceRule.ANY, section, unique, max_items
    )


def backend(path: str) -> ReferencePath:
    """A `BackendObjectReference` of the Gateway API."""
    return ReferencePath(path, Role.BACKEND, "", "Service", NamespaceRule.ANY)


def labels(path: str, role: Role = Role.LABEL) -> ReferencePath:
    """A plain mapping of labels that selects pods."""
    return ReferencePath(path, role)


def label_selector(path: str, role: Role = Role.LABEL) -> tuple[ReferencePath, ReferencePath]:
    """A `metav1.LabelSelector` that selects pods or Services."""
    return labels(f"{path}.matchLabels", role), labels(f"{path}.matchExpressions[]", role)


def extension(path: str) -> ReferencePath:
    """An `ExtensionRef` filter of the Gateway API: something of the route's own namespace."""
    return ReferencePath(f"{path}.extensionRef", Role.FILTER)
