"""References read from objects, odd ones among them."""

from collections.abc import Iterator
from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.fields import split_pattern
from spokerender.kinds.kind import Kind, Role
from spokerender.kinds.malformed import find_malformed_references
from spokerender.kinds.needs import read_requirements
from spokerender.kinds.references import read_references
from spokerender.kinds.table import all_rows
from spokerender.model import GATEWAY_API, Ref

TABLE = tuple(all_rows().values())

CATALOGUE = Catalogue.of([])
ROUTE = CATALOGUE.kind(GATEWAY_API, "HTTPRoute")
GATEWAY = Ref(GATEWAY_API, "Gateway", "infra", "web")


def refs(kind: Kind, data: Any, namespace: str = "infra") -> list[Ref]:
    return [link.ref for link in read_references(kind, data, namespace)]


def target(**fields: Any) -> dict[str, Any]:
    return {"group": GATEWAY_API, "kind": "Gateway", "name": "web", **fields}


def test_parent_with_defaults_port_and_section() -> None:
    data = {"spec": {"parentRefs": [{"name": "web", "sectionName": "https", "port": 443}]}}
    (link,) = read_references(ROUTE, data, "infra")
    assert link.ref == GATEWAY
    assert (link.sections, link.port, link.explicit_namespace) == (("https",), 443, False)
    assert link.path == ("spec", "parentRefs", 0)
    assert link.name_path == ("spec", "parentRefs", 0, "name")
    assert link.namespace_path == ("spec", "parentRefs", 0, "namespace")
    assert link.row.role is Role.PARENT


def test_parent_that_is_a_service_keeps_the_empty_group() -> None:
    data = {"spec": {"parentRefs": [{"group": "", "kind": "Service", "name": "web"}]}}
    assert refs(ROUTE, data) == [Ref("", "Service", "infra", "web")]


def test_null_is_as_absent() -> None:
    entry = {"group": None, "kind": None, "namespace": None, "name": "web", "sectionName": None}
    assert refs(ROUTE, {"spec": {"parentRefs": [entry]}}) == [GATEWAY]
    assert refs(ROUTE, {"spec": {"parentRefs": None}}) == []
    assert refs(ROUTE, {"spec": None}) == []


def test_backends_of_a_route_wherever_they_are() -> None:
    mirror = {"type": "RequestMirror", "requestMirror": {"backendRef": {"name": "shadow"}}}
    auth = {"type": "ExternalAuth", "externalAuth": {"backendRef": {"name": "auth"}}}
    weighted = {"name": "shop", "namespace": "apps", "port": 80, "filters": [mirror]}
    data = {"spec": {"rules": [{"backendRefs": [weighted], "filters": [mirror, auth]}]}}
    links = read_references(ROUTE, data, "infra")
    assert {link.row.role for link in links} == {Role.BACKEND}
    assert [(link.path, link.ref) for link in links] == [
        (("spec", "rules", 0, "backendRefs", 0), Ref("", "Service", "apps", "shop")),
        (
            ("spec", "rules", 0, "filters", 0, "requestMirror", "backendRef"),
            Ref("", "Service", "infra", "shadow"),
        ),
        (
            ("spec", "rules", 0, "backendRefs", 0, "filters", 0, "requestMirror", "backendRef"),
            Ref("", "Service", "infra", "shadow"),
        ),
        (
            ("spec", "rules", 0, "filters", 1, "externalAuth", "backendRef"),
            Ref("", "Service", "infra", "auth"),
        ),
    ]


def test_a_gateway_class_is_in_no_namespace() -> None:
    policy = CATALOGUE.kind("gateway.envoyproxy.io", "EnvoyPatchPolicy")
    data = {"spec": {"targetRef": target(kind="GatewayClass", name="eg")}}
    assert refs(policy, data) == [Ref(GATEWAY_API, "GatewayClass", "", "eg")]


def test_a_namespace_that_is_written_is_believed_whatever_the_kind() -> None:
    policy = CATALOGUE.kind("kuadrant.io", "AuthPolicy")
    (link,) = read_references(policy, {"spec": {"targetRef": target(namespace="edge")}}, "infra")
    assert link.ref.namespace == "edge"
    assert link.explicit_namespace
    assert link.namespace_path == ("spec", "targetRef", "namespace")


def test_no_place_for_a_namespace_where_none_can_be_said() -> None:
    for group, kind in (
        ("kuadrant.io", "AuthPolicy"),
        ("security.istio.io", "AuthorizationPolicy"),
    ):
        (link,) = read_references(
            CATALOGUE.kind(group, kind), {"spec": {"targetRef": target()}}, "infra"
        )
        assert link.namespace_path is None


def test_sections_of_azure_are_a_list() -> None:
    policy = CATALOGUE.kind("alb.networking.azure.io", "FrontendTLSPolicy")
    data = {"spec": {"targetRef": target(namespace="infra", sectionNames=["a", "b", 5])}}
    (link,) = read_references(policy, data, "infra")
    assert (link.ref, link.sections) == (GATEWAY, ("a", "b"))
    single = CATALOGUE.kind("kuadrant.io", "AuthPolicy")
    (link,) = read_references(single, {"spec": {"targetRef": target(sectionName=["a"])}}, "infra")
    assert link.sections == ()


def test_solvers_and_flagger_and_listener_sets() -> None:
    parents = {"parentRefs": [{"name": "web", "namespace": "infra"}]}
    issuer = {
        "spec": {"acme": {"solvers": [{"dns01": {}}, {"http01": {"gatewayHTTPRoute": parents}}]}}
    }
    for kind in ("Issuer", "ClusterIssuer"):
        assert refs(CATALOGUE.kind("cert-manager.io", kind), issuer, "certs") == [GATEWAY]
    canary = {
        "spec": {
            "targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "service": {"gatewayRefs": [{"name": "web", "namespace": "infra"}]},
        }
    }
    assert refs(CATALOGUE.kind("flagger.app", "Canary"), canary, "apps") == [GATEWAY]
    for group, kind in (
        (GATEWAY_API, "ListenerSet"),
        ("gateway.networking.x-k8s.io", "XListenerSet"),
    ):
        data = {"spec": {"parentRef": {"name": "web", "namespace": "infra"}}}
        assert refs(CATALOGUE.kind(group, kind), data, "apps") == [GATEWAY]


def test_linkerd_without_a_group_names_no_gateway_of_ours() -> None:
    route = CATALOGUE.kind("policy.linkerd.io", "HTTPRoute")
    data = {"spec": {"parentRefs": [{"name": "web"}, {"group": GATEWAY_API, "name": "web"}]}}
    assert refs(route, data) == [Ref("policy.linkerd.io", "Gateway", "infra", "web"), GATEWAY]
    assert not route.is_route


def test_target_selectors_with_namespaces() -> None:
    policy = CATALOGUE.kind("gateway.envoyproxy.io", "SecurityPolicy")
    selector = {
        "kind": "Gateway",
        "matchLabels": {"tier": "gold"},
        "matchExpressions": [{"key": "canary", "operator": "DoesNotExist"}],
        "namespaces": {"from": "Selector", "selector": {"matchLabels": {"team": "edge"}}},
    }
    (link,) = read_references(policy, {"spec": {"targetSelectors": [selector]}}, "infra")
    assert link.ref == Ref(GATEWAY_API, "Gateway", "infra", "")
    assert (link.name_path, link.namespace_path) == (None, None)
    assert link.selector is not None
    assert link.selector.matches({"tier": "gold"})
    assert not link.selector.matches({"tier": "gold", "canary": ""})
    assert link.selector.admits_namespace("infra", "edge", {"team": "edge"})
    assert not link.selector.admits_namespace("infra", "infra", {})


def test_an_unknown_kind_is_read_by_structure() -> None:
    unknown = CATALOGUE.kind("example.com", "CachePolicy")
    data = {
        "spec": {
            "targetRef": target(),
            "targetRefs": [target(name="api", namespace="edge", sectionName="https")],
            "targetSelectors": [{"group": GATEWAY_API, "kind": "Gateway", "matchLabels": {}}],
        }
    }
    links = read_references(unknown, data, "infra")
    assert [link.ref for link in links] == [
        GATEWAY,
        Ref(GATEWAY_API, "Gateway", "edge", "api"),
        Ref(GATEWAY_API, "Gateway", "infra", ""),
    ]
    assert [link.namespace_path for link in links] == [
        None,
        ("spec", "targetRefs", 0, "namespace"),
        None,
    ]
    assert links[1].sections == ("https",)


def test_of_an_unknown_kind_only_what_spells_out_group_and_kind() -> None:
    unknown = CATALOGUE.kind("autoscaling.k8s.io", "VerticalPodAutoscaler")
    scaled = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    assert refs(unknown, {"spec": {"targetRef": scaled}}) == []
    assert find_malformed_references(unknown, {"spec": {"targetRef": scaled}}, "infra") == ()


ODD: tuple[Any, ...] = (
    None,
    True,
    5,
    "web",
    "",
    [],
    {},
    [None],
    [5],
    [[]],
    {"name": 5},
    {"name": []},
    {"x": {}},
)
ENTRY = {
    **target(namespace="infra", sectionName="https", sectionNames=["https"], port=443),
    "matchLabels": {"app": "web"},
    "matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}],
    "namespaces": {"from": "Selector", "selector": {}},
    "key": "gateway.networking.k8s.io/gateway-name",
    "operator": "In",
    "values": ["web"],
    "gateway.networking.k8s.io/gateway-name": "web",
    "cert-manager.io/issuer": "ca",
}


def holding(keys: tuple[str, ...], value: Any) -> Any:
    """The value where a pattern's segments lead to."""
    for key in reversed(keys):
        value = [value] if key == "[]" else {"any" if key == "*" else key: value}
    return value


def odd_objects(pattern: str) -> Iterator[Any]:
    """Objects with something odd on the way, in the entry itself, or beside it."""
    keys = split_pattern(pattern)
    for odd in ODD:
        yield from (holding(keys[:depth], odd) for depth in range(len(keys) + 1))
        yield from (holding(keys, {**ENTRY, field: odd}) for field in ENTRY)
        yield {"spec": {**(holding(keys, ENTRY).get("spec") or {}), "namespaceSelector": odd}}


def test_nothing_raises_on_odd_data() -> None:
    kinds = (*TABLE, CATALOGUE.kind("example.com", "CachePolicy"))
    rules = {rule for kind in kinds for rule in kind.references}
    wanted = {need for kind in kinds for need in kind.needs}
    assert len(rules) + len(wanted) > 100
    for pattern in {rule.path for rule in rules} | {need.path for need in wanted}:
        kind = Kind(
            *("", "K"),
            references=tuple(rule for rule in rules if rule.path == pattern),
            needs=tuple(need for need in wanted if need.path == pattern),
        )
        for data in odd_objects(pattern):
            for reading in (read_references, find_malformed_references, read_requirements):
                assert isinstance(reading(kind, data, "infra"), tuple)
