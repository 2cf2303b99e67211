"""Validates an object for one API server, or an object with slots for many spokes."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from spokerender.findings.codes import attachment as codes
from spokerender.findings.results import Fault
from spokerender.judging.validation.builtin import check_builtin
from spokerender.judging.validation.choosing import SchemaChoice, choose_schema
from spokerender.judging.validation.constraints import compares_parts
from spokerender.judging.validation.crds import ANY_SERVER, CRD, Schemas, Server, VersionSchema
from spokerender.judging.validation.metadata import check_metadata
from spokerender.judging.validation.rules import (
    check_rules,
    fits_schema,
    has_valid_place,
)
from spokerender.judging.validation.structure import SchemaNode, complete
from spokerender.judging.validation.wording import BLOCKING, report_errors
from spokerender.model import JsonValue, Ref, shown, slots
from spokerender.model.releases import BundledRelease
from spokerender.model.shapes import Json, as_list, as_text, keys_in
from spokerender.model.slots import Values

_Part = tuple[SchemaNode, Json]
"""A part of an object: its schema node and its value."""


def validate(
    value: dict[str, Json], ref: Ref, schemas: Schemas, server: Server = ANY_SERVER
) -> tuple[Fault, ...]:
    """Return the faults of an object by which its API server refuses it.

    Never raises, whatever the object is. An object of a kind without a CRD has one fault, the info
    `NO_SCHEMA`, which says that the object was not validated.
    """
    choice = choose_schema(as_text(value.get("apiVersion")), ref, schemas, server)
    if choice.schema is None or choice.definition is None:
        return _check_without_crd(value, ref, choice)
    faults = tuple(_check(value, choice.schema, choice.definition))
    release = choice.definition.release
    if choice.is_assumed and release is not None:
        return tuple(_doubt(fault, release) for fault in faults)
    return faults


def _doubt(fault: Fault, release: BundledRelease) -> Fault:
    """Return a warning if the fault is a field that the assumed release lacks, else the fault."""
    if fault.finding is not codes.UNKNOWN_FIELD:
        return fault
    cure = (
        f"{fault.cure}\nif the clusters know it, name their release under crds in fleet.yaml "
        "(spokerender crds list), or add their CRD with spokerender crds add"
    )
    message = f"{fault.message} in {release.title}, the newest CRDs that spokerender has"
    return replace(fault, finding=codes.UNHEARD_FIELD, message=message, cure=cure)


def _check_without_crd(value: dict[str, Json], ref: Ref, choice: SchemaChoice) -> tuple[Fault, ...]:
    """Return the faults by Kubernetes' own schemas, or else the fault that there is no CRD."""
    fault = choice.fault
    if fault is None or fault.finding is not codes.NO_SCHEMA:
        return (fault,) if fault else ()
    faults = check_builtin(value, ref)
    return (fault,) if faults is None else faults


def _check(value: dict[str, Json], schema: VersionSchema, definition: CRD) -> Iterator[Fault]:
    unknown_fields: list[Fault] = []
    whole = complete(schema.node, value, unknown_fields)
    yield from unknown_fields
    yield from check_metadata(
        whole.get("metadata"), definition.group, namespaced=definition.namespaced
    )
    errors = schema.constraints.problems(whole) if schema.constraints else []
    yield from report_errors(errors)
    # At and above an error that blocks rules, no rule is evaluated.
    paths = [error.path for error in errors if error.kind in BLOCKING]
    blocked = frozenset(path[:length] for path in paths for length in range(len(path) + 1))
    yield from check_rules(schema.node, whole, blocked)
    for place, reason in schema.constraints.unevaluated if schema.constraints else ():
        message = f"{shown(place)}: a pattern of the CRD can't be evaluated: {reason}"
        yield Fault(
            codes.UNEVALUATED, message, "try the object on a cluster", origin=definition.origin
        )


class SlottedObject:
    """Validates an object with placeholders (slots), with the values of one spoke after another.

    A fleet has thousands of such objects: each route has its spoke's hostname. Once the object is
    valid for a spoke, only the checks that depend on slots are repeated for other spokes: schemas,
    rules and list types of the parts with slots. If these fail, the whole object is validated.
    """

    def __init__(self, value: dict[str, Json], ref: Ref, schemas: Schemas, server: Server) -> None:
        """Prepare to validate `value`, whose texts contain slots (`spokerender.model.slots`)."""
        self._value = value
        self._context = (ref, schemas, server)
        self._are_parts_valid: Callable[[Values], bool] | None = None
        self._constant: tuple[Fault, ...] | None = None
        self._is_new = True
        self._slots = slots.slots_in(value)
        self._faults: dict[tuple[Any, ...], tuple[Fault, ...]] = {}

    def faults(self, values: Values) -> tuple[Fault, ...]:
        """Return the faults of the object with `values` in its slots."""
        key = tuple(map(values.get, self._slots))
        if key not in self._faults:
            self._faults[key] = self._check(values)
        return self._faults[key]

    def _check(self, values: Values) -> tuple[Fault, ...]:
        if self._constant is not None:
            return self._constant
        if self._are_parts_valid is not None and self._are_parts_valid(values):
            return ()
        faults = validate(slots.fill(self._value, values), *self._context)
        if self._is_new and not faults:
            self._are_parts_valid = _prepare(self._value, *self._context)
        elif self._is_new and any(fault.finding is codes.NO_SCHEMA for fault in faults):
            # Without a schema of the kind, the values do not matter.
            self._constant = None if slots.has_slot(self._value.get("apiVersion")) else faults
        self._is_new = False
        return faults


def _prepare(
    value: dict[str, Json], ref: Ref, schemas: Schemas, server: Server
) -> Callable[[Values], bool] | None:
    """Return a check of an object's parts; None if the object has no CRD, or a slot in a key."""
    choice = choose_schema(str(value.get("apiVersion")), ref, schemas, server)
    schema, definition = choice.schema, choice.definition
    if schema is None or definition is None or any(map(slots.has_slot, keys_in(value))):
        return None
    whole: dict[str, Json] = complete(schema.node, value, [])
    metadata, group, namespaced = whole["metadata"], definition.group, definition.namespaced
    is_named = slots.holds_slots(metadata)
    checks = [
        _prepare_part(check, node, JsonValue(part, repr(part)))
        for check, find in ((fits_schema, _find_parts), (has_valid_place, _find_ruled))
        for node, part in find(schema.node, whole)
    ]

    def is_valid(values: Values) -> bool:
        filled = slots.fill(metadata, values) if is_named else None
        if is_named and any(check_metadata(filled, group, namespaced=namespaced)):
            return False
        return all(check(values) for check in checks)

    return is_valid


@lru_cache(maxsize=2_000)
def _prepare_part(
    check: Callable[[SchemaNode, Json], bool], node: SchemaNode, keyed: JsonValue
) -> Callable[[Values], bool]:
    """Return a check of a part with slots, which objects with equal parts (`parentRefs`) share."""
    own, answers = slots.slots_in(keyed.data), dict[tuple[Any, ...], bool]()

    def is_valid(values: Values) -> bool:
        key = tuple(map(values.get, own))
        if key not in answers:
            answers[key] = check(node, slots.fill(keyed.data, values))
        return answers[key]

    return is_valid


def _find_parts(node: SchemaNode, value: Json) -> Iterator[_Part]:
    """Yield the smallest parts with slots that the schema validates independently."""
    children = [*_list_children(node, value)]
    is_scalar = not isinstance(value, dict | list)
    # A part that relates its own parts to each other can't be divided.
    if is_scalar or compares_parts(node.schema) or any(child is None for child, _ in children):
        yield node, value
        return
    for child, item in children:
        if child is not None and child.schema:
            yield from _find_parts(child, item)


def _find_ruled(node: SchemaNode, value: Json) -> Iterator[_Part]:
    """Yield the parts that are or contain slots, and have rules or a list type."""
    if node.rules or node.list_type in ("set", "map"):
        yield node, value
    for child, item in _list_children(node, value):
        if child is not None and child.is_ruled:
            yield from _find_ruled(child, item)


def _list_children(node: SchemaNode, value: Json) -> Iterator[tuple[SchemaNode | None, Json]]:
    """Yield the children that are or contain slots, each with its schema node, if it has one."""
    if isinstance(value, dict):
        children = [(node.properties.get(key, node.others), item) for key, item in value.items()]
    else:
        children = [(node.items, item) for item in as_list(value)]
    return (pair for pair in children if slots.holds_slots(pair[1]))
