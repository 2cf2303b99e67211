"""Every reference to a placed gateway follows it; nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stages import CLASS, GATEWAY, gateway, objects, render, told, values

RENAMED = "{name: edge}"
MOVED = "{namespace: gw}"
BOTH = "{name: edge, namespace: gw}"


def listing(*texts: str) -> str:
    """A fleet that syncs the kinds of these documents."""
    found = [values(text)[0] for text in texts]
    entries = [f"{{group: {d['apiVersion'].rpartition('/')[0]}, kind: {d['kind']}}}" for d in found]
    return f"policiesToSync: [{', '.join(entries)}]"


def made(text: str, as_: str = BOTH, **expected: str) -> dict[str, Any]:
    """The one object that a hub object becomes where `infra/web` is placed as `as_`."""
    rules = f"- {{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, as: {as_}}}"
    open_web = GATEWAY.replace("spec:\n", "spec:\n  allowedListeners: {namespaces: {from: All}}\n")
    found = render([CLASS, open_web, text], rules, settings=listing(text))
    errors = [result.code for result in found.results if result.severity == "error"]
    assert errors == ([expected["error"]] if expected else [])
    items = [item for name, item in objects(found).items() if not name.startswith("Gateway")]
    assert len(items) == 1
    return dict(items[0])


def namespace(item: dict[str, Any]) -> str:
    return str(item["metadata"]["namespace"])


ROUTES = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"]


def route(parents: str, kind: str = "HTTPRoute", place: str = "shop") -> str:
    return (
        f"apiVersion: gateway.networking.k8s.io/v1\nkind: {kind}\n"
        f"metadata: {{name: r, namespace: {place}}}\nspec: {{parentRefs: [{parents}]}}\n"
    )


@pytest.mark.parametrize("kind", ROUTES)
@pytest.mark.parametrize(
    ("as_", "place", "parent", "expected"),
    [
        # A namespace that is written is rewritten, one that is left out is added where needed.
        (BOTH, "shop", "{name: web, namespace: infra}", "{name: edge, namespace: gw}"),
        (RENAMED, "shop", "{name: web, namespace: infra}", "{name: edge, namespace: infra}"),
        (MOVED, "shop", "{name: web, namespace: infra}", "{name: web, namespace: gw}"),
        (BOTH, "infra", "{name: web}", "{name: edge, namespace: gw}"),
        (RENAMED, "infra", "{name: web}", "{name: edge}"),
        (BOTH, "infra", "{name: web, namespace: infra}", "{name: edge, namespace: gw}"),
        # A route whose namespace the gateway moves to still says what it said.
        (
            "{namespace: shop}",
            "shop",
            "{name: web, namespace: infra}",
            "{name: web, namespace: shop}",
        ),
        (
            BOTH,
            "shop",
            (
                "{group: gateway.networking.k8s.io, kind: Gateway, name: web, namespace: infra, "
                "sectionName: http, port: 80, unknown: x}"
            ),
            (
                "{group: gateway.networking.k8s.io, kind: Gateway, name: edge, namespace: gw, "
                "sectionName: http, port: 80, unknown: x}"
            ),
        ),
        ("{}", "shop", "{name: web, namespace: infra}", "{name: web, namespace: infra}"),
    ],
)
def test_parent_refs(kind: str, as_: str, place: str, parent: str, expected: str) -> None:
    item = made(route(parent, kind, place), as_)
    assert (namespace(item), item["spec"]["parentRefs"]) == (place, values(f"[{expected}]\n")[0])


@pytest.mark.parametrize(
    "other",
    [
        '{group: "", kind: Service, name: web}',
        "{group: policy.linkerd.io, kind: Gateway, name: web}",
        "{group: networking.istio.io, kind: Gateway, name: web, namespace: infra}",
        "{kind: XListenerSet, group: gateway.networking.x-k8s.io, name: web}",
    ],
)
def test_a_parent_of_another_kind_or_group_is_left_alone(other: str) -> None:
    error = {"error": "SR1010"} if "XListenerSet" in other else {}
    item = made(route(f"{other}, {{name: web, namespace: infra}}"), BOTH, **error)
    assert item["spec"]["parentRefs"] == values(f"[{other}, {{name: edge, namespace: gw}}]\n")[0]


def test_a_gateway_of_the_same_name_elsewhere_is_another() -> None:
    other = gateway("web", "other")
    rules = (
        f"- {{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, as: {BOTH}}}\n"
        "- {gateways: {names: [other/web]}, spokes: {all: true}}\n"
    )
    text = route("{name: web, namespace: other}, {name: web, namespace: infra}")
    found = render([CLASS, GATEWAY, other, text], rules)
    assert told(found.results) == []
    assert objects(found)["HTTPRoute shop/r"]["spec"]["parentRefs"] == [
        {"name": "web", "namespace": "other"},
        {"name": "edge", "namespace": "gw"},
    ]


@pytest.mark.parametrize(
    ("as_", "place", "parent", "expected"),
    [
        (BOTH, "shop", "{name: web, namespace: infra}", "{name: edge, namespace: gw}"),
        (BOTH, "infra", "{name: web}", "{name: edge, namespace: gw}"),
        (RENAMED, "infra", "{name: web}", "{name: edge}"),
    ],
)
def test_a_listener_set_stays_and_its_parent_follows(
    as_: str, place: str, parent: str, expected: str
) -> None:
    text = (
        "apiVersion: gateway.networking.k8s.io/v1\nkind: ListenerSet\n"
        f"metadata: {{name: more, namespace: {place}}}\n"
        f"spec: {{parentRef: {parent}, listeners: [{{name: x, port: 81}}]}}\n"
    )
    item = made(text, as_)
    assert (namespace(item), item["spec"]["parentRef"]) == (place, values(f"{expected}\n")[0])


def policy(group: str, kind: str, targets: str, place: str = "infra") -> str:
    return (
        f"apiVersion: {group}/v1\nkind: {kind}\n"
        f"metadata: {{name: p, namespace: {place}}}\nspec: {{{targets}}}\n"
    )


GW = "group: gateway.networking.k8s.io, kind: Gateway"


@pytest.mark.parametrize(
    ("as_", "before", "after", "place"),
    [
        (BOTH, f"targetRef: {{{GW}, name: web}}", f"targetRef: {{{GW}, name: edge}}", "gw"),
        (RENAMED, f"targetRef: {{{GW}, name: web}}", f"targetRef: {{{GW}, name: edge}}", "infra"),
        (MOVED, f"targetRef: {{{GW}, name: web}}", f"targetRef: {{{GW}, name: web}}", "gw"),
        (
            BOTH,
            f"targetRef: {{{GW}, name: web, sectionName: http, extra: 5}}, more: {{web: infra}}",
            f"targetRef: {{{GW}, name: edge, sectionName: http, extra: 5}}, more: {{web: infra}}",
            "gw",
        ),
    ],
)
def test_a_local_policy_moves_with_its_target_and_no_namespace_is_added(
    as_: str, before: str, after: str, place: str
) -> None:
    item = made(policy("kuadrant.io", "AuthPolicy", before), as_)
    assert (namespace(item), item["spec"]) == (place, values(f"{{{after}}}\n")[0])
    assert item["metadata"]["annotations"] == {"kuadrant.io/policy-synced": "true"}


def test_target_refs_of_one_list_each_follow_their_own() -> None:
    targets = (
        f"targetRefs: [{{{GW}, name: web, sectionName: http}}, "
        "{group: gateway.envoyproxy.io, kind: Gateway, name: web}]"
    )
    item = made(policy("gateway.envoyproxy.io", "SecurityPolicy", targets), RENAMED)
    assert (
        item["spec"]["targetRefs"]
        == values(
            f"[{{{GW}, name: edge, sectionName: http}}, "
            "{group: gateway.envoyproxy.io, kind: Gateway, name: web}]\n"
        )[0]
    )


@pytest.mark.parametrize(
    ("group", "kind", "before", "after"),
    [
        # Istio has the field and wants it empty.
        (
            "security.istio.io",
            "AuthorizationPolicy",
            f"targetRefs: [{{{GW}, name: web, namespace: ''}}]",
            f"targetRefs: [{{{GW}, name: edge, namespace: ''}}]",
        ),
        # AWS has the field and only the own namespace works.
        (
            "application-networking.k8s.aws",
            "IAMAuthPolicy",
            f"targetRef: {{{GW}, name: web, namespace: infra}}",
            f"targetRef: {{{GW}, name: edge, namespace: gw}}",
        ),
        (
            "application-networking.k8s.aws",
            "IAMAuthPolicy",
            f"targetRef: {{{GW}, name: web}}",
            f"targetRef: {{{GW}, name: edge}}",
        ),
        # Nobody knows this one: its targets are found by structure, and said as they are written.
        (
            "example.com",
            "Unheard",
            f"targetRef: {{{GW}, name: web}}",
            f"targetRef: {{{GW}, name: edge}}",
        ),
        (
            "example.com",
            "Unheard",
            f"targetRefs: [{{{GW}, name: web, namespace: infra}}]",
            f"targetRefs: [{{{GW}, name: edge, namespace: gw}}]",
        ),
    ],
)
def test_namespaces_are_said_only_where_the_kind_allows(
    group: str, kind: str, before: str, after: str
) -> None:
    item = made(policy(group, kind, before))
    assert (namespace(item), item["spec"]) == ("gw", values(f"{{{after}}}\n")[0])


def test_a_policy_that_names_its_target_across_namespaces_stays_where_it_is() -> None:
    text = policy(
        "example.com", "Unheard", f"targetRef: {{{GW}, name: web, namespace: infra}}", "shop"
    )
    item = made(text)
    assert namespace(item) == "shop"
    assert item["spec"]["targetRef"] == values(f"{{{GW}, name: edge, namespace: gw}}\n")[0]


@pytest.mark.parametrize("kind", ["SecurityPolicy", "EnvoyExtensionPolicy"])
def test_target_selectors_stay_as_they_are_and_their_policy_moves(kind: str) -> None:
    text = policy(
        "gateway.envoyproxy.io",
        kind,
        "targetSelectors: [{kind: Gateway, matchExpressions: [{key: a, operator: DoesNotExist}]}]",
    )
    item = made(text)
    assert namespace(item) == "gw"
    assert item["spec"]["targetSelectors"] == [
        {"kind": "Gateway", "matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}
    ]


NAME = "gateway.networking.k8s.io/gateway-name"


@pytest.mark.parametrize(
    ("group", "kind", "before", "after"),
    [
        (
            "security.istio.io",
            "AuthorizationPolicy",
            f"selector: {{matchLabels: {{{NAME}: web, app: x}}}}",
            f"selector: {{matchLabels: {{{NAME}: edge, app: x}}}}",
        ),
        (
            "security.istio.io",
            "AuthorizationPolicy",
            "selector: {matchLabels: {istio.io/gateway-name: web}}",
            "selector: {matchLabels: {istio.io/gateway-name: edge}}",
        ),
        (
            "networking.k8s.io",
            "NetworkPolicy",
            f"podSelector: {{matchExpressions: [{{key: {NAME}, operator: In, values: [web]}}]}}",
            f"podSelector: {{matchExpressions: [{{key: {NAME}, operator: In, values: [edge]}}]}}",
        ),
        (
            "policy",
            "PodDisruptionBudget",
            (
                "selector: {matchLabels: {gateway.envoyproxy.io/owning-gateway-name: web, "
                "gateway.envoyproxy.io/owning-gateway-namespace: infra}}"
            ),
            (
                "selector: {matchLabels: {gateway.envoyproxy.io/owning-gateway-name: edge, "
                "gateway.envoyproxy.io/owning-gateway-namespace: gw}}"
            ),
        ),
    ],
)
def test_a_policy_that_finds_its_gateway_by_label_ships_moves_and_follows(
    group: str, kind: str, before: str, after: str
) -> None:
    item = made(policy(group, kind, before))
    assert (namespace(item), item["spec"]) == ("gw", values(f"{{{after}}}\n")[0])


@pytest.mark.parametrize(
    "spec",
    [
        "selector: {matchLabels: {app: web}}",
        f"selector: {{matchLabels: {{{NAME}: stranger}}}}",
        f"selector: {{matchLabels: {{x-{NAME}: web}}}}",
        "",
    ],
)
def test_a_policy_that_selects_another_workload_does_not_ship(spec: str) -> None:
    text = policy("security.istio.io", "AuthorizationPolicy", spec)
    rules = "- {gateways: {names: [infra/web]}, spokes: {all: true}}"
    found = render([CLASS, GATEWAY, text], rules, settings=listing(text))
    assert sorted(objects(found)) == ["Gateway infra/web"]


def test_a_label_for_a_gateway_that_is_not_there_is_dropped_from_values_and_told() -> None:
    text = policy(
        "networking.k8s.io",
        "NetworkPolicy",
        f"podSelector: {{matchExpressions: [{{key: {NAME}, operator: In, values: [web, api]}}]}}, "
        f"ingress: [{{from: [{{podSelector: {{matchLabels: {{{NAME}: api}}}}}}]}}]",
    )
    rules = f"- {{gateways: {{names: [infra/web]}}, spokes: {{names: [eu]}}, as: {RENAMED}}}"
    found = render([CLASS, GATEWAY, gateway("api"), text], rules)
    spec = objects(found)["NetworkPolicy infra/p"]["spec"]
    assert spec["podSelector"]["matchExpressions"][0]["values"] == ["edge"]
    assert spec["ingress"] == [{"from": [{"podSelector": {"matchLabels": {NAME: "api"}}}]}]
    assert told(found.results, "SR1503", "SR1504") == [
        (
            "SR1503 NetworkPolicy infra/p spec.podSelector.matchExpressions[0].values[1]: the "
            "entry "
            "for Gateway infra/api is dropped: gateway infra/api is not on the spoke [eu]"
        ),
        (
            "SR1504 NetworkPolicy infra/p spec.ingress[0].from[0].podSelector.matchLabels: Gateway "
            "infra/api is not rendered; the spoke has to have it [eu]"
        ),
    ]


def test_what_only_looks_like_a_reference_is_left_alone() -> None:
    """The route `web` and the Service `web` keep their name when the Gateway `web` is renamed."""
    text = """\
        apiVersion: gateway.networking.k8s.io/v1
        kind: HTTPRoute
        metadata: {name: web, namespace: infra, labels: {gateway: web}}
        spec:
          parentRefs: [{name: web}]
          hostnames: [web.shop.example]
          rules: [{name: web, backendRefs: [{name: web, port: 80}]}]
        """
    item = made(text, RENAMED)
    assert (
        item == values(text.replace("parentRefs: [{name: web}]", "parentRefs: [{name: edge}]"))[0]
    )


def test_a_policy_on_a_route_stays_with_its_route() -> None:
    below = route("{name: web, namespace: infra}")
    text = policy(
        "kuadrant.io",
        "AuthPolicy",
        "targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: r}",
        "shop",
    )
    rules = f"- {{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, as: {BOTH}}}"
    found = render([CLASS, GATEWAY, below, text], rules)
    assert told(found.results) == []
    assert sorted(objects(found)) == ["AuthPolicy shop/p", "Gateway gw/edge", "HTTPRoute shop/r"]
    assert objects(found)["AuthPolicy shop/p"]["spec"]["targetRef"]["name"] == "r"
