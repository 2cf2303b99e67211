"""The graph: what a node knows, what hangs on what, and what is equal."""

from __future__ import annotations

from typing import Any

import pytest

from render import slots
from render.kinds import Catalogue, LabelSelector, Role
from render.model import GATEWAY_API, Ref
from render.topology import Admission, Listener, node
from tests.stages import graph, node_of

CATALOGUE = Catalogue.of([])


def gateway(name: str, namespace: str = "infra") -> Ref:
    return Ref(GATEWAY_API, "Gateway", namespace, name)


GATEWAYS = """\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: infra, labels: {tier: public}}
spec:
  listeners:
  - {name: http, port: 80, protocol: HTTP}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: api, namespace: infra, labels: {tier: internal}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {name: more, namespace: shop}
spec:
  parentRef: {name: web, namespace: infra}
  listeners:
  - {name: extra, port: 81, protocol: HTTP}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: direct, namespace: shop}
spec:
  parentRefs: [{name: web, namespace: infra, sectionName: http}]
  rules: [{backendRefs: [{name: cart, port: 80}, {name: far, namespace: other, port: 80}]}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: below, namespace: shop}
spec:
  parentRefs: [{kind: ListenerSet, name: more}]
  rules: [{backendRefs: [{name: cart, port: 80}]}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: GRPCRoute
metadata: {name: both, namespace: shop}
spec:
  parentRefs: [{name: web, namespace: infra}, {name: api, namespace: infra}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: TCPRoute
metadata: {name: nowhere, namespace: shop}
spec:
  parentRefs: [{name: web}]
"""


def policy(target: str, namespace: str = "shop") -> str:
    """A policy that targets `target` (YAML flow text)."""
    return (
        "apiVersion: kuadrant.io/v1\nkind: AuthPolicy\n"
        f"metadata: {{name: policy, namespace: {namespace}}}\nspec: {{targetRef: {target}}}\n"
    )


POLICY = Ref("kuadrant.io", "AuthPolicy", "shop", "policy")


@pytest.mark.parametrize(
    ("target", "namespace", "gateways"),
    [
        ("{group: gateway.networking.k8s.io, kind: Gateway, name: web}", "infra", {"web"}),
        (
            "{group: gateway.networking.k8s.io, kind: Gateway, name: web, sectionName: http}",
            "infra",
            {"web"},
        ),
        ("{group: gateway.networking.k8s.io, kind: ListenerSet, name: more}", "shop", {"web"}),
        ("{group: gateway.networking.k8s.io, kind: HTTPRoute, name: direct}", "shop", {"web"}),
        (
            (
                "{group: gateway.networking.k8s.io, kind: HTTPRoute, name: direct, sectionName: "
                "rule-1}"
            ),
            "shop",
            {"web"},
        ),
        ("{group: gateway.networking.k8s.io, kind: HTTPRoute, name: below}", "shop", {"web"}),
        ("{group: gateway.networking.k8s.io, kind: GRPCRoute, name: both}", "shop", {"web", "api"}),
        ('{group: "", kind: Service, name: cart}', "shop", {"web"}),
        ('{group: "", kind: Service, name: far}', "other", {"web"}),
        ('{group: "", kind: Service, name: far}', "shop", set()),
        ('{group: "", kind: ConfigMap, name: cart}', "shop", set()),
        ("{group: gateway.networking.k8s.io, kind: TCPRoute, name: nowhere}", "shop", set()),
        ("{group: gateway.networking.k8s.io, kind: Gateway, name: web}", "shop", set()),
        ("{group: gateway.networking.k8s.io, kind: GRPCRoute, name: direct}", "shop", set()),
        ("{group: networking.istio.io, kind: Gateway, name: web}", "infra", set()),
    ],
)
def test_a_policy_hangs_on_gateways_at_any_distance(
    target: str, namespace: str, gateways: set[str]
) -> None:
    topology = graph(GATEWAYS, policy(target, namespace))
    ref = Ref("kuadrant.io", "AuthPolicy", namespace, "policy")
    assert topology.hangs_on(ref) == {gateway(name) for name in gateways}


def test_a_gateway_hangs_on_itself_and_a_stranger_on_nothing() -> None:
    topology = graph(GATEWAYS)
    assert topology.hangs_on(gateway("web")) == {gateway("web")}
    assert topology.hangs_on(gateway("stranger")) == set()


def test_things_that_name_each_other_hang_on_what_they_reach() -> None:
    topology = graph(
        GATEWAYS,
        """\
        apiVersion: gateway.networking.k8s.io/v1
        kind: ListenerSet
        metadata: {name: a, namespace: infra}
        spec: {parentRef: {kind: ListenerSet, name: b}}
        ---
        apiVersion: gateway.networking.k8s.io/v1
        kind: ListenerSet
        metadata: {name: b, namespace: infra}
        spec: {parentRef: {kind: ListenerSet, name: a}}
        """,
    )
    assert topology.hangs_on(Ref(GATEWAY_API, "ListenerSet", "infra", "a")) == set()


def test_a_policy_on_a_service_beside_it_without_routes_leads_to_the_service() -> None:
    topology = graph(
        GATEWAYS,
        "{apiVersion: v1, kind: Service, metadata: {name: lone, namespace: shop}}\n",
        policy('{group: "", kind: Service, name: lone}'),
    )
    (link,) = topology.nodes[POLICY].attachments
    assert topology.targets(link) == (Ref("", "Service", "shop", "lone"),)
    assert topology.hangs_on(POLICY) == set()


@pytest.mark.parametrize(
    ("namespaces", "selector", "found"),
    [
        ("", "{tier: public}", {"web"}),
        ("", "{tier: nothing}", set()),
        ("namespaces: {from: All}, ", "{tier: internal}", {"api", "far"}),
        (
            "namespaces: {from: Selector, selector: {matchLabels: {team: far}}}, ",
            "{tier: internal}",
            {"far"},
        ),
    ],
)
def test_target_selectors_select_gateways_by_label(
    namespaces: str, selector: str, found: set[str]
) -> None:
    topology = graph(
        GATEWAYS,
        """\
        apiVersion: gateway.networking.k8s.io/v1
        kind: Gateway
        metadata: {name: far, namespace: far, labels: {tier: internal}}
        ---
        {apiVersion: v1, kind: Namespace, metadata: {name: far, labels: {team: far}}}
        """,
        f"""\
        apiVersion: gateway.envoyproxy.io/v1alpha1
        kind: SecurityPolicy
        metadata: {{name: policy, namespace: infra}}
        spec:
          targetSelectors:
          - {{{namespaces}group: gateway.networking.k8s.io, kind: Gateway, matchLabels: {selector}}}
        """,
    )
    hangs_on = topology.hangs_on(Ref("gateway.envoyproxy.io", "SecurityPolicy", "infra", "policy"))
    assert {ref.name for ref in hangs_on} == found


def test_routes_to_a_backend_are_told_once_each_and_sorted() -> None:
    topology = graph(GATEWAYS)
    assert [str(ref) for ref in topology.routes_to(Ref("", "Service", "shop", "cart"))] == [
        "HTTPRoute shop/below",
        "HTTPRoute shop/direct",
    ]
    assert topology.routes_to(Ref("", "Service", "shop", "absent")) == ()


def test_gateways_are_sorted_and_objects_are_found_by_kind_and_namespace() -> None:
    topology = graph(GATEWAYS)
    assert topology.gateways == (gateway("api"), gateway("web"))
    routes = topology.of_kind(GATEWAY_API, "HTTPRoute", "shop")
    assert [item.ref.name for item in routes] == ["direct", "below"]
    assert topology.of_kind(GATEWAY_API, "HTTPRoute", "infra") == ()


def test_a_namespace_has_the_label_with_its_name() -> None:
    topology = graph(
        "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: a}}}\n"
    )
    assert topology.labels_of_namespace("shop") == {
        "team": "a",
        "kubernetes.io/metadata.name": "shop",
    }
    assert topology.labels_of_namespace("other") == {"kubernetes.io/metadata.name": "other"}


def test_listeners_are_read_with_who_may_attach() -> None:
    found = node_of("""\
        apiVersion: gateway.networking.k8s.io/v1
        kind: Gateway
        metadata: {name: g, namespace: infra, labels: {b: "2", a: "1"}}
        spec:
          gatewayClassName: istio
          allowedListeners: {namespaces: {from: All}}
          listeners:
          - {name: a, port: 80, protocol: HTTP}
          - nonsense
          - name: b
            hostname: b.example
            port: 443
            protocol: HTTPS
            allowedRoutes:
              namespaces: {from: Selector, selector: {matchLabels: {team: a}}}
        """)
    assert found.listeners == (
        Listener(0, "a", "", 80, "HTTP", Admission("Same")),
        Listener(
            2,
            "b",
            "b.example",
            443,
            "HTTPS",
            Admission("Selector", LabelSelector((("team", "a"),))),
        ),
    )
    assert (found.labels, found.gateway_class) == ((("a", "1"), ("b", "2")), "istio")
    assert found.admits_listener_sets == Admission("All")
    assert found.sections == ("a", "b")


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        (
            "{parentRefs: [], rules: [{name: first}, {}, {name: third}]}",
            ("first", "rule-2", "third"),
        ),
        ("{parentRefs: []}", None),
    ],
)
def test_rules_without_a_name_are_called_by_their_number(
    text: str, sections: tuple[str, ...] | None
) -> None:
    found = node_of(
        "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n"
        f"metadata: {{name: r, namespace: shop}}\nspec: {text}\n"
    )
    assert found.sections == sections


def test_a_gateway_without_listeners_has_no_section_and_a_service_unknown_ones() -> None:
    gateways = node_of(
        "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: g}}"
    )
    service = node_of("{apiVersion: v1, kind: Service, metadata: {name: s, namespace: shop}}")
    assert (gateways.sections, service.sections) == ((), None)


def test_backends_are_references_and_no_attachments() -> None:
    route = graph(GATEWAYS).nodes[Ref(GATEWAY_API, "HTTPRoute", "shop", "direct")]
    assert [link.rule.role for link in route.references] == [
        Role.PARENT,
        Role.BACKEND,
        Role.BACKEND,
    ]
    assert [link.rule.role for link in route.attachments] == [Role.PARENT]


def test_references_of_a_gateway_into_other_namespaces_are_known() -> None:
    found = node_of("""\
        apiVersion: gateway.networking.k8s.io/v1
        kind: Gateway
        metadata: {name: g, namespace: infra}
        spec:
          listeners:
          - name: a
            tls:
              certificateRefs: [{name: here}, {name: too, namespace: infra},
                {name: there, namespace: certs}]
        """)
    assert found.crossing == (
        (Ref("", "Secret", "certs", "there"), "spec.listeners[0].tls.certificateRefs[2]"),
    )


@pytest.mark.parametrize(
    ("admission", "own", "labels", "admitted"),
    [
        (Admission("All"), "b", {}, True),
        (Admission("Same"), "a", {}, True),
        (Admission("Same"), "b", {}, False),
        (Admission("None"), "a", {}, False),
        (Admission("Nonsense"), "a", {}, False),
        (Admission("Selector", LabelSelector((("x", "1"),))), "b", {"x": "1"}, True),
        (Admission("Selector", LabelSelector((("x", "1"),))), "a", {"x": "2"}, False),
    ],
)
def test_admission(admission: Admission, own: str, labels: dict[str, str], admitted: bool) -> None:
    assert admission.admits("a", own, labels) is admitted


SHAPES = [None, 5, "text", [], ["x", None], {"a": "b"}, {"x": []}]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["Gateway", "HTTPRoute", "ListenerSet", "ReferenceGrant"])
def test_wrong_types_are_passed_over(kind: str, shape: Any) -> None:
    ref = Ref(GATEWAY_API, kind, "infra", "x")
    for spec in (
        shape,
        {
            "listeners": shape,
            "hostnames": shape,
            "rules": shape,
            "parentRefs": shape,
            "from": shape,
        },
        {"listeners": [{"name": shape, "hostname": shape, "port": shape, "allowedRoutes": shape}]},
        {"allowedListeners": {"namespaces": {"from": shape, "selector": shape}}},
    ):
        found = node(ref, {"metadata": {"labels": shape}, "spec": spec}, CATALOGUE)
        assert found.ref == ref
        assert hash(found) == hash(found)


def slot_places() -> list[dict[str, Any]]:
    """Gateways that differ from a plain one in one text, each a slot."""
    text = slots.slot(7)
    listener: dict[str, Any] = {"name": "a", "port": 80}
    specs: list[dict[str, Any]] = [
        {"gatewayClassName": text},
        {"listeners": [{**listener, "name": text}]},
        {"listeners": [{**listener, "hostname": text}]},
        {"listeners": [{**listener, "protocol": text}]},
        {"listeners": [{**listener, "port": text}]},
        {"listeners": [{**listener, "allowedRoutes": {"namespaces": {"from": text}}}]},
        {
            "listeners": [
                {**listener, "tls": {"certificateRefs": [{"name": "c", "namespace": text}]}}
            ]
        },
        {"allowedListeners": {"namespaces": {"from": text}}},
    ]
    for selector in (
        {"matchLabels": {"a": text}},
        {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": [text]}]},
    ):
        namespaces = {"from": "Selector", "selector": selector}
        specs.append({"listeners": [{**listener, "allowedRoutes": {"namespaces": namespaces}}]})
    return [{"metadata": {}, "spec": spec} for spec in specs] + [
        {"metadata": {"labels": {"a": text}}, "spec": {}}
    ]


@pytest.mark.parametrize("data", slot_places())
def test_no_text_that_decides_anything_is_hidden(data: dict[str, Any]) -> None:
    found = node(gateway("g"), data, CATALOGUE)
    assert slots.slot(7) in "".join(found.texts)
