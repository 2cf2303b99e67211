"""References into other namespaces that no ReferenceGrant permits, and the grant that would."""

from collections.abc import Iterable, Iterator

from spokerender.explain.near_misses import HubEdit, NearMiss, Unpermitted, list_way_up
from spokerender.explain.refusals import collect_refusals
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.kinds.reference import make_grant
from spokerender.model import Ref
from spokerender.rendering.values.rendered import Rendered


def has_crossings(rendered: Rendered, ref: Ref) -> bool:
    """Report whether the object, or one on its way to a Gateway, names one of another namespace."""
    nodes = rendered.topology.nodes
    return any(nodes[one].crossing for one in list_way_up(rendered, ref) if one in nodes)


def find_unpermitted(
    rendered: Rendered, fleet: JudgedFleet, ref: Ref, spokes: Iterable[str]
) -> tuple[Unpermitted, ...]:
    """Return the references of the object, and of those on its way to a Gateway; equal are one.

    Args:
        rendered: the fleet, whose topology has the object.
        fleet: the same judged.
        ref: the object on the hub.
        spokes: those to look at.

    """
    way = {*list_way_up(rendered, ref)}
    return collect_refusals(fleet, spokes, lambda judged: _find_closed(rendered, judged, way))


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
                named = [r for r, place in hub.crossing if place == field] if hub else []
                yield Unpermitted((), hub_ref, next(iter(named), referent), field)


def permit(rendered: Rendered, item: Unpermitted) -> NearMiss | None:
    """Return the ReferenceGrant that would permit the reference; None for an object of no file."""
    origins = (each.origin for each in rendered.hub.manifests if each.ref == item.referrer)
    origin = next(origins, None)
    if origin is None:
        return None
    grant = make_grant(item.referrer, item.referent)
    words = f"the hub had ReferenceGrant {item.referent.namespace}/{grant['metadata']['name']}"
    return NearMiss(words, (), (HubEdit(origin, (), grant),))
