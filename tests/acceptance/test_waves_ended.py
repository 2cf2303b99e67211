"""Builds of waves placed by OCM that are killed at any moment: all agree after the next build.

A twin of the project has the same builds, none of them killed: lock, record and tree of both are
equal, byte for byte, after the next build.
"""

import json
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.acceptance.test_waves import FLEET, LIMIT
from tests.cli.project import AUTH, CLASS, RULES, Shell
from tests.cli.test_placements import GATEWAY, NO_RULES, all_files
from tests.support import each, rows_of
from tests.support.ocm import binding, documents, managed, placement

CLUSTERS = [f"c{number}" for number in range(8)]
SELECTOR = "groupClusterSelector: {labelSelector: {matchLabels: {w: %s}}}"
GROUPS = ", ".join(f"{{groupName: {name}, {SELECTOR % name}}}" for name in ("canary", "europe"))
SPEC = (
    f"{{numberOfClusters: 6, decisionStrategy: {{groupStrategy: {{decisionGroups: [{GROUPS}]}}}}}}"
)
ROLLOUT = "  rollout: {placement: infra/web}\n"
WRITER = rows_of(__file__, "writer")
"""A build that kills itself before one of the calls that change the disk, by its number."""


def state(number: int) -> dict[str, str]:
    """The files of a project: the limit, and the cluster that is drained, change each time."""
    drained = CLUSTERS[number % len(CLUSTERS)]
    taint = ", taints: [{key: drain, effect: NoSelect}]"
    waves = dict.fromkeys(CLUSTERS[:2], "canary") | dict.fromkeys(CLUSTERS[2:5], "europe")
    clusters = (
        managed(name, f"{{w: {waves.get(name, 'world')}}}", taint if name == drained else "")
        for name in CLUSTERS
    )
    return {
        "hub/class.yaml": CLASS,
        "hub/web.yaml": GATEWAY,
        "hub/auth.yaml": AUTH + RULES,
        "hub/limit.yaml": LIMIT.replace("limit: 10", f"limit: {10 + number}"),
        "hub/ocm.yaml": documents(binding(), placement(SPEC), *clusters),
        "placement.yaml": NO_RULES,
        "fleet.yaml": FLEET + ROLLOUT,
    }


ALLOWED = r"--allow-delete=(\S+)"
REASON = ("--reason", "it is drained")
COMMANDS = rows_of(__file__, "commands")


@each(2, pytest.param(500, marks=pytest.mark.weekly), ids=["some", "many"])
def test_lock_record_and_tree_agree_after_the_next_build(
    times: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The next build asks for no wave: what the killed one began is carried on, or not begun."""
    chance = random.Random(times)  # noqa: S311  (moments, no secrets)
    killed, calm = (Shell(tmp_path / name, capsys) for name in ("killed", "calm"))
    killed.write(state(0))
    build(killed)
    start = time.monotonic()
    build(killed, "--wave", "all")
    seconds, cut_short = time.monotonic() - start, 0
    for number in range(1, times + 1):
        killed.write(state(number // 2))
        options = COMMANDS[number % len(COMMANDS)]
        before = outcome(killed)
        wholes = []
        flags: tuple[str, ...] = ()
        for whole in ((), options):
            shutil.rmtree(calm.folder, ignore_errors=True)
            shutil.copytree(killed.folder, calm.folder)
            flags = build(calm, *whole)
            build(calm)
            wholes.append(outcome(calm))
        cut_short += end(killed, chance, seconds, *options, *flags)
        build(killed)
        after = outcome(killed)
        assert after in wholes, number
        assert not [path for path in killed.folder.rglob(".*") if path.is_file()]
        checked = killed.run("check", str(killed.folder))
        assert checked.status == 0, checked.err
        released = done_spokes(killed)
        assert {path: data for path, data in after.items() if is_waiting(path, released)} == {
            path: data for path, data in before.items() if is_waiting(path, released)
        }
    assert cut_short >= times // 3


def end(shell: Shell, chance: random.Random, seconds: float, *options: str) -> bool:
    """Kill a build, after some time or before it changes the disk once more; tell if it was."""
    arguments = ("build", "--quiet", str(shell.folder), *options)
    is_timed = chance.random() < 0.3
    number = 0 if is_timed else chance.randint(1, 40)
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(number), *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        if is_timed:
            time.sleep(chance.uniform(seconds * 0.3, seconds * 1.1))
            running.kill()
        return running.wait() != 0


def build(shell: Shell, *options: str) -> tuple[str, ...]:
    """Build, and allow what the refusal says how to allow; return these options."""
    done = shell.run("build", str(shell.folder), *options)
    flags: tuple[str, ...] = ()
    while done.status:
        more = [f"--allow-delete={name}" for name in re.findall(ALLOWED, done.err)]
        assert more, done.err
        flags += (*more, *(REASON if "all" in options and not flags else ()))
        done = shell.run("build", str(shell.folder), *options, *flags)
    return flags


def outcome(shell: Shell) -> dict[str, bytes]:
    """The lock and the output, with its record."""
    return {
        path: data
        for path, data in all_files(shell.folder).items()
        if path.startswith(("clusters/", "placement.lock"))
    }


def done_spokes(shell: Shell) -> set[str]:
    """The spokes that have what the sources render to."""
    waves = json.loads(shell.run("rollout", str(shell.folder), "--format", "json").out)["waves"]
    return {name for wave in waves if wave["done"] for name in wave["spokes"]}


def is_waiting(path: str, released: set[str]) -> bool:
    """Tell whether a file is of a folder that has to be what it was."""
    _, folder, *rest = f"{path}/".split("/")
    return bool(rest) and not folder.startswith("_") and folder not in released
