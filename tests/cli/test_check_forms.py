"""`spokerender check --format`: findings for machines and for pull requests."""

import json

from tests.cli.project import AUTH, Shell
from tests.report import published
from tests.support import each


def test_json(wrong: Shell) -> None:
    done = wrong.run("check", "--format", "json")
    assert (done.status, done.err) == (1, "")
    told = json.loads(done.out)
    assert {"results", "differences"} <= told.keys()
    codes = {result["tags"]["code"] for result in told["results"]}
    assert {"SR2109", "SR2301"} <= codes
    assert len(told["differences"]) > 0
    (one,) = [r for r in told["results"] if r["tags"]["code"] == "SR2301"]
    assert one["file"] == {"path": "placement.yaml", "index": 0, "line": 17}
    assert one["field"] == {"path": "spec.realm"}
    assert one["spokes"] == ["eu"]


def test_json_without_the_tree_has_no_differences(wrong: Shell) -> None:
    done = wrong.run("check", "--format", "json", "--only", "validation")
    assert done.status == 1
    assert json.loads(done.out)["differences"] == []


def shown_beside(text: str) -> list[str]:
    return [
        line for line in text.splitlines() if line.startswith(("::error", "::warning", "::notice"))
    ]


def test_github(wrong: Shell) -> None:
    done = wrong.run("check", "--format", "github", "--only", "validation", "--only", "tree")
    assert done.status == 1
    build = "run spokerender build, and commit what it writes"
    assert shown_beside(done.out) == [
        f"::error title=SR1209::clusters: stale, 10 files would change%0A{build}",
        (
            "::error title=SR1209::the output is stale: new 2 spokes with 4 objects each: eu, us"
            f"%0A{build}"
        ),
        (
            "::error file=placement.yaml,line=17,title=SR2301 AuthPolicy infra/closed spec.realm::"
            "Too long: may not be more than 6 bytes%0Aon eu%0Ashorten it from 8 to 6 characters"
        ),
    ]


def test_sarif(wrong: Shell) -> None:
    done = wrong.run("check", "--format", "sarif")
    assert (done.status, done.err) == (1, "")
    told = published.sarif(done.out)
    assert {"SR1209", "SR2109", "SR2301"} <= {each["ruleId"] for each in told}
    (one,) = [each for each in told if each["ruleId"] == "SR2301"]
    assert one["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "placement.yaml"},
        "region": {"startLine": 17},
    }


def test_junit(wrong: Shell) -> None:
    done = wrong.run("check", "--format", "junit", "--only", "validation", "--only", "tree")
    assert (done.status, done.err) == (1, "")
    told = published.junit_cases(done.out)
    failed = {case: line for case, line in told.items() if line}
    assert failed == {
        ("placement.yaml", "AuthPolicy infra/closed"): (
            "placement.yaml:17: error SR2301 AuthPolicy infra/closed spec.realm: "
            "Too long: may not be more than 6 bytes"
        ),
        ("the project", "the project"): "error SR1209: clusters: stale, 10 files would change",
    }
    assert ("hub/web.yaml", "Gateway infra/web") in told, "an object that is right passes"


def test_junit_of_a_true_tree(fleet: Shell) -> None:
    told = published.junit_cases(fleet.pass_silently("check", "--format", "junit").out)
    assert ("hub/auth.yaml", "AuthPolicy infra/closed") in told
    assert set(told.values()) == {""}


@each("json", "github", "sarif", "junit")
def test_wrong_input_is_told_in_the_form_that_is_asked_for(form: str, shell: Shell) -> None:
    shell.write({"hub/auth.yaml": AUTH.replace("    name: web", "    name: wbe")})
    done = shell.run("check", "--format", form)
    assert (done.status, done.err) == (2, "")
    if form == "json":
        assert json.loads(done.out)["results"][0]["severity"] == "error"
    elif form == "sarif":
        assert published.sarif(done.out)[0]["level"] == "error"
    elif form == "junit":
        assert any(published.junit_cases(done.out).values())
    else:
        (line,) = shown_beside(done.out)
        assert line.startswith("::error file=hub/auth.yaml,line=")


def test_several_reports_of_one_run_and_the_text(fleet: Shell) -> None:
    """What somebody edited by hand is told at the line of the hub."""
    edited = fleet.folder / "clusters/eu/infra/authpolicy.kuadrant.io_closed.yaml"
    edited.write_text(edited.read_text().replace("sectionName: https", "sectionName: http"))
    done = fleet.run("check", "--report", "github=-", "--report", "junit=check.xml")
    assert done.status == 1
    changed = "the output is stale: changed spec.targetRef.sectionName http -> https"
    place = "file=hub/auth.yaml,line=11,title=SR1209 AuthPolicy infra/closed"
    cure = "run spokerender build, and commit what it writes"
    assert shown_beside(done.out)[1:] == [f"::error {place}::{changed}%0Aon eu%0A{cure}"]
    assert "clusters: stale, 1 file would change; run spokerender build\n" in done.out
    told = published.junit_cases((fleet.folder / "check.xml").read_text())
    assert told["hub/auth.yaml", "AuthPolicy infra/closed"] == (
        f"hub/auth.yaml:11: error SR1209 AuthPolicy infra/closed: {changed}"
    )


@each("text=a", "junit", "junit=", "junit=..", "junit=/")
def test_a_report_that_can_not_be_written(value: str, fleet: Shell) -> None:
    assert fleet.run("check", "--report", value).status == 2
