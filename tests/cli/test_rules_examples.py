"""Examples that `rules CODE` shows: the wrong one makes the finding, the right one does not."""

import json
import re
import shutil
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from spokerender.cli import run
from spokerender.edge.templates import carried_examples
from spokerender.findings.codes.publishing import PUBLISHED_TWICE, REFUSED_BY_KCP
from spokerender.findings.codes.shipping import DELETION
from spokerender.findings.codes.table import FINDING_KINDS
from tests.cli.project import Shell
from tests.support import each, rows_of

EXAMPLES = carried_examples()
Sample = Mapping[str, bytes]
CODES = {kind.code for kind in FINDING_KINDS}
BUILT = {kind.code for kind in (DELETION, PUBLISHED_TWICE, REFUSED_BY_KCP)}
"""What is found of a loss, or of an export, which is whole only when it is built."""

NOWHERE = {"SR1004", "SR1204", "SR1901"}
"""What is found of the hub or a spoke as a whole, which no file has."""
UNREAD = ("SR1001", "SR1101", "SR1420")
"""What is found of a text that has no fields, since it is not YAML."""
WHOLE = rows_of(__file__, "whole")
"""What is found of an object, a document or a spoke as a whole: it is at the first line."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """The files that `init` makes."""
    folder = tmp_path_factory.mktemp("sample")
    assert run(["init", str(folder), "--delivery", "none", "--ci", "none"]) == 0
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def found(shell: Shell, code: str) -> list[Mapping[str, Any]]:
    """What is found in the project."""
    command = "build" if code in BUILT else "check"
    results = json.loads(shell.run(command, "--format", "json").out)["results"]
    return [each for each in results if each["severity"] != "info" or each["tags"]["code"] == code]


def codes(results: list[Mapping[str, Any]]) -> list[str]:
    return [each["tags"]["code"] for each in results]


def line_of(field: str, text: str, index: int) -> int:
    """The line of a field, or of its nearest parent that is there; by PyYAML's own marks."""
    node: yaml.Node = [*filter(None, yaml.compose_all(text))][index]
    line: int = node.start_mark.line
    for bracketed, plain in re.findall(r"\[([^\]]*)\]|([^.\[]+)", field):
        if isinstance(node, yaml.MappingNode):
            pairs = node.value
        elif isinstance(node, yaml.SequenceNode):
            pairs = [item for i, child in enumerate(node.value) for item in named(i, child)]
        else:
            break
        pair = next((p for p in pairs if p[0].value == (bracketed or plain)), None)
        if pair is None:
            break
        (key, node) = pair
        line = key.start_mark.line
    return line + 1


def named(index: int, item: yaml.Node) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    """A list's item by its index and by its name, both where the item is."""
    names = [str(index)]
    if isinstance(item, yaml.MappingNode):
        names += [f"name={value.value}" for key, value in item.value if key.value == "name"]
    return [(yaml.ScalarNode("", name, item.start_mark), item) for name in names]


@each(*EXAMPLES.written)
def test_wrong_makes_the_finding_at_its_field_and_right_makes_none_that_matters(
    code: str, sample: Sample, empty: Shell
) -> None:
    example = EXAMPLES.written[code]
    empty.write({**sample, **example.both, **example.wrong})
    results = [item for item in found(empty, code) if item["tags"]["code"] == code]
    assert results
    for item in results:
        assert ("file" not in item) == (code in NOWHERE)
        if "file" in item and not code.startswith(UNREAD):
            assert ("field" not in item) == (code in WHOLE)
            file, field = item["file"], item.get("field", {}).get("path", "")
            text = (empty.folder / file["path"]).read_text(encoding="utf-8")
            assert not field or file["line"] == line_of(field, text, file["index"])
    shutil.rmtree(empty.folder / "clusters", ignore_errors=True)
    for path in example.wrong:
        (empty.folder / path).unlink()
    empty.write({**sample, **example.both, **example.right})
    assert found(empty, code) == []


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
