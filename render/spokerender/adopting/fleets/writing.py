"""The placement and the fleet file of an adopted fleet, as text that people go on with."""

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.adopting.fleets.comparing import Operation, Operations
from spokerender.adopting.fleets.deciding import AdoptedOverride
from spokerender.config.base import API_VERSION
from spokerender.formats.yamlio.emit import flow, scalar
from spokerender.kinds.fields import apply_edits
from spokerender.model.shapes import Json, plain_json

_WIDTH = 108


def write_file(head: Mapping[str, Any], spec: Mapping[str, Any]) -> list[str]:
    """Return the lines of a file of ours, in which lists of the spec have no item beside another.

    Empty fields of the spec and of these items are left out.
    """
    lines = [*_write_lines({"apiVersion": API_VERSION, **head}), "spec:"]
    for key, value in spec.items():
        if value and isinstance(value, list):
            items = [{name: field for name, field in item.items() if field} for item in value]
            lines += [f"  {key}:", *_write_lines(items, "    ")]
        elif value:
            lines += _write_lines({key: value}, "  ")
    return lines


def describe_override(override: AdoptedOverride, *, with_group: bool) -> dict[str, Any]:
    """Return the entry of an override."""
    ref = override.refs[0]
    names = {"group": ref.group if with_group else "", "kind": ref.kind}
    if not override.is_of_kind:
        names |= {"namespace": ref.namespace, "name": ref.name}
    target = {key: text for key, text in names.items() if text}
    return {"target": target, "spokes": override.spokes, **_describe(override.operations)}


def _describe(operations: Operations) -> dict[str, Any]:
    """Return a merge patch where it says the same: no list is looked into, and nothing is null."""
    if not operations[0].path:
        return {"remove": True}
    if all(map(_is_mergeable, operations)):
        return {"merge": apply_edits({}, {one.path: one.value for one in operations})}
    new = ({} if one.op == "remove" else {"value": one.value} for one in operations)
    pairs = zip(operations, new, strict=True)
    return {"patch": [{"op": one.op, "path": one.pointer, **value} for one, value in pairs]}


def _is_mergeable(operation: Operation) -> bool:
    is_plain = all(isinstance(step, str) and "{" not in step for step in operation.path)
    return is_plain and _has_null(operation.value) == (operation.op == "remove")


def _has_null(value: Json) -> bool:
    if isinstance(value, Mapping):
        return not value or any(map(_has_null, value.values()))
    return value is None


def _write_lines(value: Json, indent: str = "") -> Iterator[str]:
    """Yield a collection in block style, and all in it on one line that fits there."""
    is_list = not isinstance(value, Mapping)
    for key, item in enumerate(value) if is_list else value.items():
        start = "-" if is_list else f"{scalar(key)}:"
        text = flow(plain_json(item))
        if len(indent) + len(start) + len(text) <= _WIDTH or not isinstance(item, Mapping | list):
            yield f"{indent}{start} {text}"
            continue
        inner = _write_lines(item, f"{indent}  ")
        yield f"{indent}- {next(inner).lstrip()}" if is_list else f"{indent}{start}"
        yield from inner
