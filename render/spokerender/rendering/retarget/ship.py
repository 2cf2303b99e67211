"""Retargeting: each object of the hub as it is on a spoke.

An object depends only on the placement of the gateways it ships with, so the result is the same on
every spoke on which these are placed equally (`depends_on`).
"""

from collections.abc import Iterable, Mapping
from functools import partial

from msgspec.structs import replace

from spokerender.findings.causes import SYNC_LIST, unshipped
from spokerender.findings.codes import shipping as codes
from spokerender.findings.codes.attachment import MISSING_SECTION
from spokerender.findings.phrasing import joined
from spokerender.findings.results import FindingKind, Result
from spokerender.kinds.fields import REMOVE, Edits, apply_edits
from spokerender.kinds.kind import Kind
from spokerender.kinds.reference import Reference
from spokerender.model import (
    GATEWAY_CLASS,
    SERVICE,
    SERVICE_IMPORT,
    Manifest,
    PlacedGateway,
    Ref,
    kind_name,
    names,
    shown,
)
from spokerender.model.slots import ask_fault
from spokerender.rendering.retarget import free_strings
from spokerender.rendering.retarget.gateways import (
    is_grant,
    map_hostnames,
    move_edits,
    referents,
    spoke_gateway,
    spoke_grant,
)
from spokerender.rendering.retarget.hostnames import Conflict, hostname_edits
from spokerender.rendering.retarget.links import (
    GatewaySync,
    Link,
    Neighbour,
    Placed,
    Shipping,
    backend_edits,
    edits,
    section_edits,
)
from spokerender.rendering.values.bundles import Outcome
from spokerender.rendering.values.folding import find_folded
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub, is_local_config
from spokerender.topology.node import Node
from spokerender.topology.objects import is_never_shipped

_CORE = '""'
_MADE_THERE = (GATEWAY_CLASS, SERVICE, SERVICE_IMPORT)
"""Kinds that applications and controllers create in a cluster."""


class RetargetFaults:
    """Collects the findings about one hub object while it is retargeted."""

    def __init__(self, manifest: Manifest) -> None:
        self.results: list[Result] = []
        self._manifest = manifest

    def add(self, rule: FindingKind, message: str, cure: str, field: str = "") -> None:
        """Add a finding about a field of the object."""
        self.results.append(
            rule.result(
                message,
                cure=cure,
                resource=self._manifest.ref,
                field=field,
                origin=self._manifest.origin,
            )
        )

    def add_inexpressible(self, reference: Reference, kind: Kind) -> None:
        """Add a finding: the reference has no field, or none left, for its target's namespace."""
        if reference.namespace_path is None:
            why = f"a {kind.kind} has no field for its namespace"
            cure = "keep the gateway in the hub's namespace, or move the policy's other targets "
            cure += "with it"
        else:
            why = "its selector, which has one field for a namespace, has targets in other ones"
            cure = "write one selector for each gateway that moves"
        message = f"its target lands in another namespace, and {why}"
        self.add(codes.NAMESPACE_UNSAYABLE, message, cure, shown(reference.path))

    def add_section(self, reference: Reference, section: str) -> None:
        """Add a finding: no listener of the spoke's gateway stands for the hub's `section`."""
        self.add(
            MISSING_SECTION,
            f"no one listener of the spoke's gateway is declared for the hub's \"{section}\"",
            f"write `for: {section}` at the listener in the rule's `as.listeners`",
            f"{shown(reference.path)}.{reference.row.section}",
        )

    def add_label(self, reference: Reference, fault: str) -> None:
        """Add a finding: the target's name is no valid label value, so API servers refuse it."""
        self.add(
            codes.LABEL_UNSAYABLE,
            f"it selects by the label {reference.label}, and of the gateway's name on the spoke "
            f"{fault}",
            "give the gateway a name of at most 63 characters in the rule's `as.name`",
            shown(reference.path),
        )

    def add_apart(self, required: Mapping[str, Neighbour], kind: Kind) -> None:
        """Add a finding: the targets are in several namespaces, but the kind names only its own."""
        targets = ", ".join(
            f"{neighbour.target.kind} {neighbour.target.name} in {namespace}"
            for namespace, neighbour in required.items()
        )
        self.add(
            codes.LOCAL_TARGETS_APART,
            f"a {kind.kind} can only target what is in its own namespace, but on the spoke its "
            f"targets are apart: {targets}",
            "write one policy per target",
        )

    def add_hostnames(self, conflicts: Iterable[Conflict]) -> None:
        """Add a finding for each hostname of a route that two gateways map differently."""
        for conflict in conflicts:
            self.add(
                codes.HOSTNAME_CONFLICT,
                f"hostname {conflict.hostname} is mapped in {len(conflict.becomes)} ways by the "
                f"gateways that the route hangs on: {', '.join(conflict.becomes)}",
                "give the rules of these gateways the same `hostnames`, or split the route",
                f"spec.hostnames[{conflict.index}]",
            )

    def add_grant(self, namespaces: tuple[str, ...]) -> None:
        """Add a finding: the referents of a ReferenceGrant are in several `namespaces`."""
        self.add(
            codes.LOCAL_TARGETS_APART,
            "a ReferenceGrant is about its own namespace only, but on the spoke its referents are "
            f"in several: {', '.join(namespaces)}",
            "write one ReferenceGrant per Gateway that moves",
            "spec.to",
        )

    def add_dropped(self, link: Link) -> None:
        """Add a finding: a list entry is removed, as its gateways are not on the spoke."""
        names = ", ".join(gateway.full_name for gateway in link.off)
        self.add(
            codes.ENTRY_DROPPED,
            f"the entry for {link.reference.ref} is dropped: gateway {names} is not on the spoke",
            "",
            shown(link.reference.path),
        )


class Retargeter:
    """Retargets hub objects to a spoke with given placed gateways."""

    def __init__(self, hub: Hub, topology: Topology, sync: Mapping[Ref, GatewaySync]) -> None:
        """Prepare; `sync` has an entry for every Gateway of the hub."""
        self._catalogue = hub.catalogue
        self._topology = topology
        self._sync = sync
        self._shipping = Shipping(topology, sync)

    def depends_on(self, manifest: Manifest) -> tuple[Ref, ...]:
        """Return the hub gateways, sorted, on whose placement the retargeted object depends."""
        # A grant names kinds and namespaces, which may be those of any gateway's objects.
        if is_grant(manifest.ref):
            return self._topology.roots
        return tuple(sorted(self._topology.ships_with(manifest.ref)))

    def outcome(self, manifest: Manifest, placed: Placed) -> Outcome:
        """Return a hub object retargeted to a spoke; `placed` maps hub gateways to their placement.

        `manifest` is cleaned already (`marks.clean`).
        """
        ref = manifest.ref
        if is_never_shipped(ref):
            return Outcome(ref, None, reason=f"a {ref.kind} is never rendered", is_meant=True)
        if is_local_config(manifest):
            return Outcome(ref, None, reason="it is marked as local config", is_meant=True)
        node = self._topology.nodes[ref]
        if node.is_gateway:
            return self._gateway(manifest, placed.get(ref))
        if is_grant(ref):
            return self._grant(manifest, placed)
        return self._attached(manifest, node, placed)

    def _gateway(self, manifest: Manifest, placed: PlacedGateway | None) -> Outcome:
        if placed is None:
            return Outcome(manifest.ref, None, reason="it is not placed there")
        if placed.existing:
            return Outcome(placed.ref, None, reason="the spoke has its own gateway")
        gateway_class = placed.gateway_class or self._sync[manifest.ref].spoke_class
        data, changes = spoke_gateway(manifest.object, placed, gateway_class)
        results: list[Result] = []
        # A gateway that keeps its names contains no old names.
        if placed.hostnames or placed.ref != placed.hub:
            classes = (self._topology.nodes[manifest.ref].gateway_class,)
            hub_data = manifest.object
            results = free_strings.remaining(manifest, hub_data, changes, (placed,), classes)
        return Outcome(placed.ref, data, tuple(results))

    def _grant(self, manifest: Manifest, placed: Placed) -> Outcome:
        ref, faults = manifest.ref, RetargetFaults(manifest)
        data = spoke_grant(manifest.object, partial(self._find_namespaces, placed))
        find_refs = partial(self._find_refs, placed, ref.namespace)
        entries, namespaces = referents(data or {}, ref.namespace, find_refs)
        if data is None or not entries:
            return Outcome(ref, None, reason="it grants nothing to what ships")
        if len(namespaces) > 1:
            faults.add_grant(namespaces)
        ref = replace(ref, namespace=namespaces[0])
        changes: Edits = {("metadata", "namespace"): ref.namespace, ("spec", "to"): entries}
        return Outcome(ref, apply_edits(data, changes), tuple(faults.results))

    def _find_namespaces(
        self, placed: Placed, group: str, kind: str, namespace: str
    ) -> tuple[str, ...] | None:
        """Return the spoke namespaces of hub objects in `namespace`; None if there are none."""
        nodes = self._topology.of_kind(group, kind, namespace)
        if not nodes:
            return None
        namespaces = (self._shipping.find_namespace(node, placed) for node in nodes)
        return tuple(dict.fromkeys(name for name in namespaces if name is not None))

    def _find_refs(
        self, placed: Placed, namespace: str, group: str, kind: str, name: str
    ) -> tuple[Ref | None, ...] | None:
        """Return the identities on the spoke of hub objects of one kind, namespace and name.

        An empty name means any. The identity of a Gateway that is not placed is None. For other
        kinds, the result is None if none of the objects ships, as the spoke may have such objects
        itself.
        """
        of_kind = self._topology.of_kind(group, kind, namespace)
        nodes = [node for node in of_kind if name in ("", node.ref.name)]
        if any(node.is_root for node in nodes):
            gateways = [placed[node.ref].ref if node.ref in placed else None for node in nodes]
            return tuple(gateways) or None
        landed = ((node.ref, self._shipping.find_namespace(node, placed)) for node in nodes)
        return tuple(replace(ref, namespace=at) for ref, at in landed if at is not None) or None

    def _attached(self, manifest: Manifest, node: Node, placed: Placed) -> Outcome:
        ref = manifest.ref
        kind = self._catalogue.kind(ref.group, ref.kind)
        links = self._shipping.links(node, placed)
        gateways = self._shipping.gateways(ref, links, placed)
        if not gateways:
            return Outcome(ref, None, reason=self._explain_absence(node, placed))
        if not self._shipping.is_listed(ref, gateways):
            results = self._unlisted(manifest, kind, gateways, placed)
            return Outcome(ref, None, results, "its kind is not listed")
        return self._retarget(manifest, kind, links, gateways, placed)

    def _explain_absence(self, node: Node, placed: Placed) -> str:
        gateways = self._topology.ships_with(node.ref)
        if not gateways.isdisjoint(placed):
            named = self._topology.carriers(node.ref)
            return "nothing that names it ships" if named else "nothing that names its target ships"
        if gateways:
            return "the gateway that it hangs on is not placed there"
        return "it hangs on no gateway of the hub"

    def _unlisted(
        self, manifest: Manifest, kind: Kind, gateways: tuple[PlacedGateway, ...], placed: Placed
    ) -> tuple[Result, ...]:
        """Return findings about an object that does not ship because its kind is not listed."""
        # A route remains on the hub unless its kind is listed: the spokes may have their own;
        # `left_on_hub` reports routes whose policies ship.
        if kind.is_route:
            return ()
        if not kind.is_policy:
            return self._unlisted_need(manifest, placed)
        names = ", ".join(place.hub.full_name for place in gateways)
        return (
            codes.UNLISTED_POLICY.result(
                f"not shipped: {kind_name(kind.group, kind.kind)} is not listed to sync, so "
                f"gateway {names} is without it",
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

    def _unlisted_need(self, manifest: Manifest, placed: Placed) -> tuple[Result, ...]:
        """Return findings about an object that does not ship although shipped objects name it."""
        ref = manifest.ref
        group_kind = (ref.group, ref.kind)
        # Those who run the application or the controller bring these to the spoke.
        if group_kind in _MADE_THERE:
            return ()
        carriers = (self._topology.nodes[carrier] for carrier in self._topology.carriers(ref))
        names = [
            str(node.ref)
            for node in carriers
            if self._shipping.find_namespace(node, placed) is not None
            and not (node.is_gateway and placed[node.ref].existing)
        ]
        if not names:
            return ()
        name = kind_name(*group_kind)
        return (
            codes.UNLISTED_NEED.result(
                f"not shipped, and {joined(names, 3)}, on spokes, can't do without it: its kind is "
                "not listed",
                cure="add to spec.policiesToSync of fleet.yaml, or to the GatewayClass's "
                f"parameters:\n- {{group: {ref.group or _CORE}, kind: {ref.kind}}}",
                resource=ref,
                origin=manifest.origin,
                causes=(SYNC_LIST, f"{name} is not listed", unshipped(ref)),
            ),
        )

    def _retarget(
        self,
        manifest: Manifest,
        kind: Kind,
        links: tuple[Link, ...],
        gateways: tuple[PlacedGateway, ...],
        placed: Placed,
    ) -> Outcome:
        faults = RetargetFaults(manifest)
        ref = self._land(manifest.ref, kind, placed, faults)
        landing = self._shipping.landing(placed)
        changes, unsayable = edits(links, ref.namespace, self._classes(gateways), landing)
        for reference in unsayable:
            faults.add_inexpressible(reference, kind)
        if any(place.existing for place in gateways):
            changes.update(_existing_edits(links, placed, faults))
        for link in links:
            if link.removed:
                faults.add_dropped(link)
            elif fault := _label_fault(link, changes):
                faults.add_label(link.reference, fault)
        data = manifest.object
        changes.update(move_edits(data, ref))
        node = self._topology.nodes[manifest.ref]
        changes.update(backend_edits(node, ref.namespace, placed))
        named = tuple(place for place in gateways if place.is_gateway)
        for key, value in kind.annotations:
            changes["metadata", "annotations", key] = value
        if kind.is_route and named:
            mapped, conflicts = hostname_edits(data, node, self._topology, named)
            changes.update(mapped)
            faults.add_hostnames(conflicts)
        # For a ListenerSet, and for annotations. If maps differ, none applies.
        elif len(maps := {place.hostnames for place in named}) == 1:
            changes.update(map_hostnames(data, maps.pop()))
        classes = tuple(self._topology.nodes[place.hub].gateway_class for place in gateways)
        faults.results += free_strings.remaining(manifest, data, changes, gateways, classes)
        return Outcome(ref, apply_edits(data, changes), tuple(faults.results))

    def _classes(self, gateways: tuple[PlacedGateway, ...]) -> dict[Ref, str]:
        """Return each gateway's class on the spoke, by hub identity; empty if it is unknown."""
        return {
            place.hub: place.gateway_class
            or ("" if place.existing else self._sync[place.hub].spoke_class)
            for place in gateways
        }

    def _land(self, ref: Ref, kind: Kind, placed: Placed, faults: RetargetFaults) -> Ref:
        """Return an object's identity on the spoke, in its targets' namespace if required."""
        landing = self._shipping.landing(placed)
        required = landing.required(ref)
        references = (neighbour.reference for neighbour in required.values())
        if len(required) > 1 and any(item.namespace_path is None for item in references):
            faults.add_apart(required, kind)
        return placed[ref].ref if ref in placed else replace(ref, namespace=landing.of(ref))


def _existing_edits(links: tuple[Link, ...], placed: Placed, faults: RetargetFaults) -> Edits:
    """Return the edits of references to gateways that the spoke has already."""
    changes, unnamed = section_edits(links)
    for reference, section in unnamed:
        faults.add_section(reference, section)
    folded = find_folded([link.reference for link in links], placed)
    return {**changes, **dict.fromkeys(folded, REMOVE)}


def _label_fault(link: Link, changes: Edits) -> str:
    """Return why a link's new name is an invalid label value; empty if valid or with slots."""
    place = link.reference.name_path
    name = changes.get(place, "") if link.reference.label and place is not None else ""
    return ask_fault(names.label_value_fault, name) if isinstance(name, str) and name else ""
