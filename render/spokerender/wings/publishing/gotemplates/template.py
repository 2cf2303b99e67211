"""A template from its text to what it makes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

from spokerender.wings.publishing.gotemplates.functions import FUNCTIONS
from spokerender.wings.publishing.gotemplates.lexer import tokens
from spokerender.wings.publishing.gotemplates.nodes import Body
from spokerender.wings.publishing.gotemplates.parser import parse
from spokerender.wings.publishing.gotemplates.problems import TemplateProblem
from spokerender.wings.publishing.gotemplates.rows import Function
from spokerender.wings.publishing.gotemplates.running import Run
from spokerender.wings.publishing.gotemplates.values import Record


class Made(Struct, frozen=True):
    """What came out; `escapable` where html/template would have escaped some of it."""

    text: str
    escapable: bool


class Template(Struct, frozen=True, eq=False):
    """A template that is read."""

    source: str
    body: Body
    functions: Mapping[str, Function]

    def render(self, data: Record, *, missing: str | None = None) -> Made:
        """Carry it out; a missing value is printed as `missing`.

        Raises `TemplateProblem`, `MissingValueProblem` where `missing` is None.
        """
        run = Run(self.functions, data, missing)
        try:
            run.body(self.body, data)
        except RecursionError as error:
            message = "a value is nested too deep"
            raise TemplateProblem(message) from error
        return Made("".join(run.made), run.escapable)


def compile_template(source: str, functions: tuple[Function, ...] = ()) -> Template:
    """Read a template; `functions` are known besides, or instead of those of their names.

    Raises `TemplateProblem` where it is none, or names a function that is not known.
    """
    return _compiled(source, functions)


@lru_cache(maxsize=1024)
def _compiled(source: str, functions: tuple[Function, ...]) -> Template:
    all_functions = {**FUNCTIONS, **{function.name: function for function in functions}}
    return Template(source, parse(tokens(source), all_functions), all_functions)
