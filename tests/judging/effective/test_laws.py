"""Laws of effective policies, whatever the policies and the process."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import AttachedPolicy, PolicyOutcome
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Merge, Process, Ties
from tests.judging.effective.policies import GEP_713, KUADRANT, TARGETS, kind, policy
from tests.property import laws
from tests.support import manifest
from tests.support.profiles import examples
from tests.support.programmed import find_programmed
from tests.support.stages import graph, hub

Draw = Callable[[st.SearchStrategy[Any]], Any]
pytestmark = pytest.mark.property
law = settings(laws.law, max_examples=examples(house=10))

TOPOLOGY = graph(
    hub(
        manifest(
            "Gateway ns/gw",
            "gatewayClassName: class, listeners: [{name: lis, port: 80, protocol: HTTP}, "
            "{name: tls, port: 443, protocol: HTTPS}]",
        ),
        manifest("HTTPRoute ns/route", "parentRefs: [{name: gw}], rules: [{name: rule}, {}]"),
        manifest("HTTPRoute ns/other", "parentRefs: [{name: gw, sectionName: lis}]"),
    )
)
KINDS = [
    KUADRANT,
    GEP_713,
    kind(Process.GEP_713, rules=("rules.*",), default=Merge.PATCH),
    kind(Process.NONE),
    kind(Process.NONE, ties=Ties.UNBROKEN),
    kind(Process.ALL),
    kind(Process.SINGLE),
]
FOLDED = KINDS[:3]

values = st.integers(0, 2) | st.dictionaries(
    st.sampled_from("xz"), st.integers(0, 2), min_size=1, max_size=2
)
"""What a rule may say. An empty mapping is nothing to a merge patch, so there is none here."""

rules = st.dictionaries(st.sampled_from("abc"), values, min_size=1)


computed = partial(compute_effective_policies, TOPOLOGY)


@st.composite
def specs(draw: Draw, of: Kind) -> Any:
    """A spec in one of the forms that the process knows."""
    proper: dict[str, Any] = {"rules": draw(rules)}
    if of.merged.process is Process.SINGLE:
        return {
            side: draw(rules)
            for side in draw(st.sampled_from(["default", "override", "both"]))
            .replace("both", "default override")
            .split()
        }
    form = draw(st.sampled_from(["", "defaults", "overrides"]))
    if strategy := draw(st.sampled_from(["", *Merge])):
        proper["strategy"] = str(strategy)
    return {form: proper} if form else proper


@st.composite
def stacks(draw: Draw, of: Kind, most: int = 5) -> list[AttachedPolicy]:
    """Policies of one kind, on any level of the topology."""
    levels = draw(st.lists(st.sampled_from(sorted(TARGETS)), min_size=1, max_size=most))
    return [policy(of, f"p{number}", level, draw(specs(of))) for number, level in enumerate(levels)]


@st.composite
def stacked(draw: Draw) -> tuple[list[AttachedPolicy], dict[Any, int]]:
    """Policies of one kind, and the ages of some of them."""
    policies = draw(stacks(draw(st.sampled_from(KINDS))))
    ages = {item.ref: draw(st.integers(0, 2)) for item in policies if draw(st.booleans())}
    return policies, ages


def outcomes(policies: list[AttachedPolicy], ages: Any = None) -> list[PolicyOutcome]:
    """All outcomes on all paths."""
    return [outcome for item in computed(policies, ages) for outcome in (item.likely, *item.others)]


@law
@given(stacked(), st.randoms())
def test_the_order_given_does_not_matter(case: Any, chance: Any) -> None:
    policies, ages = case
    shuffled = list(policies)
    chance.shuffle(shuffled)
    assert computed(shuffled, ages) == computed(policies, ages)


@law
@given(stacked())
def test_what_is_in_force_comes_from_the_stack_and_is_written_there(case: Any) -> None:
    policies, ages = case
    specs = {item.ref: item.spec for item in policies}
    for item in computed(policies, ages):
        assert item.stack
        for outcome in (item.likely, *item.others):
            assert set(outcome.policies) <= set(item.stack)
            for rule in outcome.rules:
                written: Any = {"spec": specs[rule.policy]}
                for key in rule.field:
                    written = written[key]
                assert written == rule.value


@law
@given(stacked())
def test_nothing_is_lost_silently(case: Any) -> None:
    """Every rule of every policy on a path is in force there, whole or in parts, or overruled."""
    policies, ages = case
    by_ref = {item.ref: item for item in policies}
    for item in computed(policies, ages):
        told = {(rule.policy, rule.key) for rule in item.likely.rules}
        told |= {(lost.policy, lost.key) for lost in item.likely.overruled}
        for ref in item.stack:
            (alone,) = {
                tuple(rule.key for rule in outcome.rules) for outcome in outcomes([by_ref[ref]])
            }
            assert (ref, "") in told or all(
                any(
                    ref == other and (key == part or part.startswith(f"{key}."))
                    for other, part in told
                )
                for key in alone
            )


@law
@given(stacked())
def test_what_overrules_is_on_the_stack(case: Any) -> None:
    policies, ages = case
    for item in computed(policies, ages):
        for lost in item.likely.overruled:
            assert {lost.policy, lost.by} <= set(item.stack)
            assert lost.why


@law
@given(stacked())
def test_other_outcomes_differ(case: Any) -> None:
    policies, ages = case
    for item in computed(policies, ages):
        every = [
            sorted((rule.key, str(rule.value)) for rule in outcome.rules)
            for outcome in (item.likely, *item.others)
        ]
        assert all(one not in every[:place] for place, one in enumerate(every))


@law
@given(stacked())
def test_with_all_ages_known_there_is_one_outcome(case: Any) -> None:
    policies, _ = case
    ages = {item.ref: number for number, item in enumerate(policies)}
    assert all(not item.others for item in computed(policies, ages))


@law
@given(st.sampled_from(FOLDED).flatmap(stacks), rules)
def test_atomic_overrides_at_the_top_win_whole(policies: list[AttachedPolicy], top: Any) -> None:
    """In Kuadrant's process always; in GEP-713's against the one below, whose strategy is next."""
    of = policies[0].kind
    strict = {"overrides": {"strategy": "atomic", "rules": top}}
    below = [item for item in policies if item.targets != (TARGETS["class"],)]
    if of.merged.process is Process.GEP_713:
        below = below[:1]
    for item in computed([policy(of, "top", "class", strict), *below]):
        assert {rule.policy.name for rule in item.likely.rules} == {"top"}
        assert {rule.key: rule.value for rule in item.likely.rules} == {
            f"rules.{key}": value for key, value in top.items()
        }
        assert not item.others


@law
@given(stacked(), st.sampled_from(KINDS).flatmap(stacks))
def test_other_kinds_change_nothing(case: Any, strangers: list[AttachedPolicy]) -> None:
    policies, ages = case
    row = kind(strangers[0].kind.merged.process, "OtherPolicy")
    others = [policy(row, item.ref.name, "gw", item.spec) for item in strangers]
    found = computed([*others, *policies], ages)
    mine = tuple(item for item in found if item.kind == policies[0].kind.kind)
    assert mine == computed(policies, ages)


@law
@given(stacked())
def test_every_policy_has_a_condition(case: Any) -> None:
    policies, ages = case
    found = find_programmed(policies, computed(policies, ages))
    assert set(found) == {item.ref for item in policies}
    in_force = {ref for item in computed(policies, ages) for ref in item.likely.policies}
    assert {ref for ref, condition in found.items() if condition.status} == in_force
