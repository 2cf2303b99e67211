"""Exports of several examples with one thing changed: exactly its findings, or none."""

import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from spokerender.cli import run
from tests.conftest import ROOT
from tests.explain.observed.conftest import Status
from tests.explain.observed.test_mutations import field, make_change, manifest, without, work_of
from tests.support import cases, cyaml, each, named_rows_of, rows_of
from tests.support.exports import Export, make_exports, write_exports

Change = Callable[[Export], None]
"""A change of one spoke's export."""


Tell = Callable[[str, str, Change], tuple[int, list[str]]]
"""Runs the command with one spoke's export changed: the exit status, and the findings."""
EXPECTED: dict[str, dict[str, Export]] = {}


@pytest.fixture
def tell(status: Status) -> Tell:
    def run(example: str, spoke: str, change: Change) -> tuple[int, list[str]]:
        if example not in EXPECTED:
            EXPECTED[example] = make_exports(ROOT / "examples" / example)
        exports = deepcopy(EXPECTED[example])
        change(exports[spoke])
        code, _, printed = status(exports, example=example)
        return code, [" ".join(text.split(" ")[:2]) for text in printed]

    return run


def place(export: Export, key: str, *path: Any) -> Any:
    """A part of an object."""
    value: Any = export[key]
    for step in path:
        value = value[step]
    return value


def meta(*keys: str, **fields: Any) -> Change:
    """Other metadata of objects; mappings are added to."""

    def change(export: Export) -> None:
        for key in keys:
            own = export[key]["metadata"]
            for name, value in fields.items():
                own[name] = {**own.get(name, {}), **value} if isinstance(value, dict) else value

    return change


def reported(key: str, type_: str, **fields: Any) -> Change:
    """Another condition of a policy's first ancestor."""

    def change(export: Export) -> None:
        entries = place(export, key, "status", "ancestors", 0, "conditions")
        (condition,) = (item for item in entries if item["type"] == type_)
        condition.update(fields)

    return change


def turned(*path: Any) -> Change:
    """A list in the opposite order."""
    return lambda export: place(export, *path).reverse()


def grown(*path: Any, by: Any) -> Change:
    """A list with one more item, before all others."""
    return lambda export: place(export, *path).insert(0, by)


def ancestor(key: str, *, more: bool = False, **fields: Any) -> Change:
    """Another first ancestor of a policy; with `more`, one before it."""

    def change(export: Export) -> None:
        entries = place(export, key, "status", "ancestors")
        entry = {**deepcopy(entries[0]), **fields}
        entries[:1] = [entry, entries[0]] if more else [entry]

    return change


def without_generations(export: Export) -> None:
    """Conditions without what they are of, as some controllers write them."""
    for data in export.values():
        for entry in data.get("status", {}).get("ancestors", ()):
            for condition in entry["conditions"]:
                del condition["observedGeneration"]


def renamed(old: str, new: str) -> Change:
    """An object under another name."""

    def change(export: Export) -> None:
        data = export.pop(old)
        data["metadata"]["name"] = new
        export[new] = data

    return change


def marked(key: str, *types: str) -> Change:
    """Conditions of a route's parent or a Gateway that are true."""
    conditions = [{"type": type_, "status": "True", "reason": "Accepted"} for type_ in types]

    def change(export: Export) -> None:
        of_route = {"parents": [{"conditions": conditions}]}
        export[key]["status"] = of_route if "Route/" in key else {"conditions": conditions}

    return change


def grown_by(**objects: Any) -> Change:
    """More objects."""
    return lambda export: export.update(objects)


def emptied() -> Change:
    return lambda export: export.clear()


OCM = ("placed-by-ocm", "dublin")

MAKERS: dict[str, Callable[..., Change]] = {
    **{make.__name__: make for make in (meta, reported, turned, grown, ancestor, renamed, marked)},
    **{make.__name__: make for make in (field, without, emptied, grown_by)},
    "without_generations": lambda: without_generations,
}


@cases(*named_rows_of(__file__, "a_change_gives_exactly_its_findings"))
def test_a_change_gives_exactly_its_findings(
    example: str, spoke: str, steps: list[Any], findings: list[str], tell: Tell
) -> None:
    assert tell(example, spoke, make_change(steps, MAKERS)) == (1, findings)


@cases(*named_rows_of(__file__, "what_means_the_same_is_no_finding"))
def test_what_means_the_same_is_no_finding(
    example: str, spoke: str, steps: list[Any], tell: Tell
) -> None:
    assert tell(example, spoke, make_change(steps, MAKERS)) == (0, [])


def listed(objects: list[Any]) -> str:
    return cyaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": objects})


WRITTEN: dict[str, Callable[[list[Any]], dict[str, str]]] = {
    "a byte order mark": lambda objects: {"dublin.yaml": "\ufeff" + listed(objects)},
    "CRLF": lambda objects: {"dublin.yaml": listed(objects).replace("\n", "\r\n")},
    "documents": lambda objects: {"dublin.yaml": yaml.safe_dump_all(objects)},
    "JSON": lambda objects: {"dublin.json": json.dumps(cyaml.safe_load(listed(objects)))},
    "JSON as YAML": lambda objects: {"dublin.yaml": json.dumps(cyaml.safe_load(listed(objects)))},
    "several files": lambda objects: {
        f"dublin/{number}.yaml": cyaml.safe_dump(item) for number, item in enumerate(objects)
    },
}


@each(*list(WRITTEN.values()), ids=list(WRITTEN))
def test_an_export_may_be_written_in_many_ways(
    form: Callable[[list[Any]], dict[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = ROOT / "examples" / OCM[0]
    exports = make_exports(example)
    write_exports(tmp_path, exports)
    (tmp_path / "dublin.yaml").unlink()
    exports["dublin"]["Gateway/gateways/web"]["spec"]["gatewayClassName"] = "other"
    for path, text in form(list(exports["dublin"].values())).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(text.encode())
    capsys.readouterr()
    assert run(["status", str(example), "--from", str(tmp_path)]) == 1
    assert re.findall(r"error (SR\d+ \w+)", capsys.readouterr().err) == ["SR2905 Gateway"]


@cases(*rows_of(__file__, "feedback_may_be_json"))
def test_feedback_may_be_json(raw: Any, findings: list[str], tell: Tell) -> None:
    """As the agent's feature RawFeedbackJsonString reports it."""
    text = raw if isinstance(raw, str) else json.dumps(raw)
    value = {"name": "status", "fieldValue": {"type": "JsonRaw", "jsonRaw": text}}

    def change(export: Export) -> None:
        manifests = [manifest(data) for data in export.values()]
        for item in manifests:
            is_policy = item["resourceMeta"]["kind"] == "AuthPolicy"
            item["statusFeedback"] = {"values": [value] if is_policy else []}
        export.clear()
        export["work"] = work_of(manifests)

    code, printed = tell(*OCM, change)
    assert (code, printed) == (int(bool(findings)), findings)
