"""The CRDs of OCM as far as people write them, in OpenAPI's words; a test compares them with those.

Source: open-cluster-management-io/api 1845fd8032e4, the CRDs of `cluster/`. Of a status, which
nobody writes by hand, there is what decisions are made of; it may have anything else.
"""

from collections.abc import Mapping
from typing import Any

FieldSchema = Mapping[str, Any]

KEY = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)
TOPOLOGY_KEY = KEY.replace("(([A-Z", "([A-Z").replace("[A-Za-z0-9])$", "[A-Za-z0-9]$")
GROUP_NAME = "^[a-zA-Z0-9][-A-Za-z0-9_.]{0,61}[a-zA-Z0-9]$"
GROUP_LENGTH = "^((100|[1-9][0-9]{0,1})%|[1-9][0-9]*)$"
NAMESPACE = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
RATE = "^[0-9]+[hms]$"

_TEXT = {"type": "string"}
_BOOLEAN = {"type": "boolean"}
_TIME = {"type": "string", "format": "date-time"}
_LONG = {"type": "integer", "format": "int64"}


def _object(*required: str, **properties: FieldSchema) -> FieldSchema:
    needed = {"required": sorted(required)} if required else {}
    return {"type": "object", **needed, "properties": properties}


def _list(items: FieldSchema) -> FieldSchema:
    return {"type": "array", "items": items}


def _by_name(items: FieldSchema) -> FieldSchema:
    return {**_list(items), MAP_KEYS: ["name"]}


def _choice(*values: str) -> FieldSchema:
    return {"type": "string", "enum": values}


def _number(**limits: int) -> FieldSchema:
    return {"type": "integer", "format": "int32", **limits}


def _open(*required: str, **properties: FieldSchema) -> FieldSchema:
    return {**_object(*required, **properties), OPEN: True}


INT_OR_TEXT = "x-kubernetes-int-or-string"
MAP_KEYS = "x-kubernetes-list-map-keys"
OPEN = "x-kubernetes-preserve-unknown-fields"
_EFFECT = _choice("NoSelect", "PreferNoSelect", "NoSelectIfNew")
_TAINT_KEY = {"type": "string", "pattern": KEY, "maxLength": 316}
_TAINT_VALUE = {"type": "string", "maxLength": 1024}
_REQUIREMENTS = _list(_object("key", "operator", key=_TEXT, operator=_TEXT, values=_list(_TEXT)))
_LABELS = _object(
    matchLabels={"type": "object", "additionalProperties": _TEXT}, matchExpressions=_REQUIREMENTS
)
_CLAIMS = _object(matchExpressions=_REQUIREMENTS)
_PREDICATE = _object(
    labelSelector=_LABELS,
    claimSelector=_CLAIMS,
    celSelector=_object(celExpressions=_list(_TEXT)),
)
_ADD_ON = _object("resourceName", "scoreName", resourceName=_TEXT, scoreName=_TEXT)
_COORDINATE = _object("type", type=_choice("BuiltIn", "AddOn"), builtIn=_TEXT, addOn=_ADD_ON)
_CONSTRAINT = _object(
    "topologyKey",
    "topologyKeyType",
    maxSkew=_number(minimum=1),
    topologyKey={"type": "string", "pattern": TOPOLOGY_KEY, "maxLength": 316},
    topologyKeyType=_choice("Label", "Claim"),
    whenUnsatisfiable=_choice("DoNotSchedule", "ScheduleAnyway"),
)
_GROUP = _object(
    "groupClusterSelector",
    "groupName",
    groupName={"type": "string", "pattern": GROUP_NAME},
    groupClusterSelector=_object(labelSelector=_LABELS, claimSelector=_CLAIMS),
)
_PLACEMENT = _object(
    clusterSets=_list(_TEXT),
    numberOfClusters=_number(),
    predicates=_list(_object(requiredClusterSelector=_PREDICATE)),
    prioritizerPolicy=_object(
        mode=_TEXT,
        configurations=_list(
            _object(
                "scoreCoordinate",
                scoreCoordinate=_COORDINATE,
                weight=_number(minimum=-10, maximum=10),
            )
        ),
    ),
    spreadPolicy=_object(spreadConstraints={**_list(_CONSTRAINT), "maxItems": 8}),
    tolerations=_list(
        _object(
            key=_TAINT_KEY,
            operator=_TEXT,
            value=_TAINT_VALUE,
            effect=_EFFECT,
            tolerationSeconds=_LONG,
        )
    ),
    decisionStrategy=_object(
        groupStrategy=_object(
            clustersPerDecisionGroup={INT_OR_TEXT: True, "pattern": GROUP_LENGTH},
            decisionGroups=_list(_GROUP),
        )
    ),
    scoreRateLimit={"type": "string", "pattern": RATE},
    sortBy=_choice("ClusterName", "Score"),
)
_TAINT = _object(
    "effect",
    "key",
    effect=_EFFECT,
    key=_TAINT_KEY,
    timeAdded=_TIME,
    value=_TAINT_VALUE,
)
_CLUSTER = _object(
    hubAcceptsClient=_BOOLEAN,
    leaseDurationSeconds=_number(),
    managedClusterClientConfigs=_list(
        _object("url", url=_TEXT, caBundle={"type": "string", "format": "byte"})
    ),
    taints=_list(_TAINT),
)
_SET = _object(
    clusterSelector=_object(
        "selectorType",
        selectorType=_choice("ExclusiveClusterSetLabel", "LabelSelector"),
        labelSelector=_LABELS,
    ),
    managedNamespaces=_by_name(
        _object("name", name={"type": "string", "pattern": NAMESPACE, "maxLength": 63})
    ),
)
_CLAIM = _open(
    name={"type": "string", "minLength": 1, "maxLength": 253},
    value={"type": "string", "minLength": 1, "maxLength": 1024},
)
_QUANTITIES = {"type": "object", "additionalProperties": {INT_OR_TEXT: True}}
_CAPACITY = _open(clusterClaims=_list(_CLAIM), allocatable=_QUANTITIES, capacity=_QUANTITIES)
_SCORE = _open("name", "value", name=_TEXT, value=_number(minimum=-100, maximum=100))
_SCORES = _open(scores=_by_name(_SCORE), validUntil=_TIME)
_DECISIONS = _open("decisions", decisions=_list(_open("clusterName", clusterName=_TEXT)))
_TOP = {"apiVersion": _TEXT, "kind": _TEXT, "metadata": _open(), "status": _open()}
SCHEMAS: Mapping[str, FieldSchema] = {
    "Placement": _object("spec", **_TOP, spec=_PLACEMENT),
    "ManagedCluster": _object(**{**_TOP, "status": _CAPACITY}, spec=_CLUSTER),
    "ManagedClusterSet": _object(**_TOP, spec=_SET),
    "ManagedClusterSetBinding": _object(
        **_TOP, spec=_object(clusterSet={"type": "string", "minLength": 1})
    ),
    "PlacementDecision": _object(**{**_TOP, "status": _DECISIONS}),
    "AddOnPlacementScore": _object(**{**_TOP, "status": _SCORES}),
}
VERSIONS = {
    "Placement": "v1beta1",
    "ManagedCluster": "v1",
    "ManagedClusterSet": "v1beta2",
    "ManagedClusterSetBinding": "v1beta2",
    "PlacementDecision": "v1beta1",
    "AddOnPlacementScore": "v1alpha1",
}
"""The only version of each kind that its CRD serves."""
DEFAULTED = frozenset({"type", "selectorType"})
"""The required fields that have a default, so that nobody has to write them."""
