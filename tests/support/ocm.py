"""Cases of OCM's placement: objects in, OCM's own answer out (tests/data/cases/ocm)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from spokerender.formats.yamlio import read
from spokerender.model import Origin
from spokerender.rendering.placement.ocm.clock import Clock
from spokerender.rendering.placement.ocm.inventory import HubObject, Inventory, read_inventory
from spokerender.rendering.placement.ocm.questions import Question
from tests.conftest import DATA

CASES = DATA / "cases/ocm"


def load_cases(name: str) -> Any:
    """Read a file of cases."""
    documents, problems = read((CASES / name).read_bytes(), name)
    assert not problems
    return documents[0].value


def inventory_of(objects: Iterable[Mapping[str, Any]], *, has_defaults: bool = True) -> Inventory:
    """Read the objects of a case, with all taints."""
    items = (HubObject(data, lambda: Origin("case.yaml")) for data in objects)
    return read_inventory(items, honours_liveness=True, has_defaults=has_defaults)


def question_of(case: Mapping[str, Any]) -> Question:
    """Return the question of a case: its first Placement, with the history that it gives."""
    inventory = inventory_of(case["objects"])
    first = next(data for data in case["objects"] if data["kind"] == "Placement")["metadata"]
    request = inventory.requests_by_key[f"{first['namespace']}/{first['name']}"]
    own: list[str] = []
    others = Counter[str]()
    for decision in inventory.decisions:
        if (decision.namespace, decision.placement) == (request.namespace, request.name):
            own += decision.clusters
        else:
            others.update(decision.clusters)
    return Question(request, inventory, Clock(case.get("now", "")), frozenset(own), others)
