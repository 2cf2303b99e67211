"""Fills defaults into specs as an API server does, from the newest carried CRD of the kind."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from spokerender.formats.comparing import fingerprint
from spokerender.judging.validation.choosing import choose_schema
from spokerender.judging.validation.crds import ANY_SERVER, Schemas
from spokerender.judging.validation.structure import SchemaNode, complete
from spokerender.kinds.kind import Kind
from spokerender.model import Ref
from spokerender.model.shapes import Json


def fill_defaults(kind: Kind, spec: Mapping[str, Any], *, sorts: bool = False) -> Mapping[str, Any]:
    """Return a spec with defaults filled in; fields that the CRD lacks are unchanged.

    If `sorts` is set, lists that are sets or maps are sorted, as their order has no meaning.
    """
    node = _find_spec(kind.group, kind.kind, kind.versions)
    filled: Mapping[str, Any] = spec if node is None else _fill(node, spec, sorts)
    return filled


@cache
def _find_spec(group: str, kind: str, versions: tuple[str, ...]) -> SchemaNode | None:
    """Return the schema of `spec`; None if the package carries no CRD of the kind."""
    if not versions:
        return None
    ref = Ref(group, kind, "", "")
    schema = choose_schema(f"{group}/{versions[0]}", ref, Schemas({}), ANY_SERVER).schema
    return schema.node.properties.get("spec") if schema is not None else None


def _fill(node: SchemaNode | None, value: Json, sorts: bool) -> Json:
    if node is None:
        return value
    if isinstance(value, list):
        filled_items = [_fill(node.items, item, sorts) for item in value]
        is_sorted = sorts and node.list_type in ("set", "map")
        return sorted(filled_items, key=fingerprint) if is_sorted else filled_items
    if not isinstance(value, Mapping) or node.items is not None:
        return value
    filled = {
        key: _fill(node.properties.get(key, node.others), item, sorts)
        for key, item in value.items()
    }
    missing = ((key, default) for key, default in node.defaults if filled.get(key) is None)
    return filled | {key: complete(node.properties[key], default, []) for key, default in missing}
