"""What is refused, in which words, and what allows it."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.config.fleet import AcknowledgedDeletion
from spokerender.findings.codes.shipping import (
    DELETION,
    EXCESSIVE_ACKNOWLEDGEMENT,
    STALE_ACKNOWLEDGEMENT,
    UNKNOWN_DELETION,
)
from spokerender.findings.results import INFO, WARNING, Result
from spokerender.model import Origin
from spokerender.review.guard.acknowledging import Flag, LossyChange, entries_for, judge_entries
from spokerender.review.guard.claims import Losses, spend
from tests.review.guard.trees import (
    AUTH_REF,
    DNS,
    ENVOY,
    GATEWAY,
    GATEWAY_REF,
    GATEWAY_TARGET,
    LIMITS,
    POLICY,
    ROUTE,
    ROUTE_POLICY,
    Output,
    entries_of,
    lost,
    one_file_tree,
    refuse,
    routes,
    tree,
)
from tests.support import cases, each, rows_of
from tests.support.profiles import examples

AUTH = "AuthPolicy/shop/auth"
ALL = (GATEWAY, POLICY, LIMITS, DNS, ROUTE, ROUTE_POLICY)


def acknowledged(*entries: dict[str, Any]) -> list[AcknowledgedDeletion]:
    return [AcknowledgedDeletion(**{"reason": "meant", **entry}) for entry in entries]


def going(*names: str) -> list[Flag]:
    """The flags that let these go."""
    return [("goes", name) for name in names]


def without_policy() -> Losses:
    """What a spoke loses that keeps its gateway and not its policy."""
    return lost({"eu": tree(GATEWAY, POLICY)}, {"eu": tree(GATEWAY)})


def test_one_policy_on_one_spoke() -> None:
    old, new = {"eu": tree(GATEWAY, POLICY)}, {"eu": tree(GATEWAY)}
    assert refuse(lost(old, new)) == (
        DELETION.result(
            "would go: no AuthPolicy guards this path any more, for routes that are added "
            "here later "
            "(Gateway shop/public [http] > a route that is added later, "
            "Gateway shop/public [https] > a route that is added later)",
            cure=rows_of(__file__, "one_policy_on_one_spoke"),
            resource=AUTH_REF,
            spokes=("eu",),
        ),
    )


def test_one_policy_on_several_spokes_is_one_result() -> None:
    spokes = ("a", "b", "c")
    old: Output = {
        name: tree(GATEWAY.replace("public", name), POLICY.replace("public", name))
        for name in spokes
    }
    new: Output = {name: tree(GATEWAY.replace("public", name)) for name in spokes}
    (result,) = refuse(lost(old, new))
    assert result.spokes == spokes
    assert result.message == (
        "would go: AuthPolicy shop/auth is deleted, which protected Gateway shop/{{ spoke.name }}"
    )
    assert flags(result) == going(f"{AUTH}@a,b,c")


def test_a_gateway_takes_its_policies_along_in_one_result() -> None:
    other = [GATEWAY.replace("public", "other"), *routes(20)]
    old, new = {"eu": tree(*ALL, *other)}, {"eu": tree(*other)}
    (result,) = refuse(lost(old, new))
    assert result.resource == GATEWAY_REF
    assert result.message == (
        "would go: AuthPolicy shop/auth is deleted with Gateway shop/public, which it protected; "
        "AuthPolicy shop/cart-auth is deleted with HTTPRoute shop/cart, which it protected; "
        "RateLimitPolicy shop/limits is deleted with Gateway shop/public, which it protected"
    )
    assert flags(result) == going("Gateway/shop/public@eu")


def test_two_gateways_take_a_policy_along_together() -> None:
    targets = [f"{{{GATEWAY_TARGET}, name: {name}}}" for name in ("public", "second")]
    policy = ENVOY.partition("  targetS")[0] + f"  targetRefs: [{', '.join(targets)}]\n"
    other = [GATEWAY.replace("public", "other"), *routes(20)]
    old = {"eu": tree(GATEWAY, GATEWAY.replace("public", "second"), policy, *other)}
    removals = lost(old, {"eu": tree(*other)})
    (result,) = refuse(removals)
    assert result.message == (
        "would go: SecurityPolicy shop/auth is deleted with Gateway shop/public and "
        "Gateway shop/second, which it protected"
    )
    assert flags(result) == going("SecurityPolicy/shop/auth@eu")
    assert refuse(removals, going("Gateway/shop/public")) == (result,)
    assert refuse(removals, going("Gateway/shop/public", "Gateway/shop/second")) == ()


def test_of_many_spokes_the_cure_names_none_and_allows_the_loss_on_all() -> None:
    old: Output = {f"s{number}": tree(GATEWAY, POLICY) for number in range(51)}
    new: Output = dict.fromkeys(old, tree(GATEWAY))
    removals = lost(old, new)
    (result,) = refuse(removals)
    assert result.cure == (
        f"if that is meant, on every spoke, build with --allow-delete={AUTH} --reason=WHY, which "
        "adds the entries to fleet.yaml"
    )
    assert refuse(removals, going(AUTH)) == ()
    (entry,) = entries_for(going(AUTH), removals, "meant")
    assert entry["spokes"] == sorted(old)


def test_spokes_that_go() -> None:
    old = {"a": tree(*ALL), "b": tree(GATEWAY, POLICY), "c": tree()}
    (result,) = refuse(lost(old, {"c": tree()}))
    assert result.resource is None
    assert result.spokes == ("a", "b")
    assert result.message == (
        "spokes a and b would be removed, with 8 objects (3 AuthPolicy, 1 DNSPolicy, 2 Gateway, "
        "1 HTTPRoute and 1 RateLimitPolicy)"
    )
    assert flags(result) == going("a", "b")


def test_a_spoke_that_goes_without_an_object() -> None:
    (result,) = refuse(lost({"a": tree()}, {}))
    assert result.message == "spoke a would be removed, with no object"


def test_a_spoke_that_looks_renamed() -> None:
    (result,) = refuse(lost({"a": tree(GATEWAY)}, {"b": tree(GATEWAY)}))
    assert result.message == (
        "spoke a would be removed, with 1 object (1 Gateway); all of it is in the new folder b, "
        "so this looks like a rename, but what was applied from the old folder would be pruned"
    )


def test_a_spoke_that_is_emptied() -> None:
    (result,) = refuse(lost({"a": tree(GATEWAY, DNS)}, {"a": tree()}))
    assert result.message == (
        "more than 30 % would be deleted, 2 of 2 objects: Gateway shop/public and "
        "DNSPolicy shop/dns"
    )
    assert flags(result) == going("Gateway/shop/public@a")


def test_a_large_part() -> None:
    old, new = {"eu": tree(GATEWAY, *routes(10))}, {"eu": tree(GATEWAY, *routes(6))}
    (result,) = refuse(lost(old, new))
    assert result.resource is None
    assert result.message == (
        "more than 30 % would be deleted, 4 of 11 objects: "
        "HTTPRoute shop/r6, HTTPRoute shop/r7, HTTPRoute shop/r8 and HTTPRoute shop/r9"
    )
    assert flags(result) == going(*(f"HTTPRoute/shop/r{number}@eu" for number in range(6, 10)))


@cases(*rows_of(__file__, "how_large_a_part_is"))
def test_how_large_a_part_is(before: int, after: int, is_refused: bool) -> None:
    old, new = {"eu": tree(*routes(before))}, {"eu": tree(*routes(after))}
    assert bool(refuse(lost(old, new))) is is_refused


def test_a_large_part_with_policies_is_told_once() -> None:
    old, new = {"eu": tree(*ALL)}, {"eu": tree(ROUTE.replace("public", "other"))}
    (result,) = refuse(lost(old, new))
    assert result.message == (
        "more than 30 % would be deleted, 5 of 6 objects: "
        "Gateway shop/public, AuthPolicy shop/auth, AuthPolicy shop/cart-auth, DNSPolicy shop/dns "
        "and RateLimitPolicy shop/limits"
    )


def test_what_moved_is_no_part() -> None:
    old, new = (
        {"eu": tree(*(text.replace("shop", place) for text in (GATEWAY, *routes(8))))}
        for place in ("shop", "ingress")
    )
    assert refuse(lost(old, new)) == ()


def test_naming_what_goes_leaves_no_large_part() -> None:
    spokes = [f"s{number}" for number in range(9)]
    old = dict.fromkeys(spokes, tree(GATEWAY, ROUTE, *routes(9)))
    new = dict.fromkeys(spokes, tree(GATEWAY, *routes(4)))
    (result,) = refuse(lost(old, new))
    names = ("cart", "r4", "r5", "r6", "r7", "r8")
    assert flags(result) == going(*(f"HTTPRoute/shop/{name}@{','.join(spokes)}" for name in names))
    three = ["HTTPRoute/shop/cart", "HTTPRoute/shop/r4", "HTTPRoute/shop/r5"]
    assert refuse(lost(old, new), going(*three)) == ()


ALLOWING = [
    AUTH,
    "authpolicy/shop/auth",
    "AuthPolicy.kuadrant.io/shop/auth",
    f"{AUTH}@eu",
    "AuthPolicy.kuadrant.io/shop/auth@eu",
]


@each(*ALLOWING)
def test_what_allows_a_deletion(claim: str) -> None:
    removals = without_policy()
    assert refuse(removals, going(claim)) == ()


@each(AUTH, "AuthPolicy.kuadrant.io/shop/auth")
def test_what_acknowledges_a_deletion(name: str) -> None:
    removals = without_policy()
    entries = acknowledged({"ref": name, "spokes": ["eu"]})
    assert refuse(removals, acknowledged=entries) == ()
    assert judge_entries(entries, LossyChange(removals), line_of) == ()


@each(
    {"spokes": ["eu"]},
    {"ref": AUTH},
    {"ref": AUTH, "spokes": ["us"]},
    {"ref": AUTH, "spokes": ["eu"], "lost": "opens"},
    ids=str,
)
def test_what_acknowledges_no_deletion(entry: dict[str, Any]) -> None:
    removals = without_policy()
    entries = acknowledged(entry)
    (result,) = refuse(removals, acknowledged=entries)
    assert result.code == DELETION.code
    (wide,) = judge_entries(entries, LossyChange(removals), line_of)
    assert wide.code == EXCESSIVE_ACKNOWLEDGEMENT.code


def test_an_acknowledgement_is_spent() -> None:
    """It counts in the change that adds it, for what it names and not once more."""
    spokes = ("eu", "us", "asia")
    old: Output = dict.fromkeys(spokes, tree(GATEWAY, POLICY))
    new: Output = {**old, "eu": tree(GATEWAY), "us": tree(GATEWAY)}
    removals = lost(old, new)
    (result,) = refuse(removals)
    entries = [AcknowledgedDeletion(**entry) for entry in entries_of(result)]
    assert [entry.spokes for entry in entries] == [("eu", "us")]
    assert refuse(removals, acknowledged=entries) == ()
    for later in (removals, lost(old, dict.fromkeys(spokes, tree(GATEWAY)))):
        (again,) = refuse(later, acknowledged=entries, spent=spend(entries))
        assert again.spokes == tuple(sorted({it.spoke for it in later.removals}))
    (rest,) = refuse(lost(old, dict.fromkeys(spokes, tree(GATEWAY))), (), entries)
    assert rest.spokes == ("asia",)


def test_an_acknowledged_deletion_is_no_opening_and_the_other_way_round() -> None:
    old = {"eu": tree(GATEWAY, ROUTE, POLICY)}
    opened = POLICY.replace("name: public}", "name: other}")
    gone, opens = lost(old, {"eu": tree(GATEWAY, ROUTE)}), lost(old, {"eu": tree(GATEWAY, opened)})
    for removals, way in ((gone, "goes"), (opens, "opens")):
        (result,) = refuse(removals)
        assert flags(result) == [(way, f"{AUTH}@eu")]
        other = {"goes": "opens", "opens": "goes"}[way]
        refused = refuse(removals, [(other, f"{AUTH}@eu")])
        assert [each.code for each in refused] == [DELETION.code, UNKNOWN_DELETION.code]
        assert refused[1].cure == f'did you mean "{AUTH}@eu" with lost: {way}?'


def test_a_flag_is_written_down_as_what_it_allowed() -> None:
    old: Output = dict.fromkeys("abc", tree(GATEWAY, POLICY))
    removals = lost(old, {**old, "a": tree(GATEWAY), "b": tree(GATEWAY)})
    assert entries_for(going(AUTH), removals, "why") == [
        {"ref": AUTH, "spokes": ["a", "b"], "lost": "goes", "reason": "why"}
    ]


@cases(*rows_of(__file__, "what_names_nothing_that_would_go"))
def test_what_names_nothing_that_would_go(claim: str, cure: str) -> None:
    removals = without_policy()
    told = refuse(removals, going(claim))
    assert [result.code for result in told] == [DELETION.code, UNKNOWN_DELETION.code]
    assert told[1] == UNKNOWN_DELETION.result(
        f"--allow-delete={claim} names nothing that would go", cure=cure
    )


def test_nothing_goes_and_something_is_named() -> None:
    assert refuse(Losses(), going("eu")) == (
        UNKNOWN_DELETION.result(
            "--allow-delete=eu names nothing that would go", cure="leave it out: nothing would go"
        ),
    )


@each(("opens", "open"), ("unserved", "unserved"))
def test_a_flag_in_vain_is_called_as_it_is_typed(flag: tuple[str, str]) -> None:
    lost, option = flag
    (refused,) = refuse(Losses(), [(lost, AUTH)])
    assert refused.message.startswith(f"--allow-{option}={AUTH} names nothing that would ")


def test_what_needs_no_permission_may_be_named() -> None:
    removals = lost({"eu": tree(GATEWAY, DNS)}, {"eu": tree(GATEWAY)})
    assert refuse(removals, going("DNSPolicy/shop/dns")) == ()


def test_naming_the_gateway_allows_what_goes_with_it_and_nothing_else() -> None:
    removals = lost({"eu": tree(*ALL)}, {"eu": tree(ROUTE.replace("public", "other"))})
    told = refuse(removals, going("Gateway/shop/public"))
    assert [flags(result) for result in told] == [going("AuthPolicy/shop/cart-auth@eu")]


def test_a_spoke_that_goes_has_to_be_named_itself() -> None:
    removals = lost({"a": tree(GATEWAY, POLICY)}, {})
    (result,) = refuse(removals, going(AUTH, "Gateway/shop/public"))
    assert result.code == DELETION.code
    assert refuse(removals, going("a")) == ()


def line_of(*path: str | int) -> Origin:
    """The fleet file's entries, each on a line of its own."""
    return Origin("fleet.yaml", line=10 + int(path[-1]))


def test_an_entry_that_is_left_over() -> None:
    removals = without_policy()
    old = acknowledged({"ref": "HTTPRoute/x/y", "spokes": ["eu", "us"]}, {"spokes": ["asia"]})
    entries = [*old, *acknowledged({"ref": AUTH, "spokes": ["eu"]})]
    told = tuple(
        STALE_ACKNOWLEDGEMENT.result(
            f"{name} was acknowledged in an earlier change, and does not count again",
            cure=f"remove the entry at fleet.yaml:{10 + index}",
            field=f"spec.deletions[{index}]",
            origin=line_of("spec", "deletions", index),
        )
        for index, name in enumerate(["HTTPRoute/x/y on eu and us", "the removal of asia"])
    )
    assert judge_entries(entries, LossyChange(removals, spend(old)), line_of) == told
    assert all(result.severity is WARNING for result in told)
    on_disk = judge_entries(entries, LossyChange(removals, spend(old), lambda _: False), line_of)
    assert all(result.severity is INFO for result in on_disk)


@cases(*rows_of(__file__, "an_entry_that_covers_too_much"))
def test_an_entry_that_covers_too_much(entry: dict[str, Any], what: str, cure: str) -> None:
    removals = without_policy()
    (result,) = judge_entries(acknowledged(entry), LossyChange(removals), line_of)
    assert result.code == EXCESSIVE_ACKNOWLEDGEMENT.code
    assert result.message == f"{what} is acknowledged, and does not go"
    assert cure in result.cure
    assert str(result.origin) == "fleet.yaml:10"
    on_disk = LossyChange(removals, is_kept=lambda claimed: claimed.spoke == "us")
    assert bool(judge_entries(acknowledged(entry), on_disk, line_of)) == ("us" in what)


def flags(result: Result) -> list[Flag]:
    found = re.findall(r"--allow-(delete|open)=(\S+)", result.cure)
    return [("goes" if option == "delete" else "opens", text) for option, text in found]


SOME = st.lists(st.sampled_from([*ALL, *routes(6)]), unique=True)
OUTPUTS = st.dictionaries(
    st.sampled_from(["a", "b", "c", "null", "7"]),
    st.tuples(SOME, st.sampled_from([tree, one_file_tree])).map(lambda pair: pair[1](*pair[0])),
)


@pytest.mark.property
@settings(max_examples=examples(300, house=12))
@given(old=OUTPUTS, new=OUTPUTS)
def test_the_cure_allows_all_that_is_refused_and_names_nothing_else(
    old: Output, new: Output
) -> None:
    removals = lost(old, new)
    told = refuse(removals)
    allowed = [flag for result in told for flag in flags(result)]
    assert refuse(removals, allowed) == ()
    entries = [AcknowledgedDeletion(**entry) for result in told for entry in entries_of(result)]
    assert refuse(removals, acknowledged=entries) == ()
    assert judge_entries(entries, LossyChange(removals), line_of) == ()
    if told:
        assert refuse(removals, acknowledged=entries, spent=spend(entries)) == told


@pytest.mark.property
@settings(max_examples=examples(300, house=12))
@given(old=OUTPUTS, new=OUTPUTS)
def test_no_spoke_and_no_protection_is_lost_unsaid(old: Output, new: Output) -> None:
    concerned = {spoke for result in refuse(lost(old, new)) for spoke in result.spokes}
    assert old.keys() - new.keys() <= concerned
    for spoke in old.keys() & new.keys():
        for text in (POLICY, LIMITS, ROUTE_POLICY):
            is_lost = _is_gone(text, old[spoke], new[spoke])
            # A policy for the whole Gateway that asks the same takes the place of its route's.
            is_replaced = text == ROUTE_POLICY and _has(POLICY, new[spoke])
            assert spoke in concerned or is_replaced or not is_lost


def _is_gone(text: str, old: Mapping[str, bytes], new: Mapping[str, bytes]) -> bool:
    return _has(text, old) and not _has(text, new)


def _has(text: str, files: Mapping[str, bytes]) -> bool:
    return text.strip().encode() in b"".join(files.values())
