"""Go's text/template with the functions of sprig that are repeatable: ours, as no library has it.

A pure function of its text and its values: clock, chance, environment and network are refused,
and so are `define`, `block` and `template`. Text is not HTML-escaped, numbers stay exact, and a
value that is missing is told, never printed as `<no value>`.
"""

from __future__ import annotations

from spokerender.wings.publishing.gotemplates.problems import MissingValueProblem, TemplateProblem
from spokerender.wings.publishing.gotemplates.rows import Function
from spokerender.wings.publishing.gotemplates.template import Made, Template, compile_template
from spokerender.wings.publishing.gotemplates.values import Record

__all__ = [
    "Function",
    "Made",
    "MissingValueProblem",
    "Record",
    "Template",
    "TemplateProblem",
    "compile_template",
]
