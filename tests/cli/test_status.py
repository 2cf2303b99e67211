"""`spokerender status` on whole projects: the table, the other forms, and what is asked for."""

import json
from pathlib import Path

import pytest

from tests.cli.examples import SHOP, ask, compare
from tests.cli.project import AUTH, FLEET, TLS, WEB, Shell
from tests.support import cases, each, rows_of

GOLDEN = Path(__file__).with_name("shop_status.txt")
POLICIES = """\
POLICY                    TARGET               GATEWAY     ACCEPTED   RESOLVED REFS   PROGRAMMED   ITS CONTROLLER SAYS   SPOKES
AuthPolicy infra/closed   Gateway web[https]   infra/web   True       True            True         Enforced              all 2
"""  # noqa: E501  (a table is as wide as it is)
ROUTES = """\
ROUTE                 PARENT      ACCEPTED   RESOLVED REFS   SPOKES
HTTPRoute shop/shop   infra/web   True       True            all 2
"""
LISTENERS = """\
GATEWAY     LISTENER   ROUTES   ACCEPTED   PROGRAMMED   RESOLVED REFS   SPOKES
infra/web   https      1        True       True         True            all 2
"""
# A listener of protocol HTTPS without tls is not opened by Istio, which does not say so.
CLOSED = rows_of(__file__, "closed")


@pytest.mark.golden
def test_the_flagship(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, update_golden: bool
) -> None:
    """The whole answer, in `shop_status.txt`."""
    compare(GOLDEN, ask(monkeypatch, capsys, "status", SHOP).out, update=update_golden)


def test_the_table(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    done = shell.run("status")
    tables = f"{POLICIES}\n{ROUTES}\n{LISTENERS}"
    assert (done.status, done.out, done.err) == (0, tables, "")
    shell.write({"hub/web.yaml": WEB.replace(TLS, "")})
    assert shell.run("status", "--kind", "HTTPRoute").out == CLOSED


@cases(("AuthPolicy", POLICIES), ("httproute", ROUTES), ("Gateway", LISTENERS))
def test_of_one_kind(kind: str, table: str, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy's, a route's, or what has listeners."""
    monkeypatch.setenv("COLUMNS", "160")
    assert shell.pass_silently("status", "--kind", kind).out == table


def test_the_table_fits_where_nobody_says_how_wide(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a pipe: the same bytes wherever it runs."""
    monkeypatch.delenv("COLUMNS", raising=False)
    tables = shell.run("status").out
    assert tables == (
        "POLICY                    TARGET               GATEWAY     STATUS     SPOKES\n"
        "AuthPolicy infra/closed   Gateway web[https]   infra/web   in force   all 2\n"
        f"\n{ROUTES}\n"
        f"{LISTENERS}"
    )
    assert all(len(line) <= 80 for line in tables.splitlines())


def test_of_one_spoke_and_one_kind(shell: Shell) -> None:
    """Columns may be narrower; the policy is the same."""
    one = shell.succeed("status", "--spoke", "eu", "--kind", "AuthPolicy")
    assert one.out.splitlines()[1].split()[-1] == "eu"


def test_a_spoke_that_nobody_has_is_wrong_input(shell: Shell) -> None:
    assert '"uk"' in shell.refuse("status", "--spoke", "uk").err


@each("table", "json", "yaml")
def test_wrong_input(form: str, shell: Shell) -> None:
    shell.write({"hub/auth.yaml": AUTH.replace("    name: web", "    name: [wbe")})
    done = shell.run("status", "--format", form)
    assert done.status == 2
    assert bool(done.out) == (form == "json")
    assert "hub/auth.yaml" in done.out + done.err


@each("json", "table")
def test_what_is_not_there_is_an_answer(form: str, shell: Shell) -> None:
    """Of the rest of the fleet there is one as well; the input is wrong all the same."""
    other = AUTH.replace("name: closed", "name: other").replace("    name: web", "    name: wbe")
    shell.write({"hub/other.yaml": other})
    done = shell.run("status", "--format", form)
    assert done.status == 2
    assert "SR1010" in (done.out if form == "json" else done.err)
    assert "closed" in done.out


def test_an_object_that_its_api_server_refuses_is_not_accepted(shell: Shell) -> None:
    shell.write({"hub/auth.yaml": AUTH.replace("name: closed", "name: closed\n  lables: {}")})
    names = {"kind": "AuthPolicy", "plural": "authpolicies"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "authpolicies.kuadrant.io"},
        "spec": {
            "group": "kuadrant.io",
            "names": names,
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
    shell.write({"fleet.yaml": f"{FLEET}  crds: [crds/]\n", "crds/auth.yaml": json.dumps(crd)})
    assert " not accepted " in shell.succeed("status").out


MISSPELT = AUTH.replace("name: closed", "name: other")


@cases(*rows_of(__file__, "one_name_of_what_is_not_there_ends_no_answer"))
@each("status", "effective")
def test_one_name_of_what_is_not_there_ends_no_answer(
    command: str, path: str, edit: tuple[str, str], code: str, shell: Shell
) -> None:
    """A controller judges all others: so do we; the input is wrong all the same."""
    shell.write({"hub/other.yaml": MISSPELT})
    text = (shell.folder / path).read_text()
    assert edit[0] in text
    shell.write({path: text.replace(*edit)})
    done = shell.run(command)
    assert done.status == 2
    assert code in done.err
    # Without its gateway or its kind, no spoke gets the route that the policy is in force on.
    has_no_route = command == "effective" and path in ("hub/web.yaml", "hub/class.yaml")
    assert ("infra/closed" in done.out) is not has_no_route


def test_a_route_without_its_gateway_is_an_answer(shell: Shell) -> None:
    """No spoke gets it: so its status is that on the hub."""
    text = (shell.folder / "hub/web.yaml").read_text()
    shell.write(
        {"hub/web.yaml": text.replace("  - name: web\n    names", "  - name: wbe\n    names")}
    )
    done = shell.run("status", "--kind", "HTTPRoute")
    row = ["HTTPRoute", "shop/shop", "infra/wbe", "no", "status", "-", "none"]
    assert done.out.splitlines()[1].split() == row
    assert "Gateway infra/wbe is not there, so nobody looks at it" in done.out
    assert shell.run("status", "--kind", "HTTPRoute", "--spoke", "eu").out.count("shop/shop") == 0
