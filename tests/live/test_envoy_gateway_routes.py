"""What we say of routes, listeners and ListenerSets on random hubs, beside Envoy Gateway's word."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from spokerender.judging.fleet.blueprints import BlueprintJudge, gather_knowledge
from spokerender.judging.routing.values import Routing
from tests.live import agreement
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED
from tests.live.envoy_gateway import smallest_hub, write_project
from tests.live.envoy_requests import translate
from tests.live.hubs import COMPLETE, find_ages, hub, is_declared
from tests.live.routing_statuses import (
    EQUAL,
    MORE,
    UNKNOWN,
    Key,
    compare,
    read_routing,
    read_written,
)
from tests.support import end_to_end as e2e

pytestmark = pytest.mark.live

Json = dict[str, Any]
KNOWN = {
    f"{kind}: {MORE}": "files have no Services, say, and one that is there has no fault"
    for kind in ("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute")
}
"""Differences that are explained; others fail."""
DECLARED = "all is in files: "
"""Before a difference on a hub that has all that its cluster has, as fleet.yaml declares."""


def ask_program(hubs: list[list[Json]]) -> list[dict[Key, Any]]:
    """What the translator writes about each hub."""
    return [read_answer(answer) for answer in translate(hubs)]


def read_answer(answer: Json) -> dict[Key, Any]:
    """Read what the translator writes about routes and listeners of a hub."""
    return read_written(
        [each for kind in answer["routes"] for each in kind or ()],
        [each for kind in answer["gateways"] for each in kind or ()],
    )


def judge_hub(objects: list[Json]) -> Routing:
    """What we say of a spoke that gets all of a hub, if its objects' ages are known."""
    rendered = e2e.rendered(write_project(objects))
    knowledge = replace(gather_knowledge(rendered), ages=find_ages(objects))
    manifests = {item.ref: item.object for item in rendered.hub.manifests}
    bundle = rendered.bundles["s1"]
    judged = BlueprintJudge(knowledge, manifests).judge(
        bundle.blueprint, {}, bundle.spoke.namespaces
    )
    assert judged.routing is not None
    return judged.routing


def compare_all(objects: list[Json], theirs: dict[Key, Any]) -> dict[Key, str]:
    """How our answers are to theirs.

    Without what is left out.
    """
    ours, is_left_out = read_routing(judge_hub(objects)), find_left_out(objects)
    compared = {
        key: compare(ours.get(key), theirs.get(key))
        for key in sorted(ours.keys() | theirs.keys())
        if not is_left_out(key)
    }
    of = DECLARED if is_declared(objects, COMPLETE) else ""
    return {
        key: how if how in (EQUAL, UNKNOWN) else f"{of}{key[0]}: {how}"
        for key, how in compared.items()
    }


def find_left_out(objects: list[Json]) -> Callable[[Key], bool]:
    """Tell which entries of a hub are not compared.

    A ListenerSet whose Gateway is not there is left out: the provider gives none to the translator.
    So is what is about Gateways of another controller.
    """
    gateways = {
        named(one["metadata"])
        for one in objects
        if one["kind"] == "Gateway" and one["spec"]["gatewayClassName"] == "eg"
    }
    foreign = {named(one["metadata"]) for one in objects if one["kind"] == "Gateway"} - gateways
    orphans = {
        named(one["metadata"])
        for one in objects
        if one["kind"] == "ListenerSet"
        and named({**one["metadata"], **one["spec"]["parentRef"]}) not in gateways
    }
    left_out = {
        *(("ListenerSet", *place) for place in orphans),
        *(("Gateway", *place) for place in foreign),
    }
    return lambda key: key[:3] in left_out or (len(key) > 4 and read_parent(key[3]) in left_out)


def read_parent(text: str) -> Key:
    """Read the kind, namespace and name of a parent."""
    kind, _, place = text.partition(" ")
    return kind, *place.split("/")


def named(part: Json) -> tuple[str, str]:
    return part["namespace"], part["name"]


def has_answer(how: str, objects: list[Json]) -> bool:
    """Tell whether one of our answers about a hub is to theirs as `how` says."""
    return how in compare_all(objects, *ask_program([objects])).values()


def test_statuses_of_routes_and_listeners_are_envoy_gateways(report: Report) -> None:
    """Its CPU seconds are those of the judge, and our own for as many hubs."""
    hubs = [hub(Random(f"{SEED} {index}")) for index in range(HUBS)]
    counts: Counter[str] = Counter()
    first: dict[str, list[Json]] = {}
    for objects, theirs in zip(hubs, ask_program(hubs), strict=True):
        for how in compare_all(objects, theirs).values():
            counts[how] += 1
            first.setdefault(how, objects)
    different = agreement.list_different(counts)
    row = agreement.Agreement.of_envoy_gateway(
        "statuses of routes and listeners", HUBS, SEED, counts, KNOWN
    )
    agreement.write([row])
    report(row)
    for how in different:
        report(f"{counts[how]:6} {how}")
    new = [how for how in different if how not in KNOWN]
    assert not new, "\n\n".join(
        f"{how}\n{smallest_hub(first[how], partial(has_answer, how))}" for how in new[:3]
    )
