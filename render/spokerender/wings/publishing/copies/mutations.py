"""Mutations: steps that change an object before it is copied, or its status before it is returned.

Source: kcp-dev/api-syncagent, internal/mutation. Unlike upstream's, templates here do not escape
HTML, and numbers stay exact between the steps.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.publishing import IMPROVED, UNMUTABLE
from spokerender.findings.results import Fault
from spokerender.formats import cel
from spokerender.model import FieldPath
from spokerender.model.shapes import Json
from spokerender.wings.publishing import gojson, jsonpaths
from spokerender.wings.publishing.config import published
from spokerender.wings.publishing.contexts import (
    Object,
    TemplateEngine,
    make_mutation_context,
    replace_matches,
)
from spokerender.wings.publishing.errors import PublishingError, errors_at
from spokerender.wings.publishing.jsonpaths import FoundValue


class AppliedStep(Struct, frozen=True):
    """A step that changed an object: the path of the step, and the object before the step."""

    field: FieldPath
    before: Object


class MutatedObject(Struct, frozen=True):
    """An object after its mutations, the steps that changed it, and notes about them."""

    object: dict[str, Any]
    steps: tuple[AppliedStep, ...] = ()
    notes: tuple[Fault, ...] = ()


def mutate_object(
    data: dict[str, Any],
    steps: Sequence[published.MutationStep],
    field: FieldPath,
    other: Object | None = None,
) -> MutatedObject:
    """Apply the steps in order, and return a new object.

    `field` is the path of the steps, which ends with their direction: spec or status. `other` is
    the object on the other side, if it is known. Raises `PublishingError` if a step is invalid, or
    fails on this object.
    """
    mutator = _Mutator(other)
    applied = []
    for index, step in enumerate(steps):
        before = data
        data = mutator.apply_step(data, step, (*field, index))
        if data is not before:
            applied.append(AppliedStep((*field, index), before))
    return MutatedObject(data, tuple(applied), tuple(dict.fromkeys(mutator.notes)))


class _Mutator:
    def __init__(self, other: Object | None) -> None:
        self.notes: list[Fault] = []
        self._other = other
        self._is_decoded = False

    def apply_step(
        self, data: dict[str, Any], step: published.MutationStep, field: FieldPath
    ) -> dict[str, Any]:
        name = next(name for name in type(step).model_fields if getattr(step, name))
        at, mechanism = (*field, name), getattr(step, name)
        with errors_at((*at, "path")):
            if isinstance(mechanism, published.DeleteStep):
                changed = jsonpaths.delete_path(data, mechanism.path)
            else:
                value = self._make_value(data, mechanism, at)
                changed = jsonpaths.put_path(data, mechanism.path, value)
            self._is_decoded = True
        if isinstance(changed, dict):
            return changed
        message = "the step replaces the object by something else"
        raise PublishingError(UNMUTABLE, message, "correct the path", (*at, "path"))

    def _make_value(
        self,
        data: Object,
        mechanism: published.RegexStep | published.TemplateStep | published.CelStep,
        at: FieldPath,
    ) -> Json:
        current = jsonpaths.get_path(data, mechanism.path)
        value = current.value if current is not None else None
        match mechanism:
            case published.RegexStep():
                return self._replace(value, mechanism, (*at, "pattern"))
            case published.TemplateStep():
                return self._render(current, data, mechanism.template, (*at, "template"))
        variables = {"value": value, "self": data, "other": self._other}
        # After a step the agent has read its own JSON, in which every number is a double.
        exact = ("other",) if self._is_decoded else ("self", "other")
        with errors_at((*at, "expression")):
            return cel.computed(mechanism.expression, variables, exact)

    def _replace(self, value: Json, step: published.RegexStep, at: FieldPath) -> str:
        text = jsonpaths.format_result(value)
        is_json = isinstance(value, dict | list) and step.pattern
        if is_json and gojson.encode(text) != gojson.encode(text, escape_html=False):
            message = "the live agent matches <, > and & escaped as \\u003c; here they are matched"
            self.notes.append(Fault(IMPROVED, f"{message} as they are", "", at))
        return replace_matches(text, step, at)

    def _render(
        self, current: FoundValue | None, data: Object, template: str, at: FieldPath
    ) -> str:
        # Upstream's `LocalObject` is always the mutated object; up to v0.2 it was the local one.
        context = make_mutation_context(current, data, self._other)
        engine = TemplateEngine(is_mutating=True)
        rendered = engine.render(template, context, at, missing="")
        if rendered.is_escapable:
            message = "the live agent escapes this text as HTML; here it stays as it is"
            self.notes.append(Fault(IMPROVED, message, "", at))
        return rendered.text
