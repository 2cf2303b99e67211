"""What we say of routes and listeners of random hubs, beside what Cilium's operator writes."""

from random import Random

import pytest

from spokerender.model import GATEWAY_API
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED
from tests.live.building import ENGINES_BY_NAME
from tests.live.judges import (
    ROUTING,
    SAME,
    Answers,
    Hub,
    Json,
    Judge,
    ask_program,
    compare_parts,
)
from tests.live.routed_hubs import routed_hub

pytestmark = pytest.mark.live

CONTROLLER = "io.cilium/gateway-controller"
UNKNOWN, DIFFERENT = 0.1, 0.005
"""The part of the statuses that hangs on whether Cilium looks at a parent that it does not admit,
and the part of which we may be wrong."""


def cilium_hub(random: Random, certificate: tuple[str, str]) -> Hub:
    """A hub whose class is Cilium's."""
    return [*map(fit, routed_hub(random, CONTROLLER, certificate))]


def fit(one: Json) -> Json:
    """An object in the version that Cilium reads, to which an API server converts it."""
    is_gateway_api = one["apiVersion"].startswith(f"{GATEWAY_API}/")
    return {**one, "apiVersion": f"{GATEWAY_API}/v1"} if is_gateway_api else one


def ask(hubs: list[Hub]) -> list[Answers]:
    """The statuses that Cilium's operator writes about each hub."""
    return ask_program("cilium-judge", hubs)


def differences(objects: Hub, word: Answers) -> list[dict[tuple[str, ...], str]]:
    """How our answers are to Cilium's."""
    return [compare_parts(objects, word)]


JUDGE = Judge("Cilium", ENGINES_BY_NAME["cilium-judge"].version, (ROUTING,), ask, differences)


def test_cilium_says_the_same(certificate: tuple[str, str], report: Report) -> None:
    """Most of its CPU seconds are those of the judge."""
    hubs = [cilium_hub(Random(f"{SEED} {index}"), certificate) for index in range(HUBS)]
    (statuses,) = JUDGE.count(hubs, report)
    assert statuses["Unknown"] <= UNKNOWN * statuses.total()
    assert sum(statuses[how] for how in statuses.keys() - SAME) <= DIFFERENT * statuses.total()
