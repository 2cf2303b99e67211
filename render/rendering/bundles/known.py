"""Which texts are never replaced by slots, and when no slot may be used at all."""

from __future__ import annotations

from collections.abc import Iterator

from render.kinds import read
from render.model import Manifest, Spoke, slots
from render.rendering.placement import implied_texts
from render.rendering.values.placement import Decision
from render.topology import Topology
from render.topology.hub import Hub


def known_texts(hub: Hub, topology: Topology, decision: Decision) -> frozenset[str] | None:
    """The texts that stay in the open; None, for no slots, where the input uses that plane.

    They are all that a spoke's own value may be compared with: what the placement spells out,
    and of the hub what the topology knows. The rest of a policy is carried, not compared.
    """
    known = {text for m in hub.manifests for text in _compared(m, topology)}
    known.update(m.ref.namespace for m in hub.manifests)  # `default` may be spelled out nowhere
    known.update(implied_texts(m.ref.namespace for m in hub.manifests))
    for rule in decision.rules:
        known.update(slots.strings_in(rule.model.as_.model_dump()))
    for override in decision.overrides:
        known.update(slots.strings_in(override.model.merge))
        known.update(slots.strings_in([op.value for op in override.model.patch or ()]))
    known.update([text.removeprefix("*.") for text in known])  # hostnames are held without star
    if any(map(slots.has_slot, known)):
        return None
    if hub.is_plain or not any(slots.has_slot(text) for text in _texts(hub)):
        return frozenset(known)
    return None


def _texts(hub: Hub) -> Iterator[str]:
    return (text for manifest in hub.manifests for text in slots.strings_in(manifest.object))


def _compared(manifest: Manifest, topology: Topology) -> Iterator[str]:
    """The texts of an object that the topology knows, and a few more."""
    node_of = topology.nodes[manifest.ref]
    yield from slots.strings_in(manifest.object["metadata"])
    if node_of.listeners or node_of.hostnames or node_of.grant or node_of.is_gateway:
        yield from slots.strings_in(manifest.object)
    for link in node_of.references:
        yield from slots.strings_in(read(manifest.object, link.path))


def needs_no_slots(spoke: Spoke) -> bool:
    """Whether a spoke's own values use the slots' plane: it, and no other, goes without them."""
    return any(map(slots.has_slot, slots.strings_in(dict(spoke.values))))
