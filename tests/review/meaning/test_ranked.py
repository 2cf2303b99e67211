"""Values that a kind's row ranks: the weaker one is told with one code, the stricter is silent."""

from pathlib import Path
from typing import Any

from tests.review.meaning.scenes import (
    SYNC,
    codes_of,
    compare,
    gateway,
    hub,
    loud,
    policy,
    route,
    state,
)
from tests.review.meaning.test_laws import refuse
from tests.support import cases, cyaml, each, manifest, rows_of

PAIRS = cyaml.safe_load((Path(__file__).parent / "ranked.yaml").read_text(encoding="utf-8"))
Case = dict[str, Any]


def name(case: Case) -> str:
    sides = (str(case[side]) for side in ("strict", "weak", "one", "other") if side in case)
    return f"{case['kind']}: {' | '.join(sides)}"


def fleet(case: Case, side: str) -> str:
    own = [policy(case["kind"], case[side], case.get("target", "route"))] if case[side] else []
    return hub(case["class"], gateway(case["class"]), route(), *own)


def codes(case: Case, old: str, new: str) -> set[str]:
    return codes_of(loud(compare(state(fleet(case, old)), state(fleet(case, new)))))


@each(*PAIRS["ranked"], ids=name)
def test_the_weaker_one_of_two_values_is_told_and_the_stricter_one_is_silent(case: Case) -> None:
    assert codes(case, "strict", "weak") == {case["code"]}
    assert codes(case, "weak", "strict") == set()


@each(*PAIRS["same"], ids=name)
def test_one_value_in_two_ways_is_silent(case: Case) -> None:
    assert codes(case, "one", "other") == set()
    assert codes(case, "other", "one") == set()


@each(*PAIRS["unranked"], ids=name)
def test_what_may_be_either_is_told_as_such(case: Case) -> None:
    assert codes(case, "one", "other") == {"SR2506"}
    assert codes(case, "other", "one") == {"SR2506"}


@each("GCPAuthzPolicy", "GCPTrafficExtension")
def test_the_last_policy_of_a_security_kind_is_a_loss_though_its_merging_is_unknown(
    kind: str,
) -> None:
    sync = SYNC + f"  - {{group: networking.gke.io, kind: {kind}}}\n"
    own = policy("WAFPolicy", "action: DENY", "gateway").replace("WAFPolicy", kind)
    own = own.replace("gateway.nginx.org/v1alpha1", "networking.gke.io/v1")
    base = gateway("gke"), route()
    before, after = (state(hub("gke", *base, *more), fleet=sync) for more in ((own,), ()))
    is_security = kind == "GCPAuthzPolicy"
    found = loud(compare(before, after))
    assert codes_of(found) == ({"SR2501", "SR2562"} if is_security else {"SR2562"})


def test_the_services_are_named_to_which_connections_are_protected_no_more() -> None:
    spec = "validation: {hostname: a.x, wellKnownCACertificates: System}"
    base = gateway("eg"), route()
    guarded = policy("BackendTLSPolicy", spec, "service")
    before, after = (state(hub("eg", *base, *more)) for more in ((guarded,), ()))
    (item,) = loud(compare(before, after))
    assert item.result.message == (
        "no BackendTLSPolicy protects connections to Service infra/app any more"
    )


def test_a_single_text_that_is_ranked_as_an_entry_is_named_as_a_field() -> None:
    spec = "jwt: {providers: [{name: a, issuer: https://id, remoteJWKS: {uri: https://id/keys}}]}"
    case: Case = {"class": "eg", "kind": "SecurityPolicy", "one": spec}
    case["other"] = spec.replace("issuer: https://id", "issuer: https://other")
    before, after = (state(fleet(case, side)) for side in ("one", "other"))
    (item,) = loud(compare(before, after))
    assert "changes in jwt.providers[0].issuer;" in item.result.message
    assert (item.was, item.now) == ("https://id", "https://other")


def test_a_wider_network_is_told_with_the_one_in_whose_place_it_is() -> None:
    spec = (
        "authorization: {defaultAction: Deny, "
        "rules: [{action: Allow, principal: {clientCIDRs: [192.168.0.1/32, 10.0.0.0/16]}}]}"
    )
    case: Case = {"class": "eg", "kind": "SecurityPolicy", "one": spec}
    case["other"] = spec.replace("10.0.0.0/16", "10.0.0.0/8")
    before, after = (state(fleet(case, side)) for side in ("one", "other"))
    (item,) = loud(compare(before, after))
    assert item.result.message.endswith("rules[0].principal.clientCIDRs[1]")
    assert (item.was, item.now) == ("10.0.0.0/16", "10.0.0.0/8")


@cases(*rows_of(__file__, "what_a_policy_names_counts_as_if_it_said_so"))
def test_what_a_policy_names_counts_as_if_it_said_so(
    field: str, strict: str, weak: str, code: str, loses: bool
) -> None:
    """The API of kgateway 48460f7, api/v1alpha1/kgateway/gateway_extensions_types.go."""
    named = "{global: {extensionRef: {name: x}}}" if field == "rateLimit" else ""
    own = policy("TrafficPolicy", f"{field}: {named or '{extensionRef: {name: x}}'}")
    base = gateway("kgateway"), route(), own
    sync = SYNC + "  - {group: gateway.kgateway.dev, kind: GatewayExtension}\n"
    sides = (
        manifest("GatewayExtension infra/x", spec, api="gateway.kgateway.dev/v1alpha1")
        for spec in (strict, weak)
    )
    before, after = (state(hub("kgateway", *base, side), fleet=sync) for side in sides)
    told = loud(compare(before, after))
    assert codes_of(told) == {code}
    assert {item.severity for item in told} == {"error" if loses else "warning"}
    assert loud(compare(after, before)) == []
    assert bool(refuse(before, after)) is loses
