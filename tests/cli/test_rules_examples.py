"""Examples that `rules CODE` shows: the wrong one makes the finding, the right one does not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from spokerender.cli import run
from spokerender.edge.templates import carried_examples
from spokerender.findings.codes.publishing import PUBLISHED_TWICE, REFUSED_BY_KCP
from spokerender.findings.codes.shipping import DELETION
from spokerender.findings.codes.table import FINDING_KINDS
from tests.cli.project import Shell

EXAMPLES = carried_examples()
Sample = Mapping[str, bytes]
CODES = {kind.code for kind in FINDING_KINDS}
BUILT = {kind.code for kind in (DELETION, PUBLISHED_TWICE, REFUSED_BY_KCP)}
"""What is found of a loss, or of an export, which is whole only when it is built."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """The files that `init` makes."""
    folder = tmp_path_factory.mktemp("sample")
    assert run(["init", str(folder), "--delivery", "none", "--ci", "none"]) == 0
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def found(shell: Shell, code: str, files: Mapping[str, str | bytes]) -> list[Mapping[str, Any]]:
    """What is found in a project with these files."""
    shell.write(files)
    command = "build" if code in BUILT else "check"
    results = json.loads(shell.run(command, "--format", "json").out)["results"]
    return [each for each in results if each["severity"] != "info" or each["tags"]["code"] == code]


def codes(results: list[Mapping[str, Any]]) -> list[str]:
    return [each["tags"]["code"] for each in results]


@pytest.mark.parametrize("code", EXAMPLES.written)
def test_what_is_wrong_makes_the_finding(code: str, sample: Sample, empty: Shell) -> None:
    example = EXAMPLES.written[code]
    assert code in codes(found(empty, code, {**sample, **example.both, **example.wrong}))


@pytest.mark.parametrize("code", EXAMPLES.written)
def test_what_is_right_makes_none_that_matters(code: str, sample: Sample, empty: Shell) -> None:
    example = EXAMPLES.written[code]
    assert found(empty, code, {**sample, **example.both, **example.right}) == []


def test_every_code_has_an_example_or_a_reason() -> None:
    assert EXAMPLES.written.keys() < CODES
    without = CODES - EXAMPLES.written.keys()
    assert [code for code in without if not code.startswith(tuple(EXAMPLES.reasons))] == []
    assert all(EXAMPLES.why_none(code) for code in without)
    assert all(any(code.startswith(start) for code in CODES) for start in EXAMPLES.reasons)
    assert not any(code.startswith(tuple(EXAMPLES.reasons)) for code in EXAMPLES.written)
    assert all(len(start) >= len("SR20") for start in EXAMPLES.reasons), "a reason fits a hundred"


def test_it_is_shown_for_a_code_that_is_named(empty: Shell) -> None:
    done = empty.run("rules", "SR2218")
    wrong, right = done.out.partition("wrong: hub/dns.yaml")[2].split("right: hub/dns.yaml")
    assert "defaultGeo: true, geo: EU, weight: 120}\n" in wrong
    assert "defaultGeo: true, geo: GEO-EU, weight: 120}\n" in right
    assert (
        "There is no example: it is about the rights on a file." in empty.run("rules", "SR1203").out
    )


def test_it_is_data_for_programs(empty: Shell) -> None:
    rules = json.loads(empty.run("rules", "--format", "json").out)["rules"]
    shown = {rule["code"]: rule["example"] for rule in rules}
    assert shown["SR1203"] is None
    assert {code for code, example in shown.items() if example} == EXAMPLES.written.keys()
    assert set(shown["SR1106"]["wrong"]) == set(shown["SR1106"]["right"]) == {"fleet.yaml"}
