"""Short values with expressions, compiled once for all spokes, and whole files for delivery.

Both use Jinja2, which is imported when it is needed; a value that only looks up names does not need
it.
"""

import re
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct

from spokerender.formats.templating import values
from spokerender.model.budget import BudgetSpentError
from spokerender.model.shapes import Json

Context: TypeAlias = Mapping[str, Any]
_Path: TypeAlias = tuple[str, ...]

_MARKS = ("{{", "{%", "{#")
# The form that nearly every value has: names and dots.
_LOOKUP = re.compile(r"\{\{ *([A-Za-z]\w*(?:\.[A-Za-z]\w*)+) *\}\}", re.ASCII)
_NOT_NAMES = frozenset(["true", "false", "none", "True", "False", "None", "not", "self", "super"])


class Template(Struct, frozen=True, eq=False):
    """A compiled text.

    `names` are the top-level variables that it uses. `evaluate(context)` returns its value: if the
    text is a single expression, the value of the expression with its type, else a text. The value
    is a copy, and JSON data; `TemplateProblem` is raised if there is no value.
    """

    text: str
    names: frozenset[str]
    evaluate: Callable[[Context], Json]


def is_template(text: str) -> bool:
    """Return whether a text has an expression, a comment, or a statement (which is refused)."""
    return "{" in text and any(mark in text for mark in _MARKS)


def compile_template(text: str) -> Template:
    """Return a compiled text with `{{ expressions }}`. Raises `TemplateProblem` if it is malformed.

    Expressions are Jinja2's, evaluated in a sandbox: no statements, calls or private names, no
    undefined names, and none of the filters that are unbounded or differ from run to run. A
    mapping's keys win over everything else: `spoke.values.items` is the key `items`.
    """
    # Literals and paths alternate, as `split` returns the groups as well.
    pieces = _LOOKUP.split(text)
    literals, paths = pieces[::2], [tuple(path.split(".")) for path in pieces[1::2]]
    names = frozenset(path[0] for path in paths)
    # Jinja2 gives these words a meaning of their own.
    if not paths or any(map(_is_odd, literals)) or names & _NOT_NAMES:
        return Template(text, *_sandboxed(text))
    if len(paths) == 1 and not any(literals):
        return Template(text, names, _without_jinja(text, partial(_look_up, path=paths[0])))
    join = partial(_join, literals=literals, paths=paths)
    return Template(text, names, _without_jinja(text, join))


def _is_odd(literal: str) -> bool:
    """Return whether Jinja2 might read a literal as more than plain text."""
    # A brace at the end would open an expression together with the next piece.
    return is_template(literal) or literal.endswith("{") or "\r" in literal


def _sandboxed(text: str) -> tuple[frozenset[str], Callable[[Context], Json]]:
    from spokerender.formats.templating import sandbox  # noqa: PLC0415  (jinja2 takes 45 ms to import)

    return sandbox.compile_text(text)


def _without_jinja(text: str, value_of: Callable[[Context], Json]) -> Callable[[Context], Json]:
    """Return a function that looks up names without Jinja2, which is loaded only for errors."""

    def evaluate(context: Context) -> Json:
        try:
            return values.copy_as_json(value_of(context))
        except (KeyError, TypeError, values.TemplateProblem):
            # The sandbox fails in the same way, and says why.
            return _sandboxed(text)[1](context)

    return evaluate


def _join(context: Context, literals: list[str], paths: list[_Path]) -> str:
    pieces = [literals[0]]
    for path, literal in zip(paths, literals[1:], strict=True):
        pieces += (values.write_as_text(values.copy_as_json(_look_up(context, path))), literal)
    values.expect_length(sum(map(len, pieces)))
    return "".join(pieces)


def _look_up(context: Context, path: _Path) -> Json:
    value: Json = context
    for key in path:
        value = value[key]
    return value


_FAULTS = (
    ArithmeticError,
    BudgetSpentError,
    LookupError,
    RecursionError,
    SyntaxError,  # of the Python that Jinja2 makes: twenty loops in each other are too many for it
    values.TemplateProblem,
    TypeError,
    ValueError,
)


def render_file(texts: Mapping[str, str], name: str, context: Mapping[str, Json]) -> str:
    """Return the rendered template `name`; `texts` has it and all templates that it includes.

    The sandbox refuses undefined names, but allows statements and calls, as the templates are the
    project's own. `tojson` writes a value so that YAML reads it back as it is. Raises
    `TemplateProblem`, whose message begins with the template's name and line.
    """
    import jinja2  # noqa: PLC0415  (it takes 45 ms to import)

    from spokerender.formats.templating.environment import (  # noqa: PLC0415  (as above)
        WORK_OF_FILE,
        DataEnvironment,
        MissingNameError,
    )

    environment = DataEnvironment(
        WORK_OF_FILE,
        # With its name as file name, Jinja2's tracebacks show a template.
        loader=jinja2.FunctionLoader(lambda n: (texts[n], n, None) if n in texts else None),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    try:
        return values.expect_encodable(environment.get_template(name).render(context))
    except jinja2.TemplateNotFound as error:
        message = f'{_place(error, texts, name)}: there is no template "{error.name}"'
    except jinja2.TemplateSyntaxError as error:
        message = f"{error.name or name}:{error.lineno}: {error.message}"
    except MissingNameError as failure:
        message = f"{_place(failure, texts, name)}: {failure.explain(context)}"
    except (jinja2.TemplateError, *_FAULTS) as error:
        message = f"{_place(error, texts, name)}: {error}"
    raise values.TemplateProblem(message)


def _place(error: BaseException, texts: Mapping[str, str], name: str) -> str:
    """Return the innermost template of an error and its line (`name:line`); `name` if unknown."""
    frames = traceback.walk_tb(error.__traceback__)
    lines = [(frame.f_code.co_filename, line) for frame, line in frames]
    places = [f"{template}:{line}" for template, line in lines if template in texts]
    return places[-1] if places else name
