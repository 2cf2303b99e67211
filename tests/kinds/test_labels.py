"""Gateways that are named by the labels of what they generate."""

from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Role
from spokerender.kinds.references import read_references
from spokerender.model import GATEWAY_API, Ref
from tests.support import cases, each, rows_of

CATALOGUE = Catalogue.of([])
NAME = "gateway.networking.k8s.io/gateway-name"
WEB = Ref(GATEWAY_API, "Gateway", "infra", "web")


def selecting(group: str, kind: str, spec: Any) -> list[tuple[Ref, tuple[str | int, ...], Any]]:
    links = read_references(CATALOGUE.kind(group, kind), {"spec": spec}, "infra")
    assert {link.row.role for link in links} <= {Role.LABEL, Role.PEER}
    return [(link.ref, link.name_path or (), link.namespace_path) for link in links]


@cases(*rows_of(__file__, "label_of_the_gateways_name_group"))
@each(NAME, "istio.io/gateway-name")
def test_label_of_the_gateways_name(label: str, group: str, kind: str, path: list[str]) -> None:
    spec: Any = {"app": "web", label: "web"}
    for key in reversed(path):
        spec = {key: spec}
    assert selecting(group, kind, spec) == [(WEB, ("spec", *path, label), None)]


def test_another_workload_is_no_reference() -> None:
    assert selecting("", "Service", {"selector": {"app": "web"}}) == []
    assert selecting("", "Service", {"selector": {NAME: 5}}) == []
    assert selecting("", "Service", {"selector": NAME}) == []


def test_label_is_told_and_path_is_that_of_the_labels() -> None:
    service = {"spec": {"selector": {NAME: "web"}}}
    (link,) = read_references(CATALOGUE.kind("", "Service"), service, "infra")
    assert (link.label, link.path) == (NAME, ("spec", "selector"))


def test_envoy_gateway_has_a_label_for_the_namespace_too() -> None:
    owning = "gateway.envoyproxy.io/owning-gateway-"
    labels = {f"{owning}name": "web", f"{owning}namespace": "edge"}
    spec = {"selector": {"matchLabels": labels}, "namespaceSelector": {"any": True}}
    place = ("spec", "selector", "matchLabels")
    assert selecting("monitoring.coreos.com", "PodMonitor", spec) == [
        (
            Ref(GATEWAY_API, "Gateway", "edge", "web"),
            (*place, f"{owning}name"),
            (*place, f"{owning}namespace"),
        )
    ]


def test_expressions() -> None:
    def expression(operator: str, values: Any) -> list[Any]:
        entry = {"key": NAME, "operator": operator, "values": values}
        spec = {"selector": {"matchExpressions": [{"key": "app", "operator": "Exists"}, entry]}}
        return selecting("policy", "PodDisruptionBudget", spec)

    place = ("spec", "selector", "matchExpressions", 1, "values")
    assert expression("In", ["web", 5, "api"]) == [
        (WEB, (*place, 0), None),
        (Ref(GATEWAY_API, "Gateway", "infra", "api"), (*place, 2), None),
    ]
    assert expression("NotIn", ["web"]) == []
    assert expression("In", "web") == []


def test_the_one_namespace_that_is_looked_into() -> None:
    labels = {"matchLabels": {NAME: "web"}}
    edge = Ref(GATEWAY_API, "Gateway", "edge", "web")
    name_of = "kubernetes.io/metadata.name"
    peer = {"podSelector": labels, "namespaceSelector": {"matchLabels": {name_of: "edge"}}}
    place = ("spec", "ingress", 0, "from", 1)
    assert selecting(
        "networking.k8s.io", "NetworkPolicy", {"ingress": [{"from": [{"ipBlock": {}}, peer]}]}
    ) == [
        (
            edge,
            (*place, "podSelector", "matchLabels", NAME),
            (*place, "namespaceSelector", "matchLabels", name_of),
        )
    ]
    spec = {"selector": labels, "namespaceSelector": {"matchNames": ["edge"]}}
    assert selecting("monitoring.coreos.com", "PodMonitor", spec) == [
        (
            edge,
            ("spec", "selector", "matchLabels", NAME),
            ("spec", "namespaceSelector", "matchNames", 0),
        )
    ]


@each(*rows_of(__file__, "namespaces_that_only_a_cluster_knows"))
def test_namespaces_that_only_a_cluster_knows(scope: Any) -> None:
    spec = {"selector": {"matchLabels": {NAME: "web"}}, "namespaceSelector": scope}
    assert selecting("monitoring.coreos.com", "PodMonitor", spec) == []


def test_pods_of_a_google_policy() -> None:
    spec = {"targetRefs": [{"kind": "Pod", "selector": {"matchLabels": {NAME: "web"}}}]}
    place = ("spec", "targetRefs", 0, "selector", "matchLabels", NAME)
    assert selecting("networking.gke.io", "GCPServerTLSPolicy", spec) == [(WEB, place, None)]
