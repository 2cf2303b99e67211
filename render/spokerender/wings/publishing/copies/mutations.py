"""Mutations: steps that change an object on its way, one after the other.

Source: kcp-dev/api-syncagent, internal/mutation. Two of its accidents are not copied: templates do
not escape HTML, and numbers stay exact between the steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.publishing import (
    BAD_EXPRESSION,
    BAD_PATH,
    BAD_PATTERN,
    IMPROVED,
    UNMUTABLE,
)
from spokerender.findings.results import Fault
from spokerender.formats import cel
from spokerender.model import FieldPath
from spokerender.wings.publishing import gojson, jsonpaths, regexes
from spokerender.wings.publishing.config.published import MutationStep
from spokerender.wings.publishing.contexts import Engine, of_mutation
from spokerender.wings.publishing.gotemplates import GoStruct
from spokerender.wings.publishing.problems import Refused
from spokerender.wings.publishing.profiles import Profile

Object = Mapping[str, Any]


class Step(Struct, frozen=True):
    """What one step did: where it is written, and the object before it."""

    field: FieldPath
    before: Object


class Mutated(Struct, frozen=True):
    """An object after its mutations, what each of them did, and what is to be told of it."""

    object: dict[str, Any]
    steps: tuple[Step, ...] = ()
    told: tuple[Fault, ...] = ()


class Mutator:
    """Carries out the steps of one direction."""

    def __init__(self, profile: Profile, *, is_status: bool = False) -> None:
        """With `is_status` the steps are those on the way up."""
        self._profile = profile
        self._engine = Engine(profile)
        self._is_status = is_status

    def mutated(
        self,
        data: dict[str, Any],
        steps: Sequence[MutationStep],
        field: FieldPath,
        other: Object | None = None,
    ) -> Mutated:
        """Mutate; `field` leads to the steps, `other` is the object on the other side.

        Raises:
            Refused: a step is wrong, or fails on this object.

        """
        original, done, faults = data, [], list[Fault]()
        for index, step in enumerate(steps):
            before = data
            data = self._step(data, step, (*field, index), (original, other), faults)
            if data is not before:
                done.append(Step((*field, index), before))
        return Mutated(data, tuple(done), tuple(dict.fromkeys(faults)))

    def _step(
        self,
        data: dict[str, Any],
        step: MutationStep,
        field: FieldPath,
        sides: tuple[Object, Object | None],
        faults: list[Fault],
    ) -> dict[str, Any]:
        mechanism = next(name for name in type(step).model_fields if getattr(step, name))
        at = (*field, mechanism)
        settings = getattr(step, mechanism)
        try:
            if step.delete is not None:
                return _object(jsonpaths.delete_path(data, step.delete.path), at)
            found = jsonpaths.get_path(data, settings.path)
            if step.regex is not None:
                self._refuse_missing(found, step.regex.pattern != "", at)
                value: Any = _replaced(
                    found, step.regex.pattern, step.regex.replacement, at, faults
                )
            elif step.template is not None:
                self._refuse_missing(found, True, at)
                record = self._record(found, data, sides)
                value = self._templated(record, step.template.template, at, faults)
            else:
                assert step.cel is not None  # noqa: S101  (exactly one is set)
                value = _computed(found, step.cel.expression, data, sides[1], at)
            return _object(jsonpaths.put_path(data, settings.path, value), at)
        except jsonpaths.JsonPathError as problem:
            cure = "correct the path"
            raise Refused(BAD_PATH, str(problem), cure, (*at, "path")) from problem

    def _refuse_missing(
        self, found: jsonpaths.FoundValue | None, matters: bool, at: FieldPath
    ) -> None:
        if found is None and matters and self._profile.refuses_missing:
            message = "the path leads to nothing in this object, which v0.2 refuses"
            raise Refused(UNMUTABLE, message, "set the field first", (*at, "path"))

    def _record(
        self, found: jsonpaths.FoundValue | None, data: Object, sides: tuple[Object, Object | None]
    ) -> GoStruct:
        original, other = sides
        if not self._profile.original_remote:
            return of_mutation(found, data, other)
        # Each is what its name says, as before the first step.
        local, remote = (original, other) if self._is_status else (other, original)
        return of_mutation(found, local, remote)

    def _templated(
        self, record: GoStruct, template: str, at: FieldPath, faults: list[Fault]
    ) -> str:
        made = self._engine.made(template, record, (*at, "template"), missing="")
        if made.is_escapable:
            message = "the agent would escape this text as HTML; here it stays as it is"
            faults.append(Fault(IMPROVED, message, "", (*at, "template")))
        return made.text


def _object(value: Any, at: FieldPath) -> dict[str, Any]:  # noqa: ANN401  (JSON of any shape)
    if isinstance(value, dict):
        return value
    message = "the step makes something other than an object"
    raise Refused(UNMUTABLE, message, "correct the path", (*at, "path"))


def _replaced(
    found: jsonpaths.FoundValue | None,
    pattern: str,
    replacement: str,
    at: FieldPath,
    faults: list[Fault],
) -> str:
    if not pattern:
        return replacement
    value = found.value if found is not None else None
    text = jsonpaths.format_result(value)
    if isinstance(value, dict | list) and gojson.encode(text) != gojson.encode(
        text, escape_html=False
    ):
        message = "the agent's pattern would see <, > and & escaped as \\u003c; here it sees them"
        faults.append(Fault(IMPROVED, message, "", (*at, "pattern")))
    try:
        return regexes.compile_pattern(pattern).replace(text, replacement)
    except regexes.PatternError as problem:
        raise Refused(
            BAD_PATTERN, str(problem), "correct the pattern", (*at, "pattern")
        ) from problem


def _computed(
    found: jsonpaths.FoundValue | None,
    expression: str,
    data: Object,
    other: Object | None,
    at: FieldPath,
) -> Any:  # noqa: ANN401  (JSON of any shape)
    values = {"value": found.value if found is not None else None, "self": data, "other": other}
    try:
        return cel.computed(expression, values)
    except cel.UnevaluableError as error:
        cure = "correct the expression"
        raise Refused(BAD_EXPRESSION, str(error), cure, (*at, "expression")) from error
