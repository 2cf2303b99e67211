"""What we say of random hubs of Istio, beside what its control plane makes of them.

Compared are the statuses of routes and listeners, and the policies that the workload of each
Gateway gets. Ages are known to both, as they are on a cluster.
"""

import json
import subprocess
from random import Random
from typing import Any

import pytest

from spokerender.judging.judgement import Judgement
from spokerender.model import GATEWAY_API
from spokerender.topology.conflicts import find_silent_listeners
from spokerender.topology.requests import find_rule_paths
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED
from tests.live.building import program
from tests.live.judges import (
    ROUTING,
    SAME,
    Answers,
    Hub,
    Json,
    Judge,
    compare_statuses,
    judge_hub,
    without_cluster,
)
from tests.live.routed_hubs import routed_hub
from tests.live.routing_statuses import compare, name, read_written
from tests.support import rows_of

pytestmark = pytest.mark.live


CONTROLLER = "istio.io/gateway-controller"
RELEASE = "1.31 (eed52eb)"
ROOT = "istio-system"
VERSIONS = rows_of(__file__, "versions")
"""The kinds of policy, with their versions. PeerAuthentications are for no Gateway's listeners."""
TARGETLESS = ("PeerAuthentication",)
LISTS = ("TrafficExtension", "EnvoyFilter")
"""Kinds that have no `targetRef`."""
LABEL = "gateway.networking.k8s.io/gateway-name"
RESOURCES = rows_of(__file__, "resources")
UNKNOWN = 0.02
"""The part of the statuses that age may leave open."""


def istio_hub(random: Random, certificate: tuple[str, str]) -> list[Json]:
    """A hub whose class is Istio's, with Istio's policies on its Gateways and beside them."""
    objects = [*map(fit, routed_hub(random, CONTROLLER, certificate))]
    gateways = [one["metadata"] for one in objects if one["kind"] == "Gateway"]
    policies = [policy(random, number, gateways) for number in range(random.randrange(1, 8))]
    times = random.choice(((0,) * len(policies), range(len(policies)), range(59, 0, -1)))
    for one, minute in zip(policies, times, strict=False):
        one["metadata"]["creationTimestamp"] = f"2026-01-01T00:{minute:02}:00Z"
    return [*objects, *policies]


def fit(one: Json) -> Json:
    """An object in the version that Istio reads."""
    return {**one, "apiVersion": f"{GATEWAY_API}/v1"} if one["kind"] == "TCPRoute" else one


def policy(random: Random, number: int, gateways: list[Json]) -> Json:
    """A policy that is on Gateways, found by a label, or for a whole namespace or mesh."""
    kind = random.choice((*VERSIONS, "AuthorizationPolicy"))
    gateway = random.choice(gateways)
    near = (gateway["namespace"], gateway["namespace"], "shop", ROOT)
    metadata = {"name": f"p{number}", "namespace": random.choice(near)}
    spec = content(random, kind, metadata) | aim(random, kind, gateway["name"])
    return {"apiVersion": VERSIONS[kind], "kind": kind, "metadata": metadata, "spec": spec}


def aim(random: Random, kind: str, name: str) -> Json:
    """What a policy is for."""
    targets = [
        {"group": GATEWAY_API, "kind": "Gateway", "name": name},
        {"group": GATEWAY_API, "kind": "Gateway", "name": random.choice(("web", "api", "gone"))},
        {"group": GATEWAY_API, "kind": "GatewayClass", "name": "eg"},
        {"group": "", "kind": "Service", "name": "backend"},
        {"group": "networking.istio.io", "kind": "ServiceEntry", "name": "outside"},
    ]
    ways = ("refs", "refs", "refs", "ref", "several", "selector", "selector", "all")
    how = random.choice(ways[-3:] if kind in TARGETLESS else ways)
    if how == "ref" and kind not in LISTS:
        return {"targetRef": random.choice(targets[:2])}
    if how in {"ref", "refs"}:
        return {"targetRefs": [random.choice(targets)]}
    if how == "several":
        return {"targetRefs": [targets[1], targets[random.choice((0, 2, 3, 4))]]}
    if how == "selector":
        labels = random.choice(({LABEL: name}, {LABEL: name}, {LABEL: "gone"}, {"app": "web"}, {}))
        is_filter = kind == "EnvoyFilter"
        field, key = ("workloadSelector", "labels") if is_filter else ("selector", "matchLabels")
        return {field: {key: labels} if labels else {}}
    return {}


def content(random: Random, kind: str, metadata: Json) -> Json:
    name, priority = metadata["name"], random.randrange(3)
    action = random.choice(("ALLOW", "DENY", "AUDIT", "CUSTOM"))
    provided = {"provider": {"name": "outside"}} if action == "CUSTOM" else {}
    providers = {"providers": [{"name": f"{metadata['namespace']}/{name}"}]}
    patch = {"operation": "INSERT_BEFORE", "value": {"name": name}}
    filtered = {"applyTo": "HTTP_FILTER", "match": {"context": "GATEWAY"}, "patch": patch}
    specs: dict[str, Json] = {
        "AuthorizationPolicy": {
            "action": action,
            "rules": [{"to": [{"operation": {"paths": [f"/{name}"]}}]}],
            **provided,
        },
        "RequestAuthentication": {
            "jwtRules": [{"issuer": f"https://{name}.example", "jwks": '{"keys": []}'}]
        },
        "PeerAuthentication": {"mtls": {"mode": random.choice(("STRICT", "PERMISSIVE"))}},
        "TrafficExtension": {"lua": {"inlineCode": f"-- {name}"}, "priority": priority},
        "WasmPlugin": {"url": f"oci://example.com/{name}", "priority": priority},
        "EnvoyFilter": {"configPatches": [filtered], "priority": priority},
        "Telemetry": {random.choice(("metrics", "accessLogging", "tracing")): [providers]},
    }
    return specs[kind]


def ask(hubs: list[list[Json]]) -> list[tuple[Answers, Answers]]:
    """The statuses that Istio writes about each hub, and the policies that it selects."""
    done = subprocess.run(
        [program("istio-judge")], input=json.dumps(hubs), capture_output=True, text=True, check=True
    )
    return [read_answer(answer) for answer in json.loads(done.stdout)]


def read_answer(answer: Json) -> tuple[Answers, Answers]:
    assert "error" not in answer, answer
    objects = [
        {
            "kind": RESOURCES[resource],
            "metadata": {"namespace": namespace, "name": name},
            "status": status,
        }
        for (resource, namespace, name), status in (
            (key.split("/"), status) for key, status in answer["statuses"].items()
        )
        if resource in RESOURCES
    ]
    routes = [one for one in objects if one["kind"].endswith("Route")]
    statuses = read_written(routes, (one for one in objects if one not in routes))
    policies = {
        ("Gateway", *name.split("/")): frozenset(("", *one.split(" ", 1)) for one in ones)
        for name, ones in answer["policies"].items()
    }
    return without_cluster(statuses), policies


def in_force(judgement: Judgement) -> Answers:
    """The policies on the paths of each Gateway that a request gets through.

    Istio is asked for the proxies of a Gateway, through whose listeners no request may come.
    """
    closed = find_silent_listeners(judgement.topology)
    paths = {
        path.gateway: frozenset[tuple[str, str, str]]()
        for path in find_rule_paths(judgement.topology)
        if closed.isdisjoint(path.levels)
    }
    for item in judgement.effective:
        if item.kind in VERSIONS:
            lost = {each.policy for each in item.likely.overruled if not each.key}
            names = (
                ("", item.kind, f"{ref.namespace}/{ref.name}")
                for ref in item.stack
                if ref not in lost
            )
            paths[item.path.gateway] = paths.get(item.path.gateway, frozenset()) | {*names}
    return {name(gateway): policies for gateway, policies in paths.items()}


def compare_policies(mine: Answers, other: Answers) -> dict[tuple[str, ...], str]:
    """How our policies are to Istio's; of Gateways that no route is on, they are not asked."""
    return {key: compare(names, other.get(key, frozenset())) for key, names in mine.items()}


def differences(objects: Hub, word: tuple[Answers, Answers]) -> list[dict[Any, str]]:
    """How our answers to both questions are to Istio's."""
    judgement, statuses = judge_hub(objects)
    return [
        compare_statuses(without_cluster(statuses), word[0]),
        compare_policies(in_force(judgement), word[1]),
    ]


JUDGE = Judge("Istio", RELEASE, (ROUTING, "policies in force on each Gateway"), ask, differences)


def test_istio_says_the_same(certificate: tuple[str, str], report: Report) -> None:
    """Most of its CPU seconds are those of the judge."""
    hubs = [istio_hub(Random(f"{SEED} {index}"), certificate) for index in range(HUBS)]
    statuses, policies = JUDGE.count(hubs, report)
    assert statuses.keys() <= SAME
    assert statuses["Unknown"] <= UNKNOWN * statuses["equal"]
    assert policies.keys() == {"equal"}
