"""What does not judge starts without the libraries that judging needs."""

import subprocess
import sys
from collections.abc import Iterable

from tests.cli.project import Shell
from tests.conftest import ROOT
from tests.support import rows_of

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
PROBE: str = rows_of(__file__, "probe")


def loaded(names: Iterable[str], fleet: Shell | None, *commands: str) -> dict[str, set[str]]:
    """The libraries that a process has loaded after each of these commands, of which none fails."""
    text = PROBE.format(commands=commands, names=tuple(names))
    folder = ROOT if fleet is None else fleet.folder
    process = [sys.executable, "-c", text]
    done = subprocess.run(process, cwd=folder, check=True, capture_output=True, text=True)
    lines = [line.split()[1:] for line in done.stderr.splitlines() if line.startswith("loaded ")]
    assert [status for status, *_ in lines] == ["0"] * len(commands), done.stderr
    return {command: set(found) for command, (_, *found) in zip(commands, lines, strict=True)}


def test_what_judges_nothing_imports_nothing_heavy(fleet: Shell) -> None:
    commands = ("build", "check --only tree", "schema", "--help")
    helps = ("build", "check", "diff", "import", "init", "fn", "spoke add", "crds add")
    found = loaded(HEAVY, fleet, *commands, *(f"{name} --help" for name in helps))
    assert not any(found.values()), found


def test_what_judges_does_and_what_policies_come_to_needs_no_schemas(fleet: Shell) -> None:
    found = loaded(HEAVY, fleet, "check --only policies", "check")
    assert found["check --only policies"] == {"spokerender.judging.fleet"}
    assert found["check"] >= {"spokerender.judging.fleet", "jsonschema_rs"}


LIBRARIES = ("pydantic", "yaml", "jinja2", "junitparser", "deepdiff")


LIBRARIES_AND_DOORS = (
    *LIBRARIES,
    "spokerender.wings.metapolicies.runners.extensions",
    "grpc",
)


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
    assert loaded(UNUSED, fleet, "build") == {"build": set()}


def test_help_loads_no_library() -> None:
    assert loaded(LIBRARIES_AND_DOORS, None, "--help") == {"--help": set()}


RARE = {"grpc", "junitparser", "spokerender.wings.metapolicies.runners.extensions"}
"""What only some projects or formats need."""


def test_a_plain_project_loads_nothing_for_what_it_does_not_do(fleet: Shell) -> None:
    """Not before a report for JUnit is asked for."""
    forms = (f"check --format {form}" for form in ("sarif", "json", "github"))
    explain = "explain AuthPolicy/infra/closed"
    commands = ("build", "check", *forms, "status", "effective", explain, "metapolicies")
    found = loaded(RARE, fleet, *commands, "check --format junit")
    assert found.pop("check --format junit") == {"junitparser"}
    assert not any(found.values()), found


def test_a_commands_help_loads_no_library_that_only_its_work_needs() -> None:
    names = ("import", "init", "fn", "spoke add", "crds add", "check")
    found = loaded(("jinja2", "junitparser"), None, *(f"{name} --help" for name in names))
    assert not any(found.values()), found
