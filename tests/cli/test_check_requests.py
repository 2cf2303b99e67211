"""`spokerender check` of a project with tests of requests, in every form."""

import json
from xml.etree import ElementTree as ET

import pytest

from tests.cli.project import Shell
from tests.support import each, rows_of, text_of

TESTS = text_of(__file__, "check_requests_tests.yaml")
FLEET = rows_of(__file__, "fleet")
ELSEWHERE = "    - {name: no port 80, request: 'http://a.example/', expect: {served: false}}\n"
FAILED = "expected served, is refused with 401: AuthPolicy asks for jwt"


@pytest.fixture
def tested(shell: Shell) -> Shell:
    """A project with a test that fails, and one that holds."""
    shell.write({"tests/a.yaml": TESTS, "fleet.yaml": FLEET})
    return shell


def test_a_test_that_fails(tested: Shell) -> None:
    done = tested.run("check", "--only", "requests")
    assert done.status == 1
    start = "tests/a.yaml:8: error SR3101 spec.tests[1].expect.anonymous: "
    assert f'{start}"everybody is let in": anonymous: {FAILED}' in done.err
    assert "requests: 2 tests on 2 spokes, 1 failed\n" in done.out


@each("json", "github", "sarif", "codequality")
def test_its_line_is_in_every_form(form: str, tested: Shell) -> None:
    done = tested.run("check", "--only", "requests", "--format", form)
    places = {
        "json": '"line": 8',
        "github": "::error file=tests/a.yaml,line=8,title=SR3101",
        "sarif": '"startLine": 8',
        "codequality": '"begin": 8',
    }
    assert done.status == 1
    assert places[form] in done.out
    assert "everybody is let in" in done.out


def test_each_test_is_a_case_of_junit(tested: Shell) -> None:
    done = tested.run("check", "--only", "requests", "--format", "junit")
    cases = ET.fromstring(done.out).findall(".//testcase[@classname='tests/a.yaml']")  # noqa: S314  (ours)
    assert {case.get("name"): case.find("failure") is not None for case in cases} == {
        "there is a shop": False,
        "everybody is let in": True,
    }


def test_coverage_is_no_error(tested: Shell) -> None:
    tested.write({"tests/a.yaml": TESTS.partition("    - {name")[0] + ELSEWHERE})
    done = tested.run("check", "--only", "requests", "--coverage")
    assert done.status == 0
    assert "coverage: 1 guarded rule without a test\n" in done.out
    told = json.loads(tested.run("check", "--coverage", "--format", "json").out)
    assert [item["rule"]["name"] for item in told["uncovered"]] == ["shop"]
