"""Expressions of a placement: each is compiled once, and the number of evaluations is limited.

Evaluations are spokes times expressions: a thousand of each, in a small file, are a million.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from spokerender.findings.codes.placement import TOO_MANY_EXPRESSIONS
from spokerender.findings.errors import InputBudget
from spokerender.formats.templating.template import Template, compile_template, is_template
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import Json


class Expressions:
    """The compiled expressions of a fleet, with a budget for evaluating them."""

    def __init__(self) -> None:
        # A cache for this fleet only: a global cache would keep the texts of every fleet.
        self._compiled = cache(compile_template)
        self._budget = InputBudget(
            300_000,
            TOO_MANY_EXPRESSIONS,
            "write without an expression what is the same for all spokes, or split the placement "
            "into several projects",
        )

    def __call__(self, text: str) -> Template:
        """Return the compiled expression, and count one evaluation.

        Raises `InputError` if the fleet's evaluations exceed the budget, `TemplateProblem` if the
        text is no valid expression.
        """
        self._budget.spend(1, "evaluating expressions for each place, spoke and object")
        return self._compiled(text)


def evaluate_texts(
    value: Json,
    evaluated: Callable[[str, FieldPath], Any],
    place: FieldPath = (),
) -> Json:
    """Return `value` with each text that has expressions replaced by `evaluated(text, path)`."""
    if isinstance(value, str):
        return evaluated(value, place) if is_template(value) else value
    if isinstance(value, Mapping):
        return {key: evaluate_texts(item, evaluated, (*place, key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [evaluate_texts(item, evaluated, (*place, i)) for i, item in enumerate(value)]
    return value
