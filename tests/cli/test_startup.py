"""What does not judge starts without the libraries that judging needs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.cli.project import Shell
from tests.conftest import ROOT

HEAVY = (
    "spokerender.judging.fleet",
    "spokerender.judging.validation",
    "spokerender.wings.metapolicies.functions",
    "spokerender.wings.metapolicies.definitions",
    "spokerender.authoring",
    "spokerender.wings.metapolicies.runners.extensions",
    "spokerender.wings.metapolicies.runners.krm_functions",
    "spokerender.edge.processes",
    "spokerender.wings.metapolicies.runners.python_loading",
    "cel_expr_python",
    "google.protobuf",
    "jsonschema_rs",
)
PROBE = """
import sys
from spokerender.cli import run
status = run(sys.argv[1:])
print(status, *(name for name in {heavy!r} if name in sys.modules), file=sys.stderr)
"""


def imported(*arguments: str) -> list[str]:
    """The exit status, and the heavy modules that a command imports."""
    command = [sys.executable, "-c", PROBE.format(heavy=HEAVY), *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stderr.splitlines()[-1].split()


@pytest.mark.parametrize(
    "arguments",
    [
        "--help",
        "build",
        "build --help",
        "check --help",
        "check --only tree",
        "diff --help",
        "schema",
        "import --help",
        "init --help",
        "fn --help",
        "spoke add --help",
        "crds add --help",
    ],
)
def test_what_judges_nothing_imports_nothing_heavy(arguments: str, fleet: Shell) -> None:
    folder = [] if "help" in arguments or arguments == "schema" else [str(fleet.folder)]
    assert imported(*arguments.split(), *folder) == ["0"]


def test_what_judges_does(fleet: Shell) -> None:
    assert {"spokerender.judging.fleet", "jsonschema_rs"} <= set(
        imported("check", str(fleet.folder))
    )


def test_what_policies_come_to_needs_no_schemas(fleet: Shell) -> None:
    assert imported("check", str(fleet.folder), "--only", "policies") == [
        "0",
        "spokerender.judging.fleet",
    ]


LIBRARIES = ("pydantic", "yaml", "jinja2", "junitparser", "deepdiff")


LIBRARIES_AND_DOORS = (
    *LIBRARIES,
    "spokerender.wings.metapolicies.runners.extensions",
    "grpc",
    "watchfiles",
)


def loaded(*arguments: str, names: Sequence[str] = LIBRARIES_AND_DOORS) -> set[str]:
    """Which of these libraries a command has loaded when it ends."""
    command = [sys.executable, "-c", PROBE.format(heavy=names), *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    status, *found = done.stderr.splitlines()[-1].split()
    assert status == "0"
    return set(found)


UNUSED = (
    "deepdiff",
    "jinja2",
    "jsonpatch",
    "packaging",
    "spokerender.adopting",
    "spokerender.wings.metapolicies.config",
    "spokerender.wings.publishing.config.published",
    "spokerender.wings.publishing.config.publishing",
    "spokerender.edge.git",
    "spokerender.explain",
    "spokerender.judging",
    "spokerender.review",
    "subprocess",
)


def test_a_plain_project_pays_for_nothing_that_it_does_not_have(fleet: Shell) -> None:
    assert loaded("build", str(fleet.folder), names=UNUSED) == set()


def test_help_loads_no_library() -> None:
    assert loaded("--help") == set()


RARE = {
    "grpc",
    "junitparser",
    "spokerender.wings.metapolicies.runners.extensions",
    "watchfiles",
}
"""What only some projects or formats need."""


@pytest.mark.parametrize(
    "arguments",
    [
        "build",
        "check",
        "check --format sarif",
        "check --format json",
        "check --format github",
        "status",
        "effective",
        "explain AuthPolicy/infra/closed",
        "metapolicies",
    ],
)
def test_a_plain_project_loads_nothing_for_what_it_does_not_do(
    arguments: str, fleet: Shell
) -> None:
    command, *rest = arguments.split()
    assert loaded(command, str(fleet.folder), *rest) & RARE == set()


@pytest.mark.parametrize("name", ["import", "init", "fn", "spoke add", "crds add", "check"])
def test_a_commands_help_loads_no_library_that_only_its_work_needs(name: str) -> None:
    rare = {"jinja2", "junitparser"}
    assert loaded(*name.split(), "--help") & rare == set()


def test_junit_is_loaded_where_it_is_asked_for(fleet: Shell) -> None:
    folder = str(fleet.folder)
    assert "junitparser" not in loaded("check", folder, "--format", "sarif")
    assert "junitparser" in loaded("check", folder, "--format", "junit")
