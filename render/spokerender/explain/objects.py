"""Explains one hub object: its destinations, why or why not, and the changed fields."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from spokerender.explain import values
from spokerender.findings.phrasing import listed
from spokerender.findings.results import Result
from spokerender.formats.comparing import fingerprint, path_sort_key
from spokerender.kinds.credentials import Redactor, find_credentials
from spokerender.kinds.reference import Reference
from spokerender.model import Manifest, PlacedGateway, Ref, shown
from spokerender.rendering.values import layout
from spokerender.rendering.values.alike import AlikeFleet
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.provenance import History, Traced
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.graph import Topology
from spokerender.topology.places import hub_line


def explain_object(
    rendered: Rendered, manifest: Manifest, bundles: Iterable[Bundle]
) -> values.ObjectExplanation:
    """Return an explanation of an object; `bundles` are the spokes to explain it for.

    An object that a plug-in (wing) made is in no file: its name on the first spoke is used.
    """
    bundles = tuple(bundles)
    spokes = {bundle.spoke.name for bundle in bundles}
    is_in_hub = manifest.ref in rendered.topology.nodes
    destinations = _destinations(rendered, manifest, bundles)
    names = [manifest.ref] if is_in_hub else [place.ref for place in destinations]
    return values.ObjectExplanation(
        ref=next(iter(names), manifest.ref),
        origin=manifest.origin,
        chains=_chains(rendered, manifest) if is_in_hub else (),
        destinations=destinations,
        not_shipped=_not_shipped(rendered, manifest, bundles),
        results=tuple(
            result
            for result in rendered.results
            if (result.resource in names or _is_about_source(rendered, manifest, result))
            and (not result.spokes or not spokes.isdisjoint(result.spokes))
        ),
    )


def placing(rendered: Rendered, place: PlacedGateway, bundle: Bundle) -> values.Placing:
    """Return a placed Gateway with the spoke's values and the line of its rule."""
    rule = rendered.decision.rules[place.rule]
    mode = "existing" if place.existing else "create"
    return values.Placing(
        place.hub, bundle.ref(place.ref), mode, rule.origin, rule.spokes.placement
    )


def path_in_folder(ref: Ref, paths: Collection[str]) -> str:
    """Return an object's path in a spoke's folder; `paths`, the folder's files, show the layout."""
    return layout.ALL_IN_ONE if layout.ALL_IN_ONE in paths else layout.path_of(ref)


def _is_about_source(rendered: Rendered, manifest: Manifest, result: Result) -> bool:
    """Return whether a finding is about the object of a workspace that `manifest` is a copy of."""
    copy = rendered.contribution.copies.get(manifest.ref)
    if copy is None or result.resource != copy.source.ref or result.origin is None:
        return False
    return result.origin.path == copy.source.origin.path


def _placings(rendered: Rendered, manifest: Manifest, bundle: Bundle) -> tuple[values.Placing, ...]:
    gateways = rendered.topology.ships_with(manifest.ref)
    placed = bundle.blueprint.placed
    return tuple(placing(rendered, place, bundle) for place in placed if place.hub in gateways)


def _is_same_object(manifest: Manifest, other: Manifest) -> bool:
    # A stage may make the same object anew for each blueprint.
    is_made = manifest.written is None and other.written is None
    return manifest is other or (
        is_made and manifest.ref == other.ref and manifest.origin == other.origin
    )


def _destinations(
    rendered: Rendered, manifest: Manifest, bundles: tuple[Bundle, ...]
) -> tuple[values.Destination, ...]:
    shipped: dict[tuple[Ref, tuple[values.Placing, ...]], list[tuple[Bundle, Variant]]] = {}
    for bundle in bundles:
        for variant in bundle.blueprint.variants:
            if _is_same_object(manifest, variant.manifest):
                # Spokes that get it under one name for one reason share a destination.
                key = bundle.ref(variant.ref), _placings(rendered, manifest, bundle)
                shipped.setdefault(key, []).append((bundle, variant))
    # All spokes have the same layout, and the paths of one spoke show it without making a file.
    first = next((alike[0][0].spoke.name for alike in shipped.values()), "")
    paths = frozenset(rendered.tree.paths(first)) if first else frozenset[str]()
    return tuple(
        values.Destination(
            spokes=tuple(bundle.spoke.name for bundle, _ in alike),
            ref=ref,
            path=path_in_folder(ref, paths),
            placings=placings,
            fields=_field_changes(rendered, alike),
        )
        for (ref, placings), alike in shipped.items()
    )


def _field_changes(
    rendered: Rendered, alike: list[tuple[Bundle, Variant]]
) -> tuple[values.FieldChange, ...]:
    """Return the object's fields that differ from the hub, with the spokes of each change."""
    traced_by_object: dict[tuple[object, ...], tuple[Traced, ...]] = {}
    bundles_of: dict[tuple[object, ...], tuple[Traced, dict[str, list[Bundle]]]] = {}
    redactor = Redactor()
    for bundle, variant in alike:
        # Causes are a part of the key: a metapolicy's words may have values of the spoke.
        causes = [bundle.text(edit.how) for edit in variant.shipped.edits]
        # Tracing renders an object step by step, so equal objects are traced once.
        key = id(variant), fingerprint(bundle.object_of(variant)), *causes
        if key not in traced_by_object:
            kind = rendered.hub.catalogue.kind(variant.ref.group, variant.ref.kind)
            objects = (variant.manifest.object, bundle.object_of(variant))
            # Of both sides: an override may put a credential where the hub has none.
            secrets = frozenset[str]().union(*(find_credentials(kind, data) for data in objects))
            traced_by_object[key] = tuple(
                replace(
                    traced,
                    old=redactor.data(traced.old, secrets),
                    new=redactor.data(traced.new, secrets),
                )
                for traced in History(rendered, bundle, variant).changed()
            )
        for traced in traced_by_object[key]:
            # Fingerprints, as values may be lists and dicts.
            sides = fingerprint(traced.old), fingerprint(traced.new)
            change = (traced.path, *sides, traced.source.hub, traced.source.origin)
            by_cause = bundles_of.setdefault(change, (traced, {}))[1]
            by_cause.setdefault(traced.source.how, []).append(bundle)
    bundles = [bundle for bundle, _ in alike]
    changes = (
        values.FieldChange(replace(traced, source=replace(traced.source, how=how)), spokes)
        for traced, by_cause in bundles_of.values()
        for how, spokes in _join_causes(by_cause, bundles)
    )
    return tuple(sorted(changes, key=lambda change: path_sort_key(change.traced.path)))


def _join_causes(
    by_cause: Mapping[str, Collection[Bundle]], all_bundles: Sequence[Bundle]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield causes with their spokes; causes that differ only in the spokes' values are joined."""
    if len(by_cause) == 1:
        for cause, bundles in by_cause.items():
            yield cause, tuple(bundle.spoke.name for bundle in bundles)
        return
    fleet = AlikeFleet(all_bundles)
    for cause, bundles in fleet.join(by_cause.items()):
        names = {bundle.spoke.name for bundle in bundles}
        spokes = (bundle.spoke.name for bundle in all_bundles)
        yield fleet.name_own(cause, bundles), tuple(name for name in spokes if name in names)


def _not_shipped(
    rendered: Rendered, manifest: Manifest, bundles: tuple[Bundle, ...]
) -> tuple[values.NotShipped, ...]:
    spokes_of: dict[tuple[str, tuple[values.Placing, ...]], list[str]] = {}
    for bundle in bundles:
        # Outcomes stand in the order of the hub's manifests.
        for of_hub, outcome in zip(rendered.hub.manifests, bundle.blueprint.outcomes, strict=True):
            if of_hub is manifest and outcome.object is None:
                # A source of other objects is asked about often, so they are named.
                products = _list_products(manifest, bundle) if outcome.is_removed else []
                reason = f"{outcome.reason}: {listed(products)}" if products else outcome.reason
                key = (reason, _placings(rendered, manifest, bundle))
                spokes_of.setdefault(key, []).append(bundle.spoke.name)
    return tuple(
        values.NotShipped(tuple(spokes), reason, placings)
        for (reason, placings), spokes in spokes_of.items()
    )


def _list_products(manifest: Manifest, bundle: Bundle) -> list[str]:
    """Return the names of a spoke's objects that a rendering stage made of this object."""
    return [
        str(bundle.ref(variant.ref))
        for variant in bundle.blueprint.variants
        if variant.manifest.written is None and variant.manifest.origin == manifest.origin
    ]


def _chains(rendered: Rendered, manifest: Manifest) -> tuple[tuple[values.ReferenceStep, ...], ...]:
    """Return a shortest chain of references from the object to each Gateway above it."""
    topology = rendered.topology
    manifests = {item.ref: item for item in rendered.hub.manifests}
    chains: dict[Ref, tuple[values.ReferenceStep, ...]] = {manifest.ref: ()}
    queue = [manifest.ref]
    for ref in queue:  # grows while it is walked: breadth first
        if ref not in topology.nodes:  # external: the next step is in fleet.yaml
            chains.update(dict.fromkeys(topology.ships_with(ref), chains[ref]))
            continue
        # Chains end at a Gateway; its class is not what an object ships with.
        if topology.nodes[ref].is_gateway:
            continue
        for holder, link, target in _upwards(topology, ref):
            if target not in chains:
                origin = hub_line(manifests[holder], link.path)
                chains[target] = (
                    *chains[ref],
                    values.ReferenceStep(target, shown(link.path), origin),
                )
                queue.append(target)
    gateways = sorted(topology.ships_with(manifest.ref))
    return tuple(chains[gateway] for gateway in gateways if chains.get(gateway))


def _upwards(topology: Topology, ref: Ref) -> Iterator[tuple[Ref, Reference, Ref]]:
    """Yield (holder, reference, object) for each object to which one reference leads upwards."""
    for link in topology.nodes[ref].references:
        for target in topology.targets(link) if link.row.role.ships else ():
            yield ref, link, target
    for route, link in topology.carrying(ref):
        yield route, link, route
