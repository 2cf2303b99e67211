"""Laws of decisions: order and outsiders change nothing, and what was decided stands."""

import random
from collections.abc import Mapping
from typing import Any

from hypothesis import given, strategies as st

from spokerender.rendering.placement.locking import read_lock, write_lock
from spokerender.rendering.values.decisions import DecisionOptions, PlacementLock
from spokerender.wings.hubs.ocm.deciding import Decided, decide_all
from tests.property.laws import law
from tests.support.ocm import inventory_of

GROUP = "cluster.open-cluster-management.io"
Objects = list[Mapping[str, Any]]
NAMES = st.integers(0, 7).map(lambda number: f"c{number}")


def _object(version: str, kind: str, name: str, namespace: str = "", **more: Any) -> Any:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    labels = more.pop("labels", {})
    return {
        "apiVersion": f"{GROUP}/{version}",
        "kind": kind,
        "metadata": {**metadata, "labels": labels},
        **more,
    }


@st.composite
def clusters(draw: st.DrawFn, name: str, sets: tuple[str, ...] = ("a", "b")) -> Any:
    labels = {
        f"{GROUP}/clusterset": draw(st.sampled_from(sets)),
        "env": draw(st.sampled_from("xy")),
    }
    taints = [{"key": "drain", "effect": draw(st.sampled_from(["NoSelect", "NoSelectIfNew"]))}]
    tainted = draw(st.integers(0, 4)) == 0
    cpu = str(draw(st.integers(1, 9)))
    return _object(
        "v1", "ManagedCluster", name, labels=labels,
        spec={"hubAcceptsClient": True, **({"taints": taints} if tainted else {})},
        status={"allocatable": {"cpu": cpu}, "capacity": {"cpu": cpu}},
    )  # fmt: skip


@st.composite
def requests(draw: st.DrawFn, name: str) -> Any:
    spec: dict[str, Any] = {}
    if draw(st.booleans()):
        spec["numberOfClusters"] = draw(st.integers(0, 5))
    if draw(st.booleans()):
        selector = {"labelSelector": {"matchLabels": {"env": draw(st.sampled_from("xy"))}}}
        spec["predicates"] = [{"requiredClusterSelector": selector}]
    if draw(st.booleans()):
        built_in = draw(st.sampled_from(["Balance", "Steady", "ResourceAllocatableCPU"]))
        weight = draw(st.integers(-10, 10))
        scored = [{"scoreCoordinate": {"builtIn": built_in}, "weight": weight}]
        spec["prioritizerPolicy"] = {"configurations": scored}
    return _object("v1beta1", "Placement", name, "ns", spec=spec)


@st.composite
def hubs(draw: st.DrawFn) -> Objects:
    names = draw(st.sets(NAMES, min_size=1))
    bound = draw(st.sets(st.sampled_from("ab"), min_size=1))
    return [
        *(_object("v1beta2", "ManagedClusterSet", name, spec={}) for name in "ab"),
        *(
            _object("v1beta2", "ManagedClusterSetBinding", name, "ns", spec={"clusterSet": name})
            for name in sorted(bound)
        ),
        *(draw(clusters(name)) for name in sorted(names)),
        *(draw(requests(name)) for name in ("one", "two", "three")),
    ]


LOCKS = st.fixed_dictionaries(
    {}, optional={f"ns/{name}": st.sets(NAMES).map(sorted).map(tuple) for name in ("one", "two")}
)
NOTHING = DecisionOptions()


def decide(objects: Objects, lock: PlacementLock, *updates: str) -> dict[str, tuple[str, ...]]:
    """What is decided for each Placement."""
    answers = decide_all(inventory_of(objects), lock, DecisionOptions(updates=frozenset(updates)))
    return {answer.key: answer.clusters for answer in answers}


@law
@given(hubs(), LOCKS, st.randoms())
def test_the_order_of_objects_changes_no_decision(
    objects: Objects, lock: Mapping[str, tuple[str, ...]], chance: random.Random
) -> None:
    shuffled = [*objects]
    chance.shuffle(shuffled)
    assert decide(shuffled, PlacementLock(lock)) == decide(objects, PlacementLock(lock))


@law
@given(hubs(), LOCKS)
def test_what_was_decided_is_decided_again(
    objects: Objects, lock: Mapping[str, tuple[str, ...]]
) -> None:
    decided = decide(objects, PlacementLock(lock))
    assert decide(objects, PlacementLock(decided)) == decided


@law
@given(hubs(), LOCKS)
def test_a_decision_that_holds_is_kept_and_others_are_optimal(
    objects: Objects, lock: Mapping[str, tuple[str, ...]]
) -> None:
    answers = decide_all(inventory_of(objects), PlacementLock(lock), NOTHING)
    for answer in answers:
        scheduled = answer.scheduled
        assert scheduled is not None
        feasible = set(scheduled.ranked)
        limit = answer.question.request.spec.number_of_clusters
        assert feasible.issuperset(answer.clusters)
        assert len(answer.clusters) == min(len(feasible), len(feasible) if limit is None else limit)
        assert answer.is_held == (_holds(answer, lock))


def _holds(answer: Decided, lock: Mapping[str, tuple[str, ...]]) -> bool:
    return answer.key in lock and tuple(sorted(lock[answer.key])) == tuple(sorted(answer.clusters))


@law
@given(hubs(), LOCKS, st.data())
def test_a_cluster_outside_every_bound_set_changes_nothing(
    objects: Objects, lock: Mapping[str, tuple[str, ...]], data: st.DataObject
) -> None:
    outsider = data.draw(clusters("zz", ("unbound",)))
    assert decide([*objects, outsider], PlacementLock(lock)) == decide(objects, PlacementLock(lock))


@law
@given(LOCKS, LOCKS, st.sets(NAMES).map(sorted).map(tuple), st.booleans())
def test_a_lock_is_read_as_it_was_written(
    placements: Mapping[str, tuple[str, ...]],
    others: Mapping[str, tuple[str, ...]],
    left: tuple[str, ...],
    is_timed: bool,
) -> None:
    now = "2026-11-24T12:00:00Z" if is_timed else ""
    lock = PlacementLock(placements, others, left, now)
    read, results = read_lock("placement.lock.yaml", write_lock(lock))
    assert results == ()
    assert (read.placements, read.others, read.left, read.now) == (placements, others, left, now)
    assert write_lock(read) == write_lock(lock)
