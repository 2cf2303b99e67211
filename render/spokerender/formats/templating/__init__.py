"""Jinja2 expressions in short values, and Jinja2 files for delivery: the only door to jinja2.

jinja2 is imported when something needs it: a value that only looks names up does not.
"""

from spokerender.formats.templating.template import (
    Template,
    compile_template,
    is_template,
    render_file,
)
from spokerender.formats.templating.values import TemplateProblem

__all__ = ["Template", "TemplateProblem", "compile_template", "is_template", "render_file"]
