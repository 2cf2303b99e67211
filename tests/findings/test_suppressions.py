"""Suppressions: which findings they mean, and what becomes of those."""

from typing import Any

from hypothesis import given, strategies as st
from msgspec.structs import replace

from spokerender.findings.codes.shipping import FREE_STRING
from spokerender.findings.results import INFO, WARNING, Result
from spokerender.findings.suppressions import Accepted, stale, suppress
from spokerender.model import Origin, Ref
from spokerender.model.selectors import Selector
from tests.support import cases, each, rows_of

AUTH = Ref("kuadrant.io", "AuthPolicy", "shop", "pay")
CLASS = Ref("gateway.networking.k8s.io", "GatewayClass", "", "istio")
HERE = Origin("hub/auth.yaml", 0, 3)


class Entry(Accepted, frozen=True, kw_only=True):
    """An entry of the fleet file."""

    code: str = FREE_STRING.code
    resource: str | None = "AuthPolicy/shop/pay"
    reason: str = "a comment"


def free(*spokes: str, resource: Ref | None = AUTH) -> Result:
    return FREE_STRING.result("still has", resource=resource, origin=HERE, spokes=spokes)


def suppressed(result: Result, *spokes: str, reason: str = "a comment") -> Result:
    return replace(result, severity=INFO, spokes=spokes, tags=(("suppressed", reason),))


def at(*path: str | int) -> Origin:
    return Origin("fleet.yaml", 0, 10 + int(path[-1]))


@cases(*rows_of(__file__, "an_entry_may_be_about_a_kind_a_namespace_or_labels"))
def test_an_entry_may_be_about_a_kind_a_namespace_or_labels(
    fields: dict[str, Any], is_meant: bool
) -> None:
    labels = {key: Selector.read(value) for key, value in fields.items() if key == "selector"}
    entry = Entry(resource=None, **{**fields, **labels})
    (result,) = suppress([free("eu")], [entry], lambda _: {"team": "a"})
    assert (result.severity is INFO) is is_meant
    assert (stale([free("eu")], [entry], at, lambda _: {"team": "a"}) == ()) is is_meant


def told(results: list[Result], *entries: Entry) -> list[tuple[str, str]]:
    return [(found.message, found.cure) for found in stale(results, entries, at)]


def test_nothing_is_suppressed_without_an_entry() -> None:
    found = (free("eu"), free())
    assert suppress(found, ()) == found


def test_a_suppressed_finding_stays_as_an_info_with_the_reason() -> None:
    other = free("eu", resource=CLASS)
    assert suppress([other, free("eu", "us")], [Entry()]) == (other, suppressed(free(), "eu", "us"))


@each("AuthPolicy/shop/pay", "authpolicy/shop/pay", "AUTHPOLICY.kuadrant.io/shop/pay")
def test_an_object_is_named_with_or_without_its_group(resource: str) -> None:
    assert suppress([free()], [Entry(resource=resource)]) == (suppressed(free()),)


@each(*rows_of(__file__, "anything_else_matches_nothing"))
def test_anything_else_matches_nothing(fields: dict[str, Any]) -> None:
    entry = Entry(**fields)
    found = (free("eu"), free())
    assert suppress(found, [entry]) == found
    assert len(stale(found, [entry], at)) == 1


def test_an_object_without_a_namespace_is_named_without() -> None:
    found = free(resource=CLASS)
    assert suppress([found], [Entry(resource="GatewayClass/istio")]) == (suppressed(found),)


def test_a_finding_about_no_object_is_never_suppressed() -> None:
    found = (free(resource=None),)
    assert suppress(found, [Entry()]) == found


def test_one_spoke_of_several_is_split_off() -> None:
    found = suppress([free("ap", "eu", "us")], [Entry(spoke="eu")])
    assert found == (free("ap", "us"), suppressed(free(), "eu"))


def test_every_spoke_split_off_leaves_nothing() -> None:
    found = suppress([free("eu", "us")], [Entry(spoke="eu"), Entry(spoke="us")])
    assert found == (suppressed(free(), "eu", "us"),)


def test_each_reason_has_its_spokes() -> None:
    entries = [Entry(), Entry(spoke="eu", reason="b"), Entry(spoke="eu", reason="c")]
    found = suppress([free("ap", "eu", "us")], entries)
    assert found == (suppressed(free(), "ap", "us"), suppressed(free(), "eu", reason="b"))


def test_the_tags_of_a_rule_are_kept() -> None:
    (result,) = suppress([replace(free(), tags=(("level", "MUST"),))], [Entry()])
    assert result.tags == (("level", "MUST"), ("suppressed", "a comment"))


def test_what_matches_is_not_stale_before_or_after() -> None:
    entries = [Entry(spoke="eu"), Entry(resource="authpolicy/shop/pay")]
    results = [free("eu", "us")]
    assert stale(results, entries, at) == ()
    assert stale(suppress(results, entries), entries, at) == ()


def test_what_matches_nothing_is_told_at_its_place() -> None:
    entries = [Entry(), Entry(code="SR1404", resource="Gateway/infra/web", spoke="eu")]
    (found,) = stale([free()], entries, at)
    assert found == Result(
        code="SR2401",
        severity=WARNING,
        message="the suppression of SR1404 of Gateway/infra/web on eu matches no finding",
        cure="remove the entry",
        field="spec.suppressions[1]",
        origin=Origin("fleet.yaml", 0, 11),
    )


@cases(*rows_of(__file__, "what_was_probably_meant"))
def test_what_was_probably_meant(fields: dict[str, Any], cure: str) -> None:
    ((_, found),) = told([free("eu-west", "us")], Entry(**fields))
    assert found == cure


SPOKES = st.lists(st.sampled_from(["a", "b", "c"]), unique=True).map(tuple)
ENTRIES = st.lists(
    st.builds(Entry, spoke=st.sampled_from([None, "a", "b", "c"]), reason=st.sampled_from("xy"))
)


@given(SPOKES, ENTRIES)
def test_no_spoke_is_lost_or_told_twice(spokes: tuple[str, ...], entries: list[Entry]) -> None:
    """And doing it twice changes nothing more."""
    found = suppress([free(*spokes)], entries)
    assert sorted(spoke for result in found for spoke in result.spokes) == sorted(spokes)
    assert bool(spokes) == all(result.spokes for result in found)
    named = {entry.spoke for entry in entries}
    loud = {s for r in found if r.severity is not INFO for s in r.spokes}
    assert loud == (set() if None in named else set(spokes) - named)
    assert suppress(found, entries) == found
