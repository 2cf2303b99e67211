"""The object as the API server would have it: defaults filled in, unknown fields found.

Kubernetes, in this order: nulls of fields that are neither nullable nor defaulted are dropped,
defaults are applied, unknown fields are refused (strict validation, kubectl's default; server-side
apply refuses them anyway).
"""

from __future__ import annotations

from spokerender.findings.codes.validation import UNKNOWN_FIELD
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault
from spokerender.judging.validation.model import Json
from spokerender.judging.validation.structure import Node
from spokerender.model import FieldPath, shown


def completed(node: Node, value: Json, faults: list[Fault], path: FieldPath = ()) -> Json:
    """A copy of `value` with defaults and without unknown fields, which are told in `faults`.

    Shares what has nothing to complete with `value` and with the schema; neither is changed.
    """
    if isinstance(value, dict):
        if not node.is_open and node.type not in ("object", ""):
            return value
        return _mapping(node, value, faults, path)
    if isinstance(value, list) and node.items is not None:
        return _list(node.items, value, faults, path)
    return value


def _list(items: Node, value: list[Json], faults: list[Fault], path: FieldPath) -> list[Json]:
    if items.has_default and not items.is_nullable:
        value = [items.default if item is None else item for item in value]
    if not items.is_deep:
        return value
    return [completed(items, item, faults, (*path, i)) for i, item in enumerate(value)]


def _mapping(node: Node, value: dict[str, Json], faults: list[Fault], path: FieldPath) -> Json:
    result: dict[str, Json] = {}
    properties, others = node.properties, node.others
    for key, item in value.items():
        child = properties.get(key, others)
        if child is None:
            if node.is_open:
                result[key] = item
            else:
                faults.append(_unknown(node, (*path, key)))
        elif item is None and not child.is_nullable:
            if child is others and child.has_default:
                result[key] = child.default
        else:
            result[key] = completed(child, item, faults, (*path, key)) if child.is_deep else item
    for key, default in node.defaults:
        if key not in result and (key not in value or value[key] is None):
            result[key] = completed(properties[key], default, [], ())
    return result


def _unknown(node: Node, path: FieldPath) -> Fault:
    key = str(path[-1])
    cure = did_you_mean(key, node.properties, "the fields here are")
    return Fault(
        UNKNOWN_FIELD,
        f'unknown field "{shown(path)}"',
        cure or "take it out: there are no fields here",
        path,
    )
