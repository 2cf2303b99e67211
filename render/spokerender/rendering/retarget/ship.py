"""What each object of the hub becomes on a spoke.

An object depends on the gateways that it ships with and on nothing else of the placement, so
the answer is the same on every spoke where those are placed alike (`depends_on`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from spokerender.findings.causes import SYNC_LIST, unshipped
from spokerender.findings.codes.shipping import UNLISTED_POLICY
from spokerender.findings.results import Result
from spokerender.kinds import Kind
from spokerender.kinds.edits import Edits, edited
from spokerender.model import Manifest, PlacedGateway, Ref, kind_name, names
from spokerender.model.asking import ask
from spokerender.model.slots import has_slot
from spokerender.rendering.retarget import free_strings, grants
from spokerender.rendering.retarget.faults import Faults
from spokerender.rendering.retarget.gateways import listener_hostnames, spoke_gateway
from spokerender.rendering.retarget.hostnames import hostname_edits
from spokerender.rendering.retarget.landing import Placed
from spokerender.rendering.retarget.links import Link, can_say_namespace, edits
from spokerender.rendering.retarget.shipping import GatewaySync, Shipping
from spokerender.rendering.values.bundles import Outcome
from spokerender.topology import GATEWAY, Node, Topology
from spokerender.topology.hub import Hub, is_local_config
from spokerender.topology.objects import is_never_shipped


class Retargeter:
    """Answers for every hub object what it becomes where some gateways are placed."""

    def __init__(self, hub: Hub, topology: Topology, sync: Mapping[Ref, GatewaySync]) -> None:
        """`sync` has an entry for every Gateway of the hub."""
        self._catalogue = hub.catalogue
        self._topology = topology
        self._sync = sync
        self._shipping = Shipping(topology, sync)

    def depends_on(self, manifest: Manifest) -> tuple[Ref, ...]:
        """The hub gateways whose placement decides what the object becomes, sorted."""
        if grants.is_grant(manifest.ref):
            return self._topology.gateways
        return tuple(sorted(self._topology.ships_with(manifest.ref)))

    def outcome(self, manifest: Manifest, placed: Placed) -> Outcome:
        """What the object becomes on a spoke that has these gateways, by hub identity.

        `manifest` is clean already (`cleaning.clean`).
        """
        ref = manifest.ref
        if is_never_shipped(ref):
            return Outcome(ref, None, reason=f"a {ref.kind} is never rendered", is_meant=True)
        if is_local_config(manifest):
            return Outcome(ref, None, reason="it is marked as local config", is_meant=True)
        node = self._topology.nodes[ref]
        if node.is_gateway:
            return self._gateway(manifest, placed.get(ref))
        if grants.is_grant(ref):
            return self._grant(manifest, placed)
        return self._attached(manifest, node, placed)

    def _gateway(self, manifest: Manifest, placed: PlacedGateway | None) -> Outcome:
        if placed is None:
            return Outcome(manifest.ref, None, reason="it is not placed there")
        if placed.existing:
            return Outcome(placed.ref, None, reason="the spoke has its own gateway")
        gateway_class = placed.gateway_class or self._sync[manifest.ref].spoke_class
        data = spoke_gateway(manifest.object, placed, gateway_class)
        return Outcome(placed.ref, data)

    def _grant(self, manifest: Manifest, placed: Placed) -> Outcome:
        ref, faults = manifest.ref, Faults(manifest)
        data = grants.spoke_grant(manifest.object, partial(self._landings, placed))
        landed = partial(self._landed, placed, ref.namespace)
        entries, namespaces = grants.referents(data or {}, ref.namespace, landed)
        if data is None or not entries:
            return Outcome(ref, None, reason="it grants nothing to what ships")
        if len(namespaces) > 1:
            faults.grant_apart(namespaces)
        ref = replace(ref, namespace=namespaces[0])
        changes: Edits = {("metadata", "namespace"): ref.namespace, ("spec", "to"): entries}
        return Outcome(ref, edited(data, changes), tuple(faults.results))

    def _landings(
        self, placed: Placed, group: str, kind: str, namespace: str
    ) -> tuple[str, ...] | None:
        """Where the hub's objects of one kind and namespace are on the spoke, if there are any."""
        nodes = self._topology.of_kind(group, kind, namespace)
        if not nodes:
            return None
        landed = (self._shipping.lands(node, placed) for node in nodes)
        return tuple(dict.fromkeys(place for place in landed if place is not None))

    def _landed(
        self, placed: Placed, namespace: str, group: str, kind: str, name: str
    ) -> tuple[Ref | None, ...] | None:
        """What the hub's objects of one kind and namespace are on the spoke, or the one of a name.

        None where there is none; of what is no Gateway also where none ships, for it may be there.
        """
        of_kind = self._topology.of_kind(group, kind, namespace)
        nodes = [node for node in of_kind if name in ("", node.ref.name)]
        if (group, kind) == GATEWAY:
            there = [placed[node.ref].ref if node.ref in placed else None for node in nodes]
            return tuple(there) or None
        found = ((node.ref, self._shipping.lands(node, placed)) for node in nodes)
        return tuple(replace(ref, namespace=at) for ref, at in found if at is not None) or None

    def _attached(self, manifest: Manifest, node: Node, placed: Placed) -> Outcome:
        ref = manifest.ref
        kind = self._catalogue.kind(ref.group, ref.kind)
        links = self._shipping.links(node, placed)
        here = self._shipping.here(ref, links, placed)
        if not here:
            return Outcome(ref, None, reason=self._not_here(node, placed))
        if not self._shipping.is_listed(ref, here):
            return Outcome(
                ref, None, self._unlisted(manifest, kind, here), "its kind is not listed"
            )
        return self._retargeted(manifest, kind, links, here, placed)

    def _not_here(self, node: Node, placed: Placed) -> str:
        gateways = self._topology.ships_with(node.ref)
        if not gateways.isdisjoint(placed):
            named = self._topology.carriers(node.ref)
            return "nothing that names it ships" if named else "nothing that names its target ships"
        if gateways:
            return "the gateway that it hangs on is not placed there"
        return "it hangs on no gateway of the hub"

    def _unlisted(
        self, manifest: Manifest, kind: Kind, here: tuple[PlacedGateway, ...]
    ) -> tuple[Result, ...]:
        """A policy that is left behind leaves its gateway without it: the silent failure."""
        if kind.is_route or not kind.is_policy:
            return ()
        names = ", ".join(place.hub.full_name for place in here)
        return (
            UNLISTED_POLICY.result(
                f"not shipped: {kind.kind} is not listed to sync, so gateway {names} is without it",
                cure="list the kind in the GatewayClass's parameters or in fleet.yaml, or take the "
                "policy out of the hub",
                resource=manifest.ref,
                origin=manifest.origin,
                causes=(
                    SYNC_LIST,
                    f"{kind_name(kind.group, kind.kind)} is not listed",
                    unshipped(manifest.ref),
                ),
            ),
        )

    def _retargeted(
        self,
        manifest: Manifest,
        kind: Kind,
        links: tuple[Link, ...],
        here: tuple[PlacedGateway, ...],
        placed: Placed,
    ) -> Outcome:
        faults = Faults(manifest)
        namespace = self._namespace(manifest.ref, kind, placed, faults)
        ref = replace(manifest.ref, namespace=namespace)
        landing = self._shipping.landing(placed)
        changes, unsayable = edits(links, namespace, self._classes(here), landing)
        for reference in unsayable:
            faults.unsayable(reference, kind)
        for link in links:
            if link.removed:
                faults.dropped(link)
            elif wrong := _label_fault(link, changes):
                faults.unlabelled(link.reference, wrong)
        data = manifest.object
        if ref.namespace and data["metadata"].get("namespace") != ref.namespace:
            changes["metadata", "namespace"] = ref.namespace
        for key, value in kind.annotations:
            changes["metadata", "annotations", key] = value
        if kind.is_route:
            route = self._topology.nodes[manifest.ref]
            mapped, conflicts = hostname_edits(data, route, self._topology, here)
            changes.update(mapped)
            changes.update(_own_backends(route, namespace))
            faults.hostnames(conflicts)
        maps = {place.hostnames for place in here}
        if len(maps) == 1:
            changes.update(listener_hostnames(data, maps.pop()))
        classes = self._sync_classes(here)
        faults.results += free_strings.remaining(manifest, data, changes, here, classes)
        return Outcome(ref, edited(data, changes), tuple(faults.results))

    def _sync_classes(self, here: tuple[PlacedGateway, ...]) -> tuple[str, ...]:
        return tuple(self._topology.nodes[place.hub].gateway_class for place in here)

    def _classes(self, here: tuple[PlacedGateway, ...]) -> dict[Ref, str]:
        """The class on the spoke; what it has of its own may have any, if the rule says none."""
        return {
            place.hub: place.gateway_class
            or ("" if place.existing else self._sync[place.hub].spoke_class)
            for place in here
        }

    def _namespace(self, ref: Ref, kind: Kind, placed: Placed, faults: Faults) -> str:
        """Where a policy lands: with its targets, if it may only name what is beside it."""
        landing = self._shipping.landing(placed)
        required = landing.required(ref)
        references = (beside.reference for beside in required.values())
        if len(required) > 1 and not all(map(can_say_namespace, references)):
            faults.apart(required, kind)
        return landing.of(ref)


def _own_backends(route: Node, namespace: str) -> Edits:
    """The namespaces of backends for which a route that follows a gateway spells out its own."""
    own = route.ref.namespace
    return {
        link.namespace_path: namespace
        for link in route.references
        if link.row.role.carries
        and link.explicit_namespace
        and link.namespace_path is not None
        and link.ref.namespace == own != namespace
    }


def _label_fault(link: Link, changes: Edits) -> str:
    """What is wrong with a name that is to stand in a label; a slot's is asked of its value."""
    place = link.reference.name_path
    name = changes.get(place, "") if link.reference.label and place is not None else ""
    return ask(_label_value_fault, name) if isinstance(name, str) and name else ""


def _label_value_fault(text: str) -> str:
    return "" if has_slot(text) else names.label_value_fault(text)
