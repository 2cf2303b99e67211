"""`check` tells what breaks the assertions of fleet.yaml, with the path."""

import shutil
from textwrap import dedent, indent

import pytest

from spokerender.formats.cel.costs import MAX_WORK
from spokerender.wings.metapolicies import expressions
from tests.cli.project import Shell
from tests.conftest import ROOT
from tests.support import cases, rows_of
from tests.support.counting import calls_of
from tests.support.metapolicies import ROUTE, RULES
from tests.support.stages import CLASS, GATEWAY, auth, hub, placement

GUARDED = rows_of(__file__, "guarded")
RULE = "rules: {authentication: {all: {anonymous: {}}}}"
NUMBERS = f"[{', '.join(map(str, range(300)))}]"
GATEWAYS = "Gateway edge-eu/web (elsewhere edge-us/web)"
PATH = f"{GATEWAYS} > listener http > HTTPRoute shop/cart > rule rule-1"


def checked(shell: Shell, assertions: str, *documents: str, more: str = "") -> tuple[int, str]:
    shell.write(
        {
            "hub/hub.yaml": hub(CLASS, GATEWAY, *(documents or (ROUTE,))),
            "placement.yaml": placement(RULES),
            "fleet.yaml": "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nspec:\n"
            f"  assertions:\n{indent(dedent(assertions), '  ')}{indent(dedent(more), '  ')}",
        }
    )
    shell.succeed("build")
    done = shell.run("check")
    return done.status, done.err


def test_a_broken_one_names_the_path_and_what_is_missing(empty: Shell) -> None:
    status, told = checked(empty, GUARDED)
    assert status == 1
    assert f"error SR2813 Assertion guarded: {PATH}: no AuthPolicy is in force" in told
    assert "fleet.yaml:5" in told
    assert "add one" in told


def test_one_that_holds_says_nothing(empty: Shell) -> None:
    policy = auth("cart", "kind: HTTPRoute, name: cart", "shop", spec=RULE)
    status, told = checked(empty, GUARDED, ROUTE, policy)
    assert (status, "SR2813" in told) == (0, False)


def test_kuadrants_constant_has_a_value(empty: Shell) -> None:
    that = "that: '__KUADRANT_VERSION == \"1_dev\"'"
    assert checked(empty, f"- {{name: constant, message: a, {that}}}\n")[0] == 0


def test_rules_in_force_can_be_looked_at(empty: Shell) -> None:
    limits = "limits: {many: {rates: [{limit: 5000, window: 1s}]}}"
    policy = auth(
        "cart", "kind: HTTPRoute, name: cart", "shop", kind="RateLimitPolicy", spec=limits
    )
    assertion = rows_of(__file__, "rules_in_force_can_be_looked_at")
    sync = "policiesToSync: [{group: kuadrant.io, kind: RateLimitPolicy}]"
    status, told = checked(empty, assertion, ROUTE, policy, more=sync)
    assert status == 0
    assert "warning SR2813 Assertion calm: too much" in told
    assert "on us" in told


@cases(*rows_of(__file__, "one_that_is_wrong_is_told_as_such"))
def test_one_that_is_wrong_is_told_as_such(line: str, message: str, empty: Shell) -> None:
    status, told = checked(empty, f"- name: odd\n  message: a\n  {line}\n")
    assert status == 1
    assert message in told


def test_it_is_not_asked_where_only_the_tree_is(empty: Shell) -> None:
    assert checked(empty, GUARDED)[0] == 1
    empty.succeed("check", "--only", "tree")


def test_the_flagships_hold_until_a_policy_goes(empty: Shell) -> None:
    shutil.copytree(ROOT / "examples" / "shop", empty.folder / "shop")
    policies = empty.folder / "shop" / "hub" / "teams" / "catalog" / "policies.yaml"
    text = policies.read_text(encoding="utf-8")
    rest = [each for each in text.split("---\n") if "kind: AuthPolicy" not in each]
    policies.write_text("---\n".join(rest), encoding="utf-8")
    guard = empty.folder / "shop" / "hub" / "policies" / "auth.yaml"
    guard.unlink()
    empty.succeed("build", "shop", "-o", "out")
    done = empty.run("check", "shop", "-o", "out")
    assert done.status == 1
    path = "Gateway gateways/public > listener https > HTTPRoute catalog/catalog > rule pages"
    assert f"every-route-is-guarded: {path}: no AuthPolicy is in force" in done.err


def test_one_that_is_broken_may_be_accepted(empty: Shell) -> None:
    accepted = "suppressions: [{code: SR2813, resource: Assertion/guarded, %sreason: known}]\n"
    status, told = checked(empty, GUARDED, more=accepted % "")
    assert (status, "SR2813" in told) == (0, False)
    assert "SR2813 Assertion guarded" in empty.run("check", "-v").err
    status, told = checked(empty, GUARDED, more=accepted % "spoke: eu, ")
    assert status == 1
    assert "Gateway edge-us/web" in told
    assert "Gateway edge-eu/web" not in told


def test_what_breaks_one_is_told_up_to_a_hundred(empty: Shell) -> None:
    assertion = """\
    - {name: many, forEach: {each: "NUMBERS"}, that: "each < 0", message: "no ${each}"}
    """
    status, told = checked(empty, assertion.replace("NUMBERS", NUMBERS))
    assert status == 1
    assert told.count("SR2813") == 101
    assert "it is violated more than 100 times on a spoke" in told


def test_assertions_times_routes_have_a_bound(
    empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expressions, "MAX_WORK", MAX_WORK // 10)
    asked = calls_of(monkeypatch, expressions.Scope, "truth")
    assertions = "".join(
        f"- {{name: a{i}, forEach: {{r: routes()}}, that: \"r.metadata.name != ''\", message: m}}\n"
        for i in range(300)
    )
    routes = [ROUTE.replace("name: cart", f"name: r{i}", 1) for i in range(20)]
    status, told = checked(empty, assertions, *routes)
    assert status == 1
    assert "error SR2843 Assertion a" in told
    assert "the assertions cost too much" in told
    assert told.count("SR2843") == 1
    assert 0 < len(asked) <= 12_000


def test_loops_in_loops_count_each_time_that_they_are_run(
    empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = calls_of(monkeypatch, expressions.Scope, "truth")
    numbers = f"[{', '.join(map(str, range(90)))}]"
    that = f"{numbers}.all(a, {numbers}.all(b, a + b >= 0))"
    assertions = "".join(
        f'- {{name: a{i}, forEach: {{i: "NUMBERS"}}, that: "{that}", message: m}}\n'
        for i in range(100)
    )
    status, told = checked(empty, assertions.replace("NUMBERS", NUMBERS))
    assert status == 1
    assert "the assertions cost too much" in told
    assert 0 < len(asked) <= 500


def test_all_that_breaks_them_is_told_up_to_five_thousand(empty: Shell) -> None:
    assertions = "".join(
        f'- {{name: a{i}, forEach: {{i: "NUMBERS"}}, that: "i < 0", message: "m ${{i}}"}}\n'
        for i in range(60)
    )
    status, told = checked(empty, assertions.replace("NUMBERS", NUMBERS))
    assert status == 1
    assert "the assertions are violated more than 5,000 times" in told
    assert told.count("SR2813") <= 5_060


def test_a_dozen_assertions_of_each_route_are_not_too_many(empty: Shell) -> None:
    assertions = "".join(
        f"- {{name: a{i}, forEach: {{p: paths()}}, that: \"p.name != ''\", message: m}}\n"
        for i in range(12)
    )
    routes = [ROUTE.replace("name: cart", f"name: r{i}", 1) for i in range(50)]
    assert checked(empty, assertions, *routes)[0] == 0
