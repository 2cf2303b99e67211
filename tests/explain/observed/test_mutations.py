"""Exports of the examples, as expected, and with one thing changed: each gives its finding."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spokerender.cli import run
from tests.conftest import ROOT
from tests.explain.observed.conftest import EXAMPLE, Exports, Status
from tests.support import cases, cyaml, each
from tests.support.exports import Export, make_exports, write_exports

EXAMPLES = [path.name for path in sorted((ROOT / "examples").iterdir()) if path.is_dir()]
AUTH, LIMIT = "AuthPolicy/toystore/toystore", "RateLimitPolicy/gateways/web"
GATEWAY, ROUTE = "Gateway/gateways/web", "HTTPRoute/toystore/toystore"
Json = dict[str, Any]


@each(*EXAMPLES)
def test_what_was_expected_gives_no_difference(example: str, status: Status) -> None:
    exports = make_exports(ROOT / "examples" / example)
    code, _, findings = status(exports, "--full", example=example)
    assert (code, findings) == (0, [])


def conditions(policy: Json) -> list[Json]:
    entries: list[Json] = policy["status"]["ancestors"][0]["conditions"]
    return entries


def condition(type_: str, **fields: Any) -> Callable[[Export], None]:
    def change(export: Export) -> None:
        (entry,) = (item for item in conditions(export[AUTH]) if item["type"] == type_)
        entry.update(fields)

    return change


def plain(type_: str, truth: str) -> Callable[[Export], None]:
    """The status as Kuadrant writes it, with one condition changed."""

    def change(export: Export) -> None:
        own = conditions(export[AUTH])
        names = {"Programmed": "Enforced"}
        entries = [{**item, "type": names.get(item["type"], item["type"])} for item in own]
        for item in entries:
            item["status"] = truth if item["type"] == type_ else item["status"]
        export[AUTH]["status"] = {"conditions": entries}

    return change


def field(key: str, *path: Any, to: Any) -> Callable[[Export], None]:
    def change(export: Export) -> None:
        place: Any = export[key]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return change


def without(key: str, *path: Any) -> Callable[[Export], None]:
    def change(export: Export) -> None:
        place: Any = export
        for step in (key, *path)[:-1]:
            place = place[step]
        del place[(key, *path)[-1]]

    return change


def replaced(key: str) -> Callable[[Export], None]:
    def change(export: Export) -> None:
        gone = export.pop(key)
        other = {"name": "other", "namespace": gone["metadata"]["namespace"]}
        export["other"] = {name: gone[name] for name in ("apiVersion", "kind")}
        export["other"]["metadata"] = other

    return change


def added(data: Json) -> Callable[[Export], None]:
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


RATES = ("spec", "limits", "everybody", "rates")
SYNCED = {"kuadrant.io/policy-synced": "true"}
MUTATIONS: list[tuple[str, Callable[[Export], None], str]] = [
    ("accepted", condition("Accepted", status="False", reason="Conflicted"), "SR2902 AuthPolicy"),
    ("programmed", condition("Enforced", status="False", reason="Unknown"), "SR2902 AuthPolicy"),
    ("unresolved", condition("ResolvedRefs", status="False", reason="R"), "SR2902 AuthPolicy"),
    ("enforced", plain("Enforced", "False"), "SR2902 AuthPolicy"),
    ("plain and not accepted", plain("Accepted", "False"), "SR2902 AuthPolicy"),
    ("no policy", replaced(AUTH), "SR2903 AuthPolicy"),
    ("no limit", replaced(LIMIT), "SR2903 RateLimitPolicy"),
    ("no gateway", replaced(GATEWAY), "SR2903 Gateway"),
    ("no route", replaced(ROUTE), "SR2903 HTTPRoute"),
    ("synced", added({"metadata": {"annotations": SYNCED}}), "SR2904 AuthPolicy"),
    ("of Flux", added({"metadata": {"labels": {"kustomize.toolkit.fluxcd.io/name": "europe"}}}),
     "SR2904 AuthPolicy"),
    (
        "of Argo CD",
        added(
            {
                "metadata": {
                    "annotations": {"argocd.argoproj.io/tracking-id": "spokes-europe:k/A:n/x"}
                }
            }
        ),
        "SR2904 AuthPolicy",
    ),
    ("limit", field(LIMIT, *RATES, 0, "limit", to=5000), "SR2905 RateLimitPolicy"),
    ("limit as a text", field(LIMIT, *RATES, 0, "limit", to="501"), "SR2905 RateLimitPolicy"),
    ("no limit in it", without(LIMIT, *RATES, 0, "limit"), "SR2905 RateLimitPolicy"),
    ("window", field(LIMIT, *RATES, 0, "window", to="1m"), "SR2905 RateLimitPolicy"),
    ("another rate", field(LIMIT, *RATES, to=[{"limit": 1, "window": "1s"}] * 2),
     "SR2905 RateLimitPolicy"),
    ("no rate", field(LIMIT, *RATES, to=[]), "SR2905 RateLimitPolicy"),
    ("another name", field(LIMIT, "spec", "limits", to={"all": rule(500)}),
     "SR2905 RateLimitPolicy"),
    ("target", field(AUTH, "spec", "targetRef", "name", to="other"), "SR2905 AuthPolicy"),
    ("no rules", without(AUTH, "spec", "rules"), "SR2905 AuthPolicy"),
    ("class", field(GATEWAY, "spec", "gatewayClassName", to="other"), "SR2905 Gateway"),
    ("hostname", field(GATEWAY, "spec", "listeners", 0, "hostname", to="*.x.com"),
     "SR2905 Gateway"),
    ("port", field(GATEWAY, "spec", "listeners", 0, "port", to=8080), "SR2905 Gateway"),
    ("from", field(GATEWAY, "spec", "listeners", 0, "allowedRoutes", to={}), "SR2905 Gateway"),
    ("hostnames", field(ROUTE, "spec", "hostnames", to=["a.com"]), "SR2905 HTTPRoute"),
    ("no hostnames", without(ROUTE, "spec", "hostnames"), "SR2905 HTTPRoute"),
    ("backend", field(ROUTE, "spec", "rules", 0, "backendRefs", 0, "port", to=81),
     "SR2905 HTTPRoute"),
    ("parent", field(ROUTE, "spec", "parentRefs", 0, "name", to="x"), "SR2905 HTTPRoute"),
    ("annotation", field(AUTH, "metadata", "annotations", "kuadrant.io/policy-synced", to="no"),
     "SR2905 AuthPolicy"),
]  # fmt: skip


@cases(*(item[1:] for item in MUTATIONS), ids=[item[0] for item in MUTATIONS])
def test_a_change_gives_exactly_its_finding(
    change: Callable[[Export], None], finding: str, exports: Exports, status: Status
) -> None:
    change(exports["europe"])
    code, _, findings = status(exports)
    assert code == 1
    assert [text.split(" ")[:2] for text in findings] == [finding.split(" ")]


HARMLESS: list[tuple[str, Callable[[Export], None]]] = [
    ("a default", field(GATEWAY, "spec", "listeners", 0, "tls", to={"mode": "Terminate"})),
    ("a spelling of a duration", field(LIMIT, *RATES, 0, "window", to="10000ms")),
    ("a spelling of a number", field(LIMIT, *RATES, 0, "limit", to=100.0)),
    ("a status", field(ROUTE, "status", to={"parents": []})),
    ("another label", field(ROUTE, "metadata", "labels", to={"a": "b"})),
    ("another policy", added({"metadata": {}})),
    ("stale", condition("Accepted", status="False", observedGeneration=1)),
    ("unknown", condition("Accepted", status="Unknown")),
    ("not reported", field(AUTH, "status", to={})),
]


@each(*(item[1] for item in HARMLESS), ids=[item[0] for item in HARMLESS])
def test_what_is_no_difference_is_none(
    change: Callable[[Export], None], exports: Exports, status: Status
) -> None:
    change(exports["europe"])
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
