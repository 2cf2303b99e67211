"""`x-kubernetes-validations` and `x-kubernetes-list-type`, at every place of an object.

A place's rules are tried as one expression first: nearly always all of them hold, and the value
is converted and evaluated once. Which one is broken is asked only when they do not.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from functools import lru_cache

from spokerender.findings.codes.validation import DUPLICATE_ITEM, RULE_BROKEN, UNEVALUATED
from spokerender.findings.results import Fault
from spokerender.formats import cel
from spokerender.judging.validation.model import Json
from spokerender.judging.validation.structure import Node, ValidationRule
from spokerender.judging.validation.wording import quoted
from spokerender.model import FieldPath, shown

_CHILD = re.compile(r"\.([^.\[\]]+)|\['((?:[^'\\]|\\.)*)'\]")
_NO_KEY = re.compile(r'^Key not found in map : "(.*)"$', re.DOTALL)
_REASONS = {
    "FieldValueRequired": "Required value: {message}",
    "FieldValueForbidden": "Forbidden: {message}",
    "FieldValueDuplicate": 'Duplicate value: "{type}": {message}',
}
_REMEMBERED = 2_000
_LONGEST_SHOWN = 120


def faults_of(node: Node, value: Json, blocked: frozenset[FieldPath]) -> Iterator[Fault]:
    """What the rules say against an object that is complete.

    `blocked` are the places at or below which the schema has refused something that makes rules
    meaningless. The API server then evaluates none at all; those that stand beside are told
    nevertheless, so that all is told at once.
    """
    yield from _walk(node, value, spoken(node, value), (), blocked)


def holds(node: Node, value: Json) -> bool:
    """Whether the rules and the list type of one place hold, not asking what is below it."""
    if value is None:
        return True
    is_unique = isinstance(value, list) and node.list_type in ("set", "map")
    if is_unique and any(_repeated(node, value, ())):
        return False
    return not node.rules or not _broken(node, spoken(node, value))


def _walk(
    node: Node,
    value: Json,
    view: Json,
    path: FieldPath,
    blocked: frozenset[FieldPath],
) -> Iterator[Fault]:
    if value is None:
        return
    if node.list_type in ("set", "map") and isinstance(value, list):
        yield from _repeated(node, value, path)
    if node.rules and path not in blocked:
        for rule, text in _broken(node, view):
            yield rule_fault(node, rule, text, path)
    if isinstance(value, dict):
        for key, item in value.items():
            child = node.properties.get(key, node.others)
            if child is not None and child.is_ruled:
                name = key if child is node.others else cel.escaped(key)
                inner = view.get(name) if isinstance(view, dict) and name else spoken(child, item)
                yield from _walk(child, item, inner, (*path, key), blocked)
    elif isinstance(value, list) and node.items is not None and node.items.is_ruled:
        for index, item in enumerate(value):
            yield from _walk(node.items, item, view[index], (*path, index), blocked)


def _broken(node: Node, view: Json) -> tuple[tuple[ValidationRule, str | Exception], ...]:
    """The rules that do not hold, each with its message; remembered, for objects are alike."""
    return _judged(node, _Keyed(repr(view), view))


class _Keyed:
    """A value that is compared by its text: nothing but JSON and times comes here."""

    __slots__ = ("text", "value")

    def __init__(self, text: str, value: Json) -> None:
        self.text = text
        self.value = value

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and self.text == other.text


@lru_cache(maxsize=_REMEMBERED)
def _judged(node: Node, keyed: _Keyed) -> tuple[tuple[ValidationRule, str | Exception], ...]:
    binding = cel.bind(keyed.value, keyed.text)
    if _all_hold(node, binding):
        return ()
    judged = ((rule, verdict(node, rule, binding)) for rule in node.rules)
    return tuple((rule, verdict) for rule, verdict in judged if verdict != "")


def _all_hold(node: Node, binding: cel.Binding) -> bool:
    program = _together(node)
    try:
        return program is not None and program.evaluate(binding) is True
    except cel.UnevaluableError:
        return False


@lru_cache(maxsize=_REMEMBERED)
def _together(node: Node) -> cel.Program | None:
    """All rules of a place as one expression, if they compile so."""
    try:
        return cel.compiled(" && ".join(f"(\n{rule.source}\n)" for rule in node.rules))
    except cel.UnevaluableError:
        return None


def verdict(node: Node, rule: ValidationRule, binding: cel.Binding) -> str | Exception:
    """Empty where the rule holds; else its message, or what keeps it from being evaluated.

    Of what may be a number or a text a rule can ask what its value has not: the API server takes
    the error for a no.
    """
    outcome: bool | str | cel.Failure | None
    try:
        outcome = cel.compiled(rule.source).evaluate(binding)
    except cel.NoOverloadError as error:
        if not node.is_either or node.has_times:
            return error
        outcome = cel.Failure("no such overload")
    except cel.UnevaluableError as error:
        return error
    if outcome is True:
        return ""
    said = rule.message.strip() or f"failed rule: {' '.join(rule.source.split())}"
    if isinstance(outcome, cel.Failure):
        return f"{_in_go(outcome.message)} evaluating rule: {said}"
    if rule.message_expression:
        try:
            text = cel.compiled(rule.message_expression).evaluate(binding)
        except cel.UnevaluableError:
            text = None
        if isinstance(text, str) and text.strip() and "\n" not in text:
            return text.strip()
    return said


def _in_go(message: str) -> str:
    """What keeps a rule from being evaluated, as cel-go says it, which the API server has."""
    return _NO_KEY.sub(r"no such key: \1", message)


def rule_fault(node: Node, rule: ValidationRule, text: str | Exception, path: FieldPath) -> Fault:
    """A rule that does not hold, or of which `text` says why it can't be evaluated."""
    if isinstance(text, Exception):
        source = " ".join(rule.source.split())[:80]
        message = f"{shown(path) or '<root>'}: the CRD's rule `{source}` can't be evaluated: {text}"
        return Fault(UNEVALUATED, message, "try the object on a cluster", path)
    place = (*path, *_steps(rule.field_path))
    shape = _REASONS.get(rule.reason, 'Invalid value: "{type}": {message}')
    message = shape.replace("{type}", node.type or "object").replace("{message}", text)
    return Fault(RULE_BROKEN, f"{shown(place) or '<root>'}: {message}", _cure(rule), place)


def _cure(rule: ValidationRule) -> str:
    source = " ".join(rule.source.split())
    return f"the CRD demands `{source}`" if len(source) <= _LONGEST_SHOWN else ""


def _steps(field_path: str) -> Iterator[str]:
    for name, quoted_name in _CHILD.findall(field_path):
        yield name or quoted_name.replace("\\'", "'").replace("\\\\", "\\")


def _repeated(node: Node, items: list[Json], path: FieldPath) -> Iterator[Fault]:
    """Items of a set that are equal, or of a map whose keys are (defaults count as written)."""
    seen: set[str] = set()
    for index, item in enumerate(items):
        key: Json = item
        if node.list_type == "map":
            if not isinstance(item, dict):
                continue
            key = {name: item[name] for name in node.list_keys if name in item}
        text = repr(sorted(key.items()) if isinstance(key, dict) else key)
        if text in seen:
            place = (*path, index)
            names = " and ".join(node.list_keys)
            cure = f"no two items may have the same {names}" if names else "keep one of the two"
            words = quoted(key) if not isinstance(key, dict) else _keys(key)
            yield Fault(DUPLICATE_ITEM, f"{shown(place)}: Duplicate value: {words}", cure, place)
        seen.add(text)


def _keys(key: dict[str, Json]) -> str:
    return "{" + ",".join(f'"{name}":{quoted(item)}' for name, item in key.items()) + "}"


def spoken(node: Node, value: Json) -> Json:
    """The value as CEL sees it: property names escaped, `format: byte` as bytes.

    Times and durations stay texts, for the library takes none inside a value. A rule that
    compares one is told as one that can't be evaluated.
    """
    if not node.is_spoken or value is None:
        return value
    if isinstance(value, str):
        return _bytes(value)
    if isinstance(value, list):
        return [spoken(node.items, item) if node.items else item for item in value]
    if not isinstance(value, dict):
        return value
    view: dict[str, Json] = {}
    for key, item in value.items():
        child = node.properties.get(key)
        if child is not None:
            name = cel.escaped(key)
            if name is not None:
                view[name] = spoken(child, item)
        else:
            view[key] = spoken(node.others, item) if node.others else item
    return view


def _bytes(text: str) -> Json:
    """What base64 stands for; the text itself where it is none, which the schema tells."""
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return text
