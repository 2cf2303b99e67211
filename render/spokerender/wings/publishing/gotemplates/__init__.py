"""Go's text/template with the repeatable functions of sprig, written here as no library has it.

A pure function of its text and its values: functions that read the clock, random numbers, the
environment or the network are refused, and so are `define`, `block` and `template`. Text is not
HTML-escaped, numbers stay exact, and a missing value is an error and never `<no value>`.
"""

from __future__ import annotations

from spokerender.wings.publishing.gotemplates.rendering import (
    GoTemplate,
    RenderedText,
    compile_go_template,
)
from spokerender.wings.publishing.gotemplates.values import (
    GoStruct,
    GoTemplateError,
    MissingValueError,
    TemplateFunction,
)

__all__ = [
    "GoStruct",
    "GoTemplate",
    "GoTemplateError",
    "MissingValueError",
    "RenderedText",
    "TemplateFunction",
    "compile_go_template",
]
