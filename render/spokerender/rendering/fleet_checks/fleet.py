"""Findings about the whole fleet: declarations in the placement that no spoke uses."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec.structs import replace

from spokerender.findings.codes.placement import EMPTY_SPOKE, UNUSED_HOSTNAME
from spokerender.findings.codes.shipping import SIMILAR_KEY
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.phrasing import did_you_mean, mistyped
from spokerender.findings.results import Result
from spokerender.kinds.crds import read_identity
from spokerender.kinds.fields import read_value
from spokerender.model import Manifest, PlacedGateway, Ref
from spokerender.model.shapes import Json, as_list
from spokerender.rendering import overrides
from spokerender.rendering.retarget.hostnames import key_of, serving
from spokerender.rendering.values.bundles import Blueprint, Bundle, How, Variant, in_blueprints
from spokerender.rendering.values.placement import Decision, Override
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub

_Path = tuple[str, ...]

_FREE_MAPS = (("metadata", "labels"), ("metadata", "annotations"))
"""Maps of every object whose keys users choose (Kubernetes API conventions, Metadata)."""


def check_bundles(
    bundles: Sequence[Bundle],
    declared: Sequence[Override],
    used: Mapping[int, bool],
    hub: Sequence[Manifest],
) -> tuple[Result, ...]:
    """Return the findings of all bundles, overrides that change nothing, and empty spokes.

    Equal findings of several spokes are joined. `used` are the numbers of the overrides that were
    applied, each with whether it changed anything.
    """
    of_blueprints = in_blueprints((bundle, bundle.blueprint.results) for bundle in bundles)
    of_spokes = (
        Occurrence(result, (bundle.spoke.name,), values=bundle.values)
        for bundle in bundles
        for result in bundle.results
    )
    unused = (
        overrides.unused_result(override, hub)
        for override in declared
        if override.number not in used and not override.optional
    )
    idle = (
        overrides.idle_result(override)
        for override in declared
        if not (used.get(override.number, True) or override.optional)
    )
    merged = merge_occurrences((*of_blueprints, *of_spokes))
    return (*merged, *unused, *idle, *_empty_spokes(bundles))


def _empty_spokes(bundles: Iterable[Bundle]) -> Iterator[Result]:
    return (
        EMPTY_SPOKE.result(
            f"spoke {bundle.spoke.name} gets nothing; its folder stays, with an empty list",
            cure="name the spoke in a rule, or take it out of the placement",
            origin=bundle.spoke.origin,
            spokes=(bundle.spoke.name,),
        )
        for bundle in bundles
        if not bundle.blueprint.variants
    )


def check_hostname_keys(
    decision: Decision, hub: Hub, topology: Topology, bundles: Iterable[Bundle]
) -> Iterator[Result]:
    """Yield a finding for each key of a rule's `as.hostnames` that maps nothing on any spoke.

    Such a key is usually a misspelt hostname. Listeners of a hub Gateway count even if the spoke
    has its own gateway, as a key is a hostname of the hub.
    """
    # Overrides leave the outcomes of a base as they are, so blueprints share them.
    by_outcomes = {id(bundle.blueprint.outcomes): bundle.blueprint for bundle in bundles}
    mapping = [
        blueprint
        for blueprint in by_outcomes.values()
        if any(place.hostnames for place in blueprint.placed)
    ]
    if not mapping:
        return
    usage = _HostnameUsage(hub, topology)
    for blueprint in mapping:
        usage.add(blueprint)
    for rule in decision.rules:
        # The rule places nothing on any spoke, or maps no hostname there.
        if rule.number not in usage.keys:
            continue
        names = usage.names.get(rule.number, set())
        for key in sorted(rule.placed_as.hostnames.keys() - usage.keys[rule.number]):
            yield rule.result(
                UNUSED_HOSTNAME,
                f'no listener or route has a hostname that "{key}" maps',
                did_you_mean(key, names, "they have") or "take the key out of the rule",
                ("as", "hostnames", key),
            )


class _HostnameUsage:
    """The hostname keys, and the hostnames, that are used on spokes: each by number of the rule."""

    def __init__(self, hub: Hub, topology: Topology) -> None:
        self._topology = topology
        self._of_hub = [
            (index, manifest.ref, of_listeners, of_route)
            for index, manifest in enumerate(hub.manifests)
            for of_listeners, of_route in [_hostnames(manifest.object, manifest.ref, topology)]
            if of_listeners or of_route
        ]
        self.keys: dict[int, set[str]] = {}
        self.names: dict[int, set[str]] = {}

    def add(self, blueprint: Blueprint) -> None:
        for place in blueprint.placed:
            self.keys.setdefault(place.rule, set())
        for index, ref, of_listeners, of_route in self._of_hub:
            gateways = self._topology.ships_with(ref)
            places = [p for p in blueprint.placed if p.hub == ref or p.hub in gateways]
            is_shipped = blueprint.outcomes[index].object is not None
            if not is_shipped and ref not in (place.hub for place in places):
                continue
            for hostname in of_listeners:
                self._use(hostname, places)
            for hostname in of_route:
                route = self._topology.nodes[ref]
                self._use(hostname, serving(hostname, route, self._topology, places))

    def _use(self, hostname: str, places: Iterable[PlacedGateway]) -> None:
        for place in places:
            self.names.setdefault(place.rule, set()).add(hostname)
            key = key_of(hostname, place.hostnames)
            self.keys[place.rule].update([] if key is None else [key])


def _hostnames(
    data: Mapping[str, Any], ref: Ref, topology: Topology
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the hostnames of an object's listeners, and (of a route) the hostnames in its spec."""
    listeners = read_value(data, ("spec", "listeners"))
    of_listeners = [read_value(listener, ("hostname",)) for listener in as_list(listeners)]
    of_route = read_value(data, ("spec", "hostnames")) if topology.nodes[ref].is_route else None
    return _texts(of_listeners), _texts(as_list(of_route))


def _texts(values: Iterable[Any]) -> list[str]:
    return [value for value in values if isinstance(value, str)]


def check_merge_keys(decision: Decision, hub: Hub, bundles: Iterable[Bundle]) -> tuple[Result, ...]:
    """Return findings about keys that a merge adds beside a similar key, usually a typo.

    There is one finding per override and path, with its spokes. There is none for a key that a CRD
    of the hub defines, or if the CRD allows any key.
    """
    if not decision.overrides:
        return ()
    by_place = {override.place: override for override in decision.overrides}
    schemas = _schemas(hub)

    @cache
    def of_variant(variant: Variant) -> tuple[Result, ...]:
        manifest = variant.shipped
        schema = schemas.get((variant.object["apiVersion"], manifest.ref.kind))
        return tuple(
            by_place[edit.place].result(
                SIMILAR_KEY,
                f'adds "{path[-1]}" beside "{near}", which is there already',
                f'did you mean "{near}"?',
                ("merge", *path),
            )
            for edit in manifest.edits
            if edit.how is How.OVERRIDE and edit.place in by_place
            for path, near in _similar_keys(edit.before, edit.patch, schema or {}, ())
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


def _similar_keys(
    data: Mapping[str, Any],
    patch: Json,
    schema: Mapping[str, Any],
    place: _Path,
) -> Iterator[tuple[_Path, str]]:
    """Yield the path of each key that a merge adds beside a similar key, with the similar key.

    A similar key that the merge also contains does not count: its author means both.
    """
    if not isinstance(patch, Mapping) or place in _FREE_MAPS:
        return
    for key, value in patch.items():
        path = (*place, key)
        if key not in data:
            # Keys that the patch names as well are meant to be beside each other.
            near = mistyped(key, data.keys() - patch.keys())
            # A null removes a key, and adds none.
            if near and value is not None and _schema_below(schema, key) is None:
                yield path, near
        elif isinstance(data[key], Mapping):
            # A list is replaced whole by a merge patch, so no key of its items is added beside
            # others.
            yield from _similar_keys(data[key], value, _schema_below(schema, key) or {}, path)


def _schema_below(schema: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    """Return the schema of a key; None if the schema has no such key."""
    schema_of_key = read_value(schema, ("properties", key))
    others = schema.get("additionalProperties")
    below = schema_of_key if schema_of_key is not None else ({} if others is True else others)
    return below if isinstance(below, Mapping) else None


def _schemas(hub: Hub) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Return the schemas of the hub's CRDs, by apiVersion and kind."""
    schemas = {}
    for crd in hub.crds:
        group, kind = read_identity(crd.object)
        for version in as_list(read_value(crd.object, ("spec", "versions"))):
            schema = read_value(version, ("schema", "openAPIV3Schema"))
            if isinstance(schema, Mapping):
                schemas[f"{group}/{version.get('name')}", kind] = schema
    return schemas
