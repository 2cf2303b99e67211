"""Random hubs of Open Cluster Management: one Placement to decide, and all that it follows from.

Small worlds of names make things meet: ties, clusters in several sets, decisions about clusters
that are gone. Some hubs are wrong in one place, which OCM refuses, or passes over.
"""

from random import Random
from typing import Any

from spokerender.wings.hubs.ocm.reading import VERSIONS
from tests.support import rows_of

Json = dict[str, Any]
GROUP = "cluster.open-cluster-management.io"
NOW = "2026-11-24T12:00:00Z"
NAMES = ("c1", "c2", "c3", "c10", "b-1", "b1", "Z", "zone.a", "c1a", "d", "e-1", "f")
SETS = ("default", "global", "prod", "lab", "all", "none")
NAMESPACES = ("infra", "shop")
LABELS = {
    "env": ("prod", "dev", ""),
    "cloud": ("Amazon", "Google"),
    "n": ("1", "2", "10"),
    "x/y": ("v",),
}
CLAIMS = {
    "region": ("eu", "us"),
    "version": ("1.30.0", "1.9.2"),
    "cloud": ("Amazon", "x y"),
    "odd": ("",),
}
TIMES = (
    "2026-11-24T11:59:59Z",
    "2026-11-24T12:00:00Z",
    "2026-11-24T12:00:01Z",
    "2026-11-24T13:00:00+01:00",
    "2026-11-24T13:30:00+01:00",
    "2026-11-23T12:00:00Z",
    "2026-12-01T00:00:00Z",
)
EXPRESSIONS = rows_of(__file__, "expressions")
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
BUILT_IN = ("Balance", "Steady", "ResourceAllocatableCPU", "ResourceAllocatableMemory")
SCORED = (("load", "a"), ("load", "b"), ("gpu", "a"), ("none", "a"))
EFFECTS = ("NoSelect", "PreferNoSelect", "NoSelectIfNew")
QUANTITIES = rows_of(__file__, "quantities")
RARE = 12
"""One in so many fields is what nobody would write."""


def obj(kind: str, name: str, namespace: str = "", **parts: Any) -> Json:
    """An object of OCM."""
    place = {"namespace": namespace} if namespace else {}
    metadata = {"name": name, **place, **parts.pop("metadata", {})}
    version = f"{GROUP}/{VERSIONS[kind]}"
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **parts}


def hub(random: Random) -> list[Json]:
    """A hub; its first object is the Placement to decide."""
    names = random.sample(NAMES, random.randrange(1, len(NAMES) + 1))
    objects = [
        placement(random),
        *(cluster(random, name) for name in names),
        *(cluster_set(random, name) for name in SETS if random.randrange(3)),
        *bindings(random),
        *scores(random, names),
        *decisions(random, names),
    ]
    rest = objects[1:]
    random.shuffle(rest)
    return [objects[0], *rest]


def rarely(random: Random) -> bool:
    return not random.randrange(RARE)


def texts(random: Random, choices: dict[str, tuple[str, ...]]) -> dict[str, str]:
    return {key: random.choice(values) for key, values in choices.items() if random.randrange(2)}


def cluster(random: Random, name: str) -> Json:
    labels = texts(random, LABELS)
    if random.randrange(4):
        labels[f"{GROUP}/clusterset"] = random.choice((*SETS, "prod", "prod", ""))
    spec: Json = {"hubAcceptsClient": bool(random.randrange(4))}
    if random.randrange(2):
        spec["taints"] = [taint(random) for _ in range(random.randrange(3))]
    status: Json = {}
    if random.randrange(3):
        status["clusterClaims"] = claims(random)
    for part in ("allocatable", "capacity"):
        if random.randrange(4):
            status[part] = {
                key: random.choice(QUANTITIES) for key in ("cpu", "memory") if random.randrange(5)
            }
    metadata: Json = {"labels": labels} if labels or random.randrange(2) else {}
    if rarely(random):
        metadata |= {"deletionTimestamp": TIMES[0], "finalizers": ["f/f"]}
    return obj("ManagedCluster", name, metadata=metadata, spec=spec, status=status)


def claims(random: Random) -> list[Json]:
    found = [{"name": key, "value": value} for key, value in texts(random, CLAIMS).items()]
    if found and rarely(random):
        found.append({"name": found[0]["name"], "value": "eu"})
    return found


def taint(random: Random) -> Json:
    found: Json = {"key": random.choice(("gpu", "team", f"{GROUP}/unreachable"))}
    found["effect"] = random.choice(EFFECTS) if not rarely(random) else "Other"
    if random.randrange(2):
        found["value"] = random.choice(("", "a", "b"))
    if random.randrange(3):
        found["timeAdded"] = random.choice((*TIMES, None))
    return found


def toleration(random: Random) -> Json:
    found: Json = {}
    if random.randrange(5):
        found["key"] = random.choice(("gpu", "team", f"{GROUP}/unreachable"))
    if random.randrange(3) or "key" not in found:
        choices = ("Exists", "Exists", "Equal", "" if rarely(random) else "Equal")
        found["operator"] = random.choice(choices) if "key" in found or rarely(random) else "Exists"
    if random.randrange(2) and (found.get("operator") != "Exists" or rarely(random)):
        found["value"] = random.choice(("", "a", "b"))
    if random.randrange(2):
        found["effect"] = random.choice(EFFECTS)
    if random.randrange(2):
        found["tolerationSeconds"] = random.choice((0, 1, -1, 3600, 86400, 86401, None))
    return found


def cluster_set(random: Random, name: str) -> Json:
    if name in {"default", "global"}:  # the hub's own come in their place
        return obj("ManagedClusterSet", name, spec={})
    selector: Json = {}
    if random.randrange(2):
        selector["selectorType"] = random.choice(
            ("ExclusiveClusterSetLabel", "LabelSelector", "LabelSelector")
        )
        if random.randrange(4):
            selector["labelSelector"] = label_selector(random)
    if rarely(random):
        selector["selectorType"] = random.choice(("", "Other"))
    spec = {"clusterSelector": selector} if selector or random.randrange(2) else {}
    return obj("ManagedClusterSet", name, spec=spec)


def bindings(random: Random) -> list[Json]:
    found = []
    for namespace in NAMESPACES:
        for name in SETS:
            if not random.randrange(3):
                spec = {"clusterSet": name if not rarely(random) else "other"}
                found.append(obj("ManagedClusterSetBinding", name, namespace, spec=spec))
    return found


def requirement(random: Random, choices: dict[str, tuple[str, ...]]) -> Json:
    key = random.choice(tuple(choices))
    operator = random.choice(OPERATORS)
    found: Json = {"key": key, "operator": operator}
    if operator in {"In", "NotIn"}:
        values = (*choices[key], "other")
        found["values"] = random.sample(values, random.randrange(1, len(values) + 1))
    if rarely(random):
        found |= random.choice(
            (
                {"operator": "Near"},
                {"values": []},
                {"values": ["a b"]},
                {"key": "a//b"},
                {"key": "-"},
                {"values": ["x" * 64, "-"]},
                {"values": ["a"], "operator": "Exists"},
                {"values": None},
                {"operator": "in"},
            )
        )
    return found


def label_selector(random: Random) -> Json:
    found: Json = {}
    if not random.randrange(3):
        key = random.choice(tuple(LABELS))
        found["matchLabels"] = {key: random.choice(LABELS[key])}
        if rarely(random):
            found["matchLabels"] |= random.choice(({"a/b/c": "v"}, {"a": "-"}, {"": "v"}))
    if random.randrange(2):
        found["matchExpressions"] = [
            requirement(random, LABELS) for _ in range(random.choice((0, 1, 1, 2)))
        ]
    return found


def predicate(random: Random) -> Json:
    selector: Json = {}
    if random.randrange(2):
        selector["labelSelector"] = label_selector(random)
    if not random.randrange(3):
        selector["claimSelector"] = {
            "matchExpressions": [
                requirement(random, CLAIMS) for _ in range(random.choice((0, 1, 1, 2)))
            ]
        }
    if not random.randrange(3):
        sources = random.sample(EXPRESSIONS[:12], random.randrange(3))
        if rarely(random):
            sources.append(random.choice(EXPRESSIONS))
        selector["celSelector"] = {"celExpressions": sources}
    return {"requiredClusterSelector": selector} if selector or random.randrange(2) else {}


def policy(random: Random) -> Json:
    found: Json = {}
    if random.randrange(2):
        found["mode"] = random.choice(("Additive", "Exact"))
    if rarely(random):
        found["mode"] = random.choice(("", "Other"))
    if random.randrange(4):
        found["configurations"] = [configuration(random) for _ in range(random.randrange(1, 5))]
    return found


def configuration(random: Random) -> Json:
    if random.randrange(2):
        name = random.choice(BUILT_IN) if not rarely(random) else random.choice(("Spread", ""))
        coordinate: Json = {"builtIn": name}
        if random.randrange(2):
            coordinate["type"] = "BuiltIn"
    else:
        resource, score = random.choice(SCORED)
        coordinate = {"type": "AddOn", "addOn": {"resourceName": resource, "scoreName": score}}
    if rarely(random):
        coordinate |= random.choice(
            (
                {"type": "AddOn"},
                {"type": "BuiltIn"},
                {"type": ""},
                {"addOn": {"resourceName": "load", "scoreName": "a"}},
                {"builtIn": "Steady"},
            )
        )
    found: Json = {"scoreCoordinate": coordinate}
    if random.randrange(5):
        found["weight"] = random.choice((0, 1, 2, 3, -1, -3, 10, -10))
    if rarely(random):
        found |= random.choice(({"weight": 11}, {"weight": None}, {"scoreCoordinate": None}))
    return found


def groups(random: Random) -> Json:
    found: Json = {}
    if random.randrange(3):
        lengths = (1, 2, 3, 5, "1%", "10%", "33%", "34%", "50%", "66%", "100%", "7")
        found["clustersPerDecisionGroup"] = random.choice(lengths)
        if rarely(random):
            odd = (
                0,
                -1,
                "0%",
                "12.5%",
                "2",
                "two",
                "%",
                "101%",
                "1e2%",
                " 5%",
                "+7%",
                "inf%",
                "0x10%",
                "1_0%",
                ".5%",
                None,
            )
            found["clustersPerDecisionGroup"] = random.choice(odd)
    if random.randrange(3):
        found["decisionGroups"] = [decision_group(random) for _ in range(random.randrange(1, 4))]
    return found


def decision_group(random: Random) -> Json:
    selector: Json = {}
    if random.randrange(4):
        selector["labelSelector"] = label_selector(random)
    if not random.randrange(3):
        selector["claimSelector"] = {"matchExpressions": [requirement(random, CLAIMS)]}
    name = random.choice(("canary", "canary", "rest", "x1", "A.b_c"))
    if rarely(random):
        name = random.choice(("x", "", "a b", "-a"))
    return {"groupName": name, "groupClusterSelector": selector}


def placement(random: Random) -> Json:
    spec: Json = {}
    if not random.randrange(3):
        spec["clusterSets"] = random.sample((*SETS, "gone"), random.randrange(3))
    if random.randrange(3):
        spec["numberOfClusters"] = random.choice((0, 1, 2, 3, 4, 5, 9, 100, None))
    if random.randrange(2):
        spec["predicates"] = [predicate(random) for _ in range(random.choice((0, 1, 1, 2, 3)))]
    if random.randrange(3):
        spec["prioritizerPolicy"] = policy(random)
    if random.randrange(2):
        spec["tolerations"] = [toleration(random) for _ in range(random.randrange(4))]
    if random.randrange(2):
        spec["decisionStrategy"] = {"groupStrategy": groups(random)}
    if rarely(random):
        spec["spreadPolicy"] = {
            "spreadConstraints": [
                {
                    "topologyKey": "region",
                    "topologyKeyType": "Claim",
                    "maxSkew": 1,
                    "whenUnsatisfiable": "DoNotSchedule",
                }
            ]
        }
    metadata: Json = {}
    if rarely(random):
        value = random.choice(("true", "True", "", "false"))
        metadata["annotations"] = {f"{GROUP}/experimental-scheduling-disable": value}
    return obj("Placement", "web", random.choice(NAMESPACES), metadata=metadata, spec=spec)


def scores(random: Random, names: list[str]) -> list[Json]:
    found = []
    for name in names:
        for resource in ("load", "gpu"):
            if random.randrange(2):
                values = [
                    {"name": key, "value": random.choice((0, 1, 5, 100, -100, -7, 5))}
                    for key in ("a", "b")
                    if random.randrange(4)
                ]
                status: Json = {"scores": values}
                if not random.randrange(3):
                    status["validUntil"] = random.choice(TIMES)
                if rarely(random):
                    values.append({"name": "a", "value": random.choice((9, 101))})
                found.append(obj("AddOnPlacementScore", resource, name, status=status))
    return found


def decisions(random: Random, names: list[str]) -> list[Json]:
    found = []
    for namespace in NAMESPACES:
        for owner in ("web", "other", ""):
            for number in range(1, random.choice((1, 2, 3))):
                labels = {f"{GROUP}/placement": owner} if owner else {}
                count = random.randrange(min(len(names), 4) + 1)
                chosen = random.sample((*names, "gone"), count)
                if chosen and rarely(random):
                    chosen.append(chosen[0])
                status = {"decisions": [{"clusterName": name, "reason": ""} for name in chosen]}
                name = f"{owner or 'loose'}-decision-{number}"
                parts = {"metadata": {"labels": labels}, "status": status}
                found.append(obj("PlacementDecision", name, namespace, **parts))
    return found


def as_stored(objects: list[Json]) -> list[Json]:
    """The objects with what a hub makes by itself: two sets, and a label of each cluster."""
    implied = {
        "default": {"selectorType": "ExclusiveClusterSetLabel"},
        "global": {"selectorType": "LabelSelector", "labelSelector": {}},
    }
    stored = []
    for one in objects:
        metadata = one["metadata"]
        if one["kind"] == "ManagedClusterSet" and metadata["name"] in implied:
            continue
        if one["kind"] == "ManagedCluster":
            labels = dict(metadata.get("labels") or {})
            labels[f"{GROUP}/clusterset"] = labels.get(f"{GROUP}/clusterset") or "default"
            one = {**one, "metadata": {**metadata, "labels": labels}}  # noqa: PLW2901  (a copy)
        stored.append(one)
    return stored + [
        obj("ManagedClusterSet", name, spec={"clusterSelector": selector})
        for name, selector in implied.items()
    ]
