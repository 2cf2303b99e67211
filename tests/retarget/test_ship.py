"""What ships to a spoke, why not, and what becomes of the references on the way."""

from __future__ import annotations

from typing import Any

import pytest

from render.pipeline import Rendered
from tests.stages import CLASS, GATEWAY, auth, gateway, objects, render, route, told, values

ROUTE = route("cart", "[{name: web, namespace: infra}]", spec="rules: [{name: add}, {}]")
LISTENER_SET = """\
apiVersion: gateway.networking.k8s.io/v1
kind: ListenerSet
metadata: {name: more, namespace: infra}
spec:
  parentRef: {name: web}
  listeners: [{name: extra, port: 81, protocol: HTTP}]
"""
NEARBY = (
    CLASS,
    GATEWAY.replace("spec:\n", "spec:\n  allowedListeners: {namespaces: {from: All}}\n"),
    gateway("api"),
    LISTENER_SET,
    ROUTE,
)
ONE = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}}"
BOTH = "- {gateways: {names: [infra/web, infra/api]}, spokes: {names: [eu]}}"
MOVED = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, as: {name: edge, namespace: gw}}"


def policy(targets: str, namespace: str = "infra", name: str = "p") -> str:
    """A policy of Envoy Gateway with several targets."""
    return (
        "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: SecurityPolicy\n"
        f"metadata: {{name: {name}, namespace: {namespace}}}\nspec: {{targetRefs: [{targets}]}}\n"
    )


def target(kind: str, name: str, group: str = "gateway.networking.k8s.io") -> str:
    return f'{{group: "{group}", kind: {kind}, name: {name}}}'


def shipped(found: Rendered, name: str) -> list[str]:
    return [spoke for spoke in found.bundles if name in objects(found, spoke)]


def reason(found: Rendered, name: str) -> list[str]:
    return [r.message for r in found.results if r.code == "SR1501" and str(r.resource) == name]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (auth("p", "kind: Gateway, name: web"), "AuthPolicy infra/p"),
        (auth("p", "kind: Gateway, name: web, sectionName: http"), "AuthPolicy infra/p"),
        (auth("p", "kind: ListenerSet, name: more"), "AuthPolicy infra/p"),
        (auth("p", "kind: ListenerSet, name: more, sectionName: extra"), "AuthPolicy infra/p"),
        (auth("p", "kind: HTTPRoute, name: cart", "shop"), "AuthPolicy shop/p"),
        (auth("p", "kind: HTTPRoute, name: cart, sectionName: add", "shop"), "AuthPolicy shop/p"),
        (
            auth("p", "kind: HTTPRoute, name: cart, sectionName: rule-2", "shop"),
            "AuthPolicy shop/p",
        ),
    ],
)
def test_a_policy_ships_to_every_spoke_where_its_gateway_is_placed(text: str, name: str) -> None:
    found = render([*NEARBY, text], ONE)
    assert [r for r in found.results if r.severity == "error"] == []
    assert shipped(found, name) == ["eu"]
    everywhere = render([*NEARBY, text], ONE.replace("{names: [eu]}", "{all: true}"))
    assert shipped(everywhere, name) == ["eu", "us"]


KINDS = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute", "ListenerSet"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("listed", [True, False])
def test_routes_ship_when_their_kind_is_listed(kind: str, listed: bool) -> None:
    parents = (
        "parentRef: {name: web, namespace: infra}"
        if kind == "ListenerSet"
        else "parentRefs: [{name: web, namespace: infra}]"
    )
    text = (
        f"apiVersion: gateway.networking.k8s.io/v1\nkind: {kind}\n"
        f"metadata: {{name: r, namespace: shop}}\nspec: {{{parents}}}\n"
    )
    entry = f"{{group: gateway.networking.k8s.io, kind: {kind if listed else 'Gateway'}}}"
    found = render([GATEWAY, text], settings=f"policiesToSync: [{entry}]")
    assert [r for r in found.results if r.severity == "error"] == []
    assert shipped(found, f"{kind} shop/r") == (["eu", "us"] if listed else [])
    if not listed:
        assert told(found.results) == []
        assert reason(found, f"{kind} shop/r") == ["not shipped: its kind is not listed"]


BACKEND_POLICY = """\
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: tls, namespace: shop}
spec:
  targetRefs: [{group: "", kind: Service, name: svc}]
  validation: {hostname: svc, wellKnownCACertificates: System}
"""
TO_SVC = "rules: [{backendRefs: [{name: svc, port: 80}]}]"


def listing(*kinds: str) -> str:
    entries = ", ".join(f"{{group: gateway.networking.k8s.io, kind: {kind}}}" for kind in kinds)
    return f"policiesToSync: [{entries}]"


def test_a_policy_on_a_backend_ships_with_the_routes_to_it_and_the_backend_is_not_missed() -> None:
    sends = route("sends", "[{name: web, namespace: infra}]", spec=TO_SVC)
    found = render(
        [GATEWAY, sends, BACKEND_POLICY], settings=listing("HTTPRoute", "BackendTLSPolicy")
    )
    assert told(found.results) == []
    assert sorted(objects(found)) == [
        "BackendTLSPolicy shop/tls",
        "Gateway infra/web",
        "HTTPRoute shop/sends",
    ]


@pytest.mark.parametrize(
    ("routes", "why"),
    [
        ((), "it hangs on no gateway of the hub"),
        (
            (route("other", "[{name: web, namespace: infra}]"),),
            "it hangs on no gateway of the hub",
        ),
        (
            (route("sends", "[{name: api, namespace: infra}]", spec=TO_SVC),),
            "the gateway that it hangs on is not placed there",
        ),
        (
            (route("sends", "[{name: web, namespace: infra}]", "far", spec=TO_SVC),),
            "it hangs on no gateway of the hub",
        ),
    ],
)
def test_a_policy_on_a_backend_that_no_shipped_route_names_stays(
    routes: tuple[str, ...], why: str
) -> None:
    found = render(
        [GATEWAY, gateway("api"), *routes, BACKEND_POLICY],
        settings=listing("HTTPRoute", "BackendTLSPolicy"),
    )
    assert shipped(found, "BackendTLSPolicy shop/tls") == []
    assert reason(found, "BackendTLSPolicy shop/tls") == [f"not shipped: {why}"]


def test_a_policy_on_a_backend_stays_where_the_routes_to_it_are_not_listed() -> None:
    sends = route("sends", "[{name: web, namespace: infra}]", spec=TO_SVC)
    found = render([GATEWAY, sends, BACKEND_POLICY], settings=listing("BackendTLSPolicy"))
    assert sorted(objects(found)) == ["Gateway infra/web"]
    assert reason(found, "BackendTLSPolicy shop/tls") == [
        "not shipped: no route to its backend ships"
    ]


def test_a_policy_on_a_backend_follows_the_routes_that_ship_and_no_others() -> None:
    """A TCPRoute hangs on both gateways, but only the HTTPRoute below `web` is listed."""
    documents = [
        GATEWAY,
        gateway("api"),
        route("sends", "[{name: web, namespace: infra}]", spec=TO_SVC),
        route("quiet", "[{name: api, namespace: infra}]", spec=TO_SVC).replace("HTTPR", "TCPR"),
        BACKEND_POLICY,
    ]
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}}\n"
        "- {gateways: {names: [infra/api]}, spokes: {names: [us]}}\n"
    )
    found = render(documents, rules, settings=listing("HTTPRoute", "BackendTLSPolicy"))
    assert shipped(found, "BackendTLSPolicy shop/tls") == ["eu"]


@pytest.mark.parametrize(
    ("listeners", "spec"),
    [
        ('[{name: http, port: 80, hostname: "a.example"}]', "hostnames: [b.example]"),
        ("[{name: http, port: 80, allowedRoutes: {namespaces: {from: None}}}]", ""),
        ("[{name: http, port: 80, allowedRoutes: {kinds: [{kind: GRPCRoute}]}}]", ""),
    ],
)
def test_shipping_follows_references_and_not_attachment(listeners: str, spec: str) -> None:
    """What the listeners would not take on the hub either ships nevertheless, and silently."""
    refused = route("r", "[{name: web, namespace: infra}]", spec=spec)
    found = render([CLASS, gateway("web", listeners=listeners), refused])
    assert told(found.results) == []
    assert shipped(found, "HTTPRoute shop/r") == ["eu", "us"]


def test_entries_for_a_gateway_that_is_not_there_are_dropped_with_a_result() -> None:
    documents = [
        *NEARBY,
        policy(f"{target('Gateway', 'api')}, {target('Gateway', 'web')}"),
        route(
            "two",
            "[{name: web, namespace: infra}, {name: api, namespace: infra, sectionName: http}]",
        ),
    ]
    found = render(documents, ONE)
    assert objects(found)["SecurityPolicy infra/p"]["spec"]["targetRefs"] == [
        {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "web"}
    ]
    assert objects(found)["HTTPRoute shop/two"]["spec"]["parentRefs"] == [
        {"name": "web", "namespace": "infra"}
    ]
    assert told(found.results, "SR1503") == [
        (
            "SR1503 SecurityPolicy infra/p spec.targetRefs[0]: the entry for Gateway infra/api is "
            "dropped: gateway infra/api is not on the spoke [eu]"
        ),
        (
            "SR1503 HTTPRoute shop/two spec.parentRefs[1]: the entry for Gateway infra/api is "
            "dropped: gateway infra/api is not on the spoke [eu]"
        ),
    ]
    whole = render(documents, BOTH)
    assert told(whole.results, "SR1503") == []
    assert len(objects(whole)["SecurityPolicy infra/p"]["spec"]["targetRefs"]) == 2


@pytest.mark.parametrize(
    ("kind", "name", "namespace"),
    [("ListenerSet", "less", "infra"), ("HTTPRoute", "orders", "shop")],
)
def test_entries_for_what_hangs_on_an_absent_gateway_are_dropped_too(
    kind: str, name: str, namespace: str
) -> None:
    documents = [
        *NEARBY,
        LISTENER_SET.replace("more", "less").replace("web", "api"),
        route("orders", "[{name: api, namespace: infra}]"),
        policy(
            f"{target(kind, name)}, {target('Gateway', 'web')}, {target('HTTPRoute', 'cart')}",
            namespace,
        ),
    ]
    found = render(documents, ONE)
    kept = {"infra": "Gateway", "shop": "HTTPRoute"}[namespace]
    targets = objects(found)[f"SecurityPolicy {namespace}/p"]["spec"]["targetRefs"]
    assert [(each["kind"], each["name"]) for each in targets][:1] != [(kind, name)]
    assert kept in {each["kind"] for each in targets}


def test_with_no_entry_left_nothing_ships() -> None:
    documents = [
        *NEARBY,
        policy(target("Gateway", "api")),
        auth("p", "kind: Gateway, name: api"),
        route("r", "[{name: api, namespace: infra}]"),
    ]
    found = render(documents, ONE)
    for name in ("SecurityPolicy infra/p", "AuthPolicy infra/p", "HTTPRoute shop/r"):
        assert shipped(found, name) == []
        assert reason(found, name) == [
            "not shipped: the gateway that it hangs on is not placed there"
        ]
    assert told(found.results, "SR1503") == []


def test_entries_that_name_nothing_of_the_hub_stay() -> None:
    """A Service is the spoke's own, as is whatever another implementation calls a Gateway."""
    service, istio = target("Service", "svc", ""), target("Gateway", "web", "networking.istio.io")
    documents = [
        *NEARBY,
        policy(f"{service}, {target('Gateway', 'web')}, {istio}"),
        route("r", '[{name: web, namespace: infra}, {group: "", kind: Service, name: svc}]'),
    ]
    found = render(documents, ONE)
    assert objects(found)["SecurityPolicy infra/p"]["spec"]["targetRefs"] == [
        {"group": "", "kind": "Service", "name": "svc"},
        {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "web"},
        {"group": "networking.istio.io", "kind": "Gateway", "name": "web"},
    ]
    assert objects(found)["HTTPRoute shop/r"]["spec"]["parentRefs"] == [
        {"name": "web", "namespace": "infra"},
        {"group": "", "kind": "Service", "name": "svc"},
    ]


def test_a_policy_whose_kind_is_not_listed_is_a_warning_that_names_the_gateway() -> None:
    documents = [
        *NEARBY,
        auth("p", "kind: Gateway, name: web", kind="TLSPolicy"),
        auth("below", "kind: HTTPRoute, name: cart", "shop", kind="RateLimitPolicy"),
        auth("absent", "kind: Gateway, name: api", kind="TLSPolicy"),
    ]
    found = render(documents, ONE)
    cure = (
        "(list the kind in the GatewayClass's parameters or in fleet.yaml, or take the policy out "
        "of the hub) [eu]"
    )
    assert told(found.results, "SR1502") == [
        (
            "SR1502 RateLimitPolicy shop/below: not shipped: RateLimitPolicy is not listed to "
            "sync, so "
            f"gateway infra/web is without it {cure}"
        ),
        (
            "SR1502 TLSPolicy infra/p: not shipped: TLSPolicy is not listed to sync, so gateway "
            f"infra/web is without it {cure}"
        ),
    ]
    assert {r.severity for r in found.results if r.code == "SR1502"} == {"warning"}
    assert reason(found, "TLSPolicy infra/p") == []
    assert reason(found, "TLSPolicy infra/absent") == [
        "not shipped: the gateway that it hangs on is not placed there"
    ]


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        (
            "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: infra}}\n",
            "Secret infra/s",
            "a Secret is never rendered",
        ),
        (
            (
                "{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: s, "
                "namespace: infra}}\n"
            ),
            "SealedSecret infra/s",
            "it hangs on no gateway of the hub",
        ),
        (
            "{apiVersion: v1, kind: Namespace, metadata: {name: infra}}\n",
            "Namespace infra",
            "a Namespace is never rendered",
        ),
        (
            "{apiVersion: v1, kind: Service, metadata: {name: svc, namespace: shop}}\n",
            "Service shop/svc",
            "it hangs on no gateway of the hub",
        ),
        (
            auth(
                "p",
                "kind: Gateway, name: web",
                metadata="annotations: {config.kubernetes.io/local-config: 'true'}",
            ),
            "AuthPolicy infra/p",
            "it is marked as local config",
        ),
    ],
)
def test_never_rendered(text: str, name: str, why: str) -> None:
    found = render([*NEARBY, text], ONE)
    assert shipped(found, name) == []
    assert reason(found, name) == [f"not shipped: {why}"]


def test_a_secret_is_not_rendered_even_where_its_kind_is_listed() -> None:
    documents = [
        GATEWAY,
        (
            "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: infra}, "
            "spec: {targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}}}\n"
        ),
    ]
    found = render(documents, settings='policiesToSync: [{group: "", kind: Secret}]')
    assert sorted(objects(found)) == ["Gateway infra/web"]


def test_an_existing_gateway_is_not_rendered_and_its_policies_are() -> None:
    rules = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, mode: existing, as: %s}"
    found = render(
        [CLASS, GATEWAY, auth("p", "kind: Gateway, name: web, sectionName: http")],
        rules % "{name: theirs, namespace: gw, listeners: [{name: http}]}",
    )
    assert told(found.results) == []
    assert objects(found) == {
        "AuthPolicy gw/p": values("""\
            apiVersion: kuadrant.io/v1
            kind: AuthPolicy
            metadata: {name: p, namespace: gw, annotations: {kuadrant.io/policy-synced: "true"}}
            spec:
              targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: theirs,
                sectionName: http}
            """)[0]
    }
    assert reason(found, "Gateway infra/web") == [
        "not shipped: the spoke has its own gateway; it is not placed there"
    ]


@pytest.mark.parametrize(
    ("as_", "downstream", "expected"),
    [
        ("{}", "istio", "istio"),
        ("{}", "", "own"),
        ("{gatewayClassName: cilium}", "istio", "cilium"),
        ("{gatewayClassName: 'c-{{ spoke.name }}'}", "istio", "c-eu"),
    ],
)
def test_the_class_is_the_placements_else_downstream_class_else_the_hubs(
    as_: str, downstream: str, expected: str
) -> None:
    if downstream:
        documents = [CLASS, GATEWAY]
        settings = ""
    else:
        documents = [GATEWAY.replace("gatewayClassName: hub", "gatewayClassName: own")]
        settings = "policiesToSync: [{group: kuadrant.io, kind: AuthPolicy}]"
    rules = f"- {{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, as: {as_}}}"
    found = render(documents, rules, settings=settings)
    assert objects(found)["Gateway infra/web"]["spec"]["gatewayClassName"] == expected
    assert told(found.results) == []


def test_a_class_with_sync_parameters_that_lands_on_a_spoke_unchanged_is_an_error() -> None:
    as_hub = "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {gatewayClassName: hub}}"
    found = render([CLASS, GATEWAY], as_hub)
    assert [r.code for r in found.results if r.severity == "error"] == ["SR1306"]


def test_a_policy_that_targets_a_moved_gateway_and_what_stayed_is_an_error() -> None:
    text = policy(f"{target('Gateway', 'web')}, {target('Service', 'svc', '')}")
    found = render([CLASS, GATEWAY, text], MOVED)
    assert told(found.results, "SR1505", "SR1506") == [
        (
            "SR1505 SecurityPolicy infra/p: a SecurityPolicy can only target what is in its own "
            "namespace, but on the spoke its targets are apart: Gateway web in gw, Service svc in "
            "infra (write one policy per target) [eu]"
        ),
        (
            "SR1506 SecurityPolicy infra/p spec.targetRefs[0]: its target lands in another "
            "namespace, "
            "and a SecurityPolicy has no field to say so (keep the gateway in the hub's "
            "namespace, or "
            "move the policy's other targets with it) [eu]"
        ),
    ]
    renamed = MOVED.replace(", namespace: gw", "")
    assert told(render([CLASS, GATEWAY, text], renamed).results, "SR1505", "SR1506") == []


def test_a_policy_whose_gateways_land_in_two_namespaces_is_an_error() -> None:
    text = policy(f"{target('Gateway', 'web')}, {target('Gateway', 'api')}")
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}, as: {namespace: a}}\n"
        "- {gateways: {names: [infra/api]}, spokes: {names: [eu]}, as: {namespace: b}}\n"
    )
    found = render([CLASS, GATEWAY, gateway("api"), text], rules)
    assert [r.code for r in found.results if r.severity == "error"] == [
        "SR1505",
        "SR1506",
        "SR1506",
    ]
    together = render([CLASS, GATEWAY, gateway("api"), text], rules.replace("b}", "a}"))
    assert told(together.results) == []
    assert "SecurityPolicy a/p" in objects(together)


def conserved(found: Rendered) -> set[str]:
    """Hub objects that ship nowhere and that no result names."""
    shipped_refs = {
        variant.manifest.ref
        for bundle in found.bundles.values()
        for variant in bundle.case.variants
    }
    named = {result.resource for result in found.results}
    return {str(m.ref) for m in found.hub.manifests} - {str(ref) for ref in shipped_refs | named}


@pytest.mark.parametrize("rules", ["", ONE, BOTH, MOVED])
def test_every_object_ships_or_is_named(rules: str) -> None:
    documents: list[Any] = [
        *NEARBY,
        policy(target("Gateway", "api")),
        auth("t", "kind: Gateway, name: web", kind="TLSPolicy"),
        BACKEND_POLICY,
        "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: infra}}\n",
    ]
    assert conserved(render(documents, rules)) == set()
