"""Mistakes in the kind or group of objects and references: which known kind is meant."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from spokerender.findings.phrasing import is_slip, mistyped
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import EXPERIMENTAL, Kind
from spokerender.kinds.table import ALWAYS_READ, GROUPS
from spokerender.model.refs import GATEWAY_API, kind_name

_BUILT_IN = "kubernetes"
"""The module of the table with Kubernetes' own API groups."""
_SHAPE = frozenset(
    {
        *("targetRef", "targetRefs", "targetSelectors", "parentRef", "parentRefs"),
        *("gatewayClassName", "controllerName", "from"),
    }
)
"""Fields of `spec` that policies, routes and other kinds of the Gateway API have."""
_STANDARD = (GATEWAY_API, EXPERIMENTAL)
"""Groups whose kinds vendors implement, so that no vendor defines a kind of the same name."""
_HALF = 0.5


def find_meant(
    catalogue: Catalogue, group: str, kind: str, spec: Mapping[str, Any] | None
) -> Kind | None:
    """Return the known kind that an unknown kind means; None if the unknown kind may exist.

    Another vendor may have a kind of the same name. An unknown kind is a mistake if it is one
    typing error away from a known kind, or if only Kubernetes defines kinds in its group. A policy,
    a route or a kind of the Gateway API is meant if its group is similar, or if the object has the
    fields of such a kind and either the group or the kind is known. A kind that fleet.yaml
    configures is no mistake. `spec` is the `spec` of an object of the kind; None if the kind is
    named in a reference.
    """
    if catalogue.known(group, kind) or (group, kind) in catalogue.configured or not kind:
        return None
    near = catalogue.spelt(group, kind) or mistyped(kind, catalogue.kinds_of(group))
    if near:
        return catalogue.kind(group, near)
    # Groups of the hub's own CRDs may be meant as well.
    groups = {**GROUPS, **dict.fromkeys((name for name, _ in catalogue.amended), "")}
    is_closed, is_known = _is_closed(group), group in GROUPS
    named = [name for name in groups if _is_akin(name, group)]
    if is_closed:
        named += (name for name, module in GROUPS.items() if module in ALWAYS_READ)
    if spec is None or not _SHAPE.isdisjoint(spec):
        is_own = is_closed or (is_known and spec is not None)
        named += groups if is_own else () if is_known else _STANDARD
    rows = [catalogue.kind(name, kind) for name in named if catalogue.known(name, kind)]
    if not is_closed:  # of others, what attaches
        rows = [row for row in rows if row.is_policy or row.is_route or row.group in _STANDARD]
    return max(rows, key=lambda row: _rate_likeness(row.group, group), default=None)


def list_namesakes(
    catalogue: Catalogue, group: str, kind: str, spec: Mapping[str, Any]
) -> list[str]:
    """Return the names of known policies that an unknown kind in fleet.yaml may mean.

    These are policies of the same kind in any group, if the object has a target. The list is empty
    if `find_meant` returns a kind.
    """
    is_told = find_meant(catalogue, group, kind, spec) is not None
    if is_told or catalogue.known(group, kind) or (group, kind) in catalogue.configured:
        return []
    rows = catalogue.all_kinds().values() if not _SHAPE.isdisjoint(spec) else ()
    return sorted(kind_name(row.group, kind) for row in rows if row.kind == kind and row.is_policy)


def _is_closed(group: str) -> bool:
    """Return whether only Kubernetes defines kinds in the group.

    False for `extensions`, whose kinds have moved to other groups.
    """
    is_own = GROUPS.get(group) == _BUILT_IN and group.endswith(".k8s.io")
    return is_own or ("." not in group and group != "extensions")


@lru_cache(maxsize=4096)
def _rate_likeness(one: str, other: str) -> float:
    """Return the share of labels that two groups have in common, ignoring their last labels."""
    labels, others = ({*group.split(".")[:-1]} for group in (one, other))
    return len(labels & others) / (len(labels | others) or 1)


@lru_cache(maxsize=4096)
def _is_akin(one: str, other: str) -> bool:
    """Return whether one group may mean the other: misspelt, cut, or another top-level domain."""
    # Without the top-level domain, as people often get it wrong.
    short, long = sorted((group.rpartition(".")[0] for group in (one, other)), key=len)
    is_part = bool(short) and f".{long}".endswith(f".{short}")
    return is_part or _rate_likeness(one, other) > _HALF or is_slip(one, other)
