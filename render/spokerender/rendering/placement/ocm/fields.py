"""The fields of OCM's objects, by kind; an API server refuses or drops all others.

Source: open-cluster-management-io/api 1845fd8032e4, the CRDs of `cluster/`. Nothing is said of
metadata, and of status, which nobody writes by hand: it has what the hub's version of OCM has.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.findings.phrasing import did_you_mean
from spokerender.model import FieldPath

_Fields = Mapping[str, Any]
"""Names of fields, each with those below it, also in lists; None where any may be."""
_REQUIREMENT: _Fields = dict.fromkeys(("key", "operator", "values"))
_LABELS: _Fields = {"matchLabels": None, "matchExpressions": _REQUIREMENT}
_SELECTORS: _Fields = {
    "labelSelector": _LABELS,
    "claimSelector": {"matchExpressions": _REQUIREMENT},
}
_PREDICATE: _Fields = {**_SELECTORS, "celSelector": {"celExpressions": None}}
_SCORE: _Fields = {
    "type": None,
    "builtIn": None,
    "addOn": dict.fromkeys(("resourceName", "scoreName")),
}
_CONSTRAINT = dict.fromkeys(("maxSkew", "topologyKey", "topologyKeyType", "whenUnsatisfiable"))
_PLACEMENT: _Fields = {
    **dict.fromkeys(("clusterSets", "numberOfClusters", "scoreRateLimit", "sortBy")),
    "predicates": {"requiredClusterSelector": _PREDICATE},
    "prioritizerPolicy": {
        "mode": None,
        "configurations": {"scoreCoordinate": _SCORE, "weight": None},
    },
    "spreadPolicy": {"spreadConstraints": _CONSTRAINT},
    "tolerations": dict.fromkeys(("effect", "key", "operator", "tolerationSeconds", "value")),
    "decisionStrategy": {
        "groupStrategy": {
            "clustersPerDecisionGroup": None,
            "decisionGroups": {"groupName": None, "groupClusterSelector": _SELECTORS},
        },
    },
}
_CLUSTER: _Fields = {
    **dict.fromkeys(("hubAcceptsClient", "leaseDurationSeconds")),
    "managedClusterClientConfigs": dict.fromkeys(("caBundle", "url")),
    "taints": dict.fromkeys(("effect", "key", "timeAdded", "value")),
}
_SET: _Fields = {
    "clusterSelector": {"selectorType": None, "labelSelector": _LABELS},
    "managedNamespaces": {"name": None},
}
_TOP: _Fields = dict.fromkeys(("apiVersion", "kind", "metadata", "status"))
FIELDS: Mapping[str, _Fields] = {
    "Placement": {**_TOP, "spec": _PLACEMENT},
    "ManagedCluster": {**_TOP, "spec": _CLUSTER},
    "ManagedClusterSet": {**_TOP, "spec": _SET},
    "ManagedClusterSetBinding": {**_TOP, "spec": {"clusterSet": None}},
    "PlacementDecision": _TOP,
    "AddOnPlacementScore": _TOP,
}


def find_unknown(kind: str, data: Mapping[str, Any]) -> Iterator[tuple[FieldPath, str]]:
    """Yield the fields that objects of a kind do not have, each with a cure."""
    yield from _find_in(FIELDS.get(kind), data, ())


def _find_in(
    fields: _Fields | None, value: object, path: FieldPath
) -> Iterator[tuple[FieldPath, str]]:
    if fields is None:
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _find_in(fields, item, (*path, index))
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key in fields:
                yield from _find_in(fields[key], item, (*path, key))
            else:
                yield (*path, key), did_you_mean(str(key), fields, "the fields here are")
