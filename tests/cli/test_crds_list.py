"""The CRDs that come along: what lists them, and a first hour with them, without a cluster."""

import json

from tests.cli.project import FLEET, ROUTES, Shell
from tests.support.crds import crd


def test_the_releases_are_listed(empty: Shell) -> None:
    done = empty.pass_silently("crds", "list")
    line = "kuadrant@RELEASE: Kuadrant, extensions.kuadrant.io, kuadrant.io\n  v1.5.0 v1.5.1"
    assert line in done.out
    products = json.loads(empty.run("crds", "list", "--format", "json").out)["products"]
    assert products["gateway-api"]["releases"]["v1.4.1"] == ["experimental", "standard"]


def test_the_first_hour_finds_mistakes_without_a_cluster(empty: Shell) -> None:
    """A wrong type, an unknown field and a broken rule, in what `init` made."""
    empty.succeed("init", "--spokes", "eu,us", "--delivery", "none", "--ci", "none")
    empty.succeed("check", "--strict")
    written = (empty.folder / "hub/shop.yaml").read_text(encoding="utf-8")
    wrong = written.replace("  apiKey:", "  priority: low\n        sort: 1\n        apiKey:")
    matches = "    - matches: [{path: {value: pay}}]\n      backendRefs"
    wrong = wrong.replace("    - backendRefs", matches)
    empty.write({"hub/shop.yaml": wrong})
    empty.succeed("build")
    done = empty.run("check")
    assert done.status == 1
    key = "AuthPolicy shop/shop spec.rules.authentication.api-key"
    assert f"hub/shop.yaml:32: error SR2301 {key}.priority: Invalid value" in done.err
    assert f"hub/shop.yaml:33: error SR2302 {key}.sort" in done.err
    path = "HTTPRoute shop/shop spec.rules[0].matches[0].path"
    assert f"hub/shop.yaml:14: error SR2303 {path}: Invalid value" in done.err
    assert done.err.endswith("3 errors\n")
    fleet = (empty.folder / "fleet.yaml").read_text(encoding="utf-8")
    empty.write({"fleet.yaml": fleet.replace("  crds:", "  # crds:")})
    assumed = empty.run("check")
    assert f'hub/shop.yaml:33: warning SR2313 {key}.sort: unknown field "spec.' in assumed.err


def test_an_own_crd_wins_over_a_named_release(shell: Shell) -> None:
    """That of the project takes what the release refuses; of the other kinds the release judges."""
    named = f"{FLEET}  crds: [gateway-api@1.4/standard, kuadrant@1.5]\n"
    auth = (shell.folder / "hub/auth.yaml").read_text(encoding="utf-8")
    shell.write({"hub/auth.yaml": f"{auth}  realm: short\n", "fleet.yaml": named})
    shell.run("build")
    assert "SR2302 AuthPolicy infra/closed spec.realm: unknown field" in shell.run("check").err
    shell.write({"own.yaml": crd()})
    shell.succeed("crds", "add", "own.yaml")
    text = (shell.folder / "fleet.yaml").read_text(encoding="utf-8")
    assert "crds: [gateway-api@1.4/standard, kuadrant@1.5, crds/]" in text
    done = shell.pass_silently("check")
    assert "validated" not in done.out
    (shell.folder / "crds/authpolicies.kuadrant.io.yaml").rename(shell.folder / "hub/crd.yaml")
    shell.write({"fleet.yaml": f"{FLEET}  crds: [kuadrant@1.5]\n"})
    done = shell.pass_silently("check")
    assert done.out.endswith(ROUTES)


def test_a_spoke_says_which_release_it_has(shell: Shell) -> None:
    """`retry` came to the standard channel after v1.4."""
    web = (shell.folder / "hub/web.yaml").read_text(encoding="utf-8")
    placement = (shell.folder / "placement.yaml").read_text(encoding="utf-8")
    old = "- name: eu\n    gatewayAPI: {bundle: v1.4.1, channel: standard}"
    shell.write(
        {
            "hub/web.yaml": f"{web}  rules: [{{retry: {{attempts: 2}}}}]\n",
            "placement.yaml": placement.replace("- name: eu", old),
        }
    )
    shell.run("build")
    done = shell.run("check")
    assert done.status == 1
    assert "error SR2302 HTTPRoute shop/shop spec.rules[0].retry: unknown field" in done.err
    assert "    on eu\n" in done.err
