"""What a policy or route attaches to on a spoke is what it attaches to on the hub."""

from tests.support import cases, each, manifest, rows_of
from tests.support.nearby import BACKEND_POLICY
from tests.support.stages import CLASS, auth, gateway, render, route, told

CODES = ("SR1705", "SR1706", "SR1707", "SR1708")
APART = (
    "(place the gateways in different namespaces, keep the labels that tell them apart, or accept "
    "it under spec.suppressions)"
)
OPEN = "allowedRoutes: {namespaces: {from: All}}"


def labelled(name: str, label: str, namespace: str = "infra") -> str:
    return gateway(name, namespace, metadata=f"labels: {{tier: {label}}}")


def selecting(
    kind: str = "Gateway",
    namespace: str = "infra",
    labels: str = "{tier: gold}",
    more: str = "",
    policy: str = "SecurityPolicy",
) -> str:
    entry = f"{{kind: {kind}, matchLabels: {labels}{more}}}"
    return manifest(
        f"{policy} {namespace}/p",
        f"targetSelectors: [{entry}]",
        api="gateway.envoyproxy.io/v1alpha1",
    )


def place(name: str, as_: str = "{}", spokes: str = "{names: [eu]}", mode: str = "create") -> str:
    return f"- {{gateways: {{names: [{name}]}}, spokes: {spokes}, mode: {mode}, as: {as_}}}\n"


def found(*documents: str, **given: str) -> list[str]:
    return told(render([CLASS, *documents], **given).results, *CODES)


def cart(more: str = "labels: {tier: gold}", parents: str = "[{name: web, namespace: infra}]",
         spec: str = "") -> str:  # fmt: skip
    text = route("cart", parents, spec=spec) if spec else route("cart", parents)
    return text.replace("namespace: shop}", f"namespace: shop, {more}}}", 1)


# Less.


def test_an_override_of_a_route_s_label_that_a_policy_selects_by() -> None:
    overrides = (
        "- {target: {kind: HTTPRoute}, spokes: {names: [us]}, "
        "merge: {metadata: {labels: {tier: null}}}}"
    )
    documents = (labelled("web", "x"), cart(), selecting("HTTPRoute", "shop"))
    assert found(*documents) == []
    assert found(*documents, overrides=overrides) == [
        (
            "SR1706 SecurityPolicy shop/p spec.targetSelectors[0]: its selector does not select "
            "HTTPRoute shop/cart on the spoke, as it did on the hub (keep the labels that it "
            "selects: an override took them) [us]"
        )
    ]


ALL = ", namespaces: {from: All}"
MAY_SELECT = manifest(
    "ReferenceGrant infra/p-web",
    "from: [{group: gateway.envoyproxy.io, kind: SecurityPolicy, namespace: infra}], "
    "to: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}]",
)


def test_a_selector_of_every_namespace_that_no_grant_lets_reach_the_moved_gateway() -> None:
    documents = (labelled("web", "gold"), selecting(more=ALL))
    rules = place("infra/web", "{namespace: gw}")
    assert found(*documents) == []
    (line,) = found(*documents, rules=rules)
    assert line.startswith(
        "SR1705 SecurityPolicy infra/p spec.targetSelectors[0]: Gateway gw/web is in another "
        "namespace than the policy is on the spoke (infra), and no ReferenceGrant lets it select "
        "that (let them be in one namespace, or add to the hub:\n"
    )
    results = render([CLASS, *documents], rules).results
    (cure,) = (result.cure for result in results if result.code == "SR1705")
    assert found(*documents, cure.partition("add to the hub:\n")[2], rules=rules) == []
    assert found(*documents, MAY_SELECT, rules=rules) == []


def test_a_selector_of_a_class_that_became_two() -> None:
    name = "gateway.networking.k8s.io/gateway-class-name"
    policy = manifest("AuthorizationPolicy infra/p", f"selector: {{matchLabels: {{{name}: hub}}}}")
    rules = place("infra/web") + place("infra/api", "{gatewayClassName: eg}")
    assert found(gateway("web"), gateway("api"), policy, rules=rules) == [
        (
            "SR1706 AuthorizationPolicy infra/p spec.selector.matchLabels: its selector does not "
            "select Gateway infra/api, Gateway infra/web on the spoke, as it did on the hub (give "
            "these gateways one class in the rules' `as.gatewayClassName`, or name them) [eu]"
        )
    ]
    one = rules.replace("{}", "{gatewayClassName: eg}")
    assert found(gateway("web"), gateway("api"), policy, rules=one) == []


def test_an_override_that_sends_a_route_past_the_backend_that_a_policy_guards() -> None:
    to_svc = cart(spec="rules: [{backendRefs: [{name: svc, port: 80}]}]")
    overrides = (
        "- {target: {kind: HTTPRoute}, spokes: {names: [us]}, "
        "patch: [{op: replace, path: /spec/rules/0/backendRefs/0/name, value: other}]}"
    )
    assert found(gateway("web"), to_svc, BACKEND_POLICY) == []
    assert found(gateway("web"), to_svc, BACKEND_POLICY, overrides=overrides) == [
        (
            "SR1707 BackendTLSPolicy shop/tls spec.targetRefs[0]: HTTPRoute shop/cart names "
            "Service shop/svc, which it guards, on the hub and does not on the spoke (let the "
            "override keep what the route names, or accept it under spec.suppressions) [us]"
        )
    ]


LISTED = (
    "policiesToSync: [{group: gateway.networking.k8s.io, kind: HTTPRoute}, "
    "{group: gateway.kgateway.dev, kind: TrafficPolicy}]"
)
NAMED = "extensionRef: {group: gateway.kgateway.dev, kind: TrafficPolicy, name: f}"
FILTER = manifest("TrafficPolicy shop/f", "")


def test_an_override_that_takes_a_filter_off_a_route() -> None:
    filtered = cart(spec=f"rules: [{{filters: [{{type: ExtensionRef, {NAMED}}}]}}]")
    overrides = (
        "- {target: {kind: HTTPRoute}, spokes: {names: [us]}, "
        "patch: [{op: remove, path: /spec/rules/0/filters}]}"
    )
    web = gateway("web").replace("gatewayClassName: hub", "gatewayClassName: istio")
    given = {"settings": LISTED, "rules": place("infra/web", spokes="{all: true}")}
    assert told(render([web, filtered, FILTER], **given).results, *CODES) == []
    given["overrides"] = overrides
    assert told(render([web, filtered, FILTER], **given).results, *CODES) == [
        (
            "SR1707 TrafficPolicy shop/f: HTTPRoute shop/cart names it on the hub and does not on "
            "the spoke (let the override keep what the route names, or accept it under "
            "spec.suppressions) [us]"
        )
    ]


# More.


def test_two_gateways_that_meet_in_one_namespace() -> None:
    documents = (labelled("web", "gold"), labelled("api", "gold", "other"), selecting())
    apart = place("infra/web", "{namespace: gw}") + place("other/api", "{namespace: gw2}")
    assert found(*documents, rules=apart) == []
    together = apart.replace("gw2", "gw")
    assert found(*documents, rules=together) == [
        (
            "SR1708 SecurityPolicy infra/p spec.targetSelectors[0]: its selector selects Gateway "
            f"other/api on the spoke, which it does not on the hub {APART} [eu]"
        )
    ]
    results = render([CLASS, *documents], together).results
    assert {r.severity for r in results if r.code == "SR1708"} == {"error"}


def test_more_than_on_the_hub_is_a_warning_for_what_is_no_security_policy() -> None:
    listed = CLASS.replace("kind: SecurityPolicy}", "kind: HTTPRouteFilter}").replace(
        "{group: kuadrant.io, version: v1, kind: DNSPolicy}",
        "{group: gateway.kgateway.dev, version: v1alpha1, kind: HTTPListenerPolicy}",
    )
    policy = selecting(
        policy="HTTPListenerPolicy", more=", group: gateway.networking.k8s.io"
    ).replace("gateway.envoyproxy.io", "gateway.kgateway.dev")
    documents = (labelled("web", "gold"), labelled("api", "gold", "other"), policy)
    rules = place("infra/web", "{namespace: gw}") + place("other/api", "{namespace: gw}")
    results = render([listed, *documents], rules).results
    assert [(r.code, r.severity) for r in results if r.severity != "info"] == [
        ("SR1708", "warning")
    ]


def test_a_label_that_the_placement_gives_a_second_gateway() -> None:
    documents = (labelled("web", "gold"), labelled("api", "silver"), selecting())
    rules = place("infra/web") + place("infra/api", "{labels: {tier: '{{ spoke.values.tier }}'}}")
    spokes = "- {name: eu, values: {tier: %s}}\n"
    assert found(*documents, rules=rules, spokes=spokes % "silver") == []
    (line,) = found(*documents, rules=rules, spokes=spokes % "gold")
    assert line.startswith(
        "SR1708 SecurityPolicy infra/p spec.targetSelectors[0]: its selector selects Gateway "
        "infra/api on the spoke, which it does not on the hub"
    )


LISTENERS = f"[{{name: http, port: 80, protocol: HTTP, {OPEN}}}, {{name: own, port: 81, {OPEN}}}]"


def existing(name: str, listeners: str = f"[{{name: http, {OPEN}}}]") -> str:
    as_ = f"{{name: one, namespace: gw, listeners: {listeners}}}"
    return place(name, as_, mode="existing")


def merged(policy: str, section: str = "", more: str = "api") -> str:
    return (
        f"SR1708 {policy}: its target on the spoke is Gateway infra/{more}{section} as well, which "
        "it is not for on the hub (place the gateways apart, or accept it under "
        "spec.suppressions) [eu]"
    )


@cases(("", ""), (", sectionName: http", " [http]"))
def test_two_gateways_that_are_one_on_the_spoke(target: str, section: str) -> None:
    policy = auth("w", f"kind: Gateway, name: web{target}")
    documents = (gateway("web"), gateway("api"), policy)
    assert found(*documents, rules=existing("infra/web")) == []
    both = existing("infra/web") + existing("infra/api")
    assert found(*documents, rules=both) == [merged("AuthPolicy infra/w spec.targetRef", section)]


def test_a_listener_that_only_one_of_the_two_declares_is_of_that_one() -> None:
    """Of the gateway that both become, `own` is what `api` has, and `http` what `web` has."""
    documents = (
        gateway("web", listeners=LISTENERS),
        gateway("api", listeners=LISTENERS),
        auth("w", "kind: Gateway, name: web, sectionName: http"),
    )
    own = f"[{{name: own, {OPEN}}}]"
    assert found(*documents, rules=existing("infra/web") + existing("infra/api", own)) == []


def test_a_gateway_that_moves_into_the_namespace_of_a_route_that_it_did_not_take() -> None:
    same = "[{name: http, port: 80, protocol: HTTP, hostname: '*.example'}]"
    documents = (gateway("web", listeners=same), cart(spec="hostnames: [a.example]"))
    assert found(*documents, rules=place("infra/web")) == []
    assert found(*documents, rules=place("infra/web", "{namespace: shop}")) == [
        (
            "SR1708 HTTPRoute shop/cart spec.parentRefs[0]: it is on Gateway infra/web [http] on "
            "the spoke, which does not take it on the hub (keep the gateway out of that namespace, "
            "let its listeners name the namespaces that they allow, or accept it under "
            "spec.suppressions) [eu]"
        )
    ]


def test_a_listener_that_an_override_opens() -> None:
    two = (
        "[{name: http, port: 80, allowedRoutes: {namespaces: {from: All}}}, {name: own, port: 81}]"
    )
    documents = (gateway("web", listeners=two), cart())
    overrides = (
        "- {target: {kind: Gateway}, spokes: {names: [us]}, patch: [{op: add, "
        "path: /spec/listeners/1/allowedRoutes, value: {namespaces: {from: All}}}]}"
    )
    assert found(*documents) == []
    (line,) = found(*documents, overrides=overrides)
    assert line.startswith(
        "SR1708 HTTPRoute shop/cart spec.parentRefs[0]: it is on Gateway infra/web [own] on the "
        "spoke, which does not take it on the hub"
    )
    assert line.endswith("[us]")


@each(*rows_of(__file__, "what_is_no_more_and_no_less"))
def test_what_is_no_more_and_no_less(as_: str) -> None:
    listeners = f"[{{name: http, port: 80, protocol: HTTP, hostname: '*.shop.example', {OPEN}}}]"
    documents = (
        gateway("web", listeners=listeners, metadata="labels: {tier: gold}"),
        cart(spec="hostnames: [a.shop.example], rules: [{backendRefs: [{name: svc, port: 80}]}]"),
        selecting(),
        selecting("HTTPRoute", "shop"),
        auth("w", "kind: Gateway, name: web"),
        BACKEND_POLICY,
    )
    assert found(*documents, rules=place("infra/web", as_, "{all: true}")) == []


def test_a_value_of_the_spoke_may_be_the_domain_of_a_route_that_was_on_no_listener() -> None:
    """With a slot in the value's place the two hostnames have nothing in common."""
    listeners = f"[{{name: http, port: 80, protocol: HTTP, hostname: '*.shop.example', {OPEN}}}]"
    documents = (gateway("web", listeners=listeners), cart(spec="hostnames: [a.static.example]"))
    as_ = "{hostnames: {'*.shop.example': '*.{{ spoke.values.domain }}'}}"
    spokes = (
        "- {name: eu, values: {domain: eu.example}}\n- {name: us, values: {domain: static.example}}"
    )
    (line,) = found(*documents, rules=place("infra/web", as_, "{all: true}"), spokes=spokes)
    assert line.startswith(
        "SR1708 HTTPRoute shop/cart spec.parentRefs[0]: it is on Gateway infra/web [http]"
    )
    assert line.endswith("[us]")


def test_labels_of_a_gateway_that_the_spoke_has_of_its_own_are_left_open() -> None:
    documents = (labelled("web", "gold"), labelled("api", "silver"), selecting())
    rules = place("infra/web") + place(
        "infra/api", f"{{listeners: [{{name: http, {OPEN}}}]}}", mode="existing"
    )
    assert found(*documents, rules=rules) == []


@each("SR1706", "SR1708")
def test_either_may_be_accepted_for_a_named_object(code: str) -> None:
    less = code == "SR1706"
    documents = (
        labelled("web", "gold"),
        labelled("api", "gold" if not less else "silver", "other"),
        selecting(),
    )
    rules = (
        place("infra/web", "{labels: {tier: null}}")
        if less
        else place("infra/web") + place("other/api", "{namespace: infra}")
    )
    listed = (
        "policiesToSync: [{group: gateway.envoyproxy.io, kind: SecurityPolicy}]\n"
        "suppressions: [{code: %s, resource: SecurityPolicy/infra/p, reason: they are to share}]\n"
    )
    plain = [text.replace("gatewayClassName: hub", "gatewayClassName: istio") for text in documents]
    results = render(plain, rules, settings=listed % code).results
    assert [(r.code, r.severity, r.tags) for r in results if r.code == code] == [
        (code, "info", (("suppressed", "they are to share"),))
    ]
    assert not [r for r in results if r.severity == "error"]


def test_what_is_accepted_on_every_spoke_does_not_make_each_of_them_a_case_of_its_own() -> None:
    web = labelled("web", "gold").replace("gatewayClassName: hub", "gatewayClassName: istio")
    rules = place(
        "infra/web", "{name: '{{ spoke.name }}-web', labels: {tier: null}}", "{all: true}"
    )
    settings = "policiesToSync: [{group: gateway.envoyproxy.io, kind: SecurityPolicy}]\n"
    given = {"rules": rules, "spokes": "- {name: eu}\n- {name: us}\n"}
    refused = render([web, selecting()], **given, settings=settings)
    assert len({id(bundle.blueprint) for bundle in refused.bundles.values()}) == 2
    settings += "suppressions: [{code: SR1706, resource: SecurityPolicy/infra/p, reason: moved}]\n"
    accepted = render([web, selecting()], **given, settings=settings)
    assert len({id(bundle.blueprint) for bundle in accepted.bundles.values()}) == 1
