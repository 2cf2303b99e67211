"""Gateways that are named by the labels of what they generate."""

from typing import Any

from spokerender.kinds.kind import Role
from spokerender.kinds.references import read_references
from spokerender.model import GATEWAY_API, Ref
from tests.kinds.links import CATALOGUE, links
from tests.support import cases, each, named_rows_of, rows_of

NAME = "gateway.networking.k8s.io/gateway-name"
WEB = Ref(GATEWAY_API, "Gateway", "infra", "web")


def selecting(group: str, kind: str, spec: Any) -> list[tuple[Ref, tuple[str | int, ...], Any]]:
    read = read_references(CATALOGUE.kind(group, kind), {"spec": spec}, "infra")
    assert {link.row.role for link in read} <= {Role.LABEL, Role.PEER}
    return [(link.ref, link.name_path or (), link.namespace_path) for link in read]


@cases(*rows_of(__file__, "label_of_the_gateways_name_group"))
@each(NAME, "istio.io/gateway-name")
def test_label_of_the_gateways_name(label: str, group: str, kind: str, path: list[str]) -> None:
    spec: Any = {"app": "web", label: "web"}
    for key in reversed(path):
        spec = {key: spec}
    assert selecting(group, kind, spec) == [(WEB, ("spec", *path, label), None)]


@cases(*named_rows_of(__file__, "gateways_in_labels"))
def test_gateways_in_labels(of: list[str], data: Any, expected: list[str]) -> None:
    assert links(of, data) == expected


@each(*rows_of(__file__, "namespaces_that_only_a_cluster_knows"))
def test_namespaces_that_only_a_cluster_knows(scope: Any) -> None:
    spec = {"selector": {"matchLabels": {NAME: "web"}}, "namespaceSelector": scope}
    assert selecting("monitoring.coreos.com", "PodMonitor", spec) == []
