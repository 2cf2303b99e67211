"""The statuses of routes, listeners and ListenerSets in Istio's own test cases.

`pilot/pkg/config/kube/gateway/testdata` of its module has inputs of the gateway controller with the
statuses that it writes; `conversion_test.go` has the Services, Secrets and ConfigMaps around them.
"""

import base64
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from spokerender.formats import yamlio
from tests.live.agreement import Report
from tests.live.building import module_folder
from tests.live.judges import judge_hub
from tests.live.routing_statuses import EQUAL, UNKNOWN, compare, read_written

pytestmark = pytest.mark.live

Json = dict[str, Any]

ROUTES = ("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute")
HOLDERS = ("Gateway", "ListenerSet")
MADE = "2026-01-01T00:00:00Z"
ENOUGH = 0.95
SERVICE = re.compile(r'Hostname: "([^"]+)\.([^".]+)\.svc\.domain\.suffix"')
PORTS = (("http", 80), ("tcp", 34000), ("tcp-other", 34001))
DATA = re.compile(r'"([\w.-]+)":\s+(?:\[\]byte\()?(rsaCertPEM|rsaKeyPEM|"[^"]*")')
PEM = "-----BEGIN "
MESH = (" Service ", " ServiceEntry ")
REASONS = {
    "dummy=True": "what is in a status already is no input of ours",
    **dict.fromkeys(MESH, "a route of the mesh, which has no Gateway"),
    "not-accepted-parent": "the reason why a set's Gateway is refused: it says so of the set, too",
    "port-not-in-service": "the addresses of a Gateway are the cluster's affair",
    "infpool": "a setting of the controller, which is off in its release",
    "inferencepool": "a setting of the controller, which is off in its release",
    "serviceentry": "hosts of ServiceEntries are not looked up",
    "waypoint": "Gateways of the mesh",
}
"""What is behind the cases in which we differ, by a part of their names."""


def read(path: Path) -> list[Json]:
    """The objects of a file. API servers take no capital letter in a name."""
    documents, problems = yamlio.read(path.read_bytes(), path.name)
    assert not problems
    objects: list[Json] = [one.value for one in documents if one.value]
    for one in objects:
        one["metadata"]["name"] = one["metadata"]["name"].lower()
    return objects


def around(source: str) -> list[Json]:
    """The Services, Secrets and ConfigMaps that the test adds to every case."""
    services, _, rest = source.partition("var svcPorts")
    ports = [{"name": name, "port": port, "protocol": "TCP"} for name, port in PORTS]
    objects: list[Json] = [
        {"apiVersion": "v1", "kind": "Service", "metadata": named(*each), "spec": {"ports": ports}}
        for each in SERVICE.findall(services)
    ]
    block = rest[rest.index("objects = []runtime.Object") : rest.index("func init()")]
    for part in block.split("&corev1.")[1:]:
        kind = part.partition("{")[0]
        (name,), (namespace,) = (
            re.findall(r'Name:\s+"(.*)"', part),
            re.findall(r'space: "(.*)"', part),
        )
        data = {
            key: PEM if text.startswith("rsa") else text.strip('"')
            for key, text in DATA.findall(part)
        }
        if kind == "Secret":
            data = {key: base64.b64encode(text.encode()).decode() for key, text in data.items()}
        metadata = named(name, namespace)
        objects.append({"apiVersion": "v1", "kind": kind, "metadata": metadata, "data": data})
    return objects


def named(name: str, namespace: str) -> Json:
    return {"name": name, "namespace": namespace}


def cluster(case: list[Json], others: list[Json]) -> list[Json]:
    """All objects of a case, each once, with its namespaces."""
    spaces = {one["metadata"].get("namespace", "") for one in case} - {""}
    namespaces = [
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": name, "labels": {"istio.io/test-name-part": name.split("-")[0]}},
        }
        for name in sorted(spaces)
    ]
    by_name = {
        (one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]): {
            **{key: value for key, value in one.items() if key != "status"},
            "metadata": {"creationTimestamp": MADE, **one["metadata"]},
        }
        for one in (*others, *namespaces, *case)
    }
    return list(by_name.values())


def test_statuses_are_those_of_istios_own_cases(report: Report) -> None:
    place = module_folder("istio-judge") / "pilot/pkg/config/kube/gateway"
    others = around((place / "conversion_test.go").read_text(encoding="utf-8"))
    counts: Counter[str] = Counter()
    where: dict[str, list[str]] = {}
    for path in sorted((place / "testdata").glob("*.status.yaml.golden")):
        case = path.name.removesuffix(".status.yaml.golden")
        _, answers = judge_hub(cluster(read(path.with_name(f"{case}.yaml")), others))
        written = [one for one in read(path) if one["kind"] in {*ROUTES, *HOLDERS}]
        expected = read_written(
            [one for one in written if one["kind"] in ROUTES],
            [one for one in written if one["kind"] in HOLDERS],
        )
        about = {key[:3] for key in expected}
        for key in sorted(answers.keys() | expected.keys()):
            if key[:3] in about:
                how = compare(answers.get(key), expected.get(key))
                counts[how] += 1
                where.setdefault(how, []).append(f"{case}: {' '.join(key)}")
    different = {how: places for how, places in where.items() if how not in {EQUAL, UNKNOWN}}
    decided = sum(counts.values()) - counts[UNKNOWN]
    for how, count in counts.most_common():
        report(f"{count:6} {how}")
    report(f"{counts[EQUAL] / decided:.1%} of {decided} decided")
    new = [f"{one} {how}" for how in different for one in different[how]]
    assert [one for one in new if not any(part in one for part in REASONS)] == []
    beside = [one for one in new if any(part in one for part in ("dummy=True", *MESH))]
    assert counts[EQUAL] >= ENOUGH * (decided - len(beside))
