"""The statuses of routes, listeners and ListenerSets in Envoy Gateway's own test cases.

`internal/gatewayapi/testdata` of its module has inputs of the translator with what comes out. A
case is all that its cluster has, and its objects are in order of their creation, as the provider
sorts them. What the carried CRDs would refuse is left out: no cluster has it.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from spokerender.findings.results import Severity
from spokerender.formats import yamlio
from spokerender.judging.attachment.demands import holds_rule
from spokerender.judging.cluster import Cluster, Knowledge
from spokerender.judging.judge import judge_cluster
from spokerender.judging.routing.judge import judge_routing
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import Routing
from spokerender.judging.validation.crds import Schemas, Server, read_schemas
from spokerender.judging.validation.objects import validate
from spokerender.kinds.settings import ConfiguredController
from spokerender.model import GATEWAY_API
from spokerender.topology.hub import read_hub
from tests.live.agreement import Report
from tests.live.building import module_folder
from tests.live.routing_statuses import (
    EQUAL,
    UNKNOWN,
    WHOLE,
    Conditions,
    Key,
    compare,
    name,
    read_routing,
    read_written,
)
from tests.support import rows_of
from tests.support.carried import carried_files

pytestmark = pytest.mark.live


Json = dict[str, Any]

CONTROLLER = "gateway.envoyproxy.io/gatewayclass-controller"
CLASS = "envoy-gateway-class"
ROUTES = ("httpRoutes", "grpcRoutes", "tlsRoutes", "tcpRoutes", "udpRoutes")
HOLDERS = ("gateways", "listenerSets")
ENOUGH = 0.95
REASONS = rows_of(__file__, "reasons")
"""What is behind the cases in which we differ, by a part of their names."""
SWITCHES = rows_of(__file__, "switches")
"""Cases that are about a setting of the controller that is not the release's default."""


def read(path: Path) -> Json:
    documents, problems = yamlio.read(path.read_bytes(), path.name)
    assert not problems
    loaded: Json = documents[0].value
    return loaded


def service(label: str, namespace: str = "default", **ports: int) -> Json:
    """One of the Services that the translator's test adds to every case (translator_test.go)."""
    spec = {
        "ports": [
            {"name": name, "port": port, "protocol": "UDP" if name == "udp" else "TCP"}
            for name, port in ports.items()
        ]
    }
    metadata = {"name": label, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def around() -> list[Json]:
    """What the translator's test adds to every case (translator_test.go)."""
    ports = {"http": 8080, "https": 8443, "tcp": 8163, "udp": 8162}
    metadata: Json = {"name": CLASS}
    return [
        {
            "apiVersion": f"{GATEWAY_API}/v1",
            "kind": "GatewayClass",
            "metadata": metadata,
            "spec": {"controllerName": CONTROLLER},
        },
        *(service(f"service-{number}", "default", **ports) for number in range(1, 5)),
        service("mirror-service", http=8080),
        service("otel-collector", "monitoring", grpc=4317, zipkin=9411),
        *(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            for name in ("default", "envoy-gateway")
        ),
    ]


SETTINGS = {"extensionApis": {"enableBackend": True, "enableEnvoyPatchPolicy": True}}
"""How the translator of the cases is configured."""


def list_objects(case: Json, base: Json) -> list[Json]:
    """The objects of a case, each once."""
    by_ref: dict[tuple[str, str, str], Json] = {}
    for part in (*around(), *listed(base), *listed(case)):
        metadata = part["metadata"]
        by_ref[part["kind"], metadata.get("namespace", ""), metadata["name"]] = part
    if proxy := case.get("envoyProxyForGatewayClass"):
        name = {key: proxy["metadata"][key] for key in ("namespace", "name")}
        parameters = {"group": "gateway.envoyproxy.io", "kind": "EnvoyProxy", **name}
        by_ref["GatewayClass", "", CLASS]["spec"]["parametersRef"] = parameters
    return list(by_ref.values())


def listed(case: Json) -> Iterator[Json]:
    for part in case.values():
        for item in part if isinstance(part, list) else [part]:
            if isinstance(item, dict) and item.get("kind") and "name" in item.get("metadata", {}):
                yield {key: value for key, value in item.items() if key != "status"}


def judged(objects: list[Json]) -> tuple[Routing, set[tuple[str, str]]]:
    """What we say of a case, and the objects that no API server would take."""
    text = "---\n".join(map(yamlio.emit, objects)).encode()
    hub = read_hub([("all.yaml", text)], [ConfiguredController(CONTROLLER, SETTINGS)])
    cluster = Cluster.of(hub.manifests, hub.catalogue)
    order = {
        (part["kind"], part["metadata"].get("namespace", ""), part["metadata"]["name"]): age
        for age, part in enumerate(objects)
    }
    ages = {item.ref: order.get(name(item.ref), 0) for item in hub.manifests}
    known = Knowledge(hub.catalogue, unseen=frozenset(), ages=ages)
    judgement = judge_cluster(cluster, known)
    scene = Scene(
        judgement.topology,
        {manifest.ref: manifest.object for manifest in hub.manifests},
        {},
        known.unseen,
        judgement.attachments,
        holds_rule,
        hub.catalogue,
    )
    refused = {
        (manifest.ref.kind, manifest.ref.name)
        for manifest in hub.manifests
        if any(
            fault.finding.severity is Severity.ERROR
            for fault in validate(manifest.object, manifest.ref, schemas(), Server())
        )
    }
    return judge_routing(scene), refused


@cache
def schemas() -> Schemas:
    kinds = ("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute", "Gateway", "ListenerSet")
    needed = {(GATEWAY_API, kind) for kind in kinds} | {
        ("gateway.envoyproxy.io", "HTTPRouteFilter")
    }
    crds = carried_files("gateway-api@v1.6.1/experimental")
    return read_schemas(crds, (), needed)


def test_statuses_are_those_of_envoy_gateways_own_cases(report: Report) -> None:
    """Its CPU seconds are our own, for hundreds of cases."""
    place = module_folder("envoy-gateway-judge") / "internal/gatewayapi"
    base = read(place / "testdata/base/base.yaml")
    counts: Counter[str] = Counter()
    where: dict[str, list[str]] = {}
    for path in sorted((place / "testdata").glob("*.in.yaml")):
        case = path.name.removesuffix(".in.yaml")
        expected_file = path.with_name(f"{case}.out.yaml")
        if case in SWITCHES or not expected_file.exists():
            continue
        routing, refused = judged(list_objects(read(path), base))
        output = read(expected_file)
        expected = read_written(
            [each for kind in ROUTES for each in output.get(kind) or ()],
            [each for kind in HOLDERS for each in output.get(kind) or ()],
        )
        answers = read_routing(routing)
        for key in sorted(answers.keys() | expected.keys()):
            if (key[0], key[2]) in refused:
                how = "refused by the API server"
            else:
                theirs = expected.get(key)
                how = compare(leave_to_provider(key, answers.get(key), theirs), theirs)
            counts[how] += 1
            where.setdefault(how, []).append(f"{case}: {' '.join(key)}")
    for how, count in counts.most_common():
        reasons = dict.fromkeys(map(reason, where[how])) if how.startswith("ours") else ()
        report(f"{count:6} {how}  {', '.join(reasons)}")
    new = [place for how in where if how.startswith("ours") for place in where[how]]
    assert [place for place in new if not reason(place)] == []
    decided = sum(counts.values()) - counts[UNKNOWN] - counts["refused by the API server"]
    report(f"{counts['equal'] / decided:.1%} of {decided} decided")
    assert counts[EQUAL] >= ENOUGH * decided


def leave_to_provider(
    key: Key, ours: Conditions | None, theirs: Conditions | None
) -> Conditions | None:
    """Leave out whether a whole Gateway is accepted, where the provider will say it."""
    if len(key) != WHOLE or any(kind == "Accepted" for kind, _, _ in theirs or ()):
        return ours
    return ours and frozenset(item for item in ours if item[0] != "Accepted")


def reason(place: str) -> str:
    """Why we differ in a case, as far as that is known."""
    case = place.partition(":")[0]
    return next((why for part, why in REASONS.items() if part in case), "")
