"""`spokerender ask` on whole projects: the text, the JSON, and what was otherwise before."""

import json
import shutil
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

from spokerender.report.asking import build_ask_schema
from tests.cli.examples import SHOP, ask, compare
from tests.cli.project import WEB, Shell
from tests.support import rows_of, text_of
from tests.support.cases import cases, each
from tests.support.git import run_git

GOLDEN = Path(__file__).with_name("shop_ask.txt")
PAYMENTS = "POST https://api.{{ spoke.values.domain }}/checkout/payments"


@pytest.mark.golden
def test_the_flagship(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, update_golden: bool
) -> None:
    done = ask(monkeypatch, capsys, "ask", PAYMENTS, SHOP)
    compare(GOLDEN, done.out, update=update_golden)


def test_json_has_the_answer_of_each_spoke(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = ask(monkeypatch, capsys, "ask", PAYMENTS, SHOP, "--format", "json")
    report = json.loads(done.out)
    jsonschema.validate(report, build_ask_schema())
    assert report["request"] == PAYMENTS
    spokes = [name for answer in report["answers"] for name in answer["spokes"]]
    assert len(spokes) == len(set(spokes)) == 8
    (rule,) = report["answers"][0]["proxies"][0]["rules"]
    refused = "refused with 401: AuthPolicy asks for jwt"
    assert rule["anonymous"] == {"isAdmitted": False, "why": refused}
    assert rule["backends"] == [
        {"backend": {"kind": "Service", "namespace": "checkout", "name": "payments"}, "port": 8080}
    ]


@each(*rows_of(__file__, "json_is_of_the_schema"))
def test_json_is_of_the_schema(
    asked: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = json.loads(ask(monkeypatch, capsys, "schema", "ask").out)
    assert schema == json.loads(json.dumps(build_ask_schema()))
    jsonschema.Draft202012Validator.check_schema(schema)
    done = ask(monkeypatch, capsys, "ask", asked, SHOP, "--format", "json")
    jsonschema.validate(json.loads(done.out), schema)


@cases(
    ("http://a.example/", "nothing in these files listens on port 80"),
    ("https://a.example/", "as anonymous: refused with 401: AuthPolicy asks for jwt"),
)
def test_a_spoke_is_asked(asked: str, expected: str, shell: Shell) -> None:
    done = shell.run("ask", asked, "--spoke", "eu")
    assert done.status == 0
    assert expected in done.out
    assert done.out.count("\non ") == 1


PAY_AND_REST = text_of(__file__, "ask_pay_and_rest.yaml")


def test_a_plugin_may_find_other_policies_than_the_rule_has(shell: Shell) -> None:
    shell.write({"hub/web.yaml": WEB + PAY_AND_REST, "hub/auth.yaml": ""})
    none = "no policies, though the rule has some"
    done = shell.run("ask", "https://a.example/pay")
    assert f"the gateway's plugin finds {none}\n" in done.out
    report = json.loads(shell.run("ask", "https://a.example/pay", "--format", "json").out)
    (rule,) = report["answers"][0]["proxies"][0]["rules"]
    assert rule["plugin"] == none
    assert "policies" not in rule


def test_a_plugin_finds_the_policies_of_a_route_that_is_not_admitted(shell: Shell) -> None:
    selected = "{from: Selector, selector: {matchLabels: {kubernetes.io/metadata.name: shop}}}"
    guest = text_of(__file__, "ask_guest.yaml")
    shell.write({"hub/web.yaml": WEB.replace("{from: All}", selected) + guest})
    found = "finds the policies of HTTPRoute guest/open, rule-1"
    assert found in shell.run("ask", "https://a.example/pay").out
    assert found not in shell.run("ask", "https://a.example/").out


@pytest.mark.skipif(shutil.which("git") is None, reason="Git is not installed")
def test_what_was_otherwise(shell: Shell) -> None:
    run_git(shell.folder, "init", "--quiet")
    run_git(shell.folder, "add", "--all")
    run_git(shell.folder, "commit", "--quiet", "--message=test")
    assert shell.run("ask", "https://a.example/", "--against", "HEAD").out.endswith(
        "since HEAD: the same\n"
    )
    shell.write({"hub/web.yaml": WEB + "  hostnames: [b.example]\n"})
    done = shell.run("ask", "https://a.example/", "--against", "HEAD")
    assert (
        "+ refused  no route is for a.example: it is answered with 404 (Gateway infra/web)"
        in done.out
    )
    assert "- who  as anonymous: refused with 401: AuthPolicy asks for jwt" in done.out


@cases(*rows_of(__file__, "what_is_no_request_is_a_wrong_call"))
def test_what_is_no_request_is_a_wrong_call(asked: str, message: str, shell: Shell) -> None:
    done = shell.run("ask", asked)
    assert done.status == 2
    assert message in done.err
