"""Expressions of a placement: each is compiled once, and the number of evaluations is limited.

Evaluations are spokes times expressions: a thousand of each, in a small file, make a million.
"""

from functools import cache

from spokerender.findings.budget import InputBudget
from spokerender.findings.codes.placement import TOO_MANY_EXPRESSIONS
from spokerender.formats.templating.template import Template, compile_template


class Expressions:
    """The compiled expressions of a fleet, with a budget for evaluating them."""

    def __init__(self) -> None:
        self._compiled = cache(compile_template)
        self._budget = InputBudget(
            300_000,
            TOO_MANY_EXPRESSIONS,
            "write without an expression what is the same for all spokes, or split the placement "
            "into several projects",
        )

    def __call__(self, text: str) -> Template:
        """Return the compiled expression, to be evaluated once.

        Raises:
            InputError: a fleet may not evaluate so many.
            TemplateProblem: the text is not an expression.

        """
        self._budget.spend(1, "evaluating expressions for each place, spoke and object")
        return self._compiled(text)
