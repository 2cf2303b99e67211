"""Exports of the examples, as expected, and with one thing changed: each gives its finding."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from spokerender.cli import run
from tests.conftest import ROOT
from tests.explain.observed.conftest import EXAMPLE, Exports, Status
from tests.support import cases, cyaml, each, named_rows_of
from tests.support.exports import Export, make_exports, write_exports

EXAMPLES = [path.name for path in sorted((ROOT / "examples").iterdir()) if path.is_dir()]
AUTH, LIMIT = "AuthPolicy/toystore/toystore", "RateLimitPolicy/gateways/web"
GATEWAY, ROUTE = "Gateway/gateways/web", "HTTPRoute/toystore/toystore"
Json = dict[str, Any]
Change = Callable[[Export], None]


@each(*EXAMPLES)
def test_what_was_expected_gives_no_difference(example: str, status: Status) -> None:
    exports = make_exports(ROOT / "examples" / example)
    code, _, findings = status(exports, "--full", example=example)
    assert (code, findings) == (0, [])


def conditions(policy: Json) -> list[Json]:
    entries: list[Json] = policy["status"]["ancestors"][0]["conditions"]
    return entries


def condition(type_: str, **fields: Any) -> Change:
    def change(export: Export) -> None:
        (entry,) = (item for item in conditions(export[AUTH]) if item["type"] == type_)
        entry.update(fields)

    return change


def plain(type_: str, truth: str) -> Change:
    """The status as Kuadrant writes it, with one condition changed."""

    def change(export: Export) -> None:
        own = conditions(export[AUTH])
        names = {"Programmed": "Enforced"}
        entries = [{**item, "type": names.get(item["type"], item["type"])} for item in own]
        for item in entries:
            item["status"] = truth if item["type"] == type_ else item["status"]
        export[AUTH]["status"] = {"conditions": entries}

    return change


def field(key: str, *path: Any, to: Any) -> Change:
    def change(export: Export) -> None:
        place: Any = export[key]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return change


def without(key: str, *path: Any) -> Change:
    def change(export: Export) -> None:
        place: Any = export
        for step in (key, *path)[:-1]:
            place = place[step]
        del place[(key, *path)[-1]]

    return change


def replaced(key: str) -> Change:
    def change(export: Export) -> None:
        gone = export.pop(key)
        other = {"name": "other", "namespace": gone["metadata"]["namespace"]}
        export["other"] = {name: gone[name] for name in ("apiVersion", "kind")}
        export["other"]["metadata"] = other

    return change


def added(data: Json) -> Change:
    def change(export: Export) -> None:
        export["added"] = {
            "apiVersion": "kuadrant.io/v1",
            "kind": "AuthPolicy",
            **data,
            "metadata": {"name": "old", "namespace": "toystore", **data["metadata"]},
        }

    return change


def rule(limit: Any) -> Json:
    return {"rates": [{"limit": limit, "window": "10s"}]}


SYNCED = {"kuadrant.io/policy-synced": "true"}
MAKERS: dict[str, Callable[..., Change]] = {
    make.__name__: make for make in (condition, plain, field, without, replaced, added)
}


def make_change(steps: list[Json], makers: Mapping[str, Callable[..., Change]] = MAKERS) -> Change:
    """A change from a row: each step has the name of its function, and what it is called with."""

    def change(export: Export) -> None:
        for (name, arguments), *fields in map(dict.items, steps):
            makers[name](*arguments, **dict(fields))(export)

    return change


@cases(*named_rows_of(__file__, "a_change_gives_exactly_its_finding"))
def test_a_change_gives_exactly_its_finding(
    steps: list[Json], finding: str, exports: Exports, status: Status
) -> None:
    make_change(steps)(exports["europe"])
    code, _, findings = status(exports)
    assert code == 1
    assert [text.split(" ")[:2] for text in findings] == [finding.split(" ")]


@each(*named_rows_of(__file__, "what_is_no_difference_is_none"))
def test_what_is_no_difference_is_none(steps: list[Json], exports: Exports, status: Status) -> None:
    make_change(steps)(exports["europe"])
    code, _, findings = status(exports)
    assert (code, findings) == (0, [])


def test_full_reports_what_only_the_cluster_has(exports: Exports, status: Status) -> None:
    field(ROUTE, "spec", "rules", 0, "timeouts", to={"request": "1s"})(exports["europe"])
    code, _, findings = status(exports, "--full")
    assert code == 1
    (finding,) = findings
    assert finding.startswith("SR2905 HTTPRoute toystore/toystore spec.rules[0].timeouts: ")
    assert finding.endswith("the cluster has a mapping, and the tree sets none")


def test_yaml_is_the_status_of_the_hub_policy(exports: Exports, status: Status) -> None:
    condition("Enforced", status="False", reason="Broken")(exports["europe"])
    condition("Accepted", observedGeneration=1)(exports["america"])
    code, out, _ = status(exports, "--format", "yaml")
    assert code == 1
    (policy,) = (item for item in cyaml.safe_load_all(out) if item["kind"] == "AuthPolicy")
    (ancestor,) = policy["status"]["ancestors"]
    assert ancestor["ancestorRef"]["name"] == "web"
    told = {item["type"]: item for item in ancestor["conditions"]}
    assert (told["Programmed"]["status"], told["Programmed"]["reason"]) == ("False", "Broken")
    assert told["Programmed"]["message"] == "False on 1 of 2 spokes: europe"
    assert (told["Accepted"]["status"], told["Accepted"]["reason"]) == ("Unknown", "Stale")
    assert told["ResolvedRefs"]["status"] == "True"
    fields = {"type", "status", "reason", "message", "lastTransitionTime"}
    assert {key for item in ancestor["conditions"] for key in item} == fields


def test_a_spoke_without_an_export_is_unknown(exports: Exports, status: Status) -> None:
    del exports["america"]
    code, out, findings = status(exports)
    assert (code, findings) == (0, [])
    assert "Unknown NoReport" in out


def test_a_kind_that_was_not_exported_is_unknown(exports: Exports, status: Status) -> None:
    for key in (AUTH, ROUTE):
        del exports["europe"][key]
    code, out, findings = status(exports, "-v", "--format", "json")
    assert (code, findings) == (0, [])
    answer = json.loads(out)
    assert {
        item["reason"]
        for policy in answer["policies"]
        if policy["hub"]["kind"] == "AuthPolicy"
        for item in policy["spokes"]
        if item["spoke"] == "europe"
    } == {"NotExported"}
    assert sorted(
        result["resourceRef"]["kind"]
        for result in answer["results"]
        if "no object of its kind is in the export" in result["message"]
    ) == ["AuthPolicy", "HTTPRoute"]


def test_an_object_that_a_work_could_not_apply_is_missing(exports: Exports, status: Status) -> None:
    """Its kind was reported, even where it is the only one."""
    manifests = [manifest(data) for data in exports["europe"].values()]
    (auth,) = (item for item in manifests if item["resourceMeta"]["kind"] == "AuthPolicy")
    auth["conditions"] = [{"type": "Applied", "status": "False"}]
    code, _, findings = status(
        {"europe": {"work": work_of(manifests)}, "america": exports["america"]}
    )
    assert code == 1
    assert [text.split(" ")[:2] for text in findings] == [["SR2903", "AuthPolicy"]]


def test_works_with_feedback_are_exports(exports: Exports, status: Status) -> None:
    """The agent tells of conditions one by one, and of no fields."""
    manifests = [manifest(data) for data in exports["europe"].values()]
    feedback = [
        {"name": f"Enforced-{name}", "fieldValue": {"type": "String", "string": text}}
        for name, text in (("status", "False"), ("reason", "Broken"))
    ]
    (auth,) = (item for item in manifests if item["resourceMeta"]["kind"] == "AuthPolicy")
    auth["statusFeedback"]["values"] += feedback
    work = work_of(manifests)
    code, _, findings = status({"europe": {"work": work}, "america": exports["america"]})
    assert code == 1
    assert len(findings) == 1
    assert findings[0].startswith(
        "SR2902 AuthPolicy toystore/toystore: Programmed is False (Broken)"
    )


def work_of(manifests: list[Json]) -> Json:
    return {
        "apiVersion": "work.open-cluster-management.io/v1",
        "kind": "ManifestWork",
        "metadata": {"name": "spokes", "namespace": "europe"},
        "spec": {"workload": {"manifests": []}},
        "status": {"resourceStatus": {"manifests": manifests}},
    }


def manifest(data: Json) -> Json:
    group = data["apiVersion"].rpartition("/")[0]
    meta = data["metadata"]
    return {
        "resourceMeta": {
            "group": group,
            "kind": data["kind"],
            "namespace": meta["namespace"],
            "name": meta["name"],
        },
        "conditions": [{"type": "Applied", "status": "True"}],
        "statusFeedback": {
            "values": [
                {"name": "Accepted-status", "fieldValue": {"type": "String", "string": "True"}}
            ]
        },
    }


@cases(
    ("europa.yaml", "{}", 'there is no spoke "europa"'),
    ("europe.yaml", "kind: List\nitems: [{a: ", "SR1001"),
    ("europe.yaml", "", "europe.yaml:1: error SR2901: the file is empty"),
    ("europe.yaml", "Error from server (Forbidden): no\n", "    export the spoke again\n"),
    ("europe.yaml", "apiVersion: v1\nitems:\n- {a: b}\n", "    export the spoke again\n"),
    ("europe.yaml", f"x: {'[' * 1000}", "nested deeper than 100 levels"),
    ("europe.yaml", "\0", "U+0000"),
)
def test_what_is_no_export_is_refused(
    name: str, text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text)
    assert run(["status", str(ROOT / "examples" / EXAMPLE), "--from", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def test_secrets_are_not_printed(
    exports: Exports, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exports["europe"]["secret"] = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "key", "namespace": "toystore", "annotations": SYNCED},
        "data": {"password": "aHVudGVyMg=="},
    }
    write_exports(tmp_path / "x", exports)
    project = str(ROOT / "examples" / EXAMPLE)
    for form in ("table", "json", "yaml"):
        run(["status", project, "--from", str(tmp_path / "x"), "--full", "--format", form])
        printed = capsys.readouterr()
        assert "aHVudGVyMg" not in printed.out + printed.err
