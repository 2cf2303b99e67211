"""Keys that an override's merge adds beside one that is nearly the same: most often a typo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from msgspec.structs import replace

from spokerender.findings.codes.shipping import SIMILAR_KEY
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.phrasing import mistyped
from spokerender.findings.results import Result
from spokerender.kinds.fields import read_value
from spokerender.model.shapes import as_list
from spokerender.rendering.values.bundles import Blueprint, Bundle, How, Variant
from spokerender.rendering.values.placement import Decision, Override
from spokerender.topology.hub import Hub

Path = tuple[str, ...]

_KIND = ("spec", "names", "kind")

_FREE = (("metadata", "labels"), ("metadata", "annotations"))
"""Maps of every object whose keys people choose (Kubernetes API conventions, Metadata)."""


def similar_keys(decision: Decision, hub: Hub, bundles: Iterable[Bundle]) -> tuple[Result, ...]:
    """A warning for each such key, once for an override and a path, with its spokes.

    Not where a CRD of the hub has the key, or lets people choose the keys.
    """
    if not decision.overrides:
        return ()
    by_place = {override.place: override for override in decision.overrides}
    schemas = _schemas(hub)

    @cache
    def of_variant(variant: Variant) -> tuple[Result, ...]:
        manifest = variant.shipped
        schema = schemas.get((manifest.ref.group, manifest.ref.kind, variant.object["apiVersion"]))
        return tuple(
            _result(by_place[edit.place], path, near)
            for edit in manifest.edits
            if edit.how is How.OVERRIDE and edit.place in by_place
            for path, near in _added(edit.before, edit.patch, schema or {}, ())
        )

    @cache
    def of_blueprint(blueprint: Blueprint) -> tuple[Result, ...]:
        return tuple(
            result
            for variant in blueprint.variants
            if variant.overrides
            for result in of_variant(variant)
        )

    return merge_occurrences(
        Occurrence(result, (bundle.spoke.name,), replace(result, message="", cure=""))
        for bundle in bundles
        for result in of_blueprint(bundle.blueprint)
    )


def _result(override: Override, path: Path, near: str) -> Result:
    return SIMILAR_KEY.result(
        f'adds "{path[-1]}" beside "{near}", which is there already',
        cure=f'did you mean "{near}"?',
        field=".".join((override.field, "merge", *path)),
        origin=override.origin,
    )


def _added(
    data: Mapping[str, Any],
    patch: Any,  # noqa: ANN401  (JSON of any shape)
    schema: Mapping[str, Any],
    place: Path,
) -> Iterator[tuple[Path, str]]:
    """The paths of the keys that a merge adds beside a similar one, each with that one.

    A key that the merge speaks of as well is no neighbour: who writes both means both.
    """
    if not isinstance(patch, Mapping) or place in _FREE:
        return
    for key, value in patch.items():
        path = (*place, key)
        if key not in data:
            near = mistyped(key, data.keys() - patch.keys())
            if near and value is not None and _below(schema, key) is None:
                yield path, near
        elif isinstance(data[key], Mapping):
            yield from _added(data[key], value, _below(schema, key) or {}, path)


def _below(schema: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    """What a schema says of a key; None where it has no such key."""
    own, others = read_value(schema, ("properties", key)), schema.get("additionalProperties")
    below = own if own is not None else ({} if others is True else others)
    return below if isinstance(below, Mapping) else None


def _schemas(hub: Hub) -> dict[tuple[str, str, str], Mapping[str, Any]]:
    """The schemas of the hub's CRDs, by group, kind and apiVersion."""
    schemas = {}
    for crd in hub.crds:
        group, kind = read_value(crd.object, ("spec", "group")), read_value(crd.object, _KIND)
        versions = read_value(crd.object, ("spec", "versions"))
        for version in as_list(versions):
            schema = read_value(version, ("schema", "openAPIV3Schema"))
            if isinstance(schema, Mapping) and isinstance(kind, str):
                schemas[str(group), kind, f"{group}/{version.get('name')}"] = schema
    return schemas
