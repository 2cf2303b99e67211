"""On which paths policies of a kind are computed."""

from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import EffectivePolicy, Overruled
from spokerender.kinds.merging import Process
from spokerender.model import Ref
from tests.judging.effective.policies import (
    ALL,
    CATALOGUE,
    GATEWAY,
    NONE,
    ONE_PATH,
    ROUTE,
    in_force,
    kind,
    policy,
    ref,
    sources,
)
from tests.support import manifest
from tests.support.stages import graph

TWO_RULES = ONE_PATH.replace("rules: [{name: rule}]", "rules: [{name: rule}, {name: other}]")
BACKENDS = TWO_RULES.replace("{name: rule}", "{name: rule, backendRefs: [{name: cart, port: 80}]}")
CART = Ref("", "Service", "ns", "cart")


def ends(found: tuple[EffectivePolicy, ...]) -> dict[str, dict[str, str]]:
    """Sources by what the path ends at."""
    return {str(item.path.levels[-1]): sources(item.likely) for item in found}


def test_policies_on_backends() -> None:
    of = kind(Process.NONE, targets=("Service",))
    found = compute_effective_policies(graph(BACKENDS), [policy(of, "p", CART, "{a: 1}")])
    assert ends(found) == {"Service ns/cart": {"a": "p"}}


def test_above_backends_a_rule_without_any_has_its_path() -> None:
    of = kind(Process.GEP_713, targets=("Gateway", "Service"))
    policies = [policy(of, "gw", "gw", "{a: 1}"), policy(of, "cart", CART, "{b: 1}")]
    assert ends(compute_effective_policies(graph(BACKENDS), policies)) == {
        "Service ns/cart": {"b": "cart"},
        "HTTPRoute ns/route [other]": {"a": "gw"},
    }


def test_a_policy_on_a_port_is_in_force_on_that_port_only() -> None:
    of = kind(Process.NONE, targets=("Service",))
    port = Ref("", "Service", "ns", "cart", "http")
    policies = [policy(of, "all", CART, "{a: 1}"), policy(of, "one", port, "{a: 2}")]
    found = compute_effective_policies(graph(BACKENDS), policies)
    assert ends(found) == {"Service ns/cart": {"a": "all"}, "Service ns/cart [http]": {"a": "one"}}
    assert found[1].likely.overruled == (
        Overruled(
            ref(of, "all"),
            "",
            ref(of, "one"),
            "section http of Service ns/cart has a policy of its own",
        ),
    )


def test_what_is_sent_to_another_port_has_no_policy_of_a_port() -> None:
    """Of a Service among the objects every port is known."""
    service = """\
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: ns}
spec: {ports: [{name: http, port: 81}]}
"""
    of = kind(Process.NONE, targets=("Service",))
    port = Ref("", "Service", "ns", "cart", "http")
    assert (
        compute_effective_policies(graph(BACKENDS + service), [policy(of, "p", port, "{a: 1}")])
        == ()
    )
    sent = (BACKENDS + service).replace("port: 81", "port: 80")
    found = compute_effective_policies(graph(sent), [policy(of, "p", port, "{a: 1}")])
    assert ends(found) == {"Service ns/cart [http]": {"a": "p"}}


def test_a_rule_with_backends_of_known_ports_has_no_path_of_its_own() -> None:
    service = "---\napiVersion: v1\nkind: Service\nmetadata: {name: cart, namespace: ns}\n"
    service += "spec: {ports: [{name: http, port: 80}]}\n"
    of = kind(Process.GEP_713, targets=("Gateway", "Service"))
    policies = [policy(of, "gw", "gw", "{a: 1}"), policy(of, "cart", CART, "{b: 1}")]
    assert ends(compute_effective_policies(graph(BACKENDS + service), policies)) == {
        "Service ns/cart [http]": {"b": "cart"},
        "HTTPRoute ns/route [other]": {"a": "gw"},
    }


def test_kinds_for_listeners_have_paths_to_listeners() -> None:
    of = kind(Process.NONE, targets=("Gateway", "ListenerSet"))
    text = ONE_PATH.partition("---")[0].replace("listeners: [", "listeners: [{name: tls}, ")
    policies = [policy(of, "all", "gw", "{a: 1}"), policy(of, "one", "lis", "{a: 2}")]
    assert ends(compute_effective_policies(graph(text), policies)) == {
        "Gateway ns/gw [lis]": {"a": "one"},
        "Gateway ns/gw [tls]": {"a": "all"},
    }


def test_kinds_for_http_say_nothing_of_other_routes() -> None:
    """kuadrant-operator computes TokenRateLimitPolicies of HTTPRoutes only."""
    grpc = ONE_PATH.replace("HTTPRoute", "GRPCRoute")
    spec = "{limits: {a: {}}}"
    for name, computed in (("TokenRateLimitPolicy", 0), ("RateLimitPolicy", 1)):
        of = CATALOGUE.kind("kuadrant.io", name)
        assert (
            len(compute_effective_policies(graph(grpc), [policy(of, "p", "gw", spec)])) == computed
        )


WILD = ONE_PATH.replace("protocol: HTTP", "protocol: HTTP, hostname: a.example.com").replace(
    "rules: [{name: rule}]", 'hostnames: ["*.example.com"]'
)


def test_kuadrant_computes_nothing_where_a_hostname_is_not_within() -> None:
    of = CATALOGUE.kind("kuadrant.io", "RateLimitPolicy")
    (found,) = compute_effective_policies(graph(WILD), [policy(of, "p", "gw", "{limits: {a: {}}}")])
    assert (found.is_beyond, found.path.hostnames, found.likely.rules) == (
        True,
        ("*.example.com",),
        (),
    )
    assert len(compute_effective_policies(graph(WILD), [policy(ALL, "p", "gw", "{a: 1}")])) == 1


OPEN = GATEWAY.replace("listeners", "allowedListeners: {namespaces: {from: All}}, listeners", 1)
SET = manifest(
    "ListenerSet ns/set",
    "parentRef: {name: gw}, listeners: [{name: extra, port: 81, protocol: HTTP}]",
)
ON_SET = (OPEN, SET, ROUTE.replace("{name: gw}", "{kind: ListenerSet, name: set}"))


def test_kuadrant_knows_no_listener_sets() -> None:
    of = CATALOGUE.kind("kuadrant.io", "RateLimitPolicy")
    assert (
        compute_effective_policies(graph(*ON_SET), [policy(of, "p", "gw", "{limits: {a: {}}}")])
        == ()
    )
    extra = Ref("gateway.networking.k8s.io", "ListenerSet", "ns", "set", "extra")
    policies = [
        policy(NONE, "gw", "gw", "{a: 1}"),
        policy(NONE, "set", extra.whole, "{a: 2}"),
        policy(NONE, "extra", extra, "{a: 3}"),
    ]
    (found,) = compute_effective_policies(graph(*ON_SET), policies)
    assert [item.name for item in found.stack] == ["gw", "set", "extra"]
    assert in_force(found.likely) == {"a": 3}
