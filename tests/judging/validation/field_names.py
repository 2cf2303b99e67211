"""What `fields.json` beside the validation is made of: the fields that CRDs of releases have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

_RELEASES = {
    "Gateway API v1.4 to v1.6 and main": "gateway-api-*",
    "kuadrant-operator v1.5": "kuadrant",
}
_ITEMS, _VALUES = "items", "additionalProperties"


def carried(fixtures: Path) -> str:
    """By kind, group and version: the names of fields as a tree; a kind a line.

    A field with anything in it is null. A version that several releases have has the fields of
    all of them: what none of them has is unknown.
    """
    rows: dict[str, dict[str, Any]] = {}
    for release, pattern in _RELEASES.items():
        for path in sorted((fixtures / "crds").glob(f"{pattern}/**/*.yaml")):
            for crd in yaml.load_all(path.read_text(), yaml.CSafeLoader):
                if crd and crd.get("kind") == "CustomResourceDefinition":
                    _add(rows, crd["spec"], release)
    lines = (f"{json.dumps(name)}:{_row(row)}" for name, row in sorted(rows.items()))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _row(row: dict[str, Any]) -> str:
    return json.dumps(row, separators=(",", ":"), sort_keys=True)


def _add(rows: dict[str, dict[str, Any]], spec: dict[str, Any], release: str) -> None:
    for version in spec["versions"]:
        name = f"{spec['group']}/{version['name']}/{spec['names']['kind']}"
        tree = _tree(version["schema"]["openAPIV3Schema"])
        row = rows.setdefault(name, {"release": release, "fields": tree})
        row["fields"] = _united(row["fields"], tree)
        row["fields"]["metadata"] = None


def _tree(schema: dict[str, Any]) -> dict[str, Any] | None:
    """The fields below a field; those of its items, where it is a list."""
    if _ITEMS in schema:
        return _tree(schema[_ITEMS])
    if "properties" in schema:
        return {name: _tree(below) for name, below in schema["properties"].items()}
    if isinstance(schema.get(_VALUES), dict):
        below = _tree(schema[_VALUES])
        return None if below is None else {"*": below}
    if schema.get("type") in ("string", "integer", "number", "boolean"):
        return {}
    return None


def _united(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return None
    names = {*one, *other}
    return {name: _united(one.get(name, {}), other.get(name, {})) for name in names}
