"""What we say of routes and listeners of random hubs, beside what Traefik's provider writes."""

from random import Random

import pytest

from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED
from tests.live.building import ENGINES_BY_NAME
from tests.live.hubs import PORTS
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

CONTROLLER = "traefik.io/gateway-controller"
ENTRY_POINTS = sorted({port for ports in PORTS.values() for port in ports})
UNKNOWN = 0.25
"""The part of the statuses that hangs on listeners of protocol TCP, which a setting decides."""


def traefik_hub(random: Random, certificate: tuple[str, str]) -> Hub:
    """A hub whose class is Traefik's."""
    objects = routed_hub(random, CONTROLLER, certificate)
    for one in objects:
        if one["kind"].endswith("Route"):
            drop_extensions(one)
    return objects


def drop_extensions(route: Json) -> None:
    """Take ExtensionRefs beside backends away: another provider of Traefik's knows of them."""
    for rule in route["spec"]["rules"]:
        for backend in rule.get("backendRefs", ()):
            filters = backend.get("filters") or ()
            if any(each["type"] == "ExtensionRef" for each in filters):
                del backend["filters"]


def ask(hubs: list[Hub]) -> list[Answers]:
    """The statuses that Traefik writes about each hub."""
    return ask_program("traefik-judge", {"hubs": hubs, "ports": ENTRY_POINTS})


def differences(objects: Hub, word: Answers) -> list[dict[tuple[str, ...], str]]:
    """How our answers are to Traefik's, which writes nothing of listeners without routes."""
    return [compare_parts(objects, word)]


JUDGE = Judge("Traefik", ENGINES_BY_NAME["traefik-judge"].version, (ROUTING,), ask, differences)


def test_traefik_says_the_same(certificate: tuple[str, str], report: Report) -> None:
    """Most of its CPU seconds are those of the judge."""
    hubs = [traefik_hub(Random(f"{SEED} {index}"), certificate) for index in range(HUBS)]
    (statuses,) = JUDGE.count(hubs, report)
    assert statuses.keys() <= SAME
    assert statuses["Unknown"] <= UNKNOWN * statuses["equal"]
