"""Laws of projects that a hub places: order, repetition, and clusters that concern nobody.

The hubs are those that OCM's own code is asked about, with everything that a Placement may say; a
few have faults, and are refused in the same words.
"""

from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any
from unittest.mock import patch

from hypothesis import event, given, strategies as st
from msgspec.structs import replace

from spokerender.findings.errors import InputError
from spokerender.formats import yamlio
from spokerender.pipeline import render
from spokerender.rendering.placement.asking import HubSettings
from spokerender.rendering.placement.locking import write_lock
from spokerender.rendering.values.decisions import DecisionOptions, PlacementLock
from spokerender.wings.hubs.ocm.inventory import SyncFailedError
from tests.live import placements
from tests.live.placements import GROUP, NOW, obj
from tests.property.laws import law
from tests.support.ocm import inventory_of
from tests.support.project import PLACEMENT, project, tree
from tests.support.stages import CLASS, gateway

LOCK = "placement.lock.yaml"
NAMES = ("c1", "c2", "c3", "c10", "b-1", "b1", "zz", "c1a", "d")
CLAIMS = {key: values for key, values in placements.CLAIMS.items() if "" not in values}
KEYS = ("infra/web", "infra/api", "infra/other", "shop/web", "infra/gone")
GATEWAYS = "---\n".join(
    gateway(name).replace(f"name: {name},", f"labels: {{{GROUP}/placement: {name}}}, name: {name},")
    for name in ("web", "api")
)
RULES = f"""\
{PLACEMENT}
  spokes: [{{name: c1, values: {{x: 1}}}}, {{name: own}}]
  rules:
  - gateways: {{names: [infra/web]}}
    as: {{labels: {{env: "{{{{ spoke.labels.env | default('none') }}}}"}}}}
  - gateways: {{names: [infra/third]}}
    spokes: {{placement: infra/other, decisionGroup: canary}}
    optional: true
"""
Objects = list[dict[str, Any]]
Built = tuple[Any, bytes | None]
"""The trees and the lock, or what is refused and the lock as it was."""


class Situation:
    """A project: the objects of its hub, what it decided before, and whether it decides itself."""

    def __init__(self, seed: int) -> None:
        chance = Random(seed)  # noqa: S311  (hubs, no secrets)
        rare = placements.RARE if not chance.randrange(8) else 10**9
        with patch.multiple(placements, NAMES=NAMES, RARE=rare, CLAIMS=CLAIMS):
            self.objects = placements.hub(chance)
            self.objects += [placements.placement(chance) for _ in range(2)]
        requests = [one for one in self.objects if one["kind"] == "Placement"]
        for request, name in zip(requests, ("web", "api", "other"), strict=True):
            request["metadata"] |= {"name": name, "namespace": "infra"}
        if chance.randrange(8):
            self._mend(requests)
        if chance.randrange(3):
            kept = [one for one in self.objects if one["kind"] != "PlacementDecision"]
            self.objects = kept
        self.is_deciding = bool(chance.randrange(2))
        self.honours = bool(chance.randrange(2))
        entries = {
            key: tuple(sorted(chance.sample(NAMES, chance.randrange(4))))
            for key in KEYS
            if chance.randrange(2)
        }
        left = tuple(sorted(chance.sample(("z1", "z2", *NAMES), chance.randrange(3))))
        now = NOW if chance.randrange(2) else ""
        lock = PlacementLock(entries, {}, left, now)
        self.lock = write_lock(lock) if chance.randrange(3) else None

    def _mend(self, requests: Objects) -> None:
        """Bind a set to the namespace, and take out what a hub would not have."""
        for request in requests:
            request["spec"].pop("clusterSets", None)
        bound = inventory_of(self.objects).bindings.get("infra", ())
        if "default" not in bound:
            spec = {"clusterSet": "default"}
            self.objects.append(obj("ManagedClusterSetBinding", "default", "infra", spec=spec))
        for item in self.objects:
            if item["kind"] == "PlacementDecision":
                named = item["status"]["decisions"]
                named[:] = [one for one in named if one["clusterName"] != "gone"]

    def build(self, objects: Objects, lock: bytes | None, now: str = "", parts: int = 1) -> Built:
        """Render, with the objects in so many files; what differs in a second build is a fault."""
        files = {
            f"hub/{number}.yaml": "---\n".join(map(yamlio.emit, objects[number::parts])) or "{}"
            for number in range(parts)
        }
        read = project({"hub/class.yaml": CLASS, "hub/gateways.yaml": GATEWAYS, **files}, RULES)
        settings = HubSettings(
            lock=lock,
            options=DecisionOptions(now=now),
            decides_always=self.is_deciding,
            honours_liveness=self.honours,
        )
        try:
            rendered = render(replace(read, placing=settings))
        except InputError as error:
            return sorted((one.code, one.message) for one in error.results), lock
        return tree(rendered), rendered.contribution.files.get(LOCK, lock)


SITUATIONS = st.integers(0, 2**32).map(Situation)


@law
@given(SITUATIONS)
def test_building_twice_changes_nothing(situation: Situation) -> None:
    trees, lock = situation.build(situation.objects, situation.lock, NOW)
    event("refused" if isinstance(trees, list) else "built")
    assert situation.build(situation.objects, lock, NOW) == (trees, lock)
    if not isinstance(trees, list):
        assert situation.build(situation.objects, lock) == (trees, lock)


@law
@given(SITUATIONS, st.integers(1, 3), st.randoms())
def test_the_order_of_files_and_documents_changes_nothing(
    situation: Situation, parts: int, chance: Random
) -> None:
    shuffled = deepcopy(situation.objects)
    chance.shuffle(shuffled)
    assert situation.build(shuffled, situation.lock, NOW, parts) == situation.build(
        situation.objects, situation.lock, NOW
    )


@law
@given(SITUATIONS, st.sampled_from(["prod", "unbound", "lab"]), st.randoms())
def test_a_cluster_outside_every_bound_set_changes_nothing(
    situation: Situation, cluster_set: str, chance: Random
) -> None:
    with patch.multiple(placements, RARE=10**9, CLAIMS=CLAIMS):
        outsider = placements.cluster(chance, "outsider")
        scores = placements.scores(chance, ["outsider"])
    outsider["metadata"].setdefault("labels", {})[f"{GROUP}/clusterset"] = cluster_set
    objects = [*situation.objects, outsider, *scores]
    if is_bound(objects, "outsider"):
        return
    event("outside")
    assert situation.build(objects, situation.lock, NOW) == situation.build(
        situation.objects, situation.lock, NOW
    )


def is_bound(objects: Sequence[dict[str, Any]], name: str) -> bool:
    """Tell whether a cluster is in a set that some namespace has a binding for."""
    inventory = inventory_of(objects)
    bound = {one for names in inventory.bindings.values() for one in names} & {*inventory.sets}
    try:
        return any(name in inventory.members(one) for one in bound)
    except SyncFailedError:
        return True
