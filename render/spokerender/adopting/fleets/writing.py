"""The placement and the fleet file of an adopted fleet, as text that people go on with."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spokerender.adopting.fleets.deciding import Selections, SpokeValues
from spokerender.adopting.fleets.values import AdoptedOverride, Operation
from spokerender.config.base import API_VERSION
from spokerender.formats.yamlio.emit import flow, scalar
from spokerender.model.refs import GroupKind
from spokerender.model.shapes import Json, plain_json

_WIDTH = 108


def write_placement(
    selections: Selections,
    values: SpokeValues,
    rules: Iterable[Mapping[str, Any]],
    overrides: Sequence[AdoptedOverride],
    kinds: Iterable[GroupKind],
) -> tuple[str, list[int]]:
    """Write clusters, rules, then overrides, in their order; with the line of each override."""
    spokes = []
    for name in selections.names:
        every = selections.labels[name].items()
        labels = {key: text for key, text in every if key in selections.used}
        own = {key: of[name] for key, of in values.of.items() if name in of}
        more = {"labels": labels, "values": own}
        spokes.append({"name": name, **{key: value for key, value in more.items() if value}})
    lines = [f"apiVersion: {API_VERSION}", "kind: Placement", "metadata: {name: adopted}", "spec:"]
    lines += _write_lines({"spokes": spokes}, "  ") + _write_lines({"rules": [*rules]}, "  ")
    lines += ["  overrides:"] if overrides else []
    groups = Counter(kind for _, kind in kinds)
    places: list[int] = []
    for override in overrides:
        ref = override.ref
        names = {"group": ref.group if groups[ref.kind] > 1 else "", "kind": ref.kind}
        names |= {"namespace": ref.namespace, "name": ref.name}
        target = {key: text for key, text in names.items() if text}
        places.append(len(lines) + 1)
        entry = {"target": target, "spokes": override.spokes, **_describe(override.operations)}
        lines += _write_lines([entry], "    ")
    return "\n".join(lines) + "\n", places


def _describe(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return a merge patch where it says the same: no list is looked into, and nothing is null."""
    if not operations:
        return {"remove": True}
    patch = [
        {
            "op": item.op,
            "path": item.pointer,
            **({} if item.op == "remove" else {"value": item.value}),
        }
        for item in operations
    ]
    merge: dict[str, Any] = {}
    for operation in operations:
        *above, last = operation.path
        place: Any = merge
        for step in above:
            place = place.setdefault(step, {})
        place[last] = None if operation.op == "remove" else operation.value
        steps = [step for step in operation.path if not isinstance(step, str) or "{" in step]
        if steps or _has_null(operation.value) != (operation.op == "remove"):
            return {"patch": patch}
    return {"merge": merge}


def _has_null(value: Json) -> bool:
    if isinstance(value, Mapping):
        return not value or any(map(_has_null, value.values()))
    return value is None


def _write_lines(value: Json, indent: str = "") -> list[str]:
    """Write a collection in block style, and all in it on one line that fits there."""
    lines: list[str] = []
    items = value.items() if isinstance(value, Mapping) else [("", item) for item in value]
    for key, item in items:
        start, below = (f"{scalar(key)}:", "  ") if isinstance(value, Mapping) else ("-", "  ")
        text = flow(plain_json(item))
        if len(indent) + len(start) + len(text) <= _WIDTH or not isinstance(item, Mapping | list):
            lines.append(f"{indent}{start} {text}")
            continue
        inner = _write_lines(item, indent + below)
        if start == "-":
            inner[0] = f"{indent}- {inner[0].lstrip()}"
        lines += inner if start == "-" else [f"{indent}{start}", *inner]
    return lines


def write_fleet_file(
    kinds: Iterable[GroupKind],
    requires: str,
    external: Sequence[Mapping[str, Any]],
    accepted: Sequence[Mapping[str, str]],
    *,
    creates_namespaces: bool,
) -> str:
    """Write the fleet file: kinds that follow Gateways, and what is on clusters already."""
    listed = [{"group": group, "kind": kind} for group, kind in kinds]
    spec = {"requires": requires, "policiesToSync": listed}
    spec |= {"namespaces": "create"} if creates_namespaces else {}
    spec |= {"external": external} if external else {}
    spec |= {"suppressions": accepted} if accepted else {}
    lines = [f"apiVersion: {API_VERSION}", "kind: Fleet", "spec:", *_write_lines(spec, "  ")]
    return "\n".join(lines) + "\n"
