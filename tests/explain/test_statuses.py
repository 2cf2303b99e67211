"""The status of each policy, per Gateway, and the spokes that share it (GEP-713)."""

from typing import Any

from spokerender.explain.statuses import is_attached
from spokerender.explain.values import PolicyStatus
from spokerender.pipeline import judge
from tests.judging.advice.spokes import auth
from tests.support import cases, manifest, rows_of, stages
from tests.support.answers import statuses
from tests.support.judged import CRD, WEB, dns
from tests.support.shop import judged, shop


def shown(status: PolicyStatus) -> tuple[str, str, Any]:
    """The policy, its spokes, and by ancestor what is said."""
    said = {
        f"{each.ancestor.kind} {each.ancestor.namespace}/{each.ancestor.name}": " ".join(
            f"{item.type}={item.status}/{item.reason}" for item in each.conditions
        )
        for each in status.ancestors
    }
    return f"{status.policy.namespace}/{status.policy.name}", " ".join(status.spokes), said


FINE = (
    "Accepted=True/Accepted ResolvedRefs=True/ResolvedRefs Programmed=True/Programmed "
    "Enforced=True/Enforced"
)
PARTLY = FINE.replace("Programmed=True/Programmed", "Programmed=True/PartiallyProgrammed")


def test_spokes_share_what_is_the_same() -> None:
    found = statuses(judged(shop()))
    assert [shown(status) for status in found] == [
        ("edge/guard", "ap eu", {"Gateway edge/web": PARTLY}),
        ("west/guard", "us", {"Gateway west/web": PARTLY}),
        ("infra/own", "us", {"Gateway infra/theirs": FINE}),
        ("shop/buy", "ap eu", {"Gateway edge/web": FINE}),
        ("shop/buy", "us", {"Gateway west/web": FINE}),
        ("edge/dns", "ap eu", {"Gateway edge/web": FINE}),
        ("west/dns", "us", {"Gateway west/web": FINE}),
    ]
    assert {str(status.hub) for status in found[:2]} == {"AuthPolicy infra/guard"}
    assert {status.version for status in found} == {"kuadrant.io/v1"}


@cases(*rows_of(__file__, "narrowed"))
def test_narrowed(spoke: str, kind: str, names: list[str]) -> None:
    found = statuses(judged(shop()), spoke, kind)
    assert [shown(status)[0] for status in found] == names
    if spoke:
        assert {status.spokes for status in found} == {(spoke,)}


def test_a_refused_policy_is_not_programmed_and_not_said_not_to_be() -> None:
    found = judge(stages.render([*WEB, dns("weight: 500"), CRD]))
    ((_, spokes, said),) = map(shown, statuses(found))
    assert spokes == "eu us"
    assert said == {"Gateway infra/web": "Accepted=False/Invalid ResolvedRefs=True/ResolvedRefs"}


def test_an_entry_for_each_gateway() -> None:
    """Sorted by name on the spoke, and on each what is in force there."""
    route = stages.route(
        "cart",
        "[{name: web, namespace: infra}, {name: api, namespace: infra}]",
        spec="rules: [{name: all}]",
    )
    documents = [
        stages.CLASS,
        stages.gateway("api"),
        stages.gateway("web"),
        route,
        auth("cart", "HTTPRoute/cart", namespace="shop"),
        auth("web", "Gateway/web", "overrides: {rules: {authentication: {b: {}}}}"),
    ]
    rules = (
        "- {gateways: {names: [infra/api]}, spokes: {all: true}}\n"
        "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {name: 'a-{{ spoke.name }}'}}"
    )
    (_, cart) = statuses(judged(stages.render(documents, rules)), "eu")
    over = FINE.replace("Programmed=True/Programmed", "Programmed=False/Overridden")
    assert shown(cart) == (
        "shop/cart",
        "eu",
        {"Gateway infra/a-eu": over, "Gateway infra/api": FINE},
    )
    assert list(shown(cart)[2]) == ["Gateway infra/a-eu", "Gateway infra/api"]


def test_what_no_spoke_gets_comes_first_with_what_the_hub_would_say() -> None:
    lost = auth("lost", "Gateway/wbe")
    found = statuses(judged(stages.render([stages.CLASS, stages.gateway("web"), lost, DENY])))
    assert [(each.policy.name, each.spokes, is_attached(each)) for each in found] == [
        ("lost", (), False),
        ("deny", ("eu", "us"), True),
    ]
    (ancestor,) = found[0].ancestors
    assert [(each.type, each.reason) for each in ancestor.conditions] == [
        ("Accepted", "TargetNotFound"),
        ("ResolvedRefs", "TargetNotFound"),
    ]
    assert statuses(judged(stages.render([stages.CLASS, stages.gateway("web"), lost])), "eu") == ()


DENY = auth("deny", "Gateway/web", "rules: {authorization: {a: {opa: {rego: a}}}}")


def test_what_check_tells_of_a_policy_is_told_with_its_status() -> None:
    """Two DNSPolicies on one target: their controller breaks no tie."""
    listeners = "[{name: http, port: 80, protocol: HTTP, hostname: a.example}]"
    dns = [
        stages.auth(name, "kind: Gateway, name: web", kind="DNSPolicy", spec="x: 1")
        for name in "ab"
    ]
    route = stages.route("cart", "[{name: web}]", namespace="infra")
    gateway = stages.gateway("web", listeners=listeners)
    found = statuses(judged(stages.render([stages.CLASS, gateway, route, *dns])))
    assert [[each.code for each in status.results] for status in found] == [[], ["SR2114"]]
    idle = statuses(judged(stages.render([stages.CLASS, gateway, dns[0]])))
    reasons = {each.type: each.reason for each in idle[0].ancestors[0].conditions}
    assert reasons["Programmed"] == "Unknown"


def test_ancestors_are_those_that_the_controller_reports() -> None:
    envoy, nginx = (
        "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: SecurityPolicy\n",
        "apiVersion: gateway.nginx.org/v1alpha1\nkind: ProxySettingsPolicy\n",
    )
    target = "targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}]"
    policies = [
        f"{head}metadata: {{name: p, namespace: infra}}\nspec: {{{target}}}\n"
        for head in (envoy, nginx)
    ]
    kinds = (
        "policiesToSync:\n- {group: gateway.envoyproxy.io, kind: SecurityPolicy}\n"
        "- {group: gateway.nginx.org, kind: ProxySettingsPolicy}\n"
    )
    route = stages.route("cart", "[{name: web, sectionName: http}]", namespace="infra")
    documents = [stages.CLASS, stages.gateway("web"), route, *policies]
    found = statuses(judged(stages.render(documents, settings=kinds)))
    assert {
        each.policy.kind: [str(ancestor.ancestor) for ancestor in each.ancestors] for each in found
    } == {
        "SecurityPolicy": ["Gateway infra/web [http]"],
        "ProxySettingsPolicy": ["HTTPRoute infra/cart"],
    }


TRAFFIC = "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: BackendTrafficPolicy\n"
SYNCED = "policiesToSync:\n- {group: gateway.envoyproxy.io, kind: BackendTrafficPolicy}\n"


def traffic(name: str, target: str, says: str) -> str:
    ref = f"{{group: gateway.networking.k8s.io, {target}}}"
    spec = f"spec: {{targetRefs: [{ref}], {says}}}\n"
    return f"{TRAFFIC}metadata: {{name: {name}, namespace: infra}}\n{spec}"


def test_a_merge_has_an_entry_for_each_listener() -> None:
    """Envoy Gateway merges with what is on the listener, else with what is on its Gateway."""
    listeners = "[{name: a, port: 80, protocol: HTTP}, {name: b, port: 81, protocol: HTTP}]"
    documents = [
        stages.CLASS,
        stages.gateway("web", listeners=listeners),
        stages.route("cart", "[{name: web}]", namespace="infra", spec="rules: [{name: all}]"),
        traffic("b", "kind: Gateway, name: web, sectionName: b", "circuitBreaker: {}"),
        traffic("cart", "kind: HTTPRoute, name: cart", "mergeType: StrategicMerge, retry: {}"),
        traffic("web", "kind: Gateway, name: web", "dns: {}"),
    ]
    found = statuses(judged(stages.render(documents, settings=SYNCED)))
    (cart,) = (each for each in found if each.policy.name == "cart")
    said = {
        str(each.ancestor): [f"{item.type}: {item.message}" for item in each.conditions]
        for each in cart.ancestors
        if each.ancestor.section_name
    }
    assert said == {
        "Gateway infra/web [a]": ["Merged: merged with BackendTrafficPolicy infra/web"],
        "Gateway infra/web [b]": ["Merged: merged with BackendTrafficPolicy infra/b"],
    }
    assert str(cart.ancestors[0].ancestor) == "Gateway infra/web"


def test_of_too_many_ancestors_those_are_kept_that_tell_of_something_bad() -> None:
    """Envoy Gateway, TruncatePolicyAncestors: what is overridden first, then by name."""
    names = [f"w{number:02}" for number in range(18)]
    parents = ", ".join(f"{{name: {name}}}" for name in names)
    own = [traffic("own", "kind: Gateway, name: w17, sectionName: http", "retry: {}")]
    all_of_them = ", ".join(
        f"{{group: gateway.networking.k8s.io, kind: Gateway, name: {name}}}" for name in names
    )
    every = (
        f"{TRAFFIC}metadata: {{name: every, namespace: infra}}\n"
        f"spec: {{targetRefs: [{all_of_them}], dns: {{}}}}\n"
    )
    documents = [
        stages.CLASS,
        *(stages.gateway(name) for name in names),
        stages.route("cart", f"[{parents}]", namespace="infra", spec="rules: [{name: all}]"),
        *own,
        every,
    ]
    rules = "- {gateways: {selector: {}}, spokes: {all: true}}\n".replace(
        "{selector: {}}", f"{{names: [{', '.join(f'infra/{name}' for name in names)}]}}"
    )
    found = statuses(judged(stages.render(documents, rules, settings=SYNCED)))
    (status,) = (each for each in found if each.policy.name == "every")
    assert [each.ancestor.name for each in status.ancestors] == [*names[:15], "w17"]


HTTPS = (
    "{{name: {name}, port: {port}, protocol: HTTPS, hostname: {name}.example, "
    "tls: {{certificateRefs: [{{name: cert}}]}}}}"
)


def own_conditions(status: PolicyStatus, *types: str) -> list[str]:
    (entry,) = status.ancestors
    return [
        f"{item.type}={item.status}/{item.reason}"
        for item in entry.conditions
        if item.type in types
    ]


def test_of_two_policies_with_one_secret_nobody_knows_which_is_enforced() -> None:
    """kuadrant-operator: the second is not enforced, for its certificate is not in the Secret."""
    listeners = f"[{HTTPS.format(name='a', port=443)}, {HTTPS.format(name='b', port=444)}]"
    policies = [
        stages.auth(
            name,
            f"kind: Gateway, name: web, sectionName: {name}",
            kind="TLSPolicy",
            spec="issuerRef: {kind: Issuer, name: own}",
        )
        for name in "ab"
    ]
    route = stages.route("cart", "[{name: web}]", namespace="infra", spec="rules: [{name: all}]")
    gateway = stages.gateway("web", listeners=listeners)
    listed = "policiesToSync:\n- {group: kuadrant.io, kind: TLSPolicy}\n"
    documents = [stages.CLASS, gateway, route, *policies]
    found = statuses(judged(stages.render(documents, settings=listed)))
    assert [[each.code for each in status.results] for status in found] == [["SR2214"]] * 2
    unknown = ["Programmed=Unknown/NotKnown", "Enforced=Unknown/NotKnown"]
    assert [own_conditions(each, "Programmed", "Enforced") for each in found] == [unknown] * 2


def test_clashing_dns_strategies_are_told_of_each_policy() -> None:
    listeners = (
        "[{name: a, port: 80, protocol: HTTP, hostname: a.example}, "
        "{name: b, port: 81, protocol: HTTP, hostname: a.example}]"
    )
    balanced = "loadBalancing: {weight: 100, geo: EU, defaultGeo: true}"
    policies = [
        stages.auth(
            name,
            f"kind: Gateway, name: web, sectionName: {name}",
            kind="DNSPolicy",
            spec=f"providerRefs: [{{name: p}}], {spec}",
        )
        for name, spec in (("a", balanced), ("b", "x: 1"))
    ]
    route = stages.route("cart", "[{name: web}]", namespace="infra", spec="rules: [{name: all}]")
    gateway = stages.gateway("web", listeners=listeners)
    found = statuses(judged(stages.render([stages.CLASS, gateway, route, *policies])))
    assert [["SR2215" in [each.code for each in status.results]] for status in found] == [
        [True],
        [True],
    ]
    assert [own_conditions(each, "Enforced") for each in found] == [
        ["Enforced=Unknown/NotKnown"]
    ] * 2


def test_requests_that_another_route_may_take_are_told_of_the_policies_there() -> None:
    routes = [
        stages.route(
            name,
            "[{name: web}]",
            namespace="infra",
            spec=f"rules: [{{backendRefs: [{{name: {name}, port: 80}}]}}]",
        )
        for name in ("cart", "stock")
    ]
    policy = stages.auth(
        "p", "kind: HTTPRoute, name: stock", spec="rules: {authorization: {a: {opa: {rego: a}}}}"
    )
    documents = [stages.CLASS, stages.gateway("web"), *routes, policy]
    (status,) = statuses(judged(stages.render(documents)))
    assert "SR2231" in [each.code for each in status.results]


def test_an_empty_policy_on_a_route_leaves_it_open() -> None:
    """Envoy Gateway: the nearest one holds whole, also where there is nothing in it."""
    head = "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: SecurityPolicy\n"
    api = "group: gateway.networking.k8s.io"
    policies = [
        f"{head}metadata: {{name: {name}, namespace: infra}}\nspec: {{targetRefs: [{ref}]{says}}}\n"
        for name, ref, says in (
            ("web", f"{{{api}, kind: Gateway, name: web}}", ", jwt: {providers: [{name: a}]}"),
            ("cart", f"{{{api}, kind: HTTPRoute, name: cart}}", ""),
        )
    ]
    route = stages.route("cart", "[{name: web}]", namespace="infra", spec="rules: [{name: all}]")
    kinds = "policiesToSync:\n- {group: gateway.envoyproxy.io, kind: SecurityPolicy}\n"
    documents = [stages.CLASS, stages.gateway("web"), route, *policies]
    fleet = judged(stages.render(documents, settings=kinds))
    (in_force,) = fleet.judged["eu"].judgement.effective
    assert in_force.likely.rules == ()
    said = {each.policy.name: own_conditions(each, "Programmed") for each in statuses(fleet)}
    assert said == {"web": ["Programmed=False/Overridden"], "cart": ["Programmed=True/Programmed"]}


def test_agentgateways_policy_is_attached_to_a_gateway_without_routes() -> None:
    """Its own test data (agentgateway 75b4e6c, plugins/testdata): no gateway there has a route."""
    policy = manifest(
        "AgentgatewayPolicy infra/p",
        "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], "
        "traffic: {timeouts: {request: 1s}}",
        api="agentgateway.dev/v1alpha1",
    )
    kinds = "policiesToSync:\n- {group: agentgateway.dev, kind: AgentgatewayPolicy}\n"
    documents = [stages.CLASS, stages.gateway("web"), policy]
    (status,) = statuses(judged(stages.render(documents, settings=kinds)))
    assert own_conditions(status, "Attached") == ["Attached=True/Attached"]
