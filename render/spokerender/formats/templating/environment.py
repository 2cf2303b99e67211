"""Jinja2's sandbox, with data before methods, and words for what is not there."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

from jinja2 import StrictUndefined, UndefinedError
from jinja2.exceptions import TemplateRuntimeError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import missing

from spokerender.findings.phrasing import describe, did_you_mean
from spokerender.formats.templating import costs
from spokerender.formats.templating.values import TemplateProblem, as_json
from spokerender.model.budget import Budget
from spokerender.model.shapes import Json

_MOST_WORK = 30_000_000
"""Characters in one file and all that it is made of; thousands of spokes need a tenth."""


class MissingNameError(UndefinedError):
    """A name that is not there was used; keeps where it was looked for."""

    def __init__(self, owner: object, name: object, message: str) -> None:
        """Remember `owner`, Jinja2's `missing` for a variable, and the `name` looked up in it."""
        super().__init__(message)
        self.owner = owner
        self.name = name

    def explain(self, context: Mapping[str, Json]) -> str:
        """Describe what is missing, and what exists instead."""
        if self.owner is missing:
            if self.name is None:
                return str(self.message)
            hint = did_you_mean(str(self.name), context, "there are")
            return f'"{self.name}" is not defined; {hint or "nothing is"}'
        if not isinstance(self.owner, Mapping):
            return f'{describe(self.owner)} has no "{self.name}"'
        hint = did_you_mean(str(self.name), map(str, self.owner), "it has")
        place = next(_places(self.owner, context), "the mapping")
        return f'{place} has no "{self.name}"; {hint or "it is empty"}'


def _places(mapping: object, data: Mapping[str, Json], prefix: str = "") -> Iterator[str]:
    """Yield the dotted paths of a mapping, found by identity."""
    for key, value in data.items():
        if isinstance(value, Mapping):
            if value is mapping:
                yield f"{prefix}{key}"
            yield from _places(mapping, value, f"{prefix}{key}.")


class _Undefined(StrictUndefined):
    """Strict, and raises a `MissingNameError` instead of Jinja2's finished sentence."""

    __slots__ = ()

    def __init__(
        self,
        hint: str | None = None,
        obj: object = missing,
        name: str | None = None,
        exc: type[TemplateRuntimeError] = UndefinedError,
    ) -> None:
        if exc is UndefinedError:
            exc = cast("type[TemplateRuntimeError]", partial(MissingNameError, obj, name))
        super().__init__(hint, obj, name, exc)


class PlainEnvironment(ImmutableSandboxedEnvironment):
    """A mapping's keys are its attributes, whatever methods it has."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  (Jinja2's own options)
        # What Jinja2 calculates while it compiles passes by every limit.
        super().__init__(
            undefined=_Undefined, keep_trailing_newline=True, optimized=False, **options
        )
        self.filters.pop("random")
        self.globals.pop("lipsum")
        self.filters["tojson"] = as_json

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401  (as Jinja2 has it)
        """Return a mapping's key; for other objects what the sandbox allows."""
        if not isinstance(obj, Mapping):
            return super().getattr(obj, attribute)
        return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)


class FileEnvironment(PlainEnvironment):
    """For files: statements and calls, as many as the budget allows."""

    intercepted_binops = frozenset({"+", "-", "*", "**", "%"})
    code_generator_class = costs.Counting

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  (Jinja2's own options)
        self.budget = Budget(_MOST_WORK)
        super().__init__(**options, finalize=self._shown)
        self.globals["range"] = self._range
        costs.pay_for_all(self.filters, self.budget)
        costs.pay_for_all(self.tests, self.budget)

    def counted(self) -> bool:
        """Pay for a turn of a loop, or a call."""
        self.budget.spend(costs.STEP, "repeating a part of the template")
        return True

    def concat(self, pieces: Iterable[str]) -> str:
        """Put together what a template, a macro or a block has written."""
        return costs.join(self.budget, pieces)

    def joined(self, values: Sequence[Json]) -> str:
        """Join values as `~` does."""
        return costs.join(self.budget, map(str, map(self._shown, values)))

    def _shown(self, value: Json) -> Json:
        costs.look(self.budget, value)
        return value

    def _range(self, *bounds: int) -> range:
        numbers = range(*bounds)
        self.budget.spend(costs.STEP * len(numbers), "range()")
        return numbers

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401  (as Jinja2 has it)
        """Return an attribute; for a text only methods that make nothing larger."""
        return super().getattr(obj, self._allowed(obj, attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:  # noqa: ANN401  (as Jinja2 has it)
        """Return an item, with the same limits as attributes."""
        return super().getitem(obj, self._allowed(obj, argument))

    @staticmethod
    def _allowed(obj: object, attribute: Json) -> Json:
        is_method = isinstance(obj, str) and isinstance(attribute, str)
        # The sandbox refuses private names.
        if is_method and attribute not in costs.METHODS and not attribute.startswith("_"):
            message = f'"{attribute}" of a text is not allowed; there are filters, and ~'
            raise TemplateProblem(message)
        return attribute

    def call(self, context: Context, obj: Any, /, *given: Any, **named: Any) -> Any:  # noqa: ANN401
        """Call a macro or a method, which looks at all that it is given."""
        for each in (getattr(obj, "__self__", None), *given, *named.values()):
            costs.look(self.budget, each)
        return super().call(context, obj, *given, **named)

    def call_binop(self, context: Context, operator: str, left: Json, right: Json) -> Json:
        """Calculate what is not too large."""
        costs.pay_for_operator(self.budget, operator, left, right)
        return super().call_binop(context, operator, left, right)


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
