"""What we say of routes and listeners of random hubs, beside what Cilium's operator writes."""

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
from tests.live.test_istio import fit

pytestmark = pytest.mark.live

CONTROLLER = "io.cilium/gateway-controller"
HOLDERS = ("Gateway", "ListenerSet")
UNKNOWN, DIFFERENT = 0.1, 0.02
"""The part of the statuses that hangs on whether Cilium looks at a parent that it does not admit,
and the part of which we are wrong: HTTPS beside TLS that is passed through, and hostnames that
another listener has."""


def cilium_hub(random: Random, certificate: tuple[str, str]) -> Hub:
    """A hub whose class is Cilium's."""
    return [*map(fit, routed_hub(random, CONTROLLER, certificate))]


def ask(hubs: list[Hub]) -> list[Answers]:
    """The statuses that Cilium's operator writes about each hub."""
    command = [program("cilium-judge")]
    done = subprocess.run(
        command, input=json.dumps(hubs), capture_output=True, text=True, check=True
    )
    return [read_answer(answer or []) for answer in json.loads(done.stdout)]


def read_answer(objects: list[Json]) -> Answers:
    routes = [one for one in objects if one["kind"] not in HOLDERS]
    return of_parts(read_written(routes, (one for one in objects if one["kind"] in HOLDERS)))


def differences(objects: Hub, word: Answers) -> list[dict[tuple[str, ...], str]]:
    """How our answers are to Cilium's."""
    _, statuses = judge_hub(objects)
    return [compare_statuses(of_parts(statuses), word)]


JUDGE = Judge("Cilium", ENGINES_BY_NAME["cilium-judge"].version, (ROUTING,), ask, differences)


def test_cilium_says_the_same(
    certificate: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Most of its CPU seconds are those of the judge."""
    hubs = [cilium_hub(Random(f"{SEED} {index}"), certificate) for index in range(HUBS)]
    (statuses,) = JUDGE.count(hubs, capsys)
    assert statuses["Unknown"] <= UNKNOWN * statuses.total()
    assert sum(statuses[how] for how in statuses.keys() - SAME) <= DIFFERENT * statuses.total()
