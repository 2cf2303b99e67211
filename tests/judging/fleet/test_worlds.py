"""What is told without ages, beside what is judged if they are known: hubs and orders by chance."""

from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from spokerender.judging.attachment.statuses import Condition
from spokerender.judging.effective.sourced_rules import list_values
from spokerender.judging.fleet.blueprints import BlueprintJudge, gather_knowledge
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.judging.judgement import Judgement
from spokerender.model import Ref
from spokerender.rendering.values.rendered import Rendered
from tests.live.envoy_gateway import write_project
from tests.live.hubs import find_ages, hub
from tests.support import each, end_to_end as e2e
from tests.support.answers import statuses

pytestmark = pytest.mark.property

SEEDS = range(24)
Key = tuple[str, ...]
Outcome = tuple[str, str] | None


def judge(rendered: Rendered, ages: Mapping[Ref, int]) -> JudgedBlueprint:
    manifests = {item.ref: item.object for item in rendered.hub.manifests}
    judge = BlueprintJudge(replace(gather_knowledge(rendered), ages=ages), manifests)
    return judge.judge(rendered.bundles["s1"].blueprint)


def list_outcomes(rendered: Rendered, judged: JudgedBlueprint) -> dict[Key, frozenset[Outcome]]:
    """The outcomes of each condition, by whose status it is in, its entry and its type."""
    fleet = JudgedFleet({"s1": judged}, {"s1": rendered.bundles["s1"]}, ())
    return {
        (*key, item.type): _read(item)
        for key, conditions in _list_conditions(fleet, judged)
        for item in conditions
    }


def _list_conditions(
    fleet: JudgedFleet, judged: JudgedBlueprint
) -> Iterator[tuple[Key, tuple[Condition, ...]]]:
    for status in statuses(fleet):
        for entry in status.ancestors:
            if entry.is_written:
                yield (str(status.policy), str(entry.ancestor)), entry.conditions
    assert judged.routing is not None
    for ref, holder in judged.routing.holders.items():
        yield (str(ref),), holder.conditions
        for listener in holder.listeners:
            yield (str(ref), listener.name), listener.conditions
    for ref, parents in judged.routing.routes.items():
        for number, parent in enumerate(parents):
            yield (str(ref), str(number)), parent.conditions


def _read(condition: Condition) -> frozenset[Outcome]:
    each = condition.by_age.outcomes if condition.by_age is not None else (condition,)
    return frozenset((str(item.status), item.reason) if item.status else None for item in each)


def list_in_force(judgement: Judgement) -> dict[Any, list[Any]]:
    """What may be in force of each kind on each path; nothing where no policy takes part."""
    return {
        (item.path.levels, item.kind): [
            list_values(outcome) for outcome in (item.likely, *item.others)
        ]
        for item in judgement.effective
    }


@cache
def world(seed: int) -> tuple[list[Ref], Rendered, JudgedBlueprint]:
    """A hub by chance: what has an age, the fleet, and what is judged without ages."""
    objects = hub(Random(f"worlds {seed}"))  # noqa: S311  (a test)
    rendered = e2e.rendered(write_project(objects))
    return sorted(find_ages(objects)), rendered, judge(rendered, {})


@each(*SEEDS)
def test_what_one_order_comes_to_is_among_the_outcomes(seed: int) -> None:
    random = Random(f"orders {seed}")  # noqa: S311  (a test)
    refs, rendered, files = world(seed)
    outcomes, in_force = list_outcomes(rendered, files), list_in_force(files.judgement)
    for _ in range(4):
        ages = {ref: place for place, ref in enumerate(random.sample(refs, len(refs)))}
        aged = judge(rendered, ages)
        assert not aged.in_worlds()
        told = list_outcomes(rendered, aged)
        for key in outcomes.keys() | told.keys():
            assert told.get(key, {None}) <= outcomes.get(key, {None}), (key, outcomes.get(key))
        for key, (values, *others) in list_in_force(aged.judgement).items():
            assert not others
            assert values in in_force.get(key, []), key


@each(*SEEDS)
def test_each_outcome_in_force_comes_about_in_one_order(seed: int) -> None:
    """What `effective` tells as other outcomes is what policies come to in other worlds."""
    _, _, files = world(seed)
    worlds = [list_in_force(one.judgement) for one in files.in_worlds().values()]
    for key, outcomes in list_in_force(files.judgement).items():
        for values in outcomes if worlds else ():
            assert any(values in world.get(key, [{}]) for world in worlds), key
