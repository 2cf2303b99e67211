"""`metapolicies` lists the definitions, `query` asks a topology."""

import json
from pathlib import Path

import pytest

from tests.cli.project import Shell
from tests.support import cases, rows_of
from tests.support.metapolicies import QUOTA, ROUTE, RULES, definition, limits
from tests.support.stages import CLASS, GATEWAY, hub, placement


@pytest.fixture
def quotas(empty: Shell) -> Shell:
    folder = Path(empty.folder)
    (folder / "hub").mkdir()
    (folder / "hub" / "hub.yaml").write_text(hub(CLASS, GATEWAY, ROUTE, QUOTA), encoding="utf-8")
    (folder / "placement.yaml").write_text(placement(RULES), encoding="utf-8")
    (folder / "fleet.yaml").write_text(
        "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nspec: {metapolicies: quota.yaml}\n",
        encoding="utf-8",
    )
    (folder / "quota.yaml").write_text(definition(limits()), encoding="utf-8")
    return empty


def test_a_project_without_definitions_is_told_so(shell: Shell) -> None:
    done = shell.run("metapolicies")
    assert (done.status, done.out) == (
        0, "no metapolicies: spec.metapolicies in fleet.yaml names no definition\n",
    )  # fmt: skip


def test_definitions_are_listed_with_what_they_read_and_write(quotas: Shell) -> None:
    done = quotas.run("metapolicies")
    assert (done.status, done.out) == (
        0,
        (
            "quota  QuotaPolicy.acme.example (declarative, quota.yaml:1)\n"
            "  reads   nothing\n"
            "  writes  RateLimitPolicy.kuadrant.io\n"
            "  QuotaPolicy shop/fair: stays behind\n"
        ),
    )
    told = json.loads(quotas.run("metapolicies", "--format", "json").out)
    assert told["metapolicies"][0]["objects"] == ["QuotaPolicy shop/fair"]


def test_a_query_is_answered_spoke_by_spoke(quotas: Shell) -> None:
    asked = "gateways()[0].metadata.namespace"
    assert quotas.run("query", asked).out == 'On eu\n"edge-eu"\nOn us\n"edge-us"\n'
    assert quotas.run("query", asked, "--spoke", "us").out == '"edge-us"\n'
    told = json.loads(quotas.run("query", "routes().size()", "--format", "json").out)
    assert told == {"answers": [{"spokes": ["eu", "us"], "value": 1}]}
    me = ("--self", "RateLimitPolicy/shop/fair-limits", "--spoke", "eu")
    assert quotas.run("query", "self.findHostnames()", *me).out == '[\n  "cart.eu.example"\n]\n'


@cases(*rows_of(__file__, "a_query_that_is_none_is_refused"))
def test_a_query_that_is_none_is_refused(
    arguments: tuple[str, ...], message: str, quotas: Shell
) -> None:
    done = quotas.run("query", *arguments)
    assert done.status == 2
    assert message in done.err


def test_a_version_of_kuadrant_that_is_not_known_is_refused(quotas: Shell) -> None:
    fleet = Path(quotas.folder) / "fleet.yaml"
    text = fleet.read_text(encoding="utf-8")
    fleet.write_text(text.replace("quota.yaml}", "quota.yaml, kuadrantVersion: 1.6.0}"))
    done = quotas.run("build")
    assert done.status == 2
    assert "Kuadrant's operator 1.6.0 is unknown" in done.err
    fleet.write_text(text.replace("quota.yaml}", "quota.yaml, kuadrantVersion: 1.5.2}"))
    listed = quotas.run("metapolicies").out
    assert [line.split()[0] for line in listed.splitlines() if not line.startswith(" ")] == [
        "oidcpolicy",
        "planpolicy",
        "quota",
    ]
