"""What we say of routes and listeners of random hubs, beside what Contour writes."""

from collections import Counter
from random import Random

import pytest

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

CONTROLLER = "projectcontour.io/gateway-controller"
VERSIONS = {"TLSRoute": "v1alpha2", "BackendTLSPolicy": "v1alpha3"}
"""The versions of the Gateway API that Contour reads."""
UNKNOWN, DIFFERENT = 0.08, 0.005
"""The part of the statuses that files cannot tell, and the part of which we are wrong."""
OF_TWO_KINDS = "theirs may be that of a route of another kind with this name"


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
    return ask_program("contour-judge", [[fit(one) for one in hub] for hub in hubs])


def differences(objects: Hub, word: Answers) -> list[dict[tuple[str, ...], str]]:
    """How our answers are to Contour's, which keeps statuses by the names of routes alone."""
    answers = compare_parts(objects, word)
    routes = [one["metadata"] for one in objects if one["kind"].endswith("Route")]
    names = Counter[tuple[str, ...]]((one["namespace"], one["name"]) for one in routes)
    mixed = {key for key in answers if names[key[1:3]] > 1 and answers[key] not in SAME}
    return [answers | dict.fromkeys(mixed, OF_TWO_KINDS)]


JUDGE = Judge(
    "Contour",
    ENGINES_BY_NAME["contour-judge"].version,
    (ROUTING,),
    ask,
    differences,
    frozenset({OF_TWO_KINDS}),
)


def test_contour_says_the_same(certificate: tuple[str, str], report: Report) -> None:
    """Most of its CPU seconds are those of the judge."""
    hubs = [contour_hub(Random(f"{SEED} {index}"), certificate) for index in range(HUBS)]
    (statuses,) = JUDGE.count(hubs, report)
    assert statuses["Unknown"] <= UNKNOWN * statuses.total()
    different = statuses.keys() - SAME - JUDGE.explained
    assert sum(statuses[how] for how in different) <= DIFFERENT * statuses.total()
