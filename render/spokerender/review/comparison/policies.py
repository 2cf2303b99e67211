"""The policies of one kind on each path before a change, and on the path that follows it."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from spokerender.judging.effective.further import compute_for_further_routes, compute_in_mesh
from spokerender.judging.effective.outcomes import EffectivePolicy
from spokerender.judging.judgement import KindInForce
from spokerender.judging.lookups import PluginLookup
from spokerender.kinds.kind import FoundBy
from spokerender.model import Ref
from spokerender.model.memo import memoised
from spokerender.model.refs import GroupKind
from spokerender.review.comparison.successors import PolicyPair, Successors
from spokerender.review.comparison.views import InForce, SpokeView, Way
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.matches import Request
from spokerender.topology.paths import Levels


class PolicyPairs:
    """Pairs of paths before and after a change, with the effective policies of one kind."""

    def __init__(self, successors: Successors) -> None:
        self._successors = successors
        self._old, self._new = successors.old, successors.new
        views = self._old, self._new
        self._further, self._mesh = (
            [_index(view, listed) for view in views] for listed in (_list_further, _list_in_mesh)
        )

    @property
    def kinds(self) -> list[GroupKind]:
        """The kinds with effective policies in either state."""
        in_force = self._old.in_force, self._new.in_force, *self._further, *self._mesh
        return sorted({key for kinds in in_force for key in kinds})

    def _count(
        self, *sides: EffectivePolicy | None
    ) -> tuple[EffectivePolicy | None, EffectivePolicy | None]:
        """Return both policies; None for one that the Gateway's controller doesn't implement."""
        before, after = (
            item
            if item is not None
            and self._is_carried_out(view, (item.group, item.kind), item.path.gateway_class)
            else None
            for view, item in zip((self._old, self._new), sides, strict=True)
        )
        return before, after

    @memoised
    def _is_carried_out(self, view: SpokeView, policy_kind: GroupKind, gateway_class: str) -> bool:
        """Return whether policies of a kind may have an effect on Gateways of a class."""
        controller = find_class_controller(view.topology, gateway_class)
        return view.kind(policy_kind).counts_on(controller)

    def on_paths(self, policy_kind: GroupKind) -> Iterator[PolicyPair]:
        """Yield pairs of a path to a rule (or listener) and a later path of the same requests."""
        is_below = any(view.is_below_listeners(policy_kind) for view in (self._old, self._new))
        pairs = self._successors.pairs if is_below else self._successors.listeners
        for old, new in pairs:
            if new is not None and not new.is_closed:
                yield from self._below(policy_kind, old, new)

    def _below(self, policy_kind: GroupKind, old: Way, new: Way) -> Iterator[PolicyPair]:
        taken = self._successors.find_taken(old, new)
        example = self._successors.find_example(old, new)
        sides = (self._old, old), (self._new, new)
        # Another rule takes the requests, so paths to backends cannot be paired one by one.
        if taken is not None and old.path.route is not None:
            one, other = (dict(view.below(policy_kind, way)).get(()) for view, way in sides)
            lent = None
            # Only where the new rule has no policy of its own does the plugin find others.
            if one is not None and other is None and self._is_looked_up(policy_kind):
                other, lent = self._look_up(self._new, new, policy_kind, example)
            both = self._count(one, other)
            yield PolicyPair(old.levels, new.levels, new.hostnames, *both, taken, example, lent)
            return
        before = {
            self._successors.levels(below): (below, item)
            for below, item in self._old.below(policy_kind, old)
        }
        after = {below: (below, item) for below, item in self._new.below(policy_kind, new)}
        every = {**before, **after}
        # Compared once for all paths: in most changes the lookups are the same.
        if not every and self._is_looked_up(policy_kind) and self._differ_in_lookups:
            # No policy is on the path itself, but the plugin may find those of other rules.
            (one, _), (other, lent) = (self._look_up(*side, policy_kind, example) for side in sides)
            both = self._count(one, other)
            yield PolicyPair(old.levels, new.levels, new.hostnames, *both, taken, example, lent)
        if len(every) > 1:
            every.pop((), None)  # the other side has paths to the backends of the rule
        for below in every:
            (own, one), (_, other) = (_pick(side, below) for side in (before, after))
            levels = (*old.levels, *own), (*new.levels, *below)
            both = self._count(one, other)
            yield PolicyPair(*levels, new.hostnames, *both, example=example)

    def _is_looked_up(self, policy_kind: GroupKind) -> bool:
        """Return whether Kuadrant's plugin looks up the kind, and the kind restricts access."""
        kind = self._new.kind(policy_kind)
        return kind.found_by is FoundBy.PLUGIN and kind.traits.guards

    def _look_up(
        self, view: SpokeView, way: Way, policy_kind: GroupKind, request: Request | None
    ) -> tuple[EffectivePolicy | None, Ref | None]:
        """Return the policy that Kuadrant's plugin finds, and its rule; (None, None) if none."""
        # Without a request there is no host and path to look up.
        if request is None:
            return None, None
        lookup = self._lookups[view is self._new]
        answer = lookup.find(way.path, request, view.fill)
        policies = (it for it in answer.join() if (it.group, it.kind) == policy_kind)
        item = next(policies, None)
        return item, view.fill(item.path.levels[-1]) if item is not None else None

    @cached_property
    def _differ_in_lookups(self) -> bool:
        views = self._old, self._new
        old, new = (view.fill(it.keys) for view, it in zip(views, self._lookups, strict=True))
        return bool(old != new)

    @cached_property
    def _lookups(self) -> tuple[PluginLookup, PluginLookup]:
        """The lookups of Kuadrant's plugin, before and after the change."""
        return _make_lookup(self._old), _make_lookup(self._new)

    def on_further_routes(self, policy_kind: GroupKind) -> Iterator[PolicyPair]:
        """Yield each listener's pair of policies for a route that has no policies of its own."""
        before, after = (items.get(policy_kind, {}) for items in self._further)
        for old, new in self._successors.listeners:
            if new is not None and not new.is_closed:
                sides = self._count(before.get(old.levels), after.get(new.levels))
                yield PolicyPair(old.levels, new.levels, new.hostnames, *sides)

    def beside_paths(self, policy_kind: GroupKind) -> Iterator[PolicyPair]:
        """Yield pairs for targets that are on no path through a Gateway."""
        before, after = (
            {
                levels: item
                for side in (view.in_force, mesh)
                for levels, item in side.get(policy_kind, {}).items()
                if not item.path.listener
            }
            for view, mesh in zip((self._old, self._new), self._mesh, strict=True)
        )
        named = {self._successors.levels(levels): levels for levels in before}
        for levels in dict.fromkeys((*named, *after)):
            earlier = named.get(levels, levels)
            sides = self._count(before.get(earlier), after.get(levels))
            yield PolicyPair(earlier, levels, (), *sides)


def _make_lookup(view: SpokeView) -> PluginLookup:
    kinds = view.judgement.counted.items()
    items = ((item, kind) for kind, paths in kinds for item, _ in paths)
    return PluginLookup(view.topology, items)


def _pick(
    items: Mapping[Levels, tuple[Levels, EffectivePolicy]], below: Levels
) -> tuple[Levels, EffectivePolicy | None]:
    """Return the item for the levels `below` a rule, or the only item if its key is `()`."""
    # The only entry stands for all backends of the rule.
    if below not in items and len(items) == 1:
        return items.get((), (below, None))
    return items.get(below, (below, None))


_Listed = tuple[tuple[Levels, EffectivePolicy], ...]
"""Effective policies that are not on paths of requests, each with the levels of its target."""


def _index(
    view: SpokeView, list_items: Callable[[KindInForce, Topology], _Listed]
) -> Mapping[GroupKind, InForce]:
    """Return the policies of `list_items` by kind and levels; levels have the view's values."""
    listed: dict[GroupKind, dict[Levels, EffectivePolicy]] = {}
    for kind in view.judgement.in_force:
        for levels, item in list_items(kind, view.topology):
            listed.setdefault((item.group, item.kind), {})[view.fill(levels)] = item
    return listed


@memoised
def _list_in_mesh(kind: KindInForce, topology: Topology) -> _Listed:
    """Return the levels of each target in a mesh, with its effective policy."""
    return tuple((item.path.levels, item) for item in compute_in_mesh(topology, kind.policies))


@memoised
def _list_further(kind: KindInForce, topology: Topology) -> _Listed:
    """Return each listener's levels, with the policy that a route added there would have."""
    return tuple(
        (item.path.levels[1 : item.path.levels.index(item.path.section) + 1], item)
        for item in compute_for_further_routes(topology, kind.policies)
    )
