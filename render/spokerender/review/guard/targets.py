"""The targets that security policies protect on one cluster."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.effective.blocks import read_blocks
from spokerender.judging.effective.guarding import measure_alone
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.kinds.fields import find_values
from spokerender.kinds.kind import Kind, ReferencePath, Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.references import WHOLE_NAMESPACE, read_references
from spokerender.model import Ref
from spokerender.model.refs import GroupKind
from spokerender.model.selectors import Expression
from spokerender.rendering.values.bundles import Variant
from spokerender.review.comparison.views import SpokeView


class ProtectedTarget(Struct, frozen=True):
    """One thing that a policy protects.

    Without a name in `ref` it is everything of that kind and namespace (without a kind: every
    workload) that `labels` select, a label selector as kubectl writes it; empty selects all.
    """

    ref: Ref
    labels: str = ""

    @property
    def whole(self) -> "ProtectedTarget":
        """The object that this target's section is in."""
        return replace(self, ref=self.ref.whole)

    def __str__(self) -> str:
        """Write it as `Gateway shop/public [https]` or `every Gateway of namespace shop`."""
        if self.ref.name:
            return str(self.ref)
        labels = f" with {self.labels}" if self.labels else ""
        place = f"namespace {self.ref.namespace}" if self.ref.namespace else "every namespace"
        section = f" [{self.ref.section_name}]" if self.ref.section_name else ""
        return f"every {self.ref.kind or 'workload'}{labels} of {place}{section}"


def targets_of_policy(
    kind: Kind, data: Mapping[str, Any], namespace: str
) -> tuple[ProtectedTarget, ...]:
    """Return the distinct targets that a policy names itself; empty if it does not say.

    A kind that selects workloads protects all of its namespace when it selects none (Istio's
    policies without `selector`, a NetworkPolicy with an empty one).
    """
    links = (link for link in read_references(kind, data, namespace) if link.row != WHOLE_NAMESPACE)
    targets = [target for link in links for target in _linked_targets(link)]
    if targets:
        return tuple(dict.fromkeys(targets))
    rules = [rule for rule in kind.references if rule.role is Role.LABEL]
    if not rules:
        return ()
    labels = sorted(text for rule in rules for text in _label_selectors(rule, data))
    return (ProtectedTarget(Ref("", "", namespace, ""), ",".join(labels)),)


def _linked_targets(link: Reference) -> Iterator[ProtectedTarget]:
    if not link.row.role.guards:
        return
    ref, labels = link.ref, ""
    if link.selector is not None:
        labels = str(link.selector.labels)
        if link.selector.source == "All":
            ref = replace(ref, namespace="")
        elif link.selector.source == "Selector":
            ref = replace(ref, namespace=f"({link.selector.namespaces})")
    for section in link.sections or ("",):
        yield ProtectedTarget(replace(ref, section_name=section), labels)


def _label_selectors(rule: ReferencePath, data: Mapping[str, Any]) -> Iterator[str]:
    for path, value in find_values(data, rule.path):
        if isinstance(path[-1], int):
            yield str(Expression.read(value))
        elif isinstance(value, Mapping):
            yield ",".join(f"{key}={text}" for key, text in sorted(value.items()))


_Targets = Mapping[Ref, tuple[ProtectedTarget, ...]]
"""Policies, with what each protects."""


class SpokeState:
    """A spoke before or after the change, and what its security policies protect."""

    def __init__(self, differing: Mapping[Ref, Variant | None], view: SpokeView) -> None:
        """Look; texts may hold slots.

        `differing` are the objects that the other state does not have, or not so; None for one that
        can't be read.
        """
        self.differing = differing
        self.view = view

    @cached_property
    def policies(self) -> Mapping[GroupKind, _Targets]:
        """The security policies that are in force, or may be, with their targets."""
        targets_by_policy: dict[GroupKind, dict[Ref, tuple[ProtectedTarget, ...]]] = {}
        for ref, attachment in self.view.judgement.attachments.items():
            kind = self.view.kind((ref.group, ref.kind))
            if kind.security and (attachment.is_accepted or attachment.may_hold):
                targets = tuple(map(ProtectedTarget, dict.fromkeys(attachment.may_hold)))
                policies = targets_by_policy.setdefault((ref.group, ref.kind), {})
                policies[ref] = targets or self._unnamed_targets(ref, kind)
        return targets_by_policy

    def list_targets(self, policy: Ref) -> tuple[ProtectedTarget, ...]:
        """Return what a policy protects, or else the targets that it names."""
        targets = self.policies.get((policy.group, policy.kind), {}).get(policy)
        variant = self.differing.get(policy) or self.view.variants.get(policy)
        if targets is not None or variant is None:
            return targets or ()
        kind = self.view.kind((policy.group, policy.kind))
        return targets_of_policy(kind, variant.object, policy.namespace)

    def _unnamed_targets(self, ref: Ref, kind: Kind) -> tuple[ProtectedTarget, ...]:
        """Return the targets of a policy that names no object of the files: workloads, labels."""
        targets = targets_of_policy(kind, self.view.object_of(ref), ref.namespace)
        return tuple(target for target in targets if not target.ref.name)

    def restricts(self, policy: Ref) -> bool:
        """Tell whether a policy of a security kind may restrict anything, as its row says."""
        kind = self.view.kind((policy.group, policy.kind))
        if not kind.traits.guarding or policy not in self.view.variants:
            return True
        spec = kind.read_spec(self.view.object_of(policy))
        attached = AttachedPolicy(policy, kind, spec, ())
        return measure_alone(attached, read_blocks(attached)).parts > 0
