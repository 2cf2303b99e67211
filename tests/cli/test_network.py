"""No command makes a network connection: each works the same where there is no network.

A network namespace of Linux without interfaces has none, not even to this machine's own address.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

from spokerender.cli import cli
from tests.cli.project import AUTH, FLEET, PROJECT, TLS, WEB
from tests.conftest import ROOT
from tests.edge.files.trees import snapshot
from tests.support import end_to_end as e2e, rows_of
from tests.support.crds import crd
from tests.support.extensions import project_with
from tests.support.git import commit, run_git

CASES: Mapping[str, Sequence[str]] = rows_of(__file__, "cases")
"""What each command is called with, in a project of its own."""
ITEMS = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
INPUT = {"crds add -": crd(), "import -": AUTH.replace("closed", "other"), "fn": ITEMS}
DRIVER: str = rows_of(__file__, "driver")


@cache
def without_network() -> tuple[str, ...]:
    """The command that runs another one without a network.

    Raises:
        pytest.skip.Exception: no namespace can be made here.

    """
    problem = "unshare is not there"
    for command in (("unshare", "-rn"), ("unshare", "-n")):
        try:
            done = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
        except FileNotFoundError:
            break
        if done.returncode == 0:
            return command
        problem = done.stderr.strip()
    pytest.skip(f"no network namespace can be made here: {problem}")


def names(command: click.Command, name: str = "") -> Iterator[str]:
    """Each command that is no group, with the groups that it is in."""
    if not isinstance(command, click.Group):
        yield name
        return
    context = click.Context(command)
    for each in command.list_commands(context):
        below = command.get_command(context, each)
        assert below is not None
        yield from names(below, f"{name} {each}".strip())


def test_every_command_has_a_case() -> None:
    assert sorted(names(cli)) == sorted(CASES)
    for name, lines in CASES.items():
        assert all(f"{line} ".startswith(f"{name} ") for line in lines)


def test_the_namespace_reaches_nothing() -> None:
    """The test below would find out."""
    connect = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])))"
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = [sys.executable, "-c", connect, str(server.getsockname()[1])]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0
        cut_off = subprocess.run([*without_network(), *command], capture_output=True, check=False)
    assert cut_off.returncode == 1


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in Git with its tree, and files to add to it."""
    folder = tmp_path / "project"
    web = WEB.replace("port: 443", "port: 80").replace("protocol: HTTPS", "protocol: HTTP")
    web = web.replace(TLS, "")
    e2e.write(folder, {**PROJECT, "hub/web.yaml": web, "in/crd.yaml": crd()})
    e2e.write(folder, {"in/auth.yaml": AUTH.replace("closed", "another")})
    e2e.write(folder, {"fleet.yaml": f"{FLEET}  rollout: {{groups: [{{name: world}}]}}\n"})
    run_git(tmp_path, "init", "--quiet", str(folder))
    done = subprocess.run(
        [sys.executable, "-m", "spokerender", "build", str(folder), "-q"], check=False
    )
    assert done.returncode == 0
    commit(folder, {"README.md": b"all\n"})
    return folder


def outcomes(prefix: Sequence[str], project: Path, cases: Sequence[Sequence[Any]]) -> Any:
    """Run commands in one process; return what each did."""
    work = project.with_name("work")
    done = subprocess.run(
        [*prefix, sys.executable, "-c", DRIVER, str(project), str(work)],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return json.loads(done.stdout)


def test_every_command_works_without_a_network_and_asks_for_none(project: Path) -> None:
    lines = [line for each in CASES.values() for line in each]
    cases = [[line.split(), INPUT.get(line, "")] for line in lines]
    cut_off = outcomes(without_network(), project, cases)
    for line, outcome in zip(lines, cut_off["outcomes"], strict=True):
        assert outcome["status"] == 0, (line, outcome["printed"])
    assert cut_off["tried"] == [], "no socket, no name is asked"


def test_extensions_work_without_a_network(tmp_path: Path) -> None:
    """They speak gRPC over a Unix socket."""
    pytest.importorskip("grpc", reason="grpcio is not installed")
    folder = project_with(tmp_path / "project")
    build = [sys.executable, "-m", "spokerender", "build", str(folder), "--allow-project-code"]
    with tempfile.TemporaryDirectory(prefix="sr-", dir="/tmp") as sockets:
        done = subprocess.run(
            [*without_network(), *build],
            env={**os.environ, "XDG_RUNTIME_DIR": sockets},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert any("ratelimitpolicy" in path for path in snapshot(folder / "clusters"))
