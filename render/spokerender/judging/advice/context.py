"""What advice looks at: one spoke with what attaches and what is in force there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.results import FindingKind, Result, Severity
from spokerender.judging.attachment.model import Attachment
from spokerender.judging.effective.declared import Declared, Side, declared
from spokerender.judging.effective.model import AttachedPolicy, EffectivePolicy, Outcome
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Merge, Process
from spokerender.model import Origin, Ref
from spokerender.model.shapes import as_mapping
from spokerender.topology.graph import Topology
from spokerender.topology.node import Listener, Node
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import rule_paths

_MERGING = (Process.KUADRANT, Process.GEP_713)
ELSEWHERE = "put them on different targets"


class Shipped(Struct, frozen=True, eq=False, dict=True):
    """An object as a spoke gets it.

    `hub` and `origin` say which hub object it was, and where that is written. `folded` is the row
    of the kind that its controller writes of it (`Merging.writes`).
    """

    ref: Ref
    kind: Kind
    object: Mapping[str, Any]
    hub: Ref
    origin: Origin
    folded: Kind | None = None

    @property
    def spec(self) -> Mapping[str, Any]:
        """Its `spec`; empty where that is no mapping."""
        return as_mapping(self.object.get("spec"))

    @cached_property
    def declared(self) -> tuple[Declared, ...]:
        """Its rules and strategies, in one block or several."""
        return declared(AttachedPolicy(self.ref, self.kind, self.spec, ()))

    @property
    def is_bare(self) -> bool:
        """Whether it is lost, whole, beside a newer one; of a kind nobody described, nobody knows.

        Of atomic defaults the challenger wins, which on one target is the newer policy (GEP-713;
        kuadrant-operator does the same).
        """
        merging = self.kind.merging
        if merging is None or merging.process not in _MERGING or merging.holds_one:
            return False
        return all(
            block.side is Side.DEFAULTS and block.strategy is Merge.ATOMIC and block.asked is None
            for block in self.declared
        )

    @property
    def remedy(self) -> str:
        """How to let its rules hold beside those of others that are bare as well, if at all."""
        is_named = self.kind.merged.process is Process.KUADRANT
        return "write `defaults: {strategy: merge}` in all of them" if is_named else ELSEWHERE


class SpokeView(Struct, frozen=True, eq=False, dict=True):
    """One spoke, or several that are alike but for the slots in their texts (`model.slots`).

    `objects` are all objects that the spoke gets, by what they are called there; all policies that
    are attached or in force are among them. A Gateway that the
    spoke has of its own may be among them, to say what it is called on the hub: what it has in it
    is not known, so its object is empty.
    """

    topology: Topology
    hub_topology: Topology
    attachments: Mapping[Ref, Attachment]
    effective: tuple[EffectivePolicy, ...]
    objects: Mapping[Ref, Shipped]

    @cached_property
    def paths(self) -> tuple[RequestPath, ...]:
        """Every path down to a rule of a route."""
        return rule_paths(self.topology, self.hub_topology)

    @cached_property
    def outcomes(self) -> tuple[tuple[Outcome, tuple[Outcome, ...]], ...]:
        """What is likely in force somewhere, and what else may be; paths share them."""
        every = {
            (id(each.likely), id(each.others)): (each.likely, each.others)
            for each in self.effective
        }
        return tuple(every.values())

    @cached_property
    def policies(self) -> tuple[tuple[Shipped, Attachment], ...]:
        """The policies that are accepted, sorted by what they are called on the spoke."""
        return tuple(
            (self.objects[ref], attachment)
            for ref, attachment in sorted(self.attachments.items())
            if attachment.is_accepted
        )

    @cached_property
    def sections(self) -> frozenset[tuple[str, str, Ref]]:
        """The sections that have a policy of their own, by group and kind of that policy."""
        return frozenset(
            (policy.ref.group, policy.ref.kind, target)
            for policy, attachment in self.policies
            for target in attachment.targets
            if target.section_name
        )

    def kind(self, policy: EffectivePolicy) -> Kind:
        """The row of the kind that is in force; at least one policy of it is on the path."""
        item = self.objects[policy.stack[0]]
        is_written = item.folded is not None and item.folded.kind == policy.kind
        return item.folded if item.folded is not None and is_written else item.kind

    def listeners(
        self, policy: Shipped, attachment: Attachment
    ) -> Iterator[tuple[Node, Listener, bool]]:
        """The listeners that a policy covers, each with its Gateway and whether it is named.

        A listener's own policy of the kind takes the place of its Gateway's.
        """
        for target in attachment.targets:
            node = self.topology.nodes.get(target.whole)
            for listener in node.listeners if node is not None else ():
                section = replace(target, section_name=listener.name)
                own = (policy.ref.group, policy.ref.kind, section) in self.sections
                if section == target or (not target.section_name and not own):
                    assert node is not None  # noqa: S101  (it has listeners)
                    yield node, listener, bool(target.section_name)

    def is_ours(self, ref: Ref) -> bool:
        """Whether the object is rendered, so that what is not in it is not there."""
        item = self.objects.get(ref.whole)
        return item is not None and bool(item.object)

    def hub(self, ref: Ref) -> Ref:
        """What an object is called on the hub, with its section; as on the spoke if unknown."""
        item = self.objects.get(ref.whole)
        if item is None:
            return ref
        return item.hub.section(ref.section_name) if ref.section_name else item.hub

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
        """A finding about an object of the spoke, told of the hub object that it was.

        `also` are others that it is about, as they are called on the spoke.
        """
        item = self.objects.get(ref.whole)
        return rule.result(
            message,
            cure=cure,
            resource=item.hub if item is not None else ref.whole,
            field=field,
            origin=item.origin if item is not None else None,
            severity=severity,
            also=tuple(sorted({self.hub(each.whole) for each in also})),
        )
