"""Pages of HTML from templates of our own: every value is escaped, unless it is marked as ours."""

from collections.abc import Callable, Mapping

from spokerender.model.shapes import Json


def render_page(text: str, context: Mapping[str, Json], clean: Callable[[str], str]) -> str:
    """Render a template; a text in `context` is cleaned and escaped, unless it is trusted HTML."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415  (it takes 45 ms to import)

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    return environment.from_string(text).render(context)


def trusted_html(text: str) -> str:
    """Return a text that is HTML of ours, in which whatever came from elsewhere is escaped."""
    from markupsafe import Markup  # noqa: PLC0415  (jinja2 brings it)

    return Markup(text)  # noqa: S704  (it says so)
