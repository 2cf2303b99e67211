"""Validates changes of an object by its CRD's transition rules, which compare old and new."""

from collections.abc import Iterator

from msgspec.structs import replace

from spokerender.findings.results import Fault
from spokerender.formats import cel
from spokerender.judging.validation.bundled import find_bundled
from spokerender.judging.validation.choosing import choose_schema
from spokerender.judging.validation.crds import ANY_SERVER, Schemas, Server
from spokerender.judging.validation.rules import convert_for_cel, evaluate_rule, report_rule
from spokerender.judging.validation.structure import SchemaNode, complete
from spokerender.model import FieldPath, Ref
from spokerender.model.shapes import Json


def has_transitions(group: str, kind: str, schemas: Schemas) -> bool:
    """Return whether a CRD of the kind has any transition rule."""
    return find_bundled(group, kind).has_transitions or any(
        definition.schema(version).node.has_transitions
        for definition in schemas.definitions.get((group, kind), ())
        for version in definition.versions
    )


def check_change(
    old: dict[str, Json],
    new: dict[str, Json],
    ref: Ref,
    schemas: Schemas,
    server: Server = ANY_SERVER,
) -> tuple[Fault, ...]:
    """Return a fault for each transition rule that a change breaks (Kubernetes, CRDs).

    `validate` reports all other faults of the new object.
    """
    schema = choose_schema(str(new.get("apiVersion")), ref, schemas, server).schema
    if schema is None or not schema.node.has_transitions:
        return ()
    node = schema.node
    before, after = (complete(node, value, []) for value in (old, new))
    return tuple(_walk_change(node, before, after, ()))


def _walk_change(node: SchemaNode, old: Json, new: Json, path: FieldPath) -> Iterator[Fault]:
    # A value is compared with the value at the same key of a mapping, or in a list of maps with the
    # entry of the same keys. Items of other lists have no old value, and no transition rules.
    if old is None or new is None or not node.has_transitions:
        return
    if node.transitions:
        binding = cel.bind_change(convert_for_cel(node, old), convert_for_cel(node, new))
        for rule in node.transitions:
            text = evaluate_rule(node, rule, binding)
            if text != "":
                fault = report_rule(node, rule, text, path)
                cure = "keep what it was, or give the object another name"
                yield replace(fault, cure=f"{cure}; {fault.cure}" if fault.cure else cure)
    if isinstance(old, dict) and isinstance(new, dict):
        for key in (key for key in new if key in old):
            child = node.properties.get(key, node.others)
            if child is not None:
                yield from _walk_change(child, old[key], new[key], (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and node.items is not None:
        yield from _walk_entries(node, node.items, old, new, path)


def _walk_entries(
    node: SchemaNode, items: SchemaNode, old: list[Json], new: list[Json], path: FieldPath
) -> Iterator[Fault]:
    """Yield the faults of a list of maps, whose entries are compared by their keys."""
    if node.list_type != "map":
        return
    before = {_read_keys(node, entry): entry for entry in old if isinstance(entry, dict)}
    for index, entry in enumerate(new):
        if isinstance(entry, dict):
            yield from _walk_change(
                items, before.get(_read_keys(node, entry)), entry, (*path, index)
            )


def _read_keys(node: SchemaNode, entry: dict[str, Json]) -> tuple[str, ...]:
    return tuple(repr(entry.get(name)) for name in node.list_keys)
