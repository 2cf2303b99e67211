"""Write the placement and the fleet file of an adopted fleet, as text that people will edit."""

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.adopting.fleets.comparing import Operation, Operations
from spokerender.adopting.fleets.deciding import AdoptedOverride
from spokerender.config.base import API_VERSION
from spokerender.formats.comparing import is_same_json
from spokerender.formats.yamlio.emit import flow, scalar
from spokerender.kinds.fields import apply_edits
from spokerender.model.shapes import Json, plain_json, without_nulls

_WIDTH = 108


def write_file(head: Mapping[str, Any], spec: Mapping[str, Any]) -> list[str]:
    """Return the lines of a file of ours, without empty fields of the spec and of its items."""
    lines = [*_write_lines({"apiVersion": API_VERSION, **head}), "spec:"]
    for key, value in spec.items():
        fields = value
        if isinstance(value, list):
            fields = [{name: field for name, field in it.items() if field} for it in value]
        # Each override begins a line, as people take them out.
        if fields and key == "overrides":
            lines += [f"  {key}:", *_write_lines(fields, "    ")]
        elif fields:
            lines += _write_lines({key: fields}, "  ")
    return lines


def describe_override(override: AdoptedOverride, *, with_group: bool) -> dict[str, Any]:
    """Return the placement's entry of an override; its target has a group if `with_group`."""
    ref = override.refs[0]
    names = {"group": ref.group if with_group else "", "kind": ref.kind}
    if not override.is_of_kind:
        names |= {"namespace": ref.namespace, "name": ref.name}
    target = {key: text for key, text in names.items() if text}
    return {"target": target, "spokes": override.spokes, **_describe(override.operations)}


def _describe(operations: Operations) -> dict[str, Any]:
    """Return a merge patch if it can express the operations (no list, no null), or a JSON Patch."""
    if not operations[0].path:
        return {"remove": True}
    if all(map(_is_mergeable, operations)):
        return {"merge": apply_edits({}, {one.path: one.value for one in operations})}
    patch = []
    for one in operations:
        steps = (str(step).replace("~", "~0").replace("/", "~1") for step in one.path)
        new = {} if one.op == "remove" else {"value": one.value}
        patch.append({"op": one.op, "path": "".join(f"/{step}" for step in steps), **new})
    return {"patch": patch}


def _is_mergeable(operation: Operation) -> bool:
    is_plain = all(isinstance(step, str) and "{" not in step for step in operation.path)
    value = operation.value
    has_null = value is None or not is_same_json(without_nulls(value), value)
    return is_plain and has_null == (operation.op == "remove")


def _write_lines(value: Json, indent: str = "") -> Iterator[str]:
    """Yield a collection's lines in block style; an entry that fits is on one line."""
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
