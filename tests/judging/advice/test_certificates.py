"""Listeners that a certificate can be made for or not, and Secrets that two listeners share.

Upstream's own cases are acceptance tests.
"""

from typing import Any

from msgspec.structs import replace

from spokerender.judging.advice import advise
from spokerender.judging.advice.certificates import list_secrets, list_tls_problems, set_defaults
from tests.judging.advice.spokes import advised, gateway, listener, policy, told, view
from tests.support import case, cases, each, named_rows_of


def https(name: str, hostname: str = "a.example", tls: str = "", port: int = 443) -> str:
    """A listener that terminates TLS with the Secret `a`, if nothing else is said."""
    block = tls or "{certificateRefs: [{name: a}]}"
    return listener(name, hostname, f"port: {port}, protocol: HTTPS, tls: {block}")


PLAIN = listener("http", "a.example")
TLS = policy("TLSPolicy", "p", "Gateway/web", "x: 1")
TLS_OF_SECTION = policy("TLSPolicy", "p", "Gateway/web/https", "x: 1")
CURE = (
    "(correct the listener on the Gateway, or target only listeners that terminate TLS with a "
    "Secret of their own namespace)"
)


def unserved(why: str) -> str:
    return (
        "warning SR2213 TLSPolicy infra/p: no certificate will be made for Gateway infra/web "
        f"[https]: {why} {CURE}"
    )


@cases(*named_rows_of(__file__, "a_listener_that_can_not_be_served"))
@each(TLS, TLS_OF_SECTION)
def test_a_listener_that_can_not_be_served(covering: str, written: str, why: str) -> None:
    assert advised("SR2213", gateway(PLAIN, written), covering) == [unserved(why)]


@cases(*named_rows_of(__file__, "what_a_gateways_policy_does_not_mean_a_listeners_does"))
def test_what_a_gateways_policy_does_not_mean_a_listeners_does(written: str, why: str) -> None:
    other = https("other", "b.example", port=444)
    assert advised("SR2213", gateway(written, other), TLS) == []
    assert advised("SR2213", gateway(written), TLS_OF_SECTION) == [unserved(why)]


def test_a_listener_that_is_served() -> None:
    """The API server sets the mode and the reference's group and kind."""
    assert advised("SR2213", gateway(PLAIN, https("https")), TLS) == []


SHARED = (
    "warning SR2214 TLSPolicy infra/p: Secret infra/a is that of {sections}: each listener has "
    "a certificate of its own made, into the same Secret, and only one of them holds (give each "
    "listener a Secret of its own in certificateRefs)"
)


def test_two_listeners_with_one_secret() -> None:
    web = gateway(https("https"), https("more", "b.example", port=8443))
    assert advised("SR2214", web, TLS) == [
        SHARED.format(sections="Gateway infra/web [https], Gateway infra/web [more]")
    ]


def test_two_gateways_with_one_secret() -> None:
    documents = [
        gateway(https("https")),
        gateway(https("https", "b.example"), name="api"),
        policy("TLSPolicy", "o", "Gateway/web", "x: 1"),
        policy("TLSPolicy", "p", "Gateway/api", "x: 1"),
    ]
    assert advised("SR2214", *documents) == [
        SHARED.format(sections="Gateway infra/web [https], Gateway infra/api [https]")
    ]


@each(
    case("each has its own",
         [gateway(https("https"), https("more", "b.example", "{certificateRefs: [{name: b}]}")),
          TLS]),
    case("nobody makes a certificate for the other",
         [gateway(https("https"), https("more", "b.example")), TLS_OF_SECTION]),
    case("of two namespaces",
         [gateway(https("https")), gateway(https("https"), name="web", namespace="edge"), TLS,
          policy("TLSPolicy", "p", "Gateway/web", "x: 1", "edge")]),
    case("one can't be served at all", [gateway(https("https"), https("more", "")), TLS]),
    case("one listener with two policies",
         [gateway(https("https")), TLS, policy("TLSPolicy", "q", "Gateway/web/https", "x: 1")]),
)  # fmt: skip
def test_secrets_that_are_not_shared(documents: list[str]) -> None:
    assert advised("SR2214", *documents) == []


def test_what_a_gateway_of_the_spokes_own_has_in_it_is_not_known() -> None:
    spoke = view(gateway(https("https", "")), TLS)
    own = {
        ref: replace(item, object={}) if ref.kind == "Gateway" else item
        for ref, item in spoke.objects.items()
    }
    assert told(advise(spoke), "SR2213") != []
    assert told(advise(replace(spoke, objects=own)), "SR2213") == []


PASSTHROUGH = listener("b", "b.example", "port: 443, protocol: TLS, tls: {mode: Passthrough}")


@each([PLAIN], [PLAIN, PASSTHROUGH])
def test_a_gateway_that_terminates_tls_nowhere(listeners: list[str]) -> None:
    assert advised("SR2213", gateway(*listeners), TLS) == [
        (
            "warning SR2213 TLSPolicy infra/p: no certificate will be made: no listener of Gateway "
            "infra/web terminates TLS (protocol HTTPS or TLS, tls.mode Terminate) (give the "
            "Gateway such a listener with a Secret, or delete the policy)"
        )
    ]


def test_a_gateway_without_listeners_is_for_others_to_tell() -> None:
    assert advised("SR2213", gateway(), TLS) == []


NO_REFS = "spec.listeners[2].tls.certificateRef: Required value: listener has no certificateRefs"


def terminating(*references: dict[str, Any]) -> dict[str, Any]:
    return {
        "hostname": "a.example",
        "tls": {"mode": "Terminate", "certificateRefs": list(references)},
    }


@each(None, {}, "x", ["x"])
def test_what_is_no_list_of_references(entries: Any) -> None:
    listener = {"hostname": "a.example", "tls": {"mode": "Terminate", "certificateRefs": entries}}
    assert list(list_tls_problems(listener, 2, "infra")) == [NO_REFS]


def test_every_problem_of_every_reference_is_told() -> None:
    path = "spec.listeners[0].tls.certificateRef[1]"
    crossing = "cross-namespace secret references are not allowed in listeners"
    listener = terminating({}, {"group": "g", "kind": "k", "namespace": ""})
    assert list(list_tls_problems(listener, 0, "a")) == [
        f'{path}.group: Unsupported value: "g": supported values: "core", ""',
        f'{path}.kind: Unsupported value: "k": supported values: "Secret", ""',
        f'{path}.namespace: Invalid value: "": {crossing}',
    ]


def test_what_the_api_server_sets() -> None:
    assert set_defaults({"tls": {"x": 1}}) == {"tls": {"mode": "Terminate", "x": 1}}
    assert set_defaults({"tls": {"mode": "Passthrough"}}) == {"tls": {"mode": "Passthrough"}}
    assert set_defaults({"tls": None}) == {"tls": None}


def test_secrets() -> None:
    references = (
        {"name": "a"},
        {"name": "b", "namespace": "other", "group": "", "kind": "Secret"},
        {"name": "c", "kind": "ConfigMap"},
        {"name": "d", "group": "example.com"},
    )
    assert list(list_secrets(terminating(*references), "infra")) == [("infra", "a"), ("other", "b")]
    assert list(list_secrets({"hostname": "x"}, "infra")) == []
