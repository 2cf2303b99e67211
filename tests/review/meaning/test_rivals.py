"""A new name makes a new object: of equals the older one holds (GEP-713, GEP-1713)."""

from spokerender.review.values import Consequence
from tests.review.meaning.scenes import SYNC, compare, gateway, hub, loud, policy, route, state
from tests.support import cases, each, manifest

FLEET = SYNC + "  - {group: gateway.networking.k8s.io, kind: ListenerSet}\n"
ALL = "allowedListeners: {namespaces: {from: All}}, "
OPEN = gateway("eg").replace("spec: {", f"spec: {{{ALL}")
RULES = [f"Gateway infra/web [https] > HTTPRoute infra/cart [{name}]" for name in ("read", "write")]


def retries(name: str, number: int = 2) -> str:
    return policy("BackendTrafficPolicy", f"retry: {{numRetries: {number}}}", name=name)


def listener_set(name: str, hostname: str = "b.example") -> str:
    listener = f"{{name: s, port: 8080, protocol: HTTP, hostname: {hostname}}}"
    return manifest(
        f"ListenerSet infra/{name}", f"parentRef: {{name: web}}, listeners: [{listener}]"
    )


def review(before: tuple[str, ...], after: tuple[str, ...]) -> list[Consequence]:
    sides = (hub("eg", OPEN, route(), *documents) for documents in (before, after))
    return loud(compare(*(state(text, fleet=FLEET) for text in sides)))


@each("z", "c")
def test_a_policy_that_may_have_held_and_is_the_younger_one_now_is_told(name: str) -> None:
    """The first by name stays the likely one, so nothing else changes."""
    (told,) = review((retries("a", 1), retries("b")), (retries("a", 1), retries(name)))
    assert told.result.code == "SR2552"
    assert f"BackendTrafficPolicy infra/{name}" in told.result.message
    assert "BackendTrafficPolicy infra/a" in told.result.message
    assert sorted(told.paths) == RULES
    assert told.result.origin is not None


def test_the_likely_policy_is_told_as_well_if_it_is_the_younger_one_now() -> None:
    told = review((retries("a", 1), retries("b")), (retries("aa", 1), retries("b")))
    assert [item.result.code for item in told] == ["SR2552"]


@each(False, True)
def test_a_listener_set_that_may_have_had_a_listener_and_is_the_younger_one_is_told(
    is_first: bool,
) -> None:
    names = ("a", "b"), (("aa", "b") if is_first else ("a", "c"))
    (told,) = review(*(tuple(map(listener_set, each)) for each in names))
    assert told.result.code == "SR2523"
    assert f"ListenerSet infra/{'b' if is_first else 'a'} [s]" in told.result.message
    name = "aa" if is_first else "c"
    assert told.paths == (f"Gateway infra/web > ListenerSet infra/{name} [s]",)


SILENT: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "policies that ask the same": (
        (retries("a"), retries("b")), (retries("a"), retries("c")),
    ),
    "a policy without a rival": ((retries("b"),), (retries("c"),)),
    "all rivals are new": (
        (retries("a", 1), retries("b")), (retries("x", 1), retries("y")),
    ),
    "listeners of other hostnames": (
        (listener_set("a"), listener_set("b", "c.example")),
        (listener_set("a"), listener_set("c", "c.example")),
    ),
}  # fmt: skip


@each(*SILENT)
def test_a_new_name_that_changes_no_order_is_silent(case: str) -> None:
    assert [item.result.message for item in review(*SILENT[case])] == []


LOGIN = "rules: {authentication: {login: {jwt: {issuerUrl: https://id.example}}}}"
OTHER = LOGIN.replace("id.example", "other.example")


@cases((LOGIN, set()), (OTHER, {"SR2506"}), ids=["equal", "another"])
def test_a_policy_that_an_equal_one_replaces_is_missed_by_nobody(
    twin: str, codes: set[str]
) -> None:
    """Of Kuadrant's policies on one target, one replaces the other."""
    before = (policy("AuthPolicy", LOGIN, name="b"),)
    after = (*before, policy("AuthPolicy", twin, name="a"), policy("AuthPolicy", twin, name="c"))
    assert {item.result.code for item in review(before, after)} == codes
