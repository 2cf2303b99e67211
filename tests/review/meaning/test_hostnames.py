"""A change of hostnames and listeners, which decide to which rule requests come, is told."""

from __future__ import annotations

import pytest

from spokerender.findings.codes import review as codes
from spokerender.findings.results import INFO, WARNING, FindingKind, Severity
from spokerender.review.values import Consequence
from tests.review.meaning.scenes import (
    PLACE,
    SYNC,
    codes_of,
    compare,
    gateway,
    hub,
    policy,
    route,
    state,
)

Documents = tuple[str, ...]
BACKEND = "backendRefs: [{name: app, port: 80}]"
FLEET = SYNC + "".join(
    f"  - {{group: {group}, kind: {kind}}}\n"
    for group, kind in (
        ("gateway.networking.k8s.io", "ListenerSet"),
        ("gateway.networking.k8s.io", "ReferenceGrant"),
        ("gateway.envoyproxy.io", "EnvoyPatchPolicy"),
        ("gateway.envoyproxy.io", "Backend"),
    )
)
BOTH = PLACE.replace("infra/web", "infra/web, infra/api")


def rule(name: str, path: str) -> str:
    return f"{{name: {name}, matches: [{{path: {{type: PathPrefix, value: {path}}}}}], {BACKEND}}}"


def review(
    before: Documents, after: Documents, place: str = PLACE, later: str = ""
) -> list[Consequence]:
    sides = (before, place), (after, later or place)
    return list(
        compare(
            *(state(hub("eg", *documents), where, FLEET) for documents, where in sides)
        ).consequences
    )


WILD = (gateway("eg"), route("all", "'*.shop.example'", rule("cart", "/cart")))
OWN = route("own", "a.shop.example", rule("pay", "/pay"))
WHOLE = route("own", "a.shop.example", rule("pay", "/"))
NARROW = gateway("eg").replace("*.shop", "a.shop")
WIDE = (gateway("eg").replace("*.shop.example", "*.example"), WILD[1])
OTHER = route("own", "'*.example'", rule("pay", "/pay"))
LISTENER = (
    "{name: %s, port: %s, protocol: HTTP, hostname: %s, allowedRoutes: {namespaces: {from: All}}}"
)
WEB = LISTENER % ("https", 80, "'*.shop.example'")
BESIDE = (gateway("eg", listeners=f"{WEB}, {LISTENER % ('own', 81, 'a.shop.example')}"), WILD[1])
API = gateway("eg", "api")
SET = (
    "apiVersion: gateway.networking.k8s.io/v1\nkind: ListenerSet\n"
    "metadata: {name: set, namespace: infra}\n"
    f"spec: {{parentRef: {{name: web}}, listeners: [{LISTENER % ('one', 81, 'b.example')}]}}\n"
)
ADMITS = gateway("eg").replace("spec: {", "spec: {allowedListeners: {namespaces: {from: %s}}, ")
PATCH = (
    "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: EnvoyPatchPolicy\n"
    "metadata: {name: patch, namespace: infra}\n"
    "spec: {type: JSONPatch, jsonPatches: [], targetRef: "
    "{group: gateway.networking.k8s.io, kind: Gateway, name: web}}\n"
)
FOREIGN = "{name: new, namespace: b, port: 1, weight: %s}"
CART = "Gateway infra/web [https] > HTTPRoute infra/all [cart]"
PAY = "Gateway infra/web [https] > HTTPRoute infra/own [pay]"

TOLD: dict[str, tuple[Documents, Documents, FindingKind, str]] = {
    "a route for one name leaves a wildcard's rule without it": (
        WILD, (*WILD, OWN), codes.WAY_GONE, CART,
    ),
    "without that route the wildcard's rule has the name": (
        (*WILD, OWN), WILD, codes.NEWLY_PUBLIC, CART,
    ),
    "a name is nearer than another route's wildcard": (
        (*WIDE, OTHER), (*WIDE, OTHER.replace("'*.example'", "'*.example', a.shop.example")),
        codes.NEWLY_PUBLIC, PAY,
    ),
    "a listener that is there takes a name, and has no rule for it": (
        BESIDE, (BESIDE[0].replace("81", "80"), BESIDE[1]), codes.WAY_GONE, CART,
    ),
    "a gateway admits ListenerSets": (
        (ADMITS % "Same",), (ADMITS % "All",), codes.ADMITS_MORE, "Gateway infra/web",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TOLD)
def test_who_gets_a_hostname_is_told_on_the_path_that_it_is_about(case: str) -> None:
    before, after, code, path = TOLD[case]
    reported = [item for item in review(before, after) if item.result.code == code.code]
    assert [item.paths for item in reported] == [(path,)]
    assert {item.severity for item in reported} == {WARNING}


SILENT: dict[str, tuple[Documents, Documents]] = {
    "a route asks for more names than its listener has": (
        (NARROW, route("all", "'*.shop.example'")), (NARROW, route("all", "")),
    ),
    "a route for other names comes": (WILD, (*WILD, OWN.replace("a.shop", "b.other"))),
    "a gateway admits fewer ListenerSets": ((ADMITS % "All",), (ADMITS % "None",)),
    "a backend gets no request": (
        WILD,
        (
            WILD[0],
            WILD[1].replace("port: 80}", f"port: 80}}, {FOREIGN % 0}"),
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SILENT)
def test_what_moves_no_request_is_silent(case: str) -> None:
    before, after = SILENT[case]
    reported = [item for item in review(before, after) if item.severity is not INFO]
    assert codes_of(reported) - {codes.NEWLY_PUBLIC.code} == set()


def test_all_that_a_wildcards_rule_had_under_a_name_is_taken_over() -> None:
    reported = review(WILD, (*WILD, WHOLE))
    assert codes.WAY_GONE.code not in codes_of(reported)
    assert {item.paths for item in loud_of(reported)} == {(PAY,)}


def loud_of(items: list[Consequence]) -> list[Consequence]:
    return [item for item in items if item.severity is not INFO]


def test_a_route_on_another_gateway_is_gone_here_and_new_there() -> None:
    before = (gateway("eg"), API, route("all", "a.shop.example"))
    reported = review(before, (*before[:2], before[2].replace("name: web", "name: api")), BOTH)
    paths = {item.result.code: {path.split(" [")[0] for path in item.paths} for item in reported}
    assert paths == {
        codes.WAY_GONE.code: {"Gateway infra/web"},
        codes.NEWLY_PUBLIC.code: {"Gateway infra/api"},
    }


def test_a_listener_set_goes_with_its_renamed_gateway() -> None:
    before = (ADMITS % "Same", route("all", "a.shop.example"), SET)
    after = tuple(text.replace("name: web", "name: front") for text in before)
    later = PLACE.replace("infra/web", "infra/front")
    assert loud_of(review(before, after, PLACE, later)) == []


@pytest.mark.parametrize(
    ("kept", "severity"), [((), WARNING), (("basicAuth: {users: {name: users}}",), INFO)]
)
def test_what_a_broken_policy_refused_is_served_again(
    kept: tuple[str, ...], severity: Severity
) -> None:
    broken = policy(
        "BackendTrafficPolicy",
        "loadBalancer: {type: ConsistentHash, consistentHash: {type: SourceIP, tableSize: 4}}",
    )
    rest = (*WILD[:1], route(), *(policy("SecurityPolicy", spec, name="k") for spec in kept))
    reported = review((*rest, broken), rest)
    again = [item for item in reported if "answered with 500 before" in item.result.message]
    assert [(item.result.code, item.severity) for item in again] == [
        (codes.FURTHER_WAY.code, severity)
    ]
    assert again[0].paths[0].startswith("Gateway infra/web [https] > HTTPRoute infra/cart [")


def test_of_patches_nobody_says_that_they_kept_somebody_out() -> None:
    (gone,) = loud_of(review((*WILD, PATCH), WILD))
    assert gone.result.message == (
        "no EnvoyPatchPolicy is in force any more, and it may have kept somebody out"
    )


def test_a_weight_of_nothing_needs_no_grant() -> None:
    one = (WILD[0], WILD[1].replace("port: 80}", f"port: 80}}, {FOREIGN % 1}"))
    none = (WILD[0], WILD[1].replace("port: 80}", f"port: 80}}, {FOREIGN % 0}"))
    assert codes.ANSWERED_WITH_500.code in codes_of(review(WILD, one))
    assert codes.ANSWERED_WITH_500.code not in codes_of(review(WILD, none))


def test_a_rule_whose_backend_is_deleted_fails() -> None:
    outside = (
        "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: Backend\n"
        "metadata: {name: app, namespace: infra}\nspec: {endpoints: []}\n"
    )
    named = WILD[1].replace("{name: app", "{group: gateway.envoyproxy.io, kind: Backend, name: app")
    before = (WILD[0], named, outside)
    (failing,) = [one for one in review(before, before[:2]) if one.paths]
    assert (failing.result.code, failing.paths) == (codes.ANSWERED_WITH_500.code, (CART,))
    assert "Backend infra/app" in failing.result.message


def test_a_policy_whose_target_the_spoke_has_from_others_is_told() -> None:
    """No path of requests that files show leads to the service that decides who may call."""
    asked = policy("SecurityPolicy", "extAuth: {http: {backendRefs: [{name: authz, port: 80}]}}")
    spec = "validation: {wellKnownCACertificates: System, hostname: a.example}"
    own = policy("BackendTLSPolicy", spec, "service", "tls").replace("name: app", "name: authz")
    rest = (*WILD[:1], route(), asked)
    edited = own.replace("a.example", "b.example")
    for after in ((*rest, edited), rest):
        assert codes.EFFECT_NOT_KNOWN.code in codes_of(loud_of(review((*rest, own), after)))
    described = own.replace("name: tls", "labels: {team: a}, name: tls")
    assert loud_of(review((*rest, own), (*rest, described))) == []
