"""Structural schemas, compiled to a tree of nodes, and the completion of objects by them."""

import re
from collections.abc import Mapping

from msgspec import Struct, field

from spokerender.findings.codes.attachment import UNKNOWN_FIELD
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault
from spokerender.formats import cel
from spokerender.model import FieldPath, shown
from spokerender.model.shapes import Json, as_list, as_text

_OLD_SELF = r"\boldSelf\b"
_LITERAL = r'"(?:[^"\\\n]|\\.)*+"?|\'(?:[^\'\\\n]|\\.)*+\'?'
"""A text literal in CEL, possibly unclosed; possessive, so that no quote is tried twice."""
_OBJECT_FIELDS = ("apiVersion", "kind", "metadata")


class ValidationRule(Struct, frozen=True):
    """A rule of `x-kubernetes-validations`, with its field path in the schema (`place`)."""

    source: str
    message: str
    message_expression: str
    reason: str
    field_path: str
    place: FieldPath


class SchemaNode(Struct, eq=False):
    """One node of a compiled schema; it is not changed after compilation.

    `others` is the schema of keys that are not in `properties`. If it is None, there can be no such
    keys, unless `is_open` (`x-kubernetes-preserve-unknown-fields`). `defaults` are the defaults of
    `properties`. `rules` are about an object as it is, `transitions` about a change. `schema` is
    the schema as written; empty for `apiVersion`, `kind` and `metadata`.

    Flags are True if the node or a node in it has what follows. `has_transitions`: `transitions`.
    `is_deep`: possibly defaults, nulls to drop, or unknown fields. `is_ruled`: rules or list types.
    `is_spoken`: values that CEL sees differently. `is_either`: an `x-kubernetes-int-or-string`.
    `has_times`: a text that is a time in CEL.
    """

    properties: "dict[str, SchemaNode]" = field(default_factory=dict)
    others: "SchemaNode | None" = None
    items: "SchemaNode | None" = None
    is_open: bool = False
    is_nullable: bool = False
    schema: Mapping[str, Json] = {}
    has_default: bool = False
    default: Json = None
    defaults: tuple[tuple[str, Json], ...] = ()
    format: str = ""
    type: str = ""
    list_type: str = ""
    list_keys: tuple[str, ...] = ()
    rules: tuple[ValidationRule, ...] = ()
    transitions: tuple[ValidationRule, ...] = ()
    has_transitions: bool = False
    is_deep: bool = False
    is_ruled: bool = False
    is_spoken: bool = False
    is_either: bool = False
    has_times: bool = False


_TIMES = ("date", "date-time", "datetime", "duration")


def compile_schema(schema: Json, place: FieldPath = (), *, is_root: bool = False) -> SchemaNode:
    """Return the compiled schema; malformed parts count as absent. Never raises."""
    if not isinstance(schema, Mapping):
        return SchemaNode(is_open=True)
    node = SchemaNode(
        is_open=schema.get("x-kubernetes-preserve-unknown-fields") is True,
        is_nullable=schema.get("nullable") is True,
        schema=schema,
        has_default="default" in schema,
        default=schema.get("default"),
        format=as_text(schema.get("format")),
        type=as_text(schema.get("type")),
        list_type=as_text(schema.get("x-kubernetes-list-type")),
        list_keys=tuple(map(str, as_list(schema.get("x-kubernetes-list-map-keys")))),
        rules=_read_rules(schema, place, of_change=False),
        transitions=_read_rules(schema, place, of_change=True),
        is_either=schema.get("x-kubernetes-int-or-string") is True,
        has_times=schema.get("format") in _TIMES,
    )
    # Schemas within allOf, anyOf, oneOf and not add no structure (Kubernetes, "structural
    # schemas"); they are left to `constraints`.
    _add_children(node, schema, place)
    if is_root or schema.get("x-kubernetes-embedded-resource") is True:
        for name in _OBJECT_FIELDS:
            node.properties[name] = SchemaNode(is_open=True)
    node.defaults = tuple((key, c.default) for key, c in node.properties.items() if c.has_default)
    _set_flags(node)
    return node


def _add_children(node: SchemaNode, schema: Mapping[str, Json], place: FieldPath) -> None:
    properties = schema.get("properties")
    for key, child in properties.items() if isinstance(properties, Mapping) else ():
        node.properties[str(key)] = compile_schema(child, (*place, "properties", str(key)))
    others = schema.get("additionalProperties")
    if isinstance(others, Mapping):
        node.others = compile_schema(others, (*place, "additionalProperties"))
    elif others is True:
        node.is_open = True
    if isinstance(schema.get("items"), Mapping):
        node.items = compile_schema(schema["items"], (*place, "items"))


def _set_flags(node: SchemaNode) -> None:
    below = [*node.properties.values(), *filter(None, (node.others, node.items))]
    is_container = node.type in ("object", "array") or bool(below)
    # A bare `type: object` has no properties, so every field in it is unknown.
    node.is_deep = is_container and not (node.is_open and not below)
    node.is_ruled = (
        bool(node.rules) or node.list_type in ("set", "map") or any(c.is_ruled for c in below)
    )
    node.has_transitions = bool(node.transitions) or any(c.has_transitions for c in below)
    node.is_either = node.is_either or any(c.is_either for c in below)
    node.has_times = node.has_times or any(c.has_times for c in below)
    node.is_spoken = (
        (node.type == "string" and node.format == "byte")
        or any(cel.escaped(key) != key for key in node.properties)
        or any(c.is_spoken for c in below)
    )


def _read_rules(
    schema: Mapping[str, Json], place: FieldPath, *, of_change: bool
) -> tuple[ValidationRule, ...]:
    """Return the rules about an object as it is, or, if `of_change`, the transition rules."""
    rules: list[ValidationRule] = []
    for index, row in enumerate(as_list(schema.get("x-kubernetes-validations"))):
        if not isinstance(row, Mapping) or not isinstance(row.get("rule"), str):
            continue
        source = row["rule"]
        # Kubernetes: a rule with `oldSelf` is a transition rule, and is skipped without an old
        # value, unless `optionalOldSelf` is set: then `oldSelf` is an optional that may be empty.
        has_old = re.search(_OLD_SELF, re.sub(_LITERAL, "", source)) is not None
        is_optional = row.get("optionalOldSelf") is True
        if of_change != has_old and not (has_old and is_optional):
            continue
        if has_old and is_optional:
            old = "optional.of(oldSelf)" if of_change else "optional.none()"
            source = f"cel.bind(oldSelf, {old},\n{source}\n)"
        rules.append(
            ValidationRule(
                source=source,
                message=as_text(row.get("message")),
                message_expression=as_text(row.get("messageExpression")),
                reason=as_text(row.get("reason")),
                field_path=as_text(row.get("fieldPath")),
                place=(*place, "x-kubernetes-validations", index, "rule"),
            )
        )
    return tuple(rules)


def complete(node: SchemaNode, value: Json, faults: list[Fault], path: FieldPath = ()) -> Json:
    """Return `value` as the API server completes it; add a fault to `faults` per unknown field.

    Neither `value` nor the schema is changed, but the result shares parts with them.
    """
    # Kubernetes, in this order: nulls of fields that are neither nullable nor defaulted are
    # dropped, defaults are applied, unknown fields are refused (by kubectl's default strict
    # validation; server-side apply refuses them anyway).
    if isinstance(value, dict):
        if not node.is_open and node.type not in ("object", ""):
            return value
        return _complete_mapping(node, value, faults, path)
    if isinstance(value, list) and node.items is not None:
        return _complete_list(node.items, value, faults, path)
    return value


def _complete_list(
    items: SchemaNode, value: list[Json], faults: list[Fault], path: FieldPath
) -> list[Json]:
    if items.has_default and not items.is_nullable:
        value = [items.default if item is None else item for item in value]
    if not items.is_deep:
        return value
    return [complete(items, item, faults, (*path, i)) for i, item in enumerate(value)]


def _complete_mapping(
    node: SchemaNode, value: dict[str, Json], faults: list[Fault], path: FieldPath
) -> Json:
    result: dict[str, Json] = {}
    properties, others = node.properties, node.others
    for key, item in value.items():
        child = properties.get(key, others)
        if child is None:
            if node.is_open:
                result[key] = item
            else:
                faults.append(_report_unknown(node, (*path, key)))
        elif item is None and not child.is_nullable:
            if child is others and child.has_default:
                result[key] = child.default
        else:
            result[key] = complete(child, item, faults, (*path, key)) if child.is_deep else item
    for key, default in node.defaults:
        if key not in result and (key not in value or value[key] is None):
            result[key] = complete(properties[key], default, [], ())
    return result


def _report_unknown(node: SchemaNode, path: FieldPath) -> Fault:
    key = str(path[-1])
    cure = did_you_mean(key, node.properties, "the fields here are")
    return Fault(
        UNKNOWN_FIELD,
        f'unknown field "{shown(path)}"',
        cure or "take it out: there are no fields here",
        path,
    )
