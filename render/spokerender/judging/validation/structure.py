"""Structural schemas, made ready for walking: what a CRD says of each place in an object."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct, field

from spokerender.formats import cel
from spokerender.judging.validation.model import Json
from spokerender.model import FieldPath
from spokerender.model.shapes import as_list, as_text

_OLD_SELF = re.compile(r"\boldSelf\b")
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|\'(?:[^\'\\\n]|\\.)*+\'?')
"""A literal of CEL, also one that is never closed: each quote is then looked at once."""
_OBJECT_FIELDS = ("apiVersion", "kind", "metadata")


class ValidationRule(Struct, frozen=True):
    """One of `x-kubernetes-validations`. `place` is where in the schema it stands."""

    source: str
    message: str
    message_expression: str
    reason: str
    field_path: str
    place: FieldPath


class Node(Struct, eq=False):
    """What a schema says of one place; made once and not changed afterwards.

    `others` is for keys that `properties` doesn't have; None where there can be none, unless
    `is_open` (`x-kubernetes-preserve-unknown-fields`). `defaults` are those of `properties`.
    `rules` are about an object as it is, `transitions` about how it changes; `has_transitions` is
    set where any stand at or below it.
    `is_deep`: below it defaults, prunable nulls or unknown fields are possible. `is_ruled`: at or
    below it stand rules or list types. `is_spoken`: CEL sees it or something below otherwise
    than JSON has it. `is_either`: it or something below is an `x-kubernetes-int-or-string`.
    `has_times`: it or something below is a text that CEL takes for a time there.
    """

    properties: dict[str, Node] = field(default_factory=dict)
    others: Node | None = None
    items: Node | None = None
    is_open: bool = False
    is_nullable: bool = False
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


def node_of(schema: Json, place: FieldPath = (), *, is_root: bool = False) -> Node:
    """Compile a schema; what is malformed in it counts as absent. Never raises.

    Value validations within allOf, anyOf, oneOf and not add no structure (Kubernetes: structural
    schemas), so they are left to `spokerender.judging.validation.constraints`.
    """
    if not isinstance(schema, Mapping):
        return Node(is_open=True)
    node = Node(
        is_open=schema.get("x-kubernetes-preserve-unknown-fields") is True,
        is_nullable=schema.get("nullable") is True,
        has_default="default" in schema,
        default=schema.get("default"),
        format=as_text(schema.get("format")),
        type=as_text(schema.get("type")),
        list_type=as_text(schema.get("x-kubernetes-list-type")),
        list_keys=tuple(map(str, as_list(schema.get("x-kubernetes-list-map-keys")))),
        rules=_rules(schema, place, of_change=False),
        transitions=_rules(schema, place, of_change=True),
        is_either=schema.get("x-kubernetes-int-or-string") is True,
        has_times=schema.get("format") in _TIMES,
    )
    _add_children(node, schema, place)
    if is_root or schema.get("x-kubernetes-embedded-resource") is True:
        for name in _OBJECT_FIELDS:
            node.properties[name] = Node(is_open=True)
    node.defaults = tuple((key, c.default) for key, c in node.properties.items() if c.has_default)
    _sum_up(node)
    return node


def _add_children(node: Node, schema: Mapping[str, Json], place: FieldPath) -> None:
    properties = schema.get("properties")
    for key, child in properties.items() if isinstance(properties, Mapping) else ():
        node.properties[str(key)] = node_of(child, (*place, "properties", str(key)))
    others = schema.get("additionalProperties")
    if isinstance(others, Mapping):
        node.others = node_of(others, (*place, "additionalProperties"))
    elif others is True:
        node.is_open = True
    if isinstance(schema.get("items"), Mapping):
        node.items = node_of(schema["items"], (*place, "items"))


def _sum_up(node: Node) -> None:
    below = [*node.properties.values(), *filter(None, (node.others, node.items))]
    is_container = node.type in ("object", "array") or bool(below)
    # A bare `type: object` has no property at all, so whatever is in one is unknown.
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


def _rules(
    schema: Mapping[str, Json], place: FieldPath, *, of_change: bool
) -> tuple[ValidationRule, ...]:
    """The rules that apply when an object is made, or those about a change of it.

    Kubernetes: a rule with `oldSelf` is a transition rule and is skipped without an old value,
    unless `optionalOldSelf` is set; then `oldSelf` is an optional, and empty where there is none.
    """
    rules: list[ValidationRule] = []
    for index, row in enumerate(as_list(schema.get("x-kubernetes-validations"))):
        if not isinstance(row, Mapping) or not isinstance(row.get("rule"), str):
            continue
        source = row["rule"]
        has_old = _OLD_SELF.search(_LITERAL.sub("", source)) is not None
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
