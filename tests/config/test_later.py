"""Models that are made where a file has what they hold."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

from spokerender.config.fleet import FleetFile
from tests.config.conftest import Problem

Load = Callable[[str], FleetFile]
Problems = Callable[[str], list[Problem]]

MADE = """\
import sys
from spokerender.wings.combined import read_fleet
read_fleet(None)
print([name for name in sys.modules if name == "spokerender.wings.delivery.config"])
"""


def test_without_a_fleet_file_no_engine_has_a_model() -> None:
    done = subprocess.run([sys.executable, "-c", MADE], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_is_wrong_in_it_has_its_place_and_its_keys(fleet_problems: Problems) -> None:
    assert fleet_problems(
        """\
        spec:
          delivery:
            argocd: {repoURL: a, pth: b}
          assertions:
          - {name: ports, that: "true", message: 5}
        """
    ) == [
        ("spec.delivery.argocd.pth", 3, 'unknown key "pth"', 'did you mean "path"?'),
        (
            "spec.assertions[0].message",
            5,
            "must be a string, but is the number 5",
            "write it in quotes",
        ),
    ]


def test_a_section_is_held_to_its_own_model(fleet: Load) -> None:
    from spokerender.wings.delivery.config import ArgoCD  # noqa: PLC0415  (which `fleet` has to import)

    spec: Any = fleet("spec: {delivery: {argocd: {repoURL: https://git.example.com/fleet}}}").spec
    assert spec.delivery.argocd == ArgoCD(repoURL="https://git.example.com/fleet")
