"""References of the hub that lead nowhere, before anything is placed."""

import re

from spokerender.kinds.kind import Kind
from spokerender.kinds.table import all_rows
from tests.support import cases, each, manifest, rows_of
from tests.support.stages import CLASS, GATEWAY, auth, gateway, hub, render, route, told

LISTED = ("SR1010", "SR1011", "SR1305")
NEARBY = (
    CLASS,
    GATEWAY,
    manifest(
        "ListenerSet infra/more",
        "parentRef: {name: web}, listeners: [{name: extra, port: 81, protocol: HTTP}]",
    ),
    route("cart", spec="rules: [{}]"),
)


def policy(spec: str, namespace: str = "infra") -> str:
    """A policy of Envoy Gateway, whose references can say the most."""
    return (
        "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: SecurityPolicy\n"
        f"metadata: {{name: p, namespace: {namespace}}}\nspec: {spec}\n"
    )


@each(
    auth("p", "kind: Gateway, name: web"),
    auth("p", "kind: Gateway, name: web, sectionName: http"),
    auth("p", "kind: ListenerSet, name: more"),
    auth("p", "kind: HTTPRoute, name: cart", "shop"),
    auth("p", "kind: HTTPRoute, name: cart, sectionName: rule-1", "shop"),
    # Backends are the spoke's own business: never expected in the hub.
    policy('{targetRefs: [{group: "", kind: Service, name: anything}]}'),
    route("other", spec="rules: [{backendRefs: [{name: x}]}]"),
    route("mesh", '[{group: "", kind: Service, name: x}]'),
    # A selector names nobody.
    policy("{targetSelectors: [{kind: Gateway, matchLabels: {a: b}}]}"),
    # A label may belong to a gateway that no hub knows of.
    manifest(
        "NetworkPolicy infra/p",
        "podSelector: {matchLabels: {gateway.networking.k8s.io/gateway-name: stranger}}",
    ),
    # A kind that is not listed is not ours to judge.
    auth("p", "kind: Gateway, name: stranger", kind="TLSPolicy"),
)
def test_nothing_is_wrong(text: str) -> None:
    assert told(render([*NEARBY, text]).results, *LISTED) == []


@cases(*rows_of(__file__, "a_reference_that_leads_nowhere_is_an_error"))
def test_a_reference_that_leads_nowhere_is_an_error(text: str, expected: str) -> None:
    found = render([*NEARBY, text])
    assert told(found.results, *LISTED) == [expected]
    (result,) = (r for r in found.results if r.code in LISTED)
    assert result.origin is not None
    assert (result.origin.path, result.origin.index) == ("hub/hub.yaml", 5)
    line = hub(*NEARBY, text).splitlines()[result.origin.line - 1]
    assert re.split(r"[.\[]", result.field)[1] in line


def external(listeners: str = "") -> str:
    return (
        "external:\n- {kind: Gateway, namespace: edge, name: theirs" + listeners + "}\n"
        "- {kind: HTTPRoute, namespace: edge, name: theirs}\n"
        "- {kind: ListenerSet, namespace: edge, name: theirs}\n"
    )


@each("Gateway", "ListenerSet", "HTTPRoute")
def test_what_is_declared_as_external_is_not_missing(kind: str) -> None:
    text = auth("p", f"kind: {kind}, name: theirs, sectionName: x", "edge")
    assert told(render([*NEARBY, text], settings=external()).results, *LISTED) == []


def test_what_is_declared_as_external_is_of_one_kind_and_place() -> None:
    found = render([*NEARBY, auth("p", "kind: Gateway, name: theirs")], settings=external())
    assert told(found.results, *LISTED) == [
        (
            "SR1010 AuthPolicy infra/p spec.targetRef: Gateway infra/theirs is not in the hub "
            "(the hub has it in edge: move this object there, for its kind can name nothing in "
            "another namespace)"
        )
    ]


def test_a_listener_that_an_external_gateway_does_not_declare_is_missing() -> None:
    documents = [
        *NEARBY,
        auth("good", "kind: Gateway, name: theirs, sectionName: https", "edge"),
        auth("bad", "kind: Gateway, name: theirs, sectionName: htps", "edge"),
    ]
    found = render(documents, settings=external(", listeners: [https]"))
    assert told(found.results, *LISTED) == [
        (
            'SR1010 AuthPolicy edge/bad spec.targetRef: Gateway edge/theirs has no listener "htps" '
            '(did you mean "https"?)'
        )
    ]


def test_every_missing_target_is_told_at_once() -> None:
    documents = [auth(name, "kind: Gateway, name: absent") for name in ("a", "b", "c")]
    found = render([*NEARBY, *documents])
    assert [str(r.resource) for r in found.results if r.code == "SR1010"] == [
        "AuthPolicy infra/a",
        "AuthPolicy infra/b",
        "AuthPolicy infra/c",
    ]


def test_an_unknown_kind_that_is_listed_is_told_once() -> None:
    text = """\
        apiVersion: example.com/v1
        kind: Strange
        metadata: {name: %s, namespace: infra}
        spec: {targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}}
        """
    found = render(
        [gateway("web"), text % "a", text % "b"],
        settings="policiesToSync: [{group: example.com, kind: Strange}]",
    )
    assert told(found.results, *LISTED) == [
        (
            "SR1305 Strange infra/a: nobody knows Strange.example.com: its targets are taken from "
            "spec.targetRef, spec.targetRefs[], spec.targetSelectors[] and spec.parentRefs[] (add "
            "its CustomResourceDefinition to the hub, or declare its `targetPaths` under "
            "policyKinds in fleet.yaml)"
        )
    ]


def test_an_unknown_kind_that_is_listed_and_has_a_known_name_is_refused() -> None:
    text = """\
        apiVersion: example.com/v1
        kind: RateLimitPolicy
        metadata: {name: a, namespace: infra}
        spec: {targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}}
        """
    kind = "{group: example.com, kind: RateLimitPolicy}"
    listing, codes = f"policiesToSync: [{kind}]", ("SR1015", "SR1305")
    assert told(render([gateway("web"), text], settings=listing).results, *codes) == [
        (
            "SR1015 RateLimitPolicy infra/a apiVersion: no kind RateLimitPolicy of example.com is "
            "known (if RateLimitPolicy.gateway.nginx.org or RateLimitPolicy.kuadrant.io or "
            "RateLimitPolicy.microgateway.airlock.com is meant, correct the group. If there is "
            "such a kind, add its CRD to the hub, or declare it under policyKinds in fleet.yaml)"
        )
    ]
    found = render([gateway("web"), text], settings=f"{listing}\npolicyKinds: [{kind}]")
    assert [each.code for each in found.results if each.code in codes] == ["SR1305"]
    plain = text.replace("targetRef", "appliedTo")
    assert told(render([gateway("web"), plain], settings=listing).results, "SR1015") == []


@cases(
    ("kind: HTTProute, name: cart", "HTTProute.gateway.networking.k8s.io"),
    ("kind: HTTPRuote, name: cart", "HTTPRuote.gateway.networking.k8s.io"),
)
def test_a_kind_of_target_that_is_spelt_wrong_is_told(target: str, named: str) -> None:
    """Else the policy would hang on nothing, and nobody knew why."""
    (told_of,) = [
        each
        for each in render([*NEARBY, auth("p", target, "shop")]).results
        if each.code == "SR1010"
    ]
    kind = named.partition(".")[0]
    assert told_of.message == f"{kind} shop/cart is not in the hub: no kind {named} is known"
    assert told_of.cure.startswith('did you mean "HTTPRoute.gateway.networking.k8s.io"?')


def test_a_group_of_target_that_is_spelt_wrong_is_told() -> None:
    text = policy("{targetRefs: [{group: gateway.networking.k8.io, kind: HTTPRoute, name: cart}]}")
    (told_of,) = [each for each in render([*NEARBY, text]).results if each.code == "SR1010"]
    assert told_of.cure.startswith('did you mean "HTTPRoute.gateway.networking.k8s.io"?')


@cases(*rows_of(__file__, "a_target_of_a_known_kind_in_a_wrong_group_is_told"))
def test_a_target_of_a_known_kind_in_a_wrong_group_is_told(
    group: str, kind: str, meant: str
) -> None:
    text = policy(f"{{targetRefs: [{{group: {group}, kind: {kind}, name: cart}}]}}")
    cures = [each.cure for each in render([*NEARBY, text]).results if each.code == "SR1010"]
    cure = f'did you mean "{meant}"? If there is such a kind, add its CRD to the hub'
    assert cures == ([cure] if meant else [])


DECLARED = "policyKinds: [{group: kuadrant.io, kind: AuthPolicy, process: kuadrant}]\n"


@cases(*rows_of(__file__, "a_version_that_no_server_is_known_to_have_is_refused"))
def test_a_version_that_no_server_is_known_to_have_is_refused(
    version: str, crd: str, settings: str, known: str
) -> None:
    text = auth("p", "kind: Gateway, name: web").replace("kuadrant.io/v1", f"kuadrant.io/{version}")
    found = render([*NEARBY, text, *filter(None, [crd])], settings=settings)
    messages = [
        f"{each.severity} {each.message}" for each in found.results if each.code == "SR2312"
    ]
    expected = (
        f"error {version} is not a version of AuthPolicy.kuadrant.io that is known here ({known})"
    )
    assert messages == ([expected] if known else [])


_OF_THE_API = ("gateway.networking.k8s.io", "gateway.networking.x-k8s.io")


@each(
    *(
        row
        for row in all_rows().values()
        if row.versions and ((row.namespaced and row.is_policy) or row.group in _OF_THE_API)
    )
)
def test_each_known_kind_is_refused_under_a_version_that_nobody_ships(row: Kind) -> None:
    """Its message names the group: several vendors may have a kind of this name."""
    listed = f"policiesToSync: [{{group: {row.group}, kind: {row.kind}}}]\n"
    if row.group in _OF_THE_API:  # whether it is listed or not
        listed = "policiesToSync: []\n"
    for version, is_refused in (("v99", True), (row.versions[-1], False)):
        place = "infra/" if row.namespaced else ""
        text = manifest(f"{row.kind} {place}p", "a: b", api=f"{row.group}/{version}")
        found = render([*NEARBY, text], settings=listed)
        lines = [each.message for each in found.results if each.code == "SR2312"]
        named = f"v99 is not a version of {row.kind}.{row.group} that is known here ("
        assert [line.startswith(named) for line in lines] == [True] * is_refused


def test_a_policy_that_names_nothing_shows_the_slip() -> None:
    text = manifest(
        "AuthPolicy infra/p",
        "targetref: {group: gateway.networking.k8s.io, kind: Gateway, name: web}",
    )
    (left,) = [each for each in render([*NEARBY, text]).results if each.code == "SR1513"]
    assert left.cure == 'spec.targetref is not a field of it: did you mean "targetRef"?'
    plain = text.replace("targetref", "rules")
    (left,) = [each for each in render([*NEARBY, plain]).results if each.code == "SR1513"]
    assert left.cure == "attach it to a Gateway that is placed, or take it out of the hub"
