"""The input of advice: the view of a judged spoke, and the views of a fleet.

Several spokes may share a view, with placeholders (slots) for the values that differ between them;
`FleetView` can fill in the values of each spoke.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.results import FindingKind, Result, Severity
from spokerender.judging.attachment.statuses import Attachment
from spokerender.judging.effective.blocks import PolicyBlock, Side, read_blocks, rules_by_name
from spokerender.judging.effective.outcomes import AttachedPolicy, EffectivePolicy, PolicyOutcome
from spokerender.judging.routing.values import RoutingFaults
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Merge, Process
from spokerender.model import Origin, Ref, grouped, shown
from spokerender.model.memo import memoised
from spokerender.topology.graph import Topology
from spokerender.topology.node import Listener, Node
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_rule_paths

_MERGING = (Process.KUADRANT, Process.GEP_713)
SEPARATE_TARGETS = "put them on different targets"

Spokes = tuple[str, ...]


class AdvisedObject(Struct, frozen=True, eq=False, dict=True):
    """An object that a spoke gets, with the ref (`hub`) and file (`origin`) of the hub's object.

    `source` is the content of the hub's object. `folded` is the kind of object that the controller
    writes for a policy (`Merging.writes`); None if the controller writes no object.
    """

    ref: Ref
    kind: Kind
    object: Mapping[str, Any]
    hub: Ref
    origin: Origin
    folded: Kind | None = None
    source: Mapping[str, Any] = {}

    @property
    def spec(self) -> Mapping[str, Any]:
        """The object's `spec`; empty if the object has none that is a mapping."""
        return self.kind.read_spec(self.object)

    @cached_property
    def declared(self) -> tuple[PolicyBlock, ...]:
        """The blocks of a policy: its rules, and the strategies to merge them."""
        return read_blocks(AttachedPolicy(self.ref, self.kind, self.spec, ()))

    @cached_property
    def is_bare(self) -> bool:
        """True if a newer policy on the same target replaces this policy as a whole.

        False for kinds whose merging is not known.
        """
        merging = self.kind.merging
        if merging is None or merging.process not in _MERGING or merging.holds_one:
            return False
        # Of atomic defaults the challenger wins, which is the newer policy on a target (GEP-713;
        # kuadrant-operator does the same).
        return all(
            block.side is Side.DEFAULTS and block.strategy is Merge.ATOMIC and block.asked is None
            for block in self.declared
        )

    @property
    def remedy(self) -> str:
        """The suggested fix to make the policy effective beside other bare policies."""
        is_named = self.kind.merged.process is Process.KUADRANT
        return (
            "write `defaults: {strategy: merge}` in all of them" if is_named else (SEPARATE_TARGETS)
        )


class JudgedSpokeView(Struct, frozen=True, eq=False, dict=True):
    """The view of one spoke, or of several spokes that are equal except for placeholders (slots).

    `objects` has every object that the spoke gets, by its ref on the spoke, including all policies
    that are attached or in force. It may have Gateways that the spoke already has, without content.
    `find_faults` returns the faults of routes and listeners. `count` returns the effective policies
    on the paths that Kuadrant's operator includes in the conditions of policies.
    """

    topology: Topology
    attachments: Mapping[Ref, Attachment]
    effective: tuple[EffectivePolicy, ...]
    objects: Mapping[Ref, AdvisedObject]
    find_faults: Callable[[], RoutingFaults]
    count: Callable[[], Iterable[EffectivePolicy]]

    @cached_property
    def paths(self) -> tuple[RequestPath, ...]:
        """All paths from Gateways to rules of routes."""
        return find_rule_paths(self.topology)

    @cached_property
    def outcomes(self) -> tuple[tuple[PolicyOutcome, tuple[PolicyOutcome, ...]], ...]:
        """Each distinct pair of a likely outcome and its alternatives."""
        distinct = {
            (id(policy.likely), id(policy.others)): (policy.likely, policy.others)
            for policy in self.effective
        }
        return tuple(distinct.values())

    @cached_property
    def policies(self) -> tuple[tuple[AdvisedObject, Attachment], ...]:
        """The accepted policies, sorted by their refs on the spoke."""
        return tuple(
            (self.objects[ref], attachment)
            for ref, attachment in sorted(self.attachments.items())
            if attachment.is_accepted
        )

    @cached_property
    def sections(self) -> frozenset[tuple[str, str, Ref]]:
        """The targets that are sections, each with group and kind of a policy on the section."""
        return frozenset(
            (policy.ref.group, policy.ref.kind, target)
            for policy, attachment in self.policies
            for target in attachment.targets
            if target.section_name
        )

    def kind(self, policy: EffectivePolicy) -> Kind:
        """Return the row of the kind of an effective policy."""
        lowest = self.objects[policy.stack[0]]
        if lowest.folded is not None and lowest.folded.kind == policy.kind:
            return lowest.folded
        return lowest.kind

    def covered_listeners(
        self, policy: AdvisedObject, attachment: Attachment
    ) -> Iterator[tuple[Node, Listener, bool]]:
        """Yield (Gateway, listener, whether a target names the listener) for each covered listener.

        A policy on a Gateway does not cover listeners that have a policy of the same kind.
        """
        for target in attachment.targets:
            gateway = self.topology.nodes.get(target.whole)
            if gateway is None:
                continue
            for listener in gateway.listeners:
                section = replace(target, section_name=listener.name)
                has_own = (policy.ref.group, policy.ref.kind, section) in self.sections
                if section == target or (not target.section_name and not has_own):
                    yield gateway, listener, bool(target.section_name)

    def policies_above(self, path: RequestPath) -> tuple[AdvisedObject, ...]:
        """Return the policies that are attached to any object on a path."""
        levels = set(path.levels)
        return tuple(
            policy
            for policy, attachment in self.policies
            if not levels.isdisjoint(attachment.targets)
        )

    def is_rendered(self, ref: Ref) -> bool:
        """Return whether the object of `ref` is rendered, so that its content is known."""
        shipped = self.objects.get(ref.whole)
        return shipped is not None and bool(shipped.object)

    def hub_ref(self, ref: Ref) -> Ref:
        """Return an object's ref on the hub, with the section; for an unknown object, `ref`."""
        shipped = self.objects.get(ref.whole)
        if shipped is None:
            return ref
        return shipped.hub.section(ref.section_name) if ref.section_name else shipped.hub

    def target_field(self, policy: Ref) -> str:
        """Return the field of a policy's first target reference; empty if there is none."""
        node = self.topology.nodes.get(policy)
        links = node.attachments if node is not None else ()
        return shown(links[0].path) if links else ""

    def result(  # noqa: PLR0913  (as many parts as a finding of this stage has)
        self,
        rule: FindingKind,
        ref: Ref,
        message: str,
        cure: str,
        *,
        field: str = "",
        severity: Severity | None = None,
        also: Iterable[Ref] = (),
    ) -> Result:
        """Return a finding about an object of the spoke, located at its hub object.

        `also` has the refs, on the spoke, of other objects that the finding is about.
        """
        shipped = self.objects.get(ref.whole)
        return rule.result(
            message,
            cure=cure,
            resource=shipped.hub if shipped is not None else ref.whole,
            field=field,
            origin=shipped.origin if shipped is not None else None,
            severity=severity,
            also=tuple(sorted({self.hub_ref(other.whole) for other in also})),
        )


@memoised
def read_rules(view: JudgedSpokeView, route: Ref) -> Mapping[str, Mapping[str, Any]]:
    """Return the rules of a route by name; none if no file has the route."""
    return rules_by_name(view.objects[route].object) if route in view.objects else {}


class FleetView(Struct, frozen=True, eq=False):
    """The views of all spokes, by spoke; a subclass in `judging.fleet` fills placeholders."""

    views: Mapping[str, JudgedSpokeView]

    @property
    def cases(self) -> tuple[tuple[JudgedSpokeView, Spokes], ...]:
        """The distinct views, each with the sorted names of its spokes."""
        spokes_by_view = grouped((view, spoke) for spoke, view in sorted(self.views.items()))
        return tuple((view, tuple(spokes)) for view, spokes in spokes_by_view.items())

    def resolve(self, spokes: Spokes, data: tuple[Any, ...]) -> Iterator[tuple[Any, Spokes]]:
        """Yield each distinct result of filling the slots in `data`, with the result's spokes."""
        yield data, spokes

    def locate(self, result: Result, spokes: Spokes) -> Result:
        """Return a view's finding with these spokes; a subclass also fills placeholders in it."""
        return replace(result, spokes=spokes)
