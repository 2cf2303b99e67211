"""YAML in; the model, or every problem as one line, out."""

from collections.abc import Callable
from textwrap import dedent

import pytest

from spokerender.config.documents import raise_results
from spokerender.config.fleet import FleetFile
from spokerender.config.loading import read_placements
from spokerender.config.placement import Placement
from spokerender.findings.errors import InputError
from spokerender.wings.combined import read_fleet
from tests.support import manifest

FLEET = "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\n"
PLACEMENT = manifest("Placement shop", api="spokerender.io/v1alpha1")

Problem = tuple[str, int, str, str]
"""Field, line below the header, message, cure."""


@pytest.fixture(scope="session")
def fleet() -> Callable[[str], FleetFile]:
    """The fleet with this `spec`."""
    return lambda text: read_fleet(("fleet.yaml", (FLEET + dedent(text)).encode())).model


@pytest.fixture(scope="session")
def placement() -> Callable[[str], Placement]:
    """The placement with this `spec`."""

    def load(text: str) -> Placement:
        file = ("placement.yaml", (PLACEMENT + dedent(text)).encode())
        placements, problems = read_placements([file])
        raise_results(problems)
        return placements[0].model

    return load


def _problems(load: Callable[[], object], header: str) -> list[Problem]:
    with pytest.raises(InputError) as raised:
        load()
    above = header.count("\n")
    return [
        (found.field, found.origin.line - above if found.origin else 0, found.message, found.cure)
        for found in raised.value.results
    ]


@pytest.fixture(scope="session")
def fleet_problems(fleet: Callable[[str], FleetFile]) -> Callable[[str], list[Problem]]:
    """What is wrong with this `spec` of a fleet."""
    return lambda text: _problems(lambda: fleet(text), FLEET)


@pytest.fixture(scope="session")
def placement_problems(placement: Callable[[str], Placement]) -> Callable[[str], list[Problem]]:
    """What is wrong with this `spec` of a placement."""
    return lambda text: _problems(lambda: placement(text), PLACEMENT)
