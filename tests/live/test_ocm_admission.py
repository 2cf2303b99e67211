"""What an API server with OCM's CRDs refuses is refused here: random objects with some mistakes.

No webhook of OCM runs there, and a status is sent to its subresource, as a controller would.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import yaml

from spokerender.model.refs import shown
from spokerender.wings.hubs.ocm.reading import VERSIONS, find_refused
from tests.conftest import DATA
from tests.live import placements
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED, smallest
from tests.live.cluster import Cluster
from tests.live.mutations import mutated
from tests.support.ocm import inventory_of
from tests.wings.hubs.test_admission import OBJECTS

pytestmark = pytest.mark.live

Json = dict[str, Any]
Ask = Callable[[Json], str | None]
MOST = 10
UNREAD = re.compile(
    r"status\.(conditions|decisions\[\d+\]\.(reason|score)|managedNamespaces|version|decisionGroups)"
)
"""The fields of a status that no decision is made of; others that it has not are dropped."""
STRICT = "dryRun=All&fieldValidation=Strict"
OF_HUB = frozenset({"ManagedCluster", "ManagedClusterSet"})
"""The kinds without namespaces."""


def place_of(kind: str) -> str:
    """Where the objects of a kind are."""
    namespace = "" if kind in OF_HUB else "/namespaces/infra"
    return f"/apis/{placements.GROUP}/{VERSIONS[kind]}{namespace}/{kind.lower()}s"


def named(value: Json) -> Json:
    """An object under the name that a binding's webhook wants, without other metadata."""
    kind = value["kind"]
    namespace = "" if kind in OF_HUB else "infra"
    parts = {key: value[key] for key in ("spec", "status") if key in value}
    return placements.obj(kind, "a", namespace, **parts)


EXAMPLES = tuple(map(named, yaml.safe_load_all(OBJECTS)))


def causes_of(answer: Json) -> list[Json]:
    """What the API server refuses, field by field."""
    causes: list[Json] = answer["details"].get("causes") or [{"field": ""}]
    return causes


@pytest.fixture(scope="module")
def ask(api_server: Cluster) -> Ask:
    """Tell why the API server refuses an object, or its status; empty if it takes both.

    None if it refuses what nobody reads here.
    """
    files = (DATA / "crds/ocm").glob("*_clusters.*.yaml")
    api_server.install(yaml.safe_load(file.read_bytes()) for file in files)
    api_server.ensure_namespace("infra")
    stored: dict[str, Json] = {}
    for value in EXAMPLES:
        status, stored[value["kind"]] = api_server.ask("POST", place_of(value["kind"]), value)
        assert status == 201, stored

    def refusal(value: Json) -> str | None:
        place = place_of(value["kind"])
        own = {key: part for key, part in value.items() if key != "status"}
        own["metadata"] = {**value["metadata"], "name": "b"}
        status, answer = api_server.ask("POST", f"{place}?{STRICT}", own)
        if status == 201 and "status" in value:
            changed = {**stored[value["kind"]], "status": value["status"]}
            status, answer = api_server.ask("PUT", f"{place}/a/status?dryRun=All", changed)
        assert status in {200, 201, 400, 422}, answer
        if status == 422 and all(UNREAD.match(cause["field"]) for cause in causes_of(answer)):
            return None
        return "" if status in {200, 201} else str(answer["message"])

    return refusal


def question(random: Random) -> Json:
    """An object, mostly with a mistake or two."""
    kind = random.choice(tuple(VERSIONS))
    of_kind = [one for one in placements.hub(random) if one["kind"] == kind]
    value = random.choice([*map(named, of_kind), *(one for one in EXAMPLES if one["kind"] == kind)])
    for _ in range(random.choice((0, 1, 1, 1, 2))):
        value = mutated(value, random) if len(value) > len(named({"kind": kind})) else value
    return value


def test_what_an_api_server_refuses_is_refused_here(ask: Ask, report: Report) -> None:
    """Its CPU seconds are those of the questions to the API server."""

    def differs(value: Any) -> bool:
        whole = value.keys() >= {"apiVersion", "kind", "metadata"} and "name" in value["metadata"]
        # The server takes a namespace that is left out from the URL; a file has none.
        whole = whole and (value["kind"] in OF_HUB or "namespace" in value["metadata"])
        there = ask(value) if whole else None
        return there is not None and bool(there) != bool(refused_by_crds(value))

    counts, lines = Counter[str](), list[str]()
    for index in range(10 * HUBS):
        value = question(Random(f"{SEED} {index}"))
        how = "refused" if ask(value) else "taken"
        if differs(value):
            how = "different"
            if len(lines) < MOST:
                small = smallest(value, differs)
                lines.append(f"{json.dumps(small)}\n  {ask(small)!r}\n  {refused_by_crds(small)}")
        counts[how] += 1
    report(f"{dict(counts)}")
    assert not lines, "\n".join(lines)
    assert min(counts["refused"], counts["taken"]) > HUBS


def refused_by_crds(value: Json) -> list[str]:
    """Why we refuse an object, without what no CRD refuses."""
    faults = find_refused(value["kind"], value)
    texts = [f"{shown(fault.field)}: {fault.message}" for fault in faults]
    texts += ["misread" for _ in inventory_of([value]).misread if not texts]
    return [text for text in texts if not NO_CRD.search(text)]


NO_CRD = re.compile(
    "must be the name of the binding, a$|OCM's scheduler would end$"
    '|(timeAdded|validUntil) in body must be of type string: "array"$'
)
"""A webhook refuses the first, the scheduler the second; an empty list passes for a time there."""
