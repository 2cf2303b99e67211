"""A rendered fleet beside the clusters that it is made from: what differs, object by object."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from spokerender.adopting.fleets.values import (
    AssembledObject,
    Column,
    Form,
    GatheredCluster,
    Mismatches,
    Operation,
)
from spokerender.formats.comparing import is_same_json
from spokerender.formats.templating.template import is_template
from spokerender.formats.yamlio.align import align
from spokerender.judging.validation.choosing import choose_schema
from spokerender.judging.validation.crds import ANY_SERVER, Schemas
from spokerender.judging.validation.structure import SchemaNode
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import FieldPath, Ref
from spokerender.model.memo import remembered
from spokerender.model.shapes import Json, keys_in, match_words
from spokerender.model.slots import NAME, fill
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.own_texts import map_texts
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.reading import read_node

_IDENTITY = (("metadata", "name"), ("metadata", "namespace"))
_Pair = tuple[Sequence[Operation], Mapping[str, Any], bool]


class Comparer:
    """Compares what is rendered with what is there; alike clusters once."""

    def __init__(self, catalogue: Catalogue, schemas: Schemas) -> None:
        self._catalogue = catalogue
        self._schemas = schemas
        self._pairs: dict[object, _Pair] = {}
        self._text = remembered(lambda data: json.dumps(data, default=str))
        self._find_schema = cache(self._choose_schema)

    def compare(
        self,
        rendered: Rendered,
        clusters: Sequence[GatheredCluster],
        objects: Mapping[Ref, AssembledObject],
    ) -> Mismatches:
        """Return the differences of all clusters."""
        result = Mismatches()
        for cluster in clusters:
            bundle = rendered.bundles[cluster.name]
            shipped: set[Ref] = set()
            for variant in bundle.blueprint.variants:
                ref = variant.manifest.ref
                shipped.add(ref)
                form = objects[ref].forms.get(cluster.name)
                if form is None:
                    result.surplus.setdefault(ref, []).append(cluster.name)
                    continue
                operations, base, is_apart = self._pair(variant, bundle, form)
                if is_apart:
                    result.apart.setdefault(ref, []).append(cluster.name)
                    continue
                result.bases.setdefault(ref, {})[cluster.name] = base
                result.equal += not operations
                for shared in operations:
                    operation = shared
                    if any(NAME in str(key) for key in (*shared.path, *keys_in(shared.value))):
                        operation = fill(shared, {NAME: cluster.name})
                    key = (ref, operation.op, operation.path)
                    column = result.columns.setdefault(key, Column(ref, operation))
                    column.values[cluster.name] = operation.value
            for ref, item in objects.items():
                if cluster.name in item.forms and ref not in shipped:
                    result.missing.setdefault(ref, []).append(cluster.name)
        return result

    def _pair(self, variant: Variant, bundle: Bundle, form: Form) -> _Pair:
        """Return what makes a form of what is rendered, and whether they hang on something else."""
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
            schema = self._find_schema(
                str(data.get("apiVersion")), variant.ref.group, variant.ref.kind
            )
            operations = [*find_operations(data, form.object, schema)]
            nodes = [read_node(form.ref, each, self._catalogue) for each in (data, form.object)]
            is_apart = any(one.path in _IDENTITY for one in operations)
            is_apart |= bool(operations) and nodes[0].attachments != nodes[1].attachments
            is_apart |= any(map(is_template, keys_in([one.value for one in operations])))
            self._pairs[key] = operations, data, is_apart
        return self._pairs[key]

    def _choose_schema(self, version: str, group: str, kind: str) -> SchemaNode | None:
        schema = choose_schema(version, Ref(group, kind, "", ""), self._schemas, ANY_SERVER).schema
        return schema.node if schema is not None else None


def find_operations(
    old: Json, new: Json, schema: SchemaNode | None = None, path: FieldPath = ()
) -> Iterator[Operation]:
    """Yield the operations from one value to another, to be done in this order.

    A field that one of them has, as the API server would set it by default, is no difference.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        defaults = dict(schema.defaults) if schema is not None else {}
        for key in {**old, **new}:
            either = old.get(key, new.get(key))
            if key in old and key in new:
                yield from find_operations(old[key], new[key], _below(schema, key), (*path, key))
            elif not (key in defaults and is_same_json(either, defaults[key])):
                yield Operation("add" if key in new else "remove", (*path, key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list):
        yield from _list_of_items(old, new, schema, path)
    elif not is_same_json(old, new):
        yield Operation("replace", path, new)


def _list_of_items(
    old: list[Json], new: list[Json], schema: SchemaNode | None, path: FieldPath
) -> Iterator[Operation]:
    """Yield changes of items, then removals from the end, then additions."""
    if is_same_json(old, new):
        return
    items = schema.items if schema is not None else None
    pairs: Sequence[int | None] = range(len(old)) if len(old) == len(new) else align(old, new)
    for index, before in enumerate(pairs):
        if before is not None:
            yield from find_operations(old[before], new[index], items, (*path, before))
    paired = {before for before in pairs if before is not None}
    for index in sorted(set(range(len(old))) - paired, reverse=True):
        yield Operation("remove", (*path, index))
    for index, before in enumerate(pairs):
        if before is None:
            yield Operation("add", (*path, index), new[index])


def _below(schema: SchemaNode | None, key: str) -> SchemaNode | None:
    return schema.properties.get(key, schema.others) if schema is not None else None
