"""Whole files from Jinja2 templates, for delivery; what they give is parsed back as YAML."""

from __future__ import annotations

import traceback
from collections.abc import Mapping

from spokerender.formats.templating.values import Json, TemplateProblem, whole
from spokerender.model.budget import BudgetSpentError

_FAULTS = (
    ArithmeticError,
    BudgetSpentError,
    LookupError,
    RecursionError,
    SyntaxError,  # of the Python that Jinja2 makes: twenty loops in each other are too many for it
    TemplateProblem,
    TypeError,
    ValueError,
)


def render_file(texts: Mapping[str, str], name: str, context: Mapping[str, Json]) -> str:
    """Render the template `name`; `texts` holds it and all that it includes, by name.

    Strict about undefined names and sandboxed, but with statements and calls: the texts are
    the project's own. `tojson` writes a value so that YAML reads it back as it is.
    Raises `TemplateProblem`, its message beginning with the template's name and line.
    """
    import jinja2  # noqa: PLC0415  (it takes 45 ms to import)

    from spokerender.formats.templating.environment import (  # noqa: PLC0415  (as above)
        FileEnvironment,
        MissingNameError,
    )

    environment = FileEnvironment(
        loader=jinja2.FunctionLoader(lambda wanted: _source(texts, wanted)),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    try:
        return whole(environment.get_template(name).render(context))
    except jinja2.TemplateNotFound as error:
        message = f'{_place(error, texts, name)}: there is no template "{error.name}"'
    except jinja2.TemplateSyntaxError as error:
        message = f"{error.name or name}:{error.lineno}: {error.message}"
    except MissingNameError as failure:
        message = f"{_place(failure, texts, name)}: {failure.explain(context)}"
    except (jinja2.TemplateError, *_FAULTS) as error:
        message = f"{_place(error, texts, name)}: {error}"
    raise TemplateProblem(message)


def _source(texts: Mapping[str, str], name: str) -> tuple[str, str, None] | None:
    """The text under its own name as file name, so that Jinja2's tracebacks name it."""
    return (texts[name], name, None) if name in texts else None


def _place(error: BaseException, texts: Mapping[str, str], name: str) -> str:
    """The innermost template and line that an error passed through."""
    frames = traceback.walk_tb(error.__traceback__)
    lines = [(frame.f_code.co_filename, line) for frame, line in frames]
    places = [f"{template}:{line}" for template, line in lines if template in texts]
    return places[-1] if places else name
