"""How often the expressions of a placement are evaluated has a bound."""

import pytest

from spokerender.findings.errors import InputBudget, InputError
from spokerender.rendering import expressions
from tests.support.stages import CLASS, GATEWAY, render

SPOKES = 40
RULES = """\
- gateways: {names: [infra/web]}
  spokes: {all: true}
  as: {annotations: {example.com/a: "{{ spoke.name }}", example.com/b: "{{ spoke.name }}"}}
"""


def test_spokes_times_expressions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "InputBudget", lambda _, *more: InputBudget(50, *more))
    spokes = "".join(f"- name: s{i}\n" for i in range(SPOKES))
    with pytest.raises(InputError) as error:
        render([CLASS, GATEWAY], RULES, spokes=spokes)
    (result,) = error.value.results
    assert result.code == "SR1410"
    assert result.message == (
        "evaluating expressions for each place, spoke and object takes more than the limit of "
        "50 steps"
    )


def test_an_expression_is_compiled_once() -> None:
    found = expressions.Expressions()
    assert found("{{ spoke.name }}") is found("{{ spoke.name }}")
