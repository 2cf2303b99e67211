"""Objects that differ in the values at a few places only: judged whole once, and then there.

A fleet has thousands of them: a spoke's own hostname in each route, its own weight in a policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spokerender.findings.codes.validation import NO_SCHEMA
from spokerender.findings.results import Fault
from spokerender.judging.validation.choosing import choose
from spokerender.judging.validation.completing import completed
from spokerender.judging.validation.crds import Definition, Schema, Schemas
from spokerender.judging.validation.metadata import metadata_faults
from spokerender.judging.validation.model import Json, Server
from spokerender.judging.validation.rules import holds
from spokerender.judging.validation.structure import Node
from spokerender.judging.validation.validate import validate
from spokerender.model import FieldPath, Ref, slots
from spokerender.model.slots import Values

_Holes = dict[str | int, Any]
"""Where an object has slots: by key or index what is below, None for a scalar with slots."""


class SlottedObject:
    """An object with slots in it, to be judged for the values of one spoke after the other.

    As long as nothing is wrong with it, only what a value can change is looked at again: the
    schema's constraints, and the rules and list types at and above the places that have slots.
    Where that finds anything, the object is judged as a whole, like any other. What has no schema
    is not looked at again.
    """

    def __init__(self, value: dict[str, Json], ref: Ref, schemas: Schemas, server: Server) -> None:
        """`value` is an object whose texts have slots (`spokerender.model.slots`)."""
        self._value = value
        self._judge = (ref, schemas, server)
        self._quick: _Quick | None = None
        self._always: tuple[Fault, ...] | None = None
        self._is_new = True

    def faults(self, values: Values) -> tuple[Fault, ...]:
        """What the API server would say against the object with these values in it."""
        if self._always is not None:
            return self._always
        if self._quick is not None and self._quick.is_sound(values):
            return ()
        faults = validate(slots.fill(self._value, values), *self._judge)
        if self._is_new and not faults:
            self._quick = _quick(self._value, *self._judge)
        elif self._is_new and self._has_no_schema(faults):
            self._always = faults
        self._is_new = False
        return faults

    def _has_no_schema(self, faults: tuple[Fault, ...]) -> bool:
        """Whether nobody knows the kind, so that the values in it are not looked at."""
        is_unknown = any(fault.finding is NO_SCHEMA for fault in faults)
        return is_unknown and not slots.has_slot(self._value.get("apiVersion"))


class _Quick:
    """What of an object has to be looked at for other values."""

    def __init__(
        self, whole: dict[str, Json], holes: _Holes, schema: Schema, definition: Definition
    ) -> None:
        self._whole = whole
        self._holes = holes
        self._schema = schema
        self._definition = definition
        self._ruled = tuple(_ruled(schema.node, whole, holes, ()))

    def is_sound(self, values: Values) -> bool:
        """Whether nothing is wrong with the object with these values in it."""
        whole = _filled(self._whole, self._holes, values)
        definition, constraints = self._definition, self._schema.constraints
        if constraints is None or not constraints.validator.is_valid(whole):
            return False
        if "metadata" in self._holes and any(
            metadata_faults(whole["metadata"], definition.group, namespaced=definition.namespaced)
        ):
            return False
        return all(holds(node, _at(whole, path)) for node, path in self._ruled)


def _quick(value: dict[str, Json], ref: Ref, schemas: Schemas, server: Server) -> _Quick | None:
    """Prepare an object; None where it has no CRD, or where a slot is in a key.

    The slots are sought in the object alone: a default of the CRD may have any character.
    """
    choice = choose(str(value.get("apiVersion")), ref, schemas, server)
    if choice.schema is None or choice.definition is None or _has_odd_key(value):
        return None
    whole: dict[str, Json] = completed(choice.schema.node, value, [])
    return _Quick(whole, _holes(value) or {}, choice.schema, choice.definition)


def _has_odd_key(value: Json) -> bool:
    return any(map(slots.has_slot, slots.keys_in(value)))


def _holes(value: Json) -> _Holes | None:
    """Where a value has slots; None where it has none."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    holes: _Holes = {}
    for key, item in items:
        if isinstance(item, dict | list):
            below = _holes(item)
            if below is not None:
                holes[key] = below
        elif slots.has_slot(item):
            holes[key] = None
    return holes or None


def _filled(value: Json, holes: _Holes, values: Values) -> Json:
    """The value with the slots filled; what has none is shared."""
    made = value.copy()
    for key, below in holes.items():
        old = made[key]
        made[key] = slots.fill(old, values) if below is None else _filled(old, below, values)
    return made


def _ruled(
    node: Node, value: Json, holes: _Holes, path: FieldPath
) -> Iterator[tuple[Node, FieldPath]]:
    """The places at or above a slot that have rules or a list type."""
    if node.rules or node.list_type in ("set", "map"):
        yield node, path
    for key, below in holes.items():
        child = (
            node.properties.get(str(key), node.others) if isinstance(value, dict) else node.items
        )
        if child is not None and child.is_ruled:
            yield from _ruled(child, value[key], below or {}, (*path, key))


def _at(value: Json, path: FieldPath) -> Json:
    for step in path:
        value = value[step]
    return value
