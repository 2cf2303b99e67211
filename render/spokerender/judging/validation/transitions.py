"""Rules about how an object may change (Kubernetes: CRDs, "Transition rules").

A value is compared with the one that was in its place: at the same key of a mapping, and in a list
of maps at the entry with the same keys. Items of other lists have no old value, and no rule of
theirs about a change is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from spokerender.findings.results import Fault
from spokerender.formats import cel
from spokerender.judging.validation.choosing import choose
from spokerender.judging.validation.completing import completed
from spokerender.judging.validation.crds import Schemas
from spokerender.judging.validation.model import ANY_SERVER, Json, Server
from spokerender.judging.validation.rules import rule_fault, spoken, verdict
from spokerender.judging.validation.structure import Node
from spokerender.model import FieldPath, Ref


def has_transitions(group: str, kind: str, schemas: Schemas) -> bool:
    """Whether a CRD of the kind has any rule about how an object may change."""
    return any(
        definition.schema(version).node.has_transitions
        for definition in schemas.definitions.get((group, kind), ())
        for version in definition.versions
    )


def change_faults(
    old: dict[str, Json],
    new: dict[str, Json],
    ref: Ref,
    schemas: Schemas,
    server: Server = ANY_SERVER,
) -> tuple[Fault, ...]:
    """What the API server would say against an object because it was another one before.

    What is wrong with the object anyhow is told by `validate`.
    """
    schema = choose(str(new.get("apiVersion")), ref, schemas, server).schema
    if schema is None or not schema.node.has_transitions:
        return ()
    node = schema.node
    before, after = (completed(node, value, []) for value in (old, new))
    return tuple(_walk(node, before, after, ()))


def _walk(node: Node, old: Json, new: Json, path: FieldPath) -> Iterator[Fault]:
    if old is None or new is None or not node.has_transitions:
        return
    if node.transitions:
        binding = cel.bind_change(spoken(node, old), spoken(node, new))
        for rule in node.transitions:
            text = verdict(node, rule, binding)
            if text != "":
                fault = rule_fault(node, rule, text, path)
                yield replace(fault, cure=_CURE if not fault.cure else f"{_CURE}; {fault.cure}")
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() & new.keys():
            child = node.properties.get(key, node.others)
            if child is not None:
                yield from _walk(child, old[key], new[key], (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and node.items is not None:
        yield from _entries(node, node.items, old, new, path)


_CURE = "keep what it was, or give the object another name"


def _entries(
    node: Node, items: Node, old: list[Json], new: list[Json], path: FieldPath
) -> Iterator[Fault]:
    """The entries of a list of maps, each with the old one of its keys."""
    if node.list_type != "map":
        return
    before = {_key(node, entry): entry for entry in old if isinstance(entry, dict)}
    for index, entry in enumerate(new):
        if isinstance(entry, dict):
            yield from _walk(items, before.get(_key(node, entry)), entry, (*path, index))


def _key(node: Node, entry: dict[str, Json]) -> tuple[str, ...]:
    return tuple(repr(entry.get(name)) for name in node.list_keys)
