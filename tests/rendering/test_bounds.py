"""What a placement can make of a hub has a bound: spokes times rules, objects times overrides."""

from typing import Any

import pytest

from spokerender.findings.errors import InputBudget, InputError
from spokerender.rendering import overrides
from spokerender.rendering.bundles import bundler
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
    assert "applying its overrides takes more than" in refused("SR1606", error)
    assert 1_000 < len(applied) < 6_000


def test_overrides_of_one_object(monkeypatch: pytest.MonkeyPatch) -> None:
    applied = calls_of(monkeypatch, overrides, "applied")
    with pytest.raises(InputError) as error:
        render([CLASS, GATEWAY], EVERYWHERE, overrides=merging("Gateway", 1_000))
    assert refused("SR1606", error) == (
        "applying its overrides takes more than the limit of 205,000 steps"
    )
    assert len(applied) < 1_000


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
    spokes = "".join(f"- name: s{i}\n" for i in range(101))
    with pytest.raises(InputError) as error:
        render([CLASS, GATEWAY], EVERYWHERE * 101, spokes=spokes)
    assert refused("SR1411", error) == (
        "placing 1 gateways on 101 spokes 10,201 times takes more than the limit of 10,101 steps"
    )


def test_gateways_on_spokes() -> None:
    spokes = "".join(f"- name: s{i}\n" for i in range(800))
    gateways = [GATEWAY.replace("name: web", f"name: web{i}") for i in range(800)]
    names = ", ".join(f"infra/web{i}" for i in range(800))
    rules = f"- {{gateways: {{names: [{names}]}}, spokes: {{all: true}}}}\n"
    with pytest.raises(InputError) as error:
        render([CLASS, *gateways], rules, spokes=spokes)
    assert refused("SR1411", error) == (
        "placing 800 gateways on 800 spokes 640,000 times takes more than the limit of "
        "580,000 steps"
    )


def test_what_an_override_may_take_grows_with_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_constant(limit: int, *more: Any) -> InputBudget:
        return InputBudget(limit - 200_000, *more)

    monkeypatch.setattr(bundler, "InputBudget", without_constant)
    assert render([CLASS, GATEWAY, *ROUTES], EVERYWHERE, overrides=merging("HTTPRoute", 1)).bundles
