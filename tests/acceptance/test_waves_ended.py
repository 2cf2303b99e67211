"""Builds of waves that are killed at any moment: the record and the tree agree after the next."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from tests.acceptance.test_waves import FLEET, LIMIT, ROLLOUT, SPOKES, placement
from tests.cli.project import PROJECT
from tests.support import end_to_end as e2e

COMMAND = (sys.executable, "-m", "spokerender", "build", "--quiet")
WAVES = {"canary": SPOKES[:1], "europe": SPOKES[1:5], "world": SPOKES[5:]}


@pytest.mark.parametrize(
    "times", [12, pytest.param(500, marks=pytest.mark.endurance)], ids=["some", "many"]
)
def test_record_and_tree_agree_after_the_next_build(tmp_path: Path, times: int) -> None:
    """The next build asks for no wave: what the killed one began is carried on."""
    chance = random.Random(times)  # noqa: S311  (moments, no secrets)
    files = {**PROJECT, "hub/limit.yaml": LIMIT, "placement.yaml": placement(SPOKES)}
    e2e.write(tmp_path, {**files, "fleet.yaml": FLEET + ROLLOUT})
    start = time.monotonic()
    build(tmp_path, "--wave", "all")
    seconds = time.monotonic() - start
    expected = dict.fromkeys(SPOKES, 10)
    killed = 0
    for number in range(times):
        limit = 20 + number // 3
        options = ("--wave", "next") if number % 3 else ()
        e2e.write(tmp_path, {"hub/limit.yaml": LIMIT.replace("limit: 10", f"limit: {limit}")})
        with subprocess.Popen(
            [*COMMAND, str(tmp_path), *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as running:
            time.sleep(chance.uniform(seconds * 0.3, seconds * 1.1))
            running.kill()
            killed += running.wait() != 0
        build(tmp_path)
        done = yaml.safe_load((tmp_path / "clusters/_fleet/rollout.yaml").read_text())["done"]
        assert done == list(WAVES)[: len(done)]
        expected |= dict.fromkeys((name for wave in done for name in WAVES[wave]), limit)
        assert limits(tmp_path) == expected
        assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".")]
    assert killed


def build(folder: Path, *options: str) -> None:
    """Build, which has to work."""
    subprocess.run([*COMMAND, str(folder), *options], check=True, capture_output=True)


def limits(folder: Path) -> dict[str, int]:
    """The limit that each spoke has."""
    return {
        path.parts[-3]: yaml.safe_load(path.read_text())["spec"]["limits"]["all"]["rates"][0][
            "limit"
        ]
        for path in sorted(folder.glob("clusters/s*/infra/ratelimitpolicy*.yaml"))
    }
