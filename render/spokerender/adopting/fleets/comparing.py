"""Compare a rendered fleet with the clusters that it is made from, object by object."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from spokerender.adopting.fleets.gathering import AssembledObject, Form, GatheredCluster
from spokerender.formats.comparing import is_same_json
from spokerender.formats.templating.template import is_template
from spokerender.formats.yamlio.align import align
from spokerender.judging.validation.choosing import choose_schema
from spokerender.judging.validation.crds import ANY_SERVER, Schemas
from spokerender.judging.validation.structure import SchemaNode
from spokerender.model import FieldPath, Ref, grouped
from spokerender.model.memo import remembered
from spokerender.model.shapes import Json, keys_in, match_words
from spokerender.model.slots import NAME, fill
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.own_texts import map_texts
from spokerender.rendering.values.rendered import Rendered


class Operation(Struct, frozen=True):
    """One operation on an object, `add`, `replace` or `remove`, at a field path, with its value.

    The removal of the path `()` removes the whole object.
    """

    op: str
    path: FieldPath
    value: Json = None


Operations = Sequence[Operation]
_Changes = Mapping[FieldPath, Operations]
_GONE: _Changes = {(): (Operation("remove", ()),)}


class Differences(Struct, eq=False):
    """The objects that are rendered differently from clusters, by their identity on the hub.

    `changes` has the operations that turn the rendered object into a cluster's, by field path and
    cluster. `bases` has the rendered object for each cluster. `stuck` has pairs of an object and a
    cluster on which no override can correct it. In texts, `NAME` stands for the cluster's name.
    """

    changes: dict[Ref, dict[FieldPath, dict[str, Operations]]] = field(default_factory=dict)
    bases: dict[Ref, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    stuck: list[tuple[Ref, str]] = field(default_factory=list)


class Comparer:
    """Compares rendered objects with clusters' objects; equal pairs are compared once."""

    def __init__(
        self,
        clusters: Sequence[GatheredCluster],
        objects: Mapping[Ref, AssembledObject],
        schemas: Schemas,
    ) -> None:
        self._clusters, self._objects, self._schemas = clusters, objects, schemas
        self._pairs: dict[object, tuple[Mapping[str, Any], _Changes | None]] = {}
        self._text = remembered(lambda data: json.dumps(data, default=str))

    def compare(self, rendered: Rendered) -> Differences:
        """Return the differences of all clusters."""
        result = Differences()
        for cluster in self._clusters:
            bundle = rendered.bundles[cluster.name]
            shipped: set[Ref] = set()
            for variant in bundle.blueprint.variants:
                ref = variant.manifest.ref
                shipped.add(ref)
                form = self._objects[ref].forms.get(cluster.name)
                changes: _Changes | None = _GONE
                if form is not None:
                    base, changes = self._pair(variant, bundle, form)
                    result.bases.setdefault(ref, {})[cluster.name] = base
                if changes is None:
                    result.stuck.append((ref, cluster.name))
                    continue
                for path, operations in changes.items():
                    places = result.changes.setdefault(ref, {})
                    places.setdefault(path, {})[cluster.name] = operations
            result.stuck += (
                (ref, cluster.name)
                for ref, item in self._objects.items()
                if cluster.name in item.forms and ref not in shipped
            )
        return result

    def _pair(
        self, variant: Variant, bundle: Bundle, form: Form
    ) -> tuple[Mapping[str, Any], _Changes | None]:
        """Return the rendered object, and operations that turn it into `form`; None if none can."""
        name = bundle.spoke.name
        blank = match_words([name]).sub
        values = {
            slot: blank(NAME, value) if isinstance(value := bundle.values[slot], str) else value
            for slot in variant.slots()
        }
        is_in_text = name in self._text(variant.object)
        key = (variant, form, tuple(values.items()), name if is_in_text else "")
        if key not in self._pairs:
            data = fill(variant.object, values)
            if is_in_text:
                data = map_texts(data, lambda text: blank(NAME, text))
            self._pairs[key] = data, self._find_changes(data, form)
        base, changes = self._pairs[key]
        if changes and any(NAME in text for text in _list_keys(changes)):
            changes = fill(changes, {NAME: name})
        return base, changes

    def _find_changes(self, data: Mapping[str, Any], form: Form) -> _Changes | None:
        """Return the operations that turn an object into a form, by the field that they change."""
        kind = Ref(form.ref.group, form.ref.kind, "", "")
        version = str(data.get("apiVersion"))
        schema = choose_schema(version, kind, self._schemas, ANY_SERVER).schema
        node = schema.node if schema is not None else None
        changes = grouped(find_operations(data, form.object, node))
        # An override has no keys that are templates.
        return None if any(map(is_template, _list_keys(changes))) else changes


def _list_keys(changes: _Changes) -> list[str]:
    """Return the keys in the paths and values of operations."""
    every = [one for operations in changes.values() for one in operations]
    return [str(step) for one in every for step in (*one.path, *keys_in(one.value))]


def find_operations(
    old: Json, new: Json, schema: SchemaNode | None = None, path: FieldPath = ()
) -> Iterator[tuple[FieldPath, Operation]]:
    """Yield the operations from one value to another, each with the field that it changes.

    If the length of a list changes, all operations in the list belong to the list, and are to be
    done in this order. A field that equals the API server's default may be absent in either value.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        defaults = dict(schema.defaults) if schema is not None else {}
        for key in {**old, **new}:
            either, at = old.get(key, new.get(key)), (*path, key)
            if key in old and key in new:
                below = schema.properties.get(key, schema.others) if schema is not None else None
                yield from find_operations(old[key], new[key], below, at)
            elif not (key in defaults and is_same_json(either, defaults[key])):
                yield at, Operation("add" if key in new else "remove", at, new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and not is_same_json(old, new):
        yield from _find_operations_of_list(old, new, schema, path)
    elif not is_same_json(old, new):
        yield path, Operation("replace", path, new)


def _find_operations_of_list(
    old: list[Json], new: list[Json], schema: SchemaNode | None, path: FieldPath
) -> Iterator[tuple[FieldPath, Operation]]:
    pairs: Sequence[int | None] = range(len(old)) if len(old) == len(new) else align(old, new)
    for index, before in enumerate(pairs):
        if before is not None:
            items = schema.items if schema is not None else None
            inner = find_operations(old[before], new[index], items, (*path, before))
            yield from (
                (at if len(old) == len(new) else path, operation) for at, operation in inner
            )
    # Inner lists first, then from the end: all indices are those of the list as it is then.
    for index in sorted(set(range(len(old))).difference(pairs), reverse=True):
        yield path, Operation("remove", (*path, index))
    for index, before in enumerate(pairs):
        if before is None:
            yield path, Operation("add", (*path, index), new[index])
