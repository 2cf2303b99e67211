"""What we say of routes and listeners of random hubs, beside what Contour writes."""

import json
import subprocess
from random import Random

import pytest

from tests.live.asking import HUBS, SEED
from tests.live.building import ENGINES_BY_NAME, program
from tests.live.judges import (
    ROUTING,
    SAME,
    Answers,
    Hub,
    Json,
    Judge,
    compare_statuses,
    judge_hub,
    of_parts,
)
from tests.live.routed_hubs import routed_hub
from tests.live.routing_statuses import read_written

pytestmark = pytest.mark.live

CONTROLLER = "projectcontour.io/gateway-controller"
VERSIONS = {"TLSRoute": "v1alpha2", "BackendTLSPolicy": "v1alpha3"}
"""The versions of the Gateway API that Contour reads."""
UNKNOWN, DIFFERENT = 0.08, 0.01
"""The part of the statuses that files cannot tell, and the part of which we are wrong."""


def contour_hub(random: Random, certificate: tuple[str, str]) -> Hub:
    """A hub whose class is Contour's; half of the calls of gRPC have the method it asks for."""
    objects = routed_hub(random, CONTROLLER, certificate)
    for one in objects:
        for rule in one["spec"]["rules"] if one["kind"] == "GRPCRoute" else ():
            for match in rule["matches"] if random.random() < 0.5 else ():
                match["method"]["method"] = "Get"
    return objects


def fit(one: Json) -> Json:
    group, _, version = one["apiVersion"].rpartition("/")
    version = VERSIONS.get(one["kind"], version)
    return {**one, "apiVersion": f"{group}/{version}" if group else version}


def ask(hubs: list[Hub]) -> list[Answers]:
    """The statuses that Contour writes about each hub."""
    command = [program("contour-judge")]
    questions = json.dumps([[fit(one) for one in hub] for hub in hubs])
    done = subprocess.run(command, input=questions, capture_output=True, text=True, check=True)
    return [read_answer(answer or []) for answer in json.loads(done.stdout)]


def read_answer(objects: list[Json]) -> Answers:
    routes = [one for one in objects if one["kind"].endswith("Route")]
    return of_parts(read_written(routes, (one for one in objects if one["kind"] == "Gateway")))


def differences(objects: Hub, word: Answers) -> list[dict[tuple[str, ...], str]]:
    """How our answers are to Contour's."""
    _, statuses = judge_hub(objects)
    return [compare_statuses(of_parts(statuses), word)]


JUDGE = Judge("Contour", ENGINES_BY_NAME["contour-judge"].version, (ROUTING,), ask, differences)


def test_contour_says_the_same(
    certificate: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Most of its CPU seconds are those of the judge."""
    hubs = [contour_hub(Random(f"{SEED} {index}"), certificate) for index in range(HUBS)]
    (statuses,) = JUDGE.count(hubs, capsys)
    assert statuses["Unknown"] <= UNKNOWN * statuses.total()
    assert sum(statuses[how] for how in statuses.keys() - SAME) <= DIFFERENT * statuses.total()
