"""The protected paths and objects after a change: still protected, exposed, or deleted."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cached_property
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats.comparing import ABSENT
from spokerender.judging.effective.scales import is_about_authorities
from spokerender.judging.effective.shifts import Direction, Shift
from spokerender.kinds.kind import Kind, Targetless
from spokerender.kinds.table import find_row
from spokerender.model import Ref, grouped
from spokerender.model.memo import memoised
from spokerender.model.refs import GroupKind
from spokerender.review.comparison.asked import AskedChange, AskedComparison
from spokerender.review.comparison.pairs import PolicyPair
from spokerender.review.comparison.views import InForce, count_rule_levels
from spokerender.review.guard.targets import ProtectedTarget, SpokeState
from spokerender.review.meaning.wording import classify, describe_shift
from spokerender.topology.paths import Levels


class Protection(Enum):
    """The protection of a path or object after a change that had some before."""

    LOST = auto()
    """It is still there, and no policy of the kind protects it, or only a weaker one."""
    KEPT = auto()
    """It is protected as before, or by something new that takes the place of the old."""
    GONE = auto()
    """It is not there any more."""


_ORDER = tuple(Protection)
"""Of several parts of a path the first one here counts."""


class ProtectedPath(Struct, frozen=True):
    """One path that a policy protects through one of its targets, and what becomes of that.

    `path` is None where the target is on no path through a gateway. With `is_rule` the path ends
    at a rule of a route, otherwise at a listener.
    """

    target: ProtectedTarget
    path: Levels | None
    protection: Protection
    is_rule: bool = False


_Change = tuple[PolicyPair, AskedChange | None]
_PathsOfTarget = dict[Levels, list[tuple[GroupKind, Levels]]]
"""Paths to rules or listeners, each with those to its backends.

With each is the kind as which the policy is in force: its controller may write another one.
"""


class ProtectionComparison:
    """A comparison of what is protected on a spoke before and after a change."""

    def __init__(
        self,
        old: SpokeState,
        new: SpokeState,
        comparison: AskedComparison,
        earlier: Mapping[GroupKind, InForce],
        list_pairs: Callable[[GroupKind], Iterable[PolicyPair]],
    ) -> None:
        """Compare two states of a spoke.

        `comparison` is of what policies ask; `earlier` has the policies in force before the change,
        by kind; `list_pairs` lists the paths of a kind in both states (`comparison.policies`).
        """
        self._old = old
        self._new = new
        self._successors = comparison.successors
        self._comparison = comparison
        self._earlier = earlier
        self._list_pairs = list_pairs
        self._added = new.differing.keys() - old.differing

    @property
    def policies(self) -> Iterator[Ref]:
        """The policies that protected something before."""
        return (ref for policies in self._old.policies.values() for ref in policies)

    @property
    def gateways(self) -> set[Ref]:
        """The Gateways, and targets that are on none, on which policies were in force before."""
        return {levels[0] for items in self._earlier.values() for levels in items if levels}

    def of_policy(self, policy: Ref) -> tuple[ProtectedPath, ...]:
        """Return what becomes of everything that a policy protected."""
        targets = self._old.list_targets(policy)
        return tuple(path for target in targets for path in self._of_target(policy, target))

    def _of_target(self, policy: Ref, target: ProtectedTarget) -> Iterator[ProtectedPath]:
        paths = self._paths.get(policy, {}).get(target.ref, {})
        for path, parts in paths.items():
            is_rule = path in self._old.view.rules
            outcomes = (self._of_path(policy, policy_kind, part) for policy_kind, part in parts)
            yield ProtectedPath(target, path, min(outcomes, key=_ORDER.index), is_rule)
        if not paths:
            yield ProtectedPath(target, None, self._of_object(policy, target))

    @cached_property
    def _paths(self) -> Mapping[Ref, Mapping[Ref, _PathsOfTarget]]:
        """The paths of each policy before the change, by its target there."""
        paths: dict[Ref, dict[Ref, _PathsOfTarget]] = {}
        for policy_kind, in_force in self._earlier.items():
            for levels, item in in_force.items():
                rule = levels[: count_rule_levels(item.path)] if item.path.listener else levels
                for policy, target in dict.fromkeys(zip(item.stack, item.targets, strict=True)):
                    own = paths.setdefault(policy, {}).setdefault(target, {})
                    own.setdefault(rule, []).append((policy_kind, levels))
        return paths

    @memoised
    def _changes(self, policy_kind: GroupKind) -> Mapping[Levels, list[_Change]]:
        """Return what policies of a kind ask after the change for the requests of each path."""
        kind = self._new.view.kind(policy_kind)
        changes: dict[Levels, list[_Change]] = {}
        pairs = tuple(self._list_pairs(policy_kind))
        for pair in pairs:
            change = self._comparison.compare(kind, pair)
            is_further = change is not None and pair.earlier in self._old.view.listeners
            # A policy that moves from a listener to its routes is no loss of the listener.
            is_moved = is_further and self._comparison.is_kept(kind, pair, pairs)
            entry = (replace(pair, before=None), None) if is_moved else (pair, change)
            changes.setdefault(pair.earlier, []).append(entry)
        return changes

    def _of_path(self, policy: Ref, policy_kind: GroupKind, path: Levels) -> Protection:
        changes = self._changes(policy_kind).get(path, ())
        if not changes:
            return Protection.GONE
        lost = [pair for pair, change in changes if not self._covers(policy, pair, change)]
        # Of requests that other routes take, these are told: see `list_taken`.
        is_part = len(lost) < len(changes) and all(pair.taken for pair in lost)
        return Protection.KEPT if is_part else Protection.LOST

    def list_taken(self) -> Iterator[tuple[PolicyPair, tuple[Ref, ...]]]:
        """Yield the pairs of which another route takes some requests, and asks less of them.

        With each are the policies that asked it before the change.
        """
        for policy_kind in self._earlier:
            for changes in self._changes(policy_kind).values():
                lost = [pair for pair, change in changes if change is not None and change.loses]
                if len(lost) < len(changes) and all(pair.taken for pair in lost):
                    for pair in lost:
                        yield pair, tuple(it for it in pair.policies if not pair.was_replaced(it))

    def _covers(self, policy: Ref, pair: PolicyPair, change: AskedChange | None) -> bool:
        """Return whether the later path is protected as a policy protected the earlier one."""
        if pair.was_replaced(policy):
            return True  # what is lost on the path is of others
        if change is not None and change.loses:
            return False
        if pair.taken is not None:
            return True  # the other rule has policies of its own, which need not be these
        policies = pair.after.stack if pair.after is not None else ()
        if policy in policies or any(ref in self._added for ref in policies):
            return True
        if not policies and not self._new.view.kind((policy.group, policy.kind)).traits.guarding:
            return False  # it may have restricted something without any rule
        # Policies that were there before are a replacement if they ask as much.
        shifts = (*change.shifts, *change.possible) if change is not None else ()
        return all(item.direction is Direction.STRICTER or not item.about for item in shifts)

    def weakened(self, policy: Ref, changed: Container[Ref]) -> tuple[str, ...]:
        """Say what is asked less on a policy's paths, where rules come, go or apply otherwise.

        Also where others' certificates are believed. Not where others changed and it did not, nor
        of rules of others: what is lost is theirs.
        """
        kind = self._new.view.kind((policy.group, policy.kind))
        texts = (
            describe_shift(kind, classify(kind, shift)[0], shift, ())
            for paths in self._paths.get(policy, {}).values()
            for part in chain.from_iterable(paths.values())
            for pair, change in self._changes(part[0]).get(part[1], ())
            if change is not None and not pair.was_replaced(policy)
            if pair.after is not None and policy in pair.after.stack
            if policy in changed or not any(other in changed for other in pair.policies)
            for shift in change.shifts
            if shift.direction is Direction.WEAKENED and self._is_told(kind, change, shift)
            if policy in change.policies(shift)
        )
        return tuple(dict.fromkeys(texts))

    def _is_told(self, kind: Kind, change: AskedChange, shift: Shift) -> bool:
        """Tell whether it is a matter of the guard that something is weaker."""
        measure = self._new.view.shared.measure
        before, after = (measure(kind, side).rules for side in (change.before, change.after))
        is_of_rules = before != after and ABSENT in (shift.was, shift.now)
        return is_of_rules or is_about_authorities(kind.traits, shift.place)

    def _of_object(self, policy: Ref, target: ProtectedTarget) -> Protection:
        """Return what becomes of a target on no path, which may be an object of the spoke."""
        renamed = self.rename(target)
        rivals = self._new.policies.get((policy.group, policy.kind), {})
        for other, targets in rivals.items():
            succeeds = other == policy or other in self._added
            if renamed in targets or target in targets or (succeeds and renamed.whole in targets):
                return Protection.KEPT
        return Protection.GONE if self._is_gone(target.ref, renamed.ref) else Protection.LOST

    def _is_gone(self, ref: Ref, renamed: Ref) -> bool:
        """Return whether the files had or named an object, and do not any more."""
        old, new = (side.view.topology for side in (self._old, self._new))
        node = new.nodes.get(renamed.whole)
        if node is not None:
            sections = node.sections or (renamed.section_name,)
            return bool(renamed.section_name) and renamed.section_name not in sections
        was_there = ref.whole in old.nodes or bool(old.carriers(ref))
        return was_there and not new.carriers(renamed)

    def rename(self, target: ProtectedTarget) -> ProtectedTarget:
        """Return a target as it is called after the change; one without a name may have moved."""
        ref = target.ref
        if ref.name:
            return replace(target, ref=self._successors.name(ref))
        place = (ref.group, ref.kind, ref.namespace)
        namespace = self._new_namespaces.get(place, ref.namespace)
        return replace(target, ref=replace(ref, namespace=namespace))

    @cached_property
    def _new_namespaces(self) -> Mapping[tuple[str, str, str], str]:
        """The namespace that the objects of a group, kind and namespace moved to."""
        return {
            (old.group, old.kind, old.namespace): new.namespace
            for old, new in self._successors.renamed.items()
        }


def describe_protected(paths: Iterable[ProtectedPath], protection: Protection) -> tuple[str, ...]:
    """Name what is in a state: a target if all of it is, otherwise the places on its paths.

    What is gone does not count, unless that is the state in question.
    """
    by_target = grouped(
        (item.target, item)
        for item in paths
        if item.protection is not Protection.GONE or protection is Protection.GONE
    )
    names: dict[str, None] = {}
    for target, own in by_target.items():
        if all(item.protection is protection for item in own) and not _is_filter(target, own):
            names[str(target)] = None
        else:
            names.update(dict.fromkeys(_places(own, protection)))
    return tuple(names)


def _is_filter(target: ProtectedTarget, paths: Iterable[ProtectedPath]) -> bool:
    """Tell whether a target is the policy itself, which rules name as a filter."""
    levels = {level.whole for item in paths for level in item.path or ()}
    row = find_row(target.ref.group, target.ref.kind)
    is_named = row is not None and row.targetless is Targetless.FILTER
    return is_named and bool(levels) and target.ref.whole not in levels


def _places(paths: Sequence[ProtectedPath], protection: Protection) -> Iterator[str]:
    """Name the listeners in a state, and the routes or rules that are in it below other ones."""
    places = [(it.path, it.is_rule, it.protection is protection) for it in paths if it.path]
    listeners = dict.fromkeys(path for path, is_rule, is_so in places if is_so and not is_rule)
    yield from (str(path[-1]) for path in listeners)
    rules_by_route: dict[Ref, dict[Levels, bool]] = {}
    for path, is_rule, is_so in places:
        if is_rule and path[:-2] not in listeners:
            rules_by_route.setdefault(path[-2], {})[path] = is_so
    for route, rules in rules_by_route.items():
        if all(rules.values()):
            yield str(route)
            continue
        kept_elsewhere = {path[-1] for path, is_so in rules.items() if not is_so}
        for path in (path for path, is_so in rules.items() if is_so):
            rule = path[-1]
            yield f"{rule} by way of {path[-3]}" if rule in kept_elsewhere else str(rule)
