"""What is left of the hub: the objects that are on no spoke, and whether somebody expects them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from spokerender.findings.causes import unshipped
from spokerender.findings.codes.shipping import LEFT_ON_HUB, NOT_SHIPPED, UNLISTED_POLICY
from spokerender.findings.phrasing import joined, mistyped
from spokerender.findings.results import Result, Severity
from spokerender.model import Manifest, Ref
from spokerender.model.shapes import as_mapping
from spokerender.rendering.values.bundles import Bundle, Outcome
from spokerender.rendering.values.sync import SyncList
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub

_NAMED = 3


class Left:
    """The hub's objects that are on no spoke, and why."""

    def __init__(
        self, hub: Hub, topology: Topology, sync: SyncList, bundles: Iterable[Bundle]
    ) -> None:
        """Look at what every spoke gets."""
        self._hub, self._topology, self._sync = hub, topology, sync
        self._blueprints = tuple(dict.fromkeys(bundle.blueprint for bundle in bundles))
        self._shipped = {
            variant.manifest.ref for each in self._blueprints for variant in each.variants
        }
        self._placed = {place.hub for each in self._blueprints for place in each.placed}

    def results(self, others: Iterable[Result]) -> Iterator[Result]:
        """One finding for every such object of which no warning says so.

        It is no more than an info where an error in `others` is the cause.
        """
        explained = {
            result.resource
            for each in self._blueprints
            for result in each.results
            if result.code == UNLISTED_POLICY.code
        }
        wrong = {result.resource for result in others if result.severity is Severity.ERROR}
        left = {
            manifest.ref: (manifest, [each.outcomes[index] for each in self._blueprints])
            for index, manifest in enumerate(self._hub.manifests)
            if manifest.ref not in self._shipped and manifest.ref not in explained
        }
        missed = {
            ref: why
            for ref, (manifest, outcomes) in left.items()
            if ref not in wrong
            and self._is_expected(ref, outcomes)
            and (why := self._missed(manifest))
        }
        below = {ref: self._below(ref) for ref in left}
        for ref in sorted(left, key=lambda ref: not below[ref].isdisjoint(missed)):
            manifest, outcomes = left[ref]
            told = missed.get(ref) if below[ref].isdisjoint(wrong) else None
            causes = tuple(map(unshipped, (*sorted(below[ref] & missed.keys()), ref)))
            yield self._result(manifest, outcomes, told, causes)

    def _below(self, ref: Ref) -> set[Ref]:
        """What an object hangs on, at any distance; of these, what is left explains the object."""
        seen: set[Ref] = set()
        ahead = [ref]
        while ahead:
            links = self._topology.nodes[ahead.pop()].attachments
            targets = {target for link in links for target in self._topology.targets(link)}
            ahead += targets - seen
            seen |= targets
        return seen - {ref}

    @staticmethod
    def _result(
        manifest: Manifest,
        outcomes: Sequence[Outcome],
        missed: tuple[str, str] | None,
        causes: tuple[str, ...],
    ) -> Result:
        reasons = "; ".join(dict.fromkeys(outcome.reason for outcome in outcomes))
        message = f"not shipped: {reasons or 'no spoke is declared'}"
        if missed is None:
            return NOT_SHIPPED.result(message, resource=manifest.ref, origin=manifest.origin)
        also, cure = missed
        return LEFT_ON_HUB.result(
            message + also,
            cure=cure,
            resource=manifest.ref,
            origin=manifest.origin,
            causes=causes,
        )

    def _is_expected(self, ref: Ref, outcomes: Sequence[Outcome]) -> bool:
        """Whether it is a policy, a route or of a listed kind, and a gateway it is for is placed.

        Of a Gateway that no rule places is told already, and that explains what hangs on it.
        """
        kind = self._hub.catalogue.kind(ref.group, ref.kind)
        gateways = self._topology.ships_with(ref)
        is_listed = self._sync.is_listed_anywhere((ref.group, ref.kind))
        return (
            (kind.is_policy or kind.is_route or is_listed)
            and bool(outcomes)
            and not any(outcome.is_meant for outcome in outcomes)
            and (not gateways or not gateways.isdisjoint(self._placed))
        )

    def _missed(self, manifest: Manifest) -> tuple[str, str] | None:
        """Why somebody should know of it, and what to do; None where nobody asked for it."""
        ref = manifest.ref
        if self._sync.is_listed_anywhere((ref.group, ref.kind)):
            slip = "" if self._topology.nodes[ref].attachments else self._slip(manifest)
            usual = "attach it to a Gateway that is placed, or take it out of the hub"
            return "", slip or usual
        policies = self._policies.get(ref, ()) if self._topology.nodes[ref].is_route else ()
        if not policies:
            return None
        verb = "ships" if len(policies) == 1 else "ship"
        cure = (
            "list the kind in the GatewayClass's parameters or in fleet.yaml; if the spokes have "
            "their own route of this name, suppress this and say so"
        )
        return f", and {joined(policies, _NAMED)} on it {verb}", cure

    def _slip(self, manifest: Manifest) -> str:
        """The key that is nearly one by which an object that names nothing could say its target."""
        ref = manifest.ref
        rules = self._hub.catalogue.kind(ref.group, ref.kind).references
        paths = (rule.path.split("[")[0] for rule in rules if rule.role.ships)
        fields = list(dict.fromkeys(path.removeprefix("spec.") for path in paths))
        for key in map(str, as_mapping(manifest.object.get("spec"))):
            near = "" if key in fields else mistyped(key, fields)
            if near:
                return f'spec.{key} is no field of it: did you mean "{near}"?'
        return ""

    @cached_property
    def _policies(self) -> dict[Ref, list[Ref]]:
        """The policies that ship, by what they name."""
        policies: dict[Ref, list[Ref]] = {}
        for ref in sorted(self._shipped & self._topology.nodes.keys()):
            if not self._hub.catalogue.kind(ref.group, ref.kind).is_policy:
                continue
            for target in dict.fromkeys(
                link.ref.whole for link in self._topology.nodes[ref].attachments
            ):
                policies.setdefault(target, []).append(ref)
        return policies
