"""Validates objects by `x-kubernetes-validations` and `x-kubernetes-list-type` in their schema.

All rules of a schema node are first evaluated as one expression, since nearly always all hold, so
that one evaluation is enough. Otherwise each rule is evaluated alone.
"""

import re
from base64 import b64decode
from collections.abc import Iterator
from functools import lru_cache

from spokerender.findings.codes.attachment import DUPLICATE_ITEM, RULE_BROKEN, UNEVALUATED
from spokerender.findings.results import Fault
from spokerender.formats import cel
from spokerender.judging.validation.constraints import Constraints, compile_constraints
from spokerender.judging.validation.structure import SchemaNode, ValidationRule
from spokerender.judging.validation.wording import show_value
from spokerender.model import FieldPath, JsonValue, shown
from spokerender.model.shapes import Json

_CHILD = r"\.([^.\[\]]+)|\['((?:[^'\\]|\\.)*)'\]"
_NO_KEY = r'(?s)^Key not found in map : "(.*)"$'
"""An error message that cel-go, the API server's library, words in another way."""
_REASONS = {
    "FieldValueRequired": "Required value: {message}",
    "FieldValueForbidden": "Forbidden: {message}",
    "FieldValueDuplicate": 'Duplicate value: "{type}": {message}',
}
_REMEMBERED = 2_000
_LONGEST_SHOWN = 120


def check_rules(node: SchemaNode, value: Json, blocked: frozenset[FieldPath]) -> Iterator[Fault]:
    """Yield a fault for each rule that `value`, an object with defaults filled in, breaks.

    `blocked` are the field paths that are or contain values so invalid that no rule is evaluated.
    """
    # The API server then evaluates no rule at all. Here the rules of other places are evaluated, so
    # that everything is reported at once.
    yield from _walk_rules(node, value, convert_for_cel(node, value), (), blocked)


def fits_schema(node: SchemaNode, value: Json) -> bool:
    """Return whether a value, with all that it contains, fits the schema of a node."""
    return _compile_place(node).validator.is_valid(value)


def has_valid_place(node: SchemaNode, value: Json) -> bool:
    """Return whether a value meets the rules and list type of a node, not of nodes inside it."""
    if value is None:
        return True
    is_unique = isinstance(value, list) and node.list_type in ("set", "map")
    if is_unique and any(_find_repeated(node, value, ())):
        return False
    return not node.rules or not _find_broken(node, convert_for_cel(node, value))


def _walk_rules(
    node: SchemaNode, value: Json, view: Json, path: FieldPath, blocked: frozenset[FieldPath]
) -> Iterator[Fault]:
    if value is None:
        return
    if node.list_type in ("set", "map") and isinstance(value, list):
        yield from _find_repeated(node, value, path)
    if node.rules and path not in blocked:
        for rule, text in _find_broken(node, view):
            yield report_rule(node, rule, text, path)
    for key, child, item, inner in _list_ruled(node, value, view):
        yield from _walk_rules(child, item, inner, (*path, key), blocked)


def _list_ruled(
    node: SchemaNode, value: Json, view: Json
) -> Iterator[tuple[str | int, SchemaNode, Json, Json]]:
    """Yield children that may have rules: key, schema node, value, and the value for CEL."""
    if isinstance(value, list) and node.items is not None and node.items.is_ruled:
        for index, item in enumerate(value):
            yield index, node.items, item, view[index]
    for key, item in value.items() if isinstance(value, dict) else ():
        child = node.properties.get(key, node.others)
        if child is not None and child.is_ruled:
            name = key if child is node.others else cel.escaped(key)
            is_seen = isinstance(view, dict) and name
            yield key, child, item, view.get(name) if is_seen else convert_for_cel(child, item)


def _find_broken(
    node: SchemaNode, view: Json
) -> tuple[tuple[ValidationRule, str | Exception], ...]:
    """Return the broken rules with messages; results are cached, as many values are equal."""
    return _evaluate(node, JsonValue(view, repr(view)))


@lru_cache(maxsize=_REMEMBERED)
def _compile_place(node: SchemaNode) -> Constraints:
    return compile_constraints(node.schema, is_root=False)


@lru_cache(maxsize=_REMEMBERED)
def _evaluate(
    node: SchemaNode, keyed: JsonValue
) -> tuple[tuple[ValidationRule, str | Exception], ...]:
    binding = cel.bind(keyed.data, keyed.text)
    if _all_hold(node, binding):
        return ()
    evaluated = ((rule, evaluate_rule(node, rule, binding)) for rule in node.rules)
    return tuple((rule, message) for rule, message in evaluated if message != "")


def _all_hold(node: SchemaNode, binding: cel.Binding) -> bool:
    program = _join_rules(node)
    try:
        return program is not None and program.evaluate(binding) is True
    except cel.UnevaluableError:
        return False


@lru_cache(maxsize=_REMEMBERED)
def _join_rules(node: SchemaNode) -> cel.Program | None:
    """Return all rules of a node compiled as one expression; None if that is impossible."""
    try:
        return cel.compile_rule(" && ".join(f"(\n{rule.source}\n)" for rule in node.rules))
    except cel.UnevaluableError:
        return None


def evaluate_rule(node: SchemaNode, rule: ValidationRule, binding: cel.Binding) -> str | Exception:
    """Return "" if the rule holds, its message if not, or the error if it can't be evaluated."""
    outcome: bool | str | cel.Failure | None
    try:
        outcome = cel.compile_rule(rule.source).evaluate(binding)
    except cel.NoOverloadError as error:
        # A rule about a number or a text may use an operator that the other type lacks, and the API
        # server takes that error for a broken rule.
        if not node.is_either or node.has_times:
            return error
        outcome = cel.Failure("no such overload")
    except cel.UnevaluableError as error:
        return error
    if outcome is True:
        return ""
    message = rule.message.strip() or f"failed rule: {' '.join(rule.source.split())}"
    if isinstance(outcome, cel.Failure):
        wrong = re.sub(_NO_KEY, r"no such key: \1", outcome.message)
        return f"{wrong} evaluating rule: {message}"
    if rule.message_expression:
        try:
            text = cel.compile_rule(rule.message_expression).evaluate(binding)
        except cel.UnevaluableError:
            text = None
        if isinstance(text, str) and text.strip() and "\n" not in text:
            return text.strip()
    return message


def report_rule(
    node: SchemaNode, rule: ValidationRule, text: str | Exception, path: FieldPath
) -> Fault:
    """Return the fault of a broken rule, or of a rule that can't be evaluated."""
    source = " ".join(rule.source.split())
    if isinstance(text, Exception):
        why = f"the CRD's rule `{source[:80]}` can't be evaluated: {text}"
        message = f"{shown(path) or '<root>'}: {why}"
        return Fault(UNEVALUATED, message, "try the object on a cluster", path)
    children = re.findall(_CHILD, rule.field_path)
    names = (name or it.replace("\\'", "'").replace("\\\\", "\\") for name, it in children)
    place = (*path, *names)
    shape = _REASONS.get(rule.reason, 'Invalid value: "{type}": {message}')
    message = shape.replace("{type}", node.type or "object").replace("{message}", text)
    cure = f"the CRD demands `{source}`" if len(source) <= _LONGEST_SHOWN else ""
    return Fault(RULE_BROKEN, f"{shown(place) or '<root>'}: {message}", cure, place)


def _find_repeated(node: SchemaNode, items: list[Json], path: FieldPath) -> Iterator[Fault]:
    """Yield a fault for each repeated item of a set, or item of a map with repeated keys."""
    texts: set[str] = set()
    for index, item in enumerate(items):
        key: Json = item
        if node.list_type == "map":
            if not isinstance(item, dict):
                continue
            key = {name: item[name] for name in node.list_keys if name in item}
        text = repr(sorted(key.items()) if isinstance(key, dict) else key)
        if text in texts:
            place = (*path, index)
            names = " and ".join(node.list_keys)
            cure = f"no two items may have the same {names}" if names else "keep one of the two"
            words = show_value(key) if not isinstance(key, dict) else _show_keys(key)
            yield Fault(DUPLICATE_ITEM, f"{shown(place)}: Duplicate value: {words}", cure, place)
        texts.add(text)


def _show_keys(key: dict[str, Json]) -> str:
    return "{" + ",".join(f'"{name}":{show_value(item)}' for name, item in key.items()) + "}"


def convert_for_cel(node: SchemaNode, value: Json) -> Json:
    """Return the value as CEL sees it: property names escaped, `format: byte` as bytes."""
    if not node.is_spoken or value is None:
        return value
    # Times and durations stay texts, because the library accepts none inside a value. A rule that
    # compares one is reported as a rule that can't be evaluated.
    if isinstance(value, str):
        return _decode(value)
    if isinstance(value, list):
        return [convert_for_cel(node.items, item) if node.items else item for item in value]
    if not isinstance(value, dict):
        return value
    view: dict[str, Json] = {}
    for key, item in value.items():
        child = node.properties.get(key)
        if child is not None:
            name = cel.escaped(key)
            if name is not None:
                view[name] = convert_for_cel(child, item)
        else:
            view[key] = convert_for_cel(node.others, item) if node.others else item
    return view


def _decode(text: str) -> Json:
    """Return the bytes of base64; other texts are unchanged, as the schema refuses them."""
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return text
