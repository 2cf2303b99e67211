"""What a definition makes is what an API server has, and what is rendered: no Secret, no list."""

import gc
import weakref
from typing import Any

import pytest

from spokerender.formats.cel.library import LibraryProgram
from spokerender.wings.metapolicies import amending, queries
from spokerender.wings.metapolicies.topology_view import TopologyView
from tests.support import cases, rows_of
from tests.support.counting import calls_of
from tests.support.metapolicies import QUOTA, ROUTE, definition, limits, rendered
from tests.support.stages import CLASS, EVERYWHERE, GATEWAY, render, told

KIND, NAME = "kind: RateLimitPolicy", 'name: "${self.metadata.name}-limits"'
API = "apiVersion: kuadrant.io/v1"


@cases(*rows_of(__file__, "what_is_made_is_what_an_api_server_takes"))
def test_what_is_made_is_what_an_api_server_takes(old: str, new: str, message: str) -> None:
    template = limits()
    assert old in template
    found = rendered(definition(template.replace(old, new)))
    assert message in "".join(told(found.results, "SR2808"))


@cases(*rows_of(__file__, "no_secret_is_made_by_any_name"))
def test_no_secret_is_made_by_any_name(api_version: str, kind: str, message: str) -> None:
    template = limits().replace(API, f"apiVersion: {api_version}").replace(KIND, f"kind: {kind}")
    assert message in "".join(told(rendered(definition(template)).results, "SR2808"))


CLAIMING = """\
change:
- objects: routes()
  merge: {metadata: {annotations: {a/b: x}}}
"""


def test_what_metapolicies_change_together_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each metapolicy may change each route: a product, unless they may ask for too much."""
    carried_out = calls_of(monkeypatch, amending, "merge")
    routes = [ROUTE.replace("name: cart", f"name: r{i}", 1) for i in range(150)]
    policies = [QUOTA.replace("name: fair", f"name: m{i}") for i in range(150)]
    found = rendered(definition(CLAIMING), ROUTE, *routes, *policies)
    assert "cost too much" in "".join(told(found.results, "SR2843"))
    assert len(carried_out) < 150 * 150


def test_a_loop_over_a_long_list_that_reads_it_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = calls_of(monkeypatch, LibraryProgram, "evaluate")
    numbers = ", ".join(map(str, range(5_000)))
    policy = f"{QUOTA}  long: [{numbers}]\n"
    looping = """\
    make:
    - object:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: a}
        data: {$forEach: {each: spec.long}, "${string(each)}": "${string(spec.long[0])}"}
    """
    found = rendered(definition(looping), ROUTE, policy)
    assert "cost too much" in "".join(told(found.results, "SR2843"))
    assert 0 < len(asked) < 5_000


def test_what_looked_around_is_freed_without_looking_for_cycles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run looks for none, and there is one for each metapolicy and spoke."""
    alive: weakref.WeakSet[TopologyView] = weakref.WeakSet()
    begin = TopologyView.__init__

    def beginning(self: TopologyView, *arguments: Any) -> None:
        begin(self, *arguments)
        alive.add(self)

    monkeypatch.setattr(TopologyView, "__init__", beginning)
    policies = [QUOTA.replace("name: fair", f"name: m{i}") for i in range(20)]
    gc.disable()
    try:
        assert len(rendered(definition(limits()), ROUTE, *policies).bundles) > 1
        assert len(alive) < 5
    finally:
        gc.enable()


def test_spokes_that_share_a_blueprint_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = calls_of(monkeypatch, queries, "fill_bundle")
    spokes = "".join(f"- name: s{i}\n" for i in range(50))
    found = render([CLASS, GATEWAY], EVERYWHERE, spokes=spokes)
    (answer,) = queries.answer_query(found, found.bundles.values(), "gateways().size()", "")
    assert (answer.value, len(answer.spokes), len(looked)) == (1, 50, 1)
