"""Mutations: steps that change an object on its way.

Source: kcp-dev/api-syncagent, internal/mutation. Two of its accidents are not copied: templates do
not escape HTML, and numbers stay exact between the steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.publishing import BAD_EXPRESSION, BAD_PATH, IMPROVED, UNMUTABLE
from spokerender.findings.results import Fault
from spokerender.formats import cel
from spokerender.model import FieldPath
from spokerender.wings.publishing import gojson, jsonpaths
from spokerender.wings.publishing.config.published.main import MutationStep
from spokerender.wings.publishing.contexts import (
    TemplateEngine,
    make_mutation_context,
    replace_matches,
)
from spokerender.wings.publishing.errors import PublishingError
from spokerender.wings.publishing.gojson import Json
from spokerender.wings.publishing.gotemplates.values import GoStruct
from spokerender.wings.publishing.jsonpaths import FoundValue
from spokerender.wings.publishing.jsonpaths.paths import JsonPathError
from spokerender.wings.publishing.profiles import Profile

Object = Mapping[str, Any]


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
    steps: Sequence[MutationStep],
    field: FieldPath,
    profile: Profile,
    other: Object | None = None,
) -> MutatedObject:
    """Apply the steps in order.

    Args:
        data: the object; it is not changed.
        steps: the steps of one direction.
        field: the path of the steps, which ends with their direction: spec or status.
        profile: the release to follow.
        other: the object on the other side, if it is known.

    Raises:
        PublishingError: a step is invalid, or fails on this object.

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
    """Applies single steps to an object, and collects notes."""

    def __init__(
        self, profile: Profile, original: Object, other: Object | None, *, is_status: bool
    ) -> None:
        self.notes: list[Fault] = []
        self._profile = profile
        self._original = original
        self._other = other
        self._is_status = is_status

    def apply_step(
        self, data: dict[str, Any], step: MutationStep, field: FieldPath
    ) -> dict[str, Any]:
        mechanism = next(name for name in type(step).model_fields if getattr(step, name))
        at = (*field, mechanism)
        path = getattr(step, mechanism).path
        try:
            if step.delete is not None:
                return _require_object(jsonpaths.delete_path(data, path), at)
            current = jsonpaths.get_path(data, path)
            self._require_value(current, step, at)
            value: Json
            if step.regex is not None:
                value = self._replace(current, step.regex.pattern, step.regex.replacement, at)
            elif step.template is not None:
                value = self._render(current, data, step.template.template, at)
            else:
                assert step.cel is not None  # noqa: S101  (exactly one is set)
                value = self._compute(current, data, step.cel.expression, at)
            return _require_object(jsonpaths.put_path(data, path, value), at)
        except JsonPathError as error:
            cure = "correct the path"
            raise PublishingError(BAD_PATH, str(error), cure, (*at, "path")) from error

    def _require_value(self, current: FoundValue | None, step: MutationStep, at: FieldPath) -> None:
        """Refuse a path that leads to nothing, if the profile does and the step reads it."""
        is_read = step.template is not None or (step.regex is not None and step.regex.pattern)
        if current is None and is_read and self._profile.refuses_missing:
            message = "the path leads to nothing in this object, which v0.2 refuses"
            raise PublishingError(UNMUTABLE, message, "set the field first", (*at, "path"))

    def _replace(
        self, current: FoundValue | None, pattern: str, replacement: str, at: FieldPath
    ) -> str:
        value = current.value if current is not None else None
        text = jsonpaths.format_result(value)
        is_container = isinstance(value, dict | list)
        if (
            is_container
            and pattern
            and gojson.encode(text) != gojson.encode(text, escape_html=False)
        ):
            message = "the live agent matches <, > and & escaped as \\u003c; here they are matched"
            self.notes.append(Fault(IMPROVED, f"{message} as they are", "", (*at, "pattern")))
        return replace_matches(text, pattern, replacement, (*at, "pattern"))

    def _render(
        self, current: FoundValue | None, data: Object, template: str, at: FieldPath
    ) -> str:
        context = self._make_context(current, data)
        engine = TemplateEngine(self._profile)
        rendered = engine.render(template, context, (*at, "template"), missing="")
        if rendered.is_escapable:
            message = "the live agent escapes this text as HTML; here it stays as it is"
            self.notes.append(Fault(IMPROVED, message, "", (*at, "template")))
        return rendered.text

    def _make_context(self, current: FoundValue | None, data: Object) -> GoStruct:
        if not self._profile.original_remote:
            return make_mutation_context(current, data, self._other)
        # In v0.2 the sides are what their names say, as they were before the first step.
        local, remote = self._other, self._original
        if self._is_status:
            local, remote = remote, local
        return make_mutation_context(current, local, remote)

    def _compute(
        self, current: FoundValue | None, data: Object, expression: str, at: FieldPath
    ) -> Json:
        value = current.value if current is not None else None
        try:
            return cel.computed(expression, {"value": value, "self": data, "other": self._other})
        except cel.UnevaluableError as error:
            cure = "correct the expression"
            raise PublishingError(BAD_EXPRESSION, str(error), cure, (*at, "expression")) from error


def _require_object(value: Json, at: FieldPath) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    message = "the step replaces the object by something else"
    raise PublishingError(UNMUTABLE, message, "correct the path", (*at, "path"))
