"""What a placement can make of a hub has a bound: spokes times rules, objects times overrides."""

from __future__ import annotations

import pytest

from spokerender.findings.errors import InputError
from spokerender.rendering import overrides
from spokerender.rendering.bundles import allowance
from spokerender.rendering.placement import bounds
from tests.support.counting import calls_of
from tests.support.stages import CLASS, EVERYWHERE, GATEWAY, render, route

COUNT = 100
PARENTS = "[{name: web, namespace: infra}]"
ROUTES = [route(f"r{i}", PARENTS) for i in range(COUNT)]


def refused(code: str, error: pytest.ExceptionInfo[InputError]) -> str:
    (result,) = error.value.results
    assert result.code == code
    return result.message


def merging(kind: str, count: int) -> str:
    return "".join(
        f"- {{target: {{kind: {kind}}}, spokes: {{all: true}}, merge: {{spec: {{x{i}: 1}}}}}}\n"
        for i in range(count)
    )


def test_overrides_of_routes(monkeypatch: pytest.MonkeyPatch) -> None:
    applied = calls_of(monkeypatch, overrides, "applied")
    with pytest.raises(InputError) as error:
        render([CLASS, GATEWAY, *ROUTES], EVERYWHERE, overrides=merging("HTTPRoute", COUNT))
    assert "the overrides are applied to objects that together have" in refused("SR1606", error)
    assert 1_000 < len(applied) < 6_000


def test_overrides_of_one_object(monkeypatch: pytest.MonkeyPatch) -> None:
    applied = calls_of(monkeypatch, overrides, "applied")
    with pytest.raises(InputError) as error:
        render([CLASS, GATEWAY], EVERYWHERE, overrides=merging("Gateway", 1_000))
    assert refused("SR1606", error) == "1,000 overrides are applied to it, and may be 200"
    assert not applied


def test_operations_of_overrides(monkeypatch: pytest.MonkeyPatch) -> None:
    applied = calls_of(monkeypatch, overrides, "applied")
    operations = ", ".join(f"{{op: add, path: /spec/x{i}, value: 1}}" for i in range(1_000))
    override = f"- {{target: {{kind: HTTPRoute}}, spokes: {{all: true}}, patch: [{operations}]}}\n"
    with pytest.raises(InputError) as error:
        render([CLASS, GATEWAY, *ROUTES], EVERYWHERE, overrides=override)
    assert refused("SR1606", error)
    assert len(applied) < 20


def test_overrides_of_all_spokes_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spokes that have the same overrides without expressions share what is made of them."""
    evaluated = calls_of(monkeypatch, overrides.Evaluator, "evaluate")
    spokes = "".join(f"- name: s{i}\n" for i in range(COUNT))
    render([CLASS, GATEWAY], EVERYWHERE, spokes=spokes, overrides=merging("Gateway", COUNT))
    assert len(evaluated) == COUNT


def test_a_dozen_overrides_of_each_object_are_not_too_many() -> None:
    routes = [route(f"r{i}", PARENTS) for i in range(2 * COUNT)]
    rendered = render([CLASS, GATEWAY, *routes], EVERYWHERE, overrides=merging("HTTPRoute", 12))
    assert rendered.bundles


def test_rules_that_place_one_gateway_again_and_again() -> None:
    spokes = "".join(f"- name: s{i}\n" for i in range(bounds.MOST_TWICE // 100 + 1))
    with pytest.raises(InputError) as error:
        render([CLASS, GATEWAY], EVERYWHERE * 101, spokes=spokes)
    assert refused("SR1411", error) == (
        "the rules place 1 gateways on 101 spokes 10,201 times, and may 10,101 times"
    )


def test_gateways_on_spokes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_PLACED", 10)
    monkeypatch.setattr(bounds, "MOST_FOR_EACH", 1)
    few, many = ("".join(f"- name: s{i}\n" for i in range(count)) for count in (11, 30))
    rules = "- {gateways: {names: [infra/web]}, spokes: {all: true}}\n"
    assert render([CLASS, GATEWAY], rules, spokes=few).bundles
    gateways = [GATEWAY, GATEWAY.replace("name: web", "name: web2")]
    both = rules.replace("infra/web", "infra/web, infra/web2")
    with pytest.raises(InputError) as error:
        render([CLASS, *gateways], both, spokes=many)
    assert "2 gateways on 30 spokes 60 times, and may 42 times" in refused("SR1411", error)


def test_what_an_override_may_take_grows_with_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "MOST", 0)
    monkeypatch.setattr(allowance, "MOST_FOR_EACH", 2 * allowance.ONCE)
    assert render([CLASS, GATEWAY, *ROUTES], EVERYWHERE, overrides=merging("HTTPRoute", 1)).bundles
