"""The objects of the hub that are rendered to no spoke, and whether one of them is missed."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from spokerender.findings.causes import unshipped
from spokerender.findings.codes import shipping as codes
from spokerender.findings.phrasing import joined, mistyped
from spokerender.findings.results import Result, Severity
from spokerender.kinds.fields import find_values
from spokerender.kinds.kind import Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.table import find_row
from spokerender.model import GATEWAY_API, SERVICE, Manifest, Ref, grouped, shown
from spokerender.model.shapes import as_mapping
from spokerender.rendering.values.bundles import Bundle, Outcome
from spokerender.rendering.values.placement import SyncList
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub
from spokerender.topology.node import Node

_POLICIES_SHOWN = 3
_REMOVED = (
    ", and what it protects on the hub is open on every spoke",
    "keep it, or make a policy in its place; if that is meant, suppress this",
)


class LeftOnHub:
    """The objects of a hub that are rendered to no spoke."""

    def __init__(
        self, hub: Hub, topology: Topology, sync: SyncList, bundles: Iterable[Bundle]
    ) -> None:
        self._hub, self._topology, self._sync = hub, topology, sync
        self._blueprints = tuple(dict.fromkeys(bundle.blueprint for bundle in bundles))
        self._shipped = {
            variant.manifest.ref for blueprint in self._blueprints for variant in blueprint.variants
        }
        self._placed = {place.hub for blueprint in self._blueprints for place in blueprint.placed}

    def results(self, causes: Iterable[Result]) -> Iterator[Result]:
        """Yield a finding for each object on no spoke, unless its kind is reported as unlisted.

        The finding is only an info if `causes` has an error about the object (of the hub, or of a
        metapolicy that could not be evaluated). An accepted error refuses nothing, and is no cause.
        """
        unlisted = {
            result.resource
            for blueprint in self._blueprints
            for result in blueprint.results
            if result.code in (codes.UNLISTED_NEED.code, codes.UNLISTED_POLICY.code)
        }
        # The error already says why the object is not rendered.
        faulty = {result.resource for result in causes if result.severity is Severity.ERROR}
        left = {
            manifest.ref: (manifest, [blueprint.outcomes[index] for blueprint in self._blueprints])
            for index, manifest in enumerate(self._hub.manifests)
            if manifest.ref not in self._shipped and manifest.ref not in unlisted
        }
        missed = {
            ref: reason_and_cure
            for ref, (manifest, outcomes) in left.items()
            if ref not in faulty and (reason_and_cure := self._explain_miss(manifest, outcomes))
        }
        targets = {ref: self._find_targets(ref) for ref in left}
        # A missed target comes before objects that are left because of it.
        for ref in sorted(left, key=lambda ref: not targets[ref].isdisjoint(missed)):
            manifest, outcomes = left[ref]
            miss = missed.get(ref) if targets[ref].isdisjoint(faulty) else None
            reasons = tuple(map(unshipped, (*sorted(targets[ref] & missed.keys()), ref)))
            yield _result(manifest, outcomes, miss, reasons, is_grave=self._is_grave(ref))

    def _find_targets(self, ref: Ref) -> set[Ref]:
        """Return all targets of `ref`, also indirect ones; if one is not rendered, nor is `ref`."""
        seen: set[Ref] = set()
        ahead = [ref]
        while ahead:
            node = self._topology.nodes.get(ahead.pop())
            links = node.attachments if node is not None else ()
            targets = {target for link in links for target in self._topology.targets(link)}
            ahead += targets - seen
            seen |= targets
        return seen - {ref}

    def _explain_miss(
        self, manifest: Manifest, outcomes: Sequence[Outcome]
    ) -> tuple[str, str] | None:
        """Return a text on what is lost (may be empty) and a fix; None if nobody misses it."""
        ref = manifest.ref
        if self._is_expected(ref, outcomes) and (needed := self._explain_need(manifest)):
            return needed
        is_removed = any(outcome.is_removed for outcome in outcomes)
        return _REMOVED if is_removed and self._is_open_without(ref) else None

    def _is_expected(self, ref: Ref, outcomes: Sequence[Outcome]) -> bool:
        """Return whether the object may be expected on a spoke.

        This is true of a policy, a route or an object of a listed kind that attaches to other
        objects, if one of its gateways is placed. An object of a kind that the table lacks may
        attach by any field. A Gateway that no rule places has its own finding, which covers its
        policies. A route whose parents are all Services belongs to a mesh (GEP-1324).
        """
        kind = self._hub.catalogue.kind(ref.group, ref.kind)
        gateways = self._topology.ships_with(ref)
        is_listed = (ref.group, ref.kind) in self._sync.listed_anywhere
        can_attach = find_row(ref.group, ref.kind) is None or any(
            rule.role.guards and rule.role is not Role.PARENT for rule in kind.references
        )
        links = self._topology.nodes[ref].attachments
        # GEP-1324: such a route is for traffic between workloads.
        is_mesh = bool(links) and not gateways and all(map(_is_to_service, links))
        return (
            (kind.is_policy or (kind.is_route and not is_mesh) or (is_listed and can_attach))
            and bool(outcomes)
            and not any(outcome.is_meant for outcome in outcomes)
            and (not gateways or not gateways.isdisjoint(self._placed))
        )

    def _is_grave(self, ref: Ref) -> bool:
        """Return whether a security policy that needs a target is attached to no Gateway.

        Excluded are filters, which no route has to name, and policies that select pods or name
        Services or external objects, as these targets need not belong to a Gateway.
        """
        kind = self._hub.catalogue.kind(ref.group, ref.kind)
        links = self._topology.nodes[ref].attachments
        if not kind.security or self._topology.ships_with(ref):
            return False
        if not links:
            is_for_pods = any(rule.role is Role.LABEL for rule in kind.references)
            return not kind.targetless and not is_for_pods
        return any(
            link.selector is None
            and not (link.label or _is_to_service(link) or link.ref in self._topology.external)
            for link in links
        )

    def _is_open_without(self, ref: Ref) -> bool:
        """Return whether protection is lost because a stage removes the object from all spokes.

        This is true of a security policy if no security policy on a spoke has one of its targets,
        and of another object if a security policy of the hub targets it.
        """
        if not self._hub.catalogue.kind(ref.group, ref.kind).security:
            policies = (node for node in self._topology.nodes.values() if self._secures(node))
            return any(ref in self._find_targets(node.ref) for node in policies)
        links = self._topology.nodes[ref].attachments
        targets = {target.whole for link in links for target in self._topology.targets(link)}
        places = (place for blueprint in self._blueprints for place in blueprint.placed)
        # Policies on spokes name gateways by their names there.
        targets |= {place.ref for place in places if place.hub in targets}
        secured = {
            link.ref.whole
            for blueprint in self._blueprints
            for variant in blueprint.variants
            if self._secures(variant.node)
            for link in variant.node.attachments
        }
        return bool(targets) and targets.isdisjoint(secured)

    def _secures(self, node: Node) -> bool:
        return self._hub.catalogue.kind(node.ref.group, node.ref.kind).security

    def _explain_need(self, manifest: Manifest) -> tuple[str, str] | None:
        """Return a text on who needs the object (may be empty) and a fix; None if nobody does."""
        ref = manifest.ref
        if (ref.group, ref.kind) in self._sync.listed_anywhere:
            typo = "" if self._topology.nodes[ref].attachments else self._find_typo(manifest)
            usual = "attach it to a Gateway that is placed, or take it out of the hub"
            links = self._topology.nodes[ref].attachments
            # A target outside the hub implies no gateways, so fleet.yaml has to name them.
            if any(link.ref in self._topology.external for link in links):
                usual = "name under spec.external of fleet.yaml the Gateways that its target hangs "
                usual += "on: `gateways: [NAMESPACE/NAME]`"
            elif names := [link.ref.full_name for link in links if _is_to_service(link)]:
                usual = f"place the Service by a rule (services: {{names: [{names[0]}]}}), {usual}"
            return "", typo or usual
        is_route = self._topology.nodes[ref].is_route
        policies = self._policies_by_target.get(ref, ()) if is_route else ()
        if not policies:
            return None
        verb = "ships" if len(policies) == 1 else "ship"
        cure = (
            "list the kind in the GatewayClass's parameters or in fleet.yaml; if the spokes have "
            "their own route of this name, suppress this and say so"
        )
        return f", and {joined(policies, _POLICIES_SHOWN)} on it {verb}", cure

    def _find_typo(self, manifest: Manifest) -> str:
        """Return a fix if the field of an object's target is misspelt or incomplete, else empty."""
        ref = manifest.ref
        rows = self._hub.catalogue.kind(ref.group, ref.kind).references
        assumed = [row.path for row in rows if row.assumed]
        for path, entry in (it for row in assumed for it in find_values(manifest.object, row)):
            lacks = [key for key in ("group", "kind") if as_mapping(entry).get(key) is None]
            if lacks:
                cure = f"write group: {GATEWAY_API}" if lacks == ["group"] else "write it"
                return f"{shown(path)} has no {joined(lacks)}, and no CRD has a default: {cure}"
        paths = (row.path.split("[")[0] for row in rows if row.role.ships)
        fields = list(dict.fromkeys(path.removeprefix("spec.") for path in paths))
        for key in map(str, as_mapping(manifest.object.get("spec"))):
            near = "" if key in fields else mistyped(key, fields)
            if near:
                return f'spec.{key} is not a field of it: did you mean "{near}"?'
        return ""

    @cached_property
    def _policies_by_target(self) -> dict[Ref, list[Ref]]:
        return grouped(
            (target, ref)
            for ref in sorted(self._shipped & self._topology.nodes.keys())
            if self._hub.catalogue.kind(ref.group, ref.kind).is_policy
            for target in dict.fromkeys(
                it.ref.whole for it in self._topology.nodes[ref].attachments
            )
        )


def _result(
    manifest: Manifest,
    outcomes: Sequence[Outcome],
    miss: tuple[str, str] | None,
    causes: tuple[str, ...],
    *,
    is_grave: bool,
) -> Result:
    reasons = "; ".join(dict.fromkeys(outcome.reason for outcome in outcomes))
    message = f"not shipped: {reasons or 'no spoke is declared'}"
    if miss is None:
        return codes.NOT_SHIPPED.result(message, resource=manifest.ref, origin=manifest.origin)
    missed_by, cure = miss
    return codes.LEFT_ON_HUB.result(
        message + missed_by,
        cure=cure,
        resource=manifest.ref,
        origin=manifest.origin,
        causes=causes,
        severity=Severity.ERROR if is_grave else None,
    )


def _is_to_service(link: Reference) -> bool:
    return (link.ref.group, link.ref.kind) == SERVICE
