"""Constructors that keep the rows of the table short."""

from __future__ import annotations

from typing import TypedDict, Unpack

from msgspec.structs import replace

from spokerender.kinds.columns import Demand, Need, Traits, Unseen
from spokerender.kinds.kind import (
    SECTION,
    Authorities,
    Controller,
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
from spokerender.model.refs import GATEWAY_API


def plural_of(kind: str) -> str:
    """Return the regular English plural of a kind, in lower case: `policies`, `gatewayclasses`."""
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
    """Make a row, by default of a namespaced kind with a regular plural."""
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
    """Make the path of one target, by default a local one (GEP-713)."""
    return ReferencePath(path, Role.TARGET, group, kind, namespace, section)


def target_refs(
    *,
    max_items: int | None = 16,
    namespace: NamespaceRule = NamespaceRule.NONE,
    section: str = "",
    unique: bool = False,
) -> ReferencePath:
    """Make the path of a list of targets."""
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
    """Make the path of targets that are selected by their labels."""
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
    """Make the path of a `ParentReference` of the Gateway API, or of a list of them."""
    return ReferencePath(
        path, Role.PARENT, group, "Gateway", NamespaceRule.ANY, section, unique, max_items
    )


def backend(path: str) -> ReferencePath:
    """Make the path of a `BackendObjectReference` of the Gateway API."""
    return ReferencePath(path, Role.BACKEND, "", "Service", NamespaceRule.ANY)


def labels(path: str, role: Role = Role.LABEL) -> ReferencePath:
    """Make the path of a plain mapping of labels that selects pods."""
    return ReferencePath(path, role)


def label_selector(path: str, role: Role = Role.LABEL) -> tuple[ReferencePath, ReferencePath]:
    """Make the paths of a `metav1.LabelSelector` that selects pods or Services."""
    return labels(f"{path}.matchLabels", role), labels(f"{path}.matchExpressions[]", role)


def extension(path: str) -> ReferencePath:
    """Make the path of an `ExtensionRef` filter, which names an object of the route's namespace."""
    return ReferencePath(f"{path}.extensionRef", Role.FILTER)


def secret(path: str) -> Need:
    """Make the need of a Secret of the object's own namespace, named at `path`.name."""
    return Need(path)


def local_object(path: str, kind: str = "", group: str = "") -> Need:
    """Make the need of an object of the own namespace, named by group, kind and name."""
    return Need(path, kind, group, group_key="group", kind_key="kind")


def any_object(path: str, kind: str = "Secret", group: str = "") -> Need:
    """Make the need of an object of any namespace, named by group, kind, namespace and name."""
    return Need(path, kind, group, group_key="group", kind_key="kind", namespace_key="namespace")


def with_key(need: Need, *keys: str, or_single: bool = False) -> Need:
    """Return the need of an object whose data has one of the keys, or a single key."""
    return replace(need, keys=keys, or_single=or_single)


_AMOUNT = "isQuantity(string(self)) && quantity(string(self)).isInteger()"


def duration(path: str, protocols: tuple[str, ...] = ()) -> Demand:
    """Demand a duration as Go reads it (`time.ParseDuration`)."""
    says = "has to be a duration such as 10s"
    return Demand(path, "duration(self) == duration(self)", says, protocols)


def amount(path: str, least: int, most: int, protocols: tuple[str, ...] = ()) -> Demand:
    """Demand a quantity that is a whole number of bytes within limits."""
    bounds = (
        f"quantity(string(self)).compareTo(quantity('{least}')) >= 0",
        f"quantity(string(self)).compareTo(quantity('{most}')) <= 0",
    )
    says = f"has to be a whole number of bytes from {least} to {most}"
    return Demand(path, " && ".join((_AMOUNT, *bounds)), says, protocols)


def whole(path: str, most: int = 2**32 - 1) -> Demand:
    """Demand a number that is not negative."""
    return Demand(path, f"self >= 0 && self <= {most}", f"has to be from 0 to {most}")


def expression(path: str, when: str = "") -> Demand:
    """Demand a regular expression of RE2 in the field `value` at `path`, where `when` is true."""
    rule = "''.matches(self.value) in [true, false]"
    rule = f"!({when}) || !has(self.value) || {rule}" if when else rule
    return Demand(path, rule, "has to have a regular expression of RE2's")
