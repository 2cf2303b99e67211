"""The values that the CRDs and webhooks of OCM refuse, so that no hub has them.

Source: open-cluster-management-io/api 1845fd8032e4, the CRDs of `cluster/`; OCM
`pkg/registration/webhook` for the name of a binding. A negative number of clusters passes the CRD,
and ends the scheduler.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spokerender.model.quantities import is_quantity
from spokerender.model.shapes import as_list, as_mapping
from spokerender.rendering.placement.ocm.inventory import without_nulls

_Faults = Iterator[tuple[str, str]]
"""Fields and what is wrong with them."""
_EFFECTS = ("NoSelect", "PreferNoSelect", "NoSelectIfNew")
_LENGTH = re.compile(r"(100|[1-9][0-9]?)%|[1-9][0-9]*")
_GROUP_NAME = re.compile(r"[a-zA-Z0-9][-A-Za-z0-9_.]{0,61}[a-zA-Z0-9]")
_KEY = re.compile(
    r"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])"
)
_MOST_WEIGHT, _MOST_SCORE = 10, 100


def find_refused(kind: str, data: Mapping[str, Any]) -> _Faults:
    """Yield what an API server would refuse in an object of OCM, by its kind."""
    check = _CHECKS.get(kind)
    if check is not None:
        yield from check({"metadata": data.get("metadata"), **_stored(data)})


def _stored(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return spec and status without nulls, which stand for absent fields."""
    return {key: without_nulls(data.get(key)) for key in ("spec", "status")}


def _check_placement(data: Mapping[str, Any]) -> _Faults:
    spec = as_mapping(data.get("spec"))
    number = spec.get("numberOfClusters")
    if isinstance(number, int) and number < 0:
        yield "spec.numberOfClusters", f"{number} is negative: OCM's scheduler would end"
    policy = as_mapping(spec.get("prioritizerPolicy"))
    for index, entry in enumerate(map(as_mapping, as_list(policy.get("configurations")))):
        field = f"spec.prioritizerPolicy.configurations[{index}]"
        yield from _check_range(entry.get("weight", 1), _MOST_WEIGHT, f"{field}.weight")
        kind = as_mapping(entry.get("scoreCoordinate")).get("type", "BuiltIn")
        yield from _check_choice(kind, ("BuiltIn", "AddOn"), f"{field}.scoreCoordinate.type")
    for index, entry in enumerate(map(as_mapping, as_list(spec.get("tolerations")))):
        field = f"spec.tolerations[{index}]"
        if "key" in entry and not _KEY.fullmatch(str(entry["key"])):
            yield f"{field}.key", f'"{entry["key"]}" is no key; leave it out to tolerate every one'
        if "effect" in entry:
            yield from _check_choice(entry["effect"], _EFFECTS, f"{field}.effect")
    yield from _check_groups(spec)


def _check_groups(spec: Mapping[str, Any]) -> _Faults:
    strategy = as_mapping(as_mapping(spec.get("decisionStrategy")).get("groupStrategy"))
    field = "spec.decisionStrategy.groupStrategy"
    length = strategy.get("clustersPerDecisionGroup", "100%")
    if isinstance(length, str) and not _LENGTH.fullmatch(length):
        yield f"{field}.clustersPerDecisionGroup", f'"{length}" is not 1 or more, nor 1% to 100%'
    for index, group in enumerate(map(as_mapping, as_list(strategy.get("decisionGroups")))):
        name = group.get("groupName", "")
        if not _GROUP_NAME.fullmatch(str(name)):
            message = f'"{name}" is no name of a group, which has two characters or more'
            yield f"{field}.decisionGroups[{index}].groupName", message


def _check_cluster(data: Mapping[str, Any]) -> _Faults:
    for index, taint in enumerate(as_list(as_mapping(data.get("spec")).get("taints"))):
        effect = as_mapping(taint).get("effect")
        yield from _check_choice(effect, _EFFECTS, f"spec.taints[{index}].effect")
    status = as_mapping(data.get("status"))
    for part in ("allocatable", "capacity"):
        for name, value in as_mapping(status.get(part)).items():
            if not is_quantity(str(value)):
                yield f"status.{part}.{name}", f'"{value}" is not a quantity'


def _check_set(data: Mapping[str, Any]) -> _Faults:
    selector = as_mapping(as_mapping(data.get("spec")).get("clusterSelector"))
    types = ("ExclusiveClusterSetLabel", "LabelSelector")
    kind = selector.get("selectorType", types[0])
    yield from _check_choice(kind, types, "spec.clusterSelector.selectorType")


def _check_binding(data: Mapping[str, Any]) -> _Faults:
    name = as_mapping(data.get("metadata")).get("name")
    named = as_mapping(data.get("spec")).get("clusterSet")
    if named != name:
        yield "spec.clusterSet", f'"{named}" must be the name of the binding, {name}'


def _check_score(data: Mapping[str, Any]) -> _Faults:
    for index, score in enumerate(as_list(as_mapping(data.get("status")).get("scores"))):
        value = as_mapping(score).get("value", 0)
        yield from _check_range(value, _MOST_SCORE, f"status.scores[{index}].value")


_CHECKS: Mapping[str, Callable[[Mapping[str, Any]], _Faults]] = {
    "Placement": _check_placement,
    "ManagedCluster": _check_cluster,
    "ManagedClusterSet": _check_set,
    "ManagedClusterSetBinding": _check_binding,
    "AddOnPlacementScore": _check_score,
}


def _check_range(value: object, most: int, field: str) -> _Faults:
    if isinstance(value, int) and abs(value) > most:
        yield field, f"{value} is not between -{most} and {most}"


def _check_choice(value: object, choice: tuple[str, ...], field: str) -> _Faults:
    if value not in choice:
        yield field, f'"{value}" is none of {", ".join(choice)}'
