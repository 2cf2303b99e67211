"""`spokerender effective` on whole projects: the text, the JSON, and what is asked for."""

from pathlib import Path

import pytest

from tests.cli.examples import SHOP, ask, compare
from tests.cli.judged import AT_CRDS, LONG
from tests.cli.project import AUTH, OVERRIDES, PLACEMENT, WEB, Shell
from tests.support import each, rows_of
from tests.support.crds import crd

GOLDEN = Path(__file__).with_name("shop_effective.txt")
IN_FORCE = rows_of(__file__, "in_force")


@pytest.mark.golden
def test_the_flagship(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, update_golden: bool
) -> None:
    """The whole answer, in `shop_effective.txt`."""
    compare(GOLDEN, ask(monkeypatch, capsys, "effective", SHOP, "-v").out, update=update_golden)


@pytest.fixture
def overridden(shell: Shell) -> Shell:
    """Each spoke has a realm of its own."""
    shell.write({"placement.yaml": (PLACEMENT + OVERRIDES).replace("{names: [eu]}", "{all: true}")})
    return shell


def test_what_is_in_force(overridden: Shell) -> None:
    assert overridden.succeed("effective", "--spoke", "eu").out.startswith(IN_FORCE)


def test_the_values_on_request(overridden: Shell) -> None:
    assert "{{ spoke.values.realm }}" in overridden.succeed("effective", "-v").out
    for spoke, realm in (("eu", "europe"), ("us", "america")):
        assert realm in overridden.run("effective", "-v", "--spoke", spoke).out
        assert realm not in overridden.run("effective", "--spoke", spoke).out


def test_of_one_host(shell: Shell) -> None:
    shell.write(
        {
            "hub/web.yaml": WEB.replace(
                "spec:\n  parentRefs", "spec:\n  hostnames: [a.example]\n  parentRefs"
            )
        }
    )
    found = shell.run("effective", "--hostname", "a.example")
    assert (found.status, "HTTPRoute shop/shop: a.example" in found.out) == (0, True)
    other = shell.run("effective", "--hostname", "b.example")
    assert (other.status, "shop/shop" in other.out) == (0, False)


def test_a_spoke_that_nobody_has_is_wrong_input(shell: Shell) -> None:
    assert '"uk"' in shell.refuse("effective", "--spoke", "uk").err


@each("text", "json")
def test_wrong_input(form: str, shell: Shell) -> None:
    shell.write({"hub/auth.yaml": AUTH.replace("    name: web", "    name: [wbe")})
    done = shell.run("effective", "--format", form)
    assert done.status == 2
    assert bool(done.out) == (form == "json")
    assert "hub/auth.yaml" in done.out + done.err


@each("json", "text")
def test_what_is_not_there_is_an_answer(form: str, shell: Shell) -> None:
    """Of the rest of the fleet there is one as well; the input is wrong all the same."""
    other = AUTH.replace("name: closed", "name: other").replace("    name: web", "    name: wbe")
    shell.write({"hub/other.yaml": other})
    done = shell.run("effective", "--format", form)
    assert done.status == 2
    assert "SR1010" in (done.out if form == "json" else done.err)
    assert "AuthPolicy" in done.out
    assert "shop" in done.out


def test_what_would_be_refused_is_left_out_and_named(shell: Shell) -> None:
    """The API server of `eu` would not take its policy, so nothing of it is in force there."""
    shell.write({"fleet.yaml": AT_CRDS, "crds/auth.yaml": crd(), **LONG})
    done = shell.run("effective")
    assert ("on us\n" in done.out, "realm" in done.out) == (True, False)
    named = (
        "not accepted, and so not in force: AuthPolicy infra/closed; spokerender status says why\n"
    )
    assert (done.status, done.err) == (0, named)
    assert shell.run("effective", "--spoke", "us").err == ""
    nothing = shell.run("effective", "--spoke", "eu", "--kind", "authpolicy")
    assert (nothing.out, nothing.err) == ("no AuthPolicy is on any path on eu\n", named)


def test_nothing_names_what_was_asked_for(shell: Shell) -> None:
    done = shell.run("effective", "--route", "shop", "--kind", "DNSPolicy", "--hostname", "b.org")
    assert (done.status, done.out) == (
        0,
        "no DNSPolicy is on any path to route shop for host b.org\n",
    )
