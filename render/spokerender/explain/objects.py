"""One hub object: where it goes and as what, why, why not, and which fields change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from spokerender.explain.model import (
    Destination,
    FieldChange,
    NotShipped,
    ObjectExplanation,
    Placing,
    Step,
)
from spokerender.explain.paths import path_of
from spokerender.findings.results import Result
from spokerender.formats.comparing import fingerprint, order
from spokerender.kinds import Reference
from spokerender.kinds.credentials import Redactor, credentials
from spokerender.model import Manifest, PlacedGateway, Ref, shown
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.provenance import hub_line, sources
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.sources import Traced
from spokerender.topology import Topology


def explain_object(
    rendered: Rendered, manifest: Manifest, bundles: Iterable[Bundle]
) -> ObjectExplanation:
    """Tell where the object goes among these spokes; equal answers are one.

    What a stage made has no name on the hub, but one on each spoke: it is called by the first.
    """
    asked = tuple(bundles)
    names = {bundle.spoke.name for bundle in asked}
    of_hub = manifest.ref in rendered.topology.nodes
    destinations = _destinations(rendered, manifest, asked)
    called = [manifest.ref] if of_hub else [place.ref for place in destinations]
    return ObjectExplanation(
        ref=next(iter(called), manifest.ref),
        origin=manifest.origin,
        chains=_chains(rendered, manifest) if of_hub else (),
        destinations=destinations,
        not_shipped=_not_shipped(rendered, manifest, asked),
        results=tuple(
            result
            for result in rendered.results
            if (result.resource in called or _is_about(rendered, manifest, result))
            and (not result.spokes or not names.isdisjoint(result.spokes))
        ),
    )


def _is_about(rendered: Rendered, manifest: Manifest, result: Result) -> bool:
    """Whether a finding is about what a consumer wrote, of which this is the copy."""
    copy = rendered.contribution.copies.get(manifest.ref)
    if copy is None or result.resource != copy.source.ref or result.origin is None:
        return False
    return result.origin.path == copy.source.origin.path


def placing(rendered: Rendered, place: PlacedGateway, bundle: Bundle) -> Placing:
    """Tell a placed gateway with the spoke's values and its rule's line."""
    rule = rendered.decision.rules[place.rule]
    return Placing(place.hub, bundle.ref(place.ref), place.existing, rule.origin)


def _placings(rendered: Rendered, manifest: Manifest, bundle: Bundle) -> tuple[Placing, ...]:
    gateways = rendered.topology.ships_with(manifest.ref)
    placed = bundle.blueprint.placed
    return tuple(placing(rendered, place, bundle) for place in placed if place.hub in gateways)


def _is_made_too(manifest: Manifest, other: Manifest) -> bool:
    """Whether two objects that stages made are one: spokes that differ may each have their own."""
    is_made = manifest.written is None and other.written is None
    return is_made and manifest.ref == other.ref and manifest.origin == other.origin


def _destinations(
    rendered: Rendered, manifest: Manifest, bundles: tuple[Bundle, ...]
) -> tuple[Destination, ...]:
    shipped: dict[tuple[Ref, tuple[Placing, ...]], list[tuple[Bundle, Variant]]] = {}
    for bundle in bundles:
        for variant in bundle.blueprint.variants:
            if variant.manifest is manifest or _is_made_too(manifest, variant.manifest):
                key = (
                    bundle.ref(variant.ref),
                    _placings(rendered, manifest, bundle),
                )
                shipped.setdefault(key, []).append((bundle, variant))
    # The layout is that of all: one spoke's paths tell it, and no file is made.
    first = next((alike[0][0].spoke.name for alike in shipped.values()), "")
    paths = frozenset(rendered.tree.paths(first)) if first else frozenset[str]()
    return tuple(
        Destination(
            spokes=tuple(bundle.spoke.name for bundle, _ in alike),
            ref=ref,
            path=path_of(ref, paths),
            placings=placings,
            fields=_fields(rendered, alike),
        )
        for (ref, placings), alike in shipped.items()
    )


def _fields(rendered: Rendered, alike: list[tuple[Bundle, Variant]]) -> tuple[FieldChange, ...]:
    """Every changed field, with the spokes on which it is changed so."""
    known: dict[tuple[int, str], tuple[Traced, ...]] = {}
    spokes_of: dict[tuple[object, ...], tuple[Traced, list[str]]] = {}
    redactor = Redactor()
    for bundle, variant in alike:
        text = fingerprint(bundle.object_of(variant))
        if (id(variant), text) not in known:
            secrets = _credentials(rendered, bundle, variant)
            known[id(variant), text] = tuple(
                replace(
                    traced,
                    old=redactor.data(traced.old, secrets),
                    new=redactor.data(traced.new, secrets),
                )
                for traced in sources(rendered, bundle, variant)
            )
        for traced in known[id(variant), text]:
            values = fingerprint(traced.old), fingerprint(traced.new)
            key = (traced.path, *values, traced.source)
            spokes_of.setdefault(key, (traced, []))[1].append(bundle.spoke.name)
    changed = (FieldChange(traced, tuple(spokes)) for traced, spokes in spokes_of.values())
    return tuple(sorted(changed, key=lambda change: order(change.traced.path)))


def _credentials(rendered: Rendered, bundle: Bundle, variant: Variant) -> frozenset[str]:
    """Those of the object on the hub and on the spoke."""
    kind = rendered.hub.catalogue.kind(variant.ref.group, variant.ref.kind)
    objects = (variant.manifest.object, bundle.object_of(variant))
    return frozenset[str]().union(*(credentials(kind, each) for each in objects))


def _not_shipped(
    rendered: Rendered, manifest: Manifest, bundles: tuple[Bundle, ...]
) -> tuple[NotShipped, ...]:
    spokes_of: dict[tuple[str, tuple[Placing, ...]], list[str]] = {}
    for bundle in bundles:
        for of_hub, outcome in zip(rendered.hub.manifests, bundle.blueprint.outcomes, strict=True):
            if of_hub is manifest and outcome.object is None:
                key = (outcome.reason, _placings(rendered, manifest, bundle))
                spokes_of.setdefault(key, []).append(bundle.spoke.name)
    return tuple(
        NotShipped(tuple(spokes), reason, placings)
        for (reason, placings), spokes in spokes_of.items()
    )


def _chains(rendered: Rendered, manifest: Manifest) -> tuple[tuple[Step, ...], ...]:
    """A shortest way from the object to each Gateway that it hangs on."""
    topology = rendered.topology
    manifests = {item.ref: item for item in rendered.hub.manifests}
    ways: dict[Ref, tuple[Step, ...]] = {manifest.ref: ()}
    waiting = [manifest.ref]
    for ref in waiting:  # grows while it is walked: breadth first
        if topology.nodes[ref].is_gateway:
            continue
        for holder, link, target in _upwards(topology, ref):
            if target not in ways:
                origin = hub_line(manifests[holder], link.path)
                ways[target] = (*ways[ref], Step(target, shown(link.path), origin))
                waiting.append(target)
    gateways = sorted(topology.ships_with(manifest.ref))
    return tuple(ways[gateway] for gateway in gateways if ways.get(gateway))


def _upwards(topology: Topology, ref: Ref) -> Iterator[tuple[Ref, Reference, Ref]]:
    """What an object ships with, one step up: which object says so, by which reference."""
    for link in topology.nodes[ref].references:
        for target in topology.targets(link) if link.row.role.ships else ():
            yield ref, link, target
    for route, link in topology.carrying(ref):
        yield route, link, route
