"""The expressions of a placement: each compiled once, and evaluated so often at most.

Spokes times what is said of each is a product: half a file of either makes a million.
"""

from __future__ import annotations

from functools import cache

from spokerender.findings.codes.placement import TOO_MANY_EXPRESSIONS
from spokerender.findings.errors import InputError
from spokerender.formats.templating import Template, compile_template

MOST = 300_000
"""Evaluations; a thousand spokes with three hundred expressions each."""


class Expressions:
    """Gives the compiled expressions of a fleet to whoever evaluates them."""

    def __init__(self) -> None:
        """Begin with none."""
        self._compiled = cache(compile_template)
        self._given = 0

    def __call__(self, text: str) -> Template:
        """The expression, to be evaluated once.

        Raises:
            InputError: more have been evaluated than a fleet may have.
            TemplateProblem: it is none.

        """
        self._given += 1
        if self._given > MOST:
            raise InputError(
                (
                    TOO_MANY_EXPRESSIONS.result(
                        f"more than {MOST:,} expressions to evaluate: one for each place, spoke "
                        "and object",
                        cure="say what is the same for all spokes without an expression, or split "
                        "the placement into several projects",
                    ),
                )
            )
        return self._compiled(text)
