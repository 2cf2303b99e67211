"""The attachments of an object on a spoke, compared with its attachments on the hub.

Compared are targets on both sides: gateways that are placed, objects that ship, and their sections.
Selections by labels and classes that no file has are left out: those of existing gateways of the
spoke, unless they are declared.
"""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds.reference import Reference
from spokerender.model import GATEWAY_CLASS, Ref, grouped
from spokerender.rendering.checks.context import SpokeContext
from spokerender.topology.graph import Topology
from spokerender.topology.guards import Attached, Guards, find_attachments
from spokerender.topology.node import Node


class OneSided(Struct, frozen=True):
    """An attachment on one side only: `hub` names it by its hub refs, `spoke` by its spoke refs."""

    hub: Attached
    spoke: Attached
    link: Reference | None


class Comparison:
    """Compares the attachments of objects on a spoke with their attachments on the hub."""

    def __init__(self, context: SpokeContext) -> None:
        self._context = context
        self._hostnames: dict[Ref, dict[str, str]] = {}
        self._landed = {
            source.ref: ref
            for ref, source in context.sources.items()
            if source.ref in context.hub.nodes  # a stage may have made what the hub has not
        }
        # Gateways that the spoke has already are not among the sources, as they are not rendered.
        self._landed.update((place.hub, place.ref) for place in context.placed)
        self._sources = grouped([(ref, hub) for hub, ref in self._landed.items()])
        self._places = {place.hub: place for place in context.placed if place.existing}
        self._widened = {
            hub
            for hub, place in self._places.items()
            if len(dict(place.sections)) > len({own for _, own in place.sections})
        }
        """Gateways with several listeners that become a single listener on the spoke."""
        self.existing = {place.ref for place in context.placed if place.existing}
        created = {place.ref for place in context.placed if not place.existing}
        self._collapsed = {ref for ref in created if len(self._sources[ref]) > 1}
        self._twice = {
            ref for ref, number in Counter(n.ref for n in context.shipped).items() if number > 1
        }
        """Identities that `collisions` refuses: their attachments are undefined."""

    def _is_left_out(self, node: Node) -> bool:
        source = self._context.sources[node.ref].ref
        # An object that a stage created has no attachments on the hub.
        return node.ref in self._twice or source not in self._context.hub.nodes

    def on_hub(self, node: Node) -> Guards:
        """Return the hub attachments of a rendered object; empty if they can't be compared."""
        if self._is_left_out(node):
            return ()
        return find_attachments(self._context.hub, self._context.hub_node(node).ref)

    def on_spoke(self, node: Node) -> Guards:
        """Return the spoke attachments of a rendered object; empty if they can't be compared."""
        if self._is_left_out(node):
            return ()
        return find_attachments(self._context.spoke, node.ref)

    def is_alike(self, node: Node) -> bool:
        """Return whether the attachments on both sides are equal pair by pair, in the same order.

        This quick test settles most objects.
        """
        if node.hostnames != self._context.retargeted[node.ref].hostnames:
            return False
        on_hub, on_spoke = self.on_hub(node), self.on_spoke(node)
        return len(on_hub) == len(on_spoke) and all(
            before.by is None
            and now.by is None
            and self.section(before.thing) == now.thing.section_name
            and before.thing.whole not in self._widened
            and self._landed.get(before.thing.whole) == now.thing.whole
            and len(self._sources.get(now.thing.whole, ())) == 1
            and (
                before.hostname == now.hostname == ""
                or self.hostname(before.hostname, node) == now.hostname
            )
            for (before, _), (now, _) in zip(on_hub, on_spoke, strict=True)
        )

    def lost(self, node: Node) -> Iterator[OneSided]:
        """Yield each attachment that is missing on the spoke although its target exists there."""
        on_spoke = {attached for attached, _ in self.on_spoke(node)}
        for attached, link in self.on_hub(node):
            expected = self._expected(attached, link, node)
            if expected is not None and expected not in on_spoke:
                yield OneSided(attached, expected, link)

    def gained(self, node: Node) -> Iterator[OneSided]:
        """Yield each attachment that is new on the spoke although its target exists on the hub."""
        on_hub = {attached for attached, _ in self.on_hub(node)}
        for attached, link in self.on_spoke(node):
            if self._is_unknown(attached.thing.whole, link):
                continue
            for origin in self._origins(attached, node):
                if origin not in on_hub:
                    yield OneSided(origin, attached, link)

    def section(self, thing: Ref) -> str:
        """Return the spoke's name of a section; `thing` identifies the section on the hub."""
        place = self._places.get(thing.whole)
        return place.section(thing.section_name) if place is not None else thing.section_name

    def hostname(self, hostname: str, node: Node) -> str | None:
        """Return a route's hostname as it is on the spoke; None if an override removed it."""
        if not hostname:
            return None if node.hostnames else ""
        if node.ref not in self._hostnames:
            names = self._context.hub_node(node).hostnames
            mapped = dict(zip(names, self._context.retargeted[node.ref].hostnames, strict=False))
            # Retargeting keeps the order of hostnames, so they are paired by index; an override may
            # remove some.
            left = frozenset(node.hostnames)
            self._hostnames[node.ref] = {k: name for k, name in mapped.items() if name in left}
        return self._hostnames[node.ref].get(hostname)

    def _expected(self, attached: Attached, link: Reference | None, node: Node) -> Attached | None:
        """Return a hub attachment in its form on the spoke; None if the spoke can't have it."""
        by = self._landed.get(attached.by) if attached.by is not None else None
        # An object that a carrier names, such as a Service, need not be rendered: the spoke has it
        # under its name.
        whole = self._landed.get(attached.thing.whole) or self._named_by(
            attached, by, self._context.hub, self._context.spoke
        )
        hostname = self.hostname(attached.hostname, node)
        if whole is None or hostname is None or (attached.by is not None and by is None):
            return None
        thing = whole.section(self.section(attached.thing))
        if not self._has_section(thing) or self._is_unknown(whole, link):
            return None
        return Attached(thing, hostname, by)

    @staticmethod
    def _named_by(
        attached: Attached, by: Ref | None, here: Topology, there: Topology
    ) -> Ref | None:
        """Return the identity of the unrendered target of `attached` on the other side.

        One side is the hub, the other the spoke. `here` is the side of the attachment. `by` names
        the target on the other side, `there`; None is returned without it. The target has the same
        name there, in the namespace of `by` if none is written. For a GatewayClass, the gateway
        `by` decides the name.
        """
        whole = attached.thing.whole
        if attached.by is None or by is None:
            return None
        if (whole.group, whole.kind) == GATEWAY_CLASS and by in there.nodes:
            gateway_class = there.nodes[by].gateway_class
            return replace(whole, name=gateway_class) if gateway_class else None
        named = (link for carrier, link in here.carrying(whole) if carrier == attached.by)
        is_beside = all(here.is_beside(attached.by, link) for link in named)
        return replace(whole, namespace=by.namespace) if is_beside else whole

    def _has_section(self, thing: Ref) -> bool:
        target = self._context.spoke.nodes.get(thing.whole)
        sections = target.sections if target is not None else None
        return not thing.section_name or sections is None or thing.section_name in sections

    def _is_unknown(self, thing: Ref, link: Reference | None) -> bool:
        """Return whether labels in no file decide if `link` selects the gateway `thing`."""
        if link is None or link.selector is None or thing not in self.existing:
            return False
        return self._context.spoke.nodes[thing].meets(link.selector) is None

    def _origins(self, attached: Attached, node: Node) -> Iterator[Attached]:
        """Yield the attachments on the hub that may correspond to an attachment on the spoke."""
        thing = attached.thing
        # `collisions` refuses it, and the gateway that an attachment comes from is not known.
        if thing.whole in self._collapsed:
            return
        carriers = self._sources.get(attached.by, []) if attached.by is not None else [None]
        for by in carriers:
            named = self._named_by(attached, by, self._context.spoke, self._context.hub)
            for whole in self._sources.get(thing.whole, [named] if named is not None else []):
                names = self._context.hub_node(node).hostnames or ("",)
                hostnames = [
                    name for name in names if self.hostname(name, node) == attached.hostname
                ]
                # One listener of the spoke may stand for several of the hub.
                for section in self._hub_sections(whole, thing.section_name):
                    yield from (Attached(section, hostname, by) for hostname in hostnames)

    def _hub_sections(self, whole: Ref, section: str) -> Iterator[Ref]:
        """Yield the sections of the hub object `whole` that `section` on the spoke stands for."""
        place, target = self._places.get(whole), self._context.hub.nodes.get(whole)
        sections = target.sections if target is not None else ()
        if not section or place is None:
            if not section or sections is None or section in sections:
                yield whole.section(section)
        elif section in place.listener_names:
            hub_names = place.hub_sections(section)
            yield from (whole.section(name) for name in hub_names if name in (sections or ()))
