"""Mutations: steps that change an object on its way.

Source: kcp-dev/api-syncagent, internal/mutation. Two of its accidents are not copied: templates do
not escape HTML, and numbers stay exact between the steps.
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
from spokerender.wings.publishing.config.published import main
from spokerender.wings.publishing.contexts import (
    Object,
    TemplateEngine,
    make_mutation_context,
    replace_matches,
)
from spokerender.wings.publishing.errors import PublishingError, errors_at
from spokerender.wings.publishing.jsonpaths import FoundValue
from spokerender.wings.publishing.profiles import Profile


class AppliedStep(Struct, frozen=True):
    """A step that changed an object: its path, and the object before it."""

    field: FieldPath
    before: Object


class MutatedObject(Struct, frozen=True):
    """An object after its mutations, the steps that changed it, and notes about them."""

    object: dict[str, Any]
    steps: tuple[AppliedStep, ...] = ()
    notes: tuple[Fault, ...] = ()


def mutate_object(
    data: dict[str, Any],
    steps: Sequence[main.MutationStep],
    field: FieldPath,
    profile: Profile,
    other: Object | None = None,
) -> MutatedObject:
    """Apply the steps in order to an object, which is not changed.

    `field` is the path of the steps, which ends with their direction: spec or status. `other` is
    the object on the other side, if it is known. Raises `PublishingError` if a step is invalid, or
    fails on this object.
    """
    mutator = _Mutator(profile, data, other, is_status=field[-1] == "status")
    applied = []
    for index, step in enumerate(steps):
        before = data
        data = mutator.apply_step(data, step, (*field, index))
        if data is not before:
            applied.append(AppliedStep((*field, index), before))
    return MutatedObject(data, tuple(applied), tuple(dict.fromkeys(mutator.notes)))


class _Mutator:
    def __init__(
        self, profile: Profile, original: Object, other: Object | None, *, is_status: bool
    ) -> None:
        self.notes: list[Fault] = []
        self._profile = profile
        self._original = original
        self._other = other
        self._is_status = is_status
        self._is_decoded = False

    def apply_step(
        self, data: dict[str, Any], step: main.MutationStep, field: FieldPath
    ) -> dict[str, Any]:
        name = next(name for name in type(step).model_fields if getattr(step, name))
        at, mechanism = (*field, name), getattr(step, name)
        with errors_at((*at, "path")):
            if isinstance(mechanism, main.DeleteStep):
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
        mechanism: main.RegexStep | main.TemplateStep | main.CelStep,
        at: FieldPath,
    ) -> Json:
        current = jsonpaths.get_path(data, mechanism.path)
        is_read = not isinstance(mechanism, main.CelStep) and getattr(mechanism, "pattern", True)
        if current is None and is_read and self._profile.refuses_missing:
            message = "the path leads to nothing in this object, which v0.2 refuses"
            raise PublishingError(UNMUTABLE, message, "set the field first", (*at, "path"))
        value = current.value if current is not None else None
        match mechanism:
            case main.RegexStep():
                return self._replace(value, mechanism, (*at, "pattern"))
            case main.TemplateStep():
                return self._render(current, data, mechanism.template, (*at, "template"))
        variables = {"value": value, "self": data, "other": self._other}
        # After a step the agent has read its own JSON, in which every number is a double.
        exact = ("other",) if self._is_decoded else ("self", "other")
        with errors_at((*at, "expression")):
            return cel.computed(mechanism.expression, variables, exact)

    def _replace(self, value: Json, step: main.RegexStep, at: FieldPath) -> str:
        text = jsonpaths.format_result(value)
        is_json = isinstance(value, dict | list) and step.pattern
        if is_json and gojson.encode(text) != gojson.encode(text, escape_html=False):
            message = "the live agent matches <, > and & escaped as \\u003c; here they are matched"
            self.notes.append(Fault(IMPROVED, f"{message} as they are", "", at))
        return replace_matches(text, step, at)

    def _render(
        self, current: FoundValue | None, data: Object, template: str, at: FieldPath
    ) -> str:
        sides: tuple[Object | None, Object | None] = (data, self._other)
        if self._profile.original_remote:
            # In v0.2 the sides are what their names say, as they were before the first step.
            original, other = self._original, self._other
            sides = (original, other) if self._is_status else (other, original)
        context = make_mutation_context(current, *sides)
        engine = TemplateEngine(self._profile, is_mutating=True)
        rendered = engine.render(template, context, at, missing="")
        if rendered.is_escapable:
            message = "the live agent escapes this text as HTML; here it stays as it is"
            self.notes.append(Fault(IMPROVED, message, "", at))
        return rendered.text
