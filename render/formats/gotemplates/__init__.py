"""Go's text/template with the functions of sprig that are repeatable: ours, as no library has it.

A pure function of its text and its values: clock, chance, environment and network are refused,
and so are `define`, `block` and `template`. Text is not HTML-escaped, numbers stay exact, and a
value that is missing is told, never printed as `<no value>`.
"""

from __future__ import annotations

from render.formats.gotemplates.problems import MissingValueProblem, TemplateProblem
from render.formats.gotemplates.rows import Function
from render.formats.gotemplates.template import Made, Template, compile_template
from render.formats.gotemplates.values import Record

__all__ = [
    "Function",
    "Made",
    "MissingValueProblem",
    "Record",
    "Template",
    "TemplateProblem",
    "compile_template",
]
