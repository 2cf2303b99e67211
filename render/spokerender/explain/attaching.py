"""Obstacles between an object and its Gateway: a route attaches nowhere, or a grant is absent.

The suggested edits are candidates, like near misses: the caller judges the project with them first.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from msgspec.structs import replace

from spokerender.explain.near_misses import HubEdit, NearMiss, Unattached, Unpermitted, list_way_up
from spokerender.findings.phrasing import did_you_mean
from spokerender.judging.fleet.judged import Aspect, JudgedBlueprint, JudgedFleet
from spokerender.kinds.reference import Reference, make_grant
from spokerender.model import Manifest, Ref, grouped, shown
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.admission import find_named_listeners, find_parents
from spokerender.topology.hostnames import intersects
from spokerender.topology.node import Listener, NamespaceLabels, Node

_ENOUGH = 6
_FROM = ("allowedRoutes", "namespaces", "from")
_KINDS = ("allowedRoutes", "kinds")
_Refusal = TypeVar("_Refusal", Unattached, Unpermitted)


def _collect(
    fleet: JudgedFleet, spokes: Iterable[str], find: Callable[[JudgedBlueprint], Iterable[_Refusal]]
) -> tuple[_Refusal, ...]:
    """Return the refusals that `find` yields for each of the `spokes`; equal ones are joined."""
    names = grouped(
        (fleet.bundles[spoke].filled(item), spoke)
        for spoke in spokes
        if spoke in fleet.judged
        for item in find(fleet.judged[spoke])
    )
    return tuple(replace(item, spokes=tuple(own)) for item, own in names.items())


def find_unattached(
    rendered: Rendered, ref: Ref, spokes: Iterable[str], judge: Callable[..., JudgedFleet]
) -> tuple[Unattached, ...]:
    """Return the routes, from the object up to Gateways, that no listener accepts.

    `judge` is the pipeline's judging function. Equal results are joined.
    """
    way = {*list_way_up(rendered, ref)}
    if not any(item.kind.endswith("Route") for item in way):
        return ()
    fleet = judge(rendered, (), Aspect.STATES, with_routing=True)
    return _collect(fleet, spokes, lambda judged: _find_refused(judged, way))


def _find_refused(judged: JudgedBlueprint, way: Iterable[Ref]) -> Iterator[Unattached]:
    routes = judged.routing.routes if judged.routing is not None else {}
    for ref, parents in routes.items():
        variant = judged.variants.get(ref)
        refusals = [parent.refusal for parent in parents]
        # One parent that takes the route is enough for it to be served.
        if variant is not None and variant.manifest.ref in way and refusals and all(refusals):
            reason, message = refusals[0] or ("", "")
            # The spokes are filled in by the caller, which joins equal refusals.
            yield Unattached((), variant.manifest.ref, reason, message)


def find_attaching(rendered: Rendered, route: Ref) -> list[NearMiss]:
    """Return edits of the hub after which a listener might accept the route, the smallest first."""
    topology = rendered.topology
    manifests = {item.ref: item for item in rendered.hub.manifests}
    node, manifest = topology.nodes.get(route), manifests.get(route)
    if node is None or manifest is None:
        return []
    misses: list[NearMiss] = []
    labels = topology.around.labels_of_namespace(route.namespace)
    for parent, link in find_parents(topology, node):
        holder = manifests.get(parent.ref)
        named = [*find_named_listeners(parent, link)]
        if not named:
            misses += _name_listener(manifest, parent, link)
        for listener in named:
            opening = [*_open_listener(holder, parent, listener, node, labels)] if holder else []
            naming = [*_name_host(manifest, parent, listener, node)]
            # A listener that is closed and has another hostname needs both edits.
            both = [one.joined(other) for one in opening for other in naming]
            misses += both or opening or naming
    return sorted(misses, key=lambda miss: len(miss.edits))[:_ENOUGH]


def _name_listener(manifest: Manifest, parent: Node, link: Reference) -> Iterator[NearMiss]:
    """Yield the likely section name, if no listener has the name in the reference."""
    names = [listener.name for listener in parent.listeners]
    likely = [name for name in names for section in link.sections if did_you_mean(section, [name])]
    # With one listener there is nothing to choose, however its name is written.
    for name in likely or (names if len(names) == 1 else []):
        path = (*link.path, "sectionName")
        words = f"{manifest.ref} named the listener {name} of {parent.ref} in {shown(path)}"
        yield NearMiss(words, (), (HubEdit(manifest.origin, path, name),))


def _open_listener(
    holder: Manifest, parent: Node, listener: Listener, route: Node, labels: NamespaceLabels
) -> Iterator[NearMiss]:
    """Yield the edits that let a listener admit the route's namespace and kind, unless it does."""
    place = ("spec", "listeners", listener.index)
    edits, words = [], []
    namespaces = parent.ref.namespace, route.ref.namespace
    if not listener.routes.admits(*namespaces, labels):
        edits.append(HubEdit(holder.origin, (*place, *_FROM), "All"))
        words.append(f"took routes of namespace {route.ref.namespace} ({shown(_FROM)}: All)")
    kind = route.ref.group, route.ref.kind
    if listener.kinds and kind not in listener.kinds:
        # Behind the last kind, so the edit appends.
        path = (*place, *_KINDS, len(listener.kinds))
        edits.append(HubEdit(holder.origin, path, {"group": kind[0], "kind": kind[1]}))
        words.append(f"took {route.ref.kind}s ({shown(_KINDS)})")
    if edits:
        what = " and ".join(words)
        yield NearMiss(f"listener {listener.name} of {parent.ref} {what}", (), tuple(edits))


def _name_host(
    manifest: Manifest, parent: Node, listener: Listener, route: Node
) -> Iterator[NearMiss]:
    """Yield the edit that gives the route a hostname of the listener, if it has none.

    The hostname is the listener's or, if that is a wildcard, one with the route's first label.
    """
    names = route.hostnames
    # A route without hostnames takes those of the listener.
    if not names or any(intersects(listener.hostname, name) for name in names):
        return
    wildcard, _, suffix = listener.hostname.partition("*.")
    first = names[0].partition(".")[0]
    name = listener.hostname if wildcard or not suffix else f"{first}.{suffix}"
    path = ("spec", "hostnames", 0)
    words = f"{manifest.ref} had the hostname {name}, which listener {listener.name} of "
    words += f"{parent.ref} serves, in {shown(path)}"
    yield NearMiss(words, (), (HubEdit(manifest.origin, path, name),))


def find_unpermitted(
    rendered: Rendered, ref: Ref, spokes: Iterable[str], judge: Callable[..., JudgedFleet]
) -> tuple[Unpermitted, ...]:
    """Return the references without a grant, of the object and of objects between it and Gateways.

    `judge` is the pipeline's judging function. Equal results are joined.
    """
    way, nodes = {*list_way_up(rendered, ref)}, rendered.topology.nodes
    # Only references to other namespaces need a grant, and judging takes long.
    if not any(nodes[one].crossing for one in way if one in nodes):
        return ()
    fleet = judge(rendered, (), Aspect.STATES)
    return _collect(fleet, spokes, lambda judged: _find_closed(rendered, judged, way))


def _find_closed(
    rendered: Rendered, judged: JudgedBlueprint, way: Iterable[Ref]
) -> Iterator[Unpermitted]:
    topology = judged.judgement.topology
    for ref, variant in judged.variants.items():
        hub_ref = variant.manifest.ref
        node = topology.nodes.get(ref) if hub_ref in way else None
        for referent, field in node.crossing if node is not None else ():
            if not topology.permits(ref, referent):
                hub = rendered.topology.nodes.get(hub_ref)
                # The field is at the same place on the hub, whose names a user can edit.
                named = [r for r, place in hub.crossing if place == field] if hub else []
                yield Unpermitted((), hub_ref, next(iter(named), referent), field)


def permit(rendered: Rendered, item: Unpermitted) -> NearMiss | None:
    """Return the ReferenceGrant that permits the reference; None if no file has the referrer."""
    origins = (each.origin for each in rendered.hub.manifests if each.ref == item.referrer)
    origin = next(origins, None)
    if origin is None:
        return None
    grant = make_grant(item.referrer, item.referent)
    words = f"the hub had ReferenceGrant {item.referent.namespace}/{grant['metadata']['name']}"
    return NearMiss(words, (), (HubEdit(origin, (), grant),))
