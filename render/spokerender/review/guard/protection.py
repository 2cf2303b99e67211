"""What the security policies of one cluster protect: ways through gateways, and single objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct

from spokerender.judging.effective.guarding import guards
from spokerender.judging.effective.ways import Ways
from spokerender.judging.judgement import Judgement
from spokerender.kinds import Catalogue, Kind
from spokerender.model import Ref
from spokerender.review.guard.targets import Target, targets
from spokerender.topology import RequestPath, Topology, intersects, listener_paths, rule_paths

Levels = tuple[Ref, ...]
"""A way through a gateway: the gateway, the listener and, where it ends there, route and rule."""
Identity = tuple[str, str]
"""Group and kind of policies."""


class Ground:
    """The ways that requests can take on one cluster, whether a policy is on them or not."""

    def __init__(self, topology: Topology, namespaces: Topology | None) -> None:
        """`namespaces` as for `rule_paths`."""
        self.topology = topology
        self.namespaces = namespaces

    @cached_property
    def listeners(self) -> Mapping[Levels, RequestPath]:
        """The ways to listeners."""
        return _by_levels(listener_paths(self.topology, self.namespaces))

    @cached_property
    def rules(self) -> Mapping[Levels, RequestPath]:
        """The ways to rules of routes."""
        return _by_levels(rule_paths(self.topology, self.namespaces))

    def has(self, way: Levels) -> bool:
        """Whether there is the way."""
        return way in self.rules or way in self.listeners

    @cached_property
    def hostnames(self) -> Mapping[str, tuple[Levels, ...]]:
        """By hostname of a route: the ways to rules for it."""
        levels_of: dict[str, list[Levels]] = {}
        for way, path in self.rules.items():
            for name in path.hostnames:
                levels_of.setdefault(name, []).append(way)
        return {name: tuple(ways) for name, ways in levels_of.items()}

    def successors(self, way: Levels, now: Levels, other: Ground) -> tuple[Levels, ...]:
        """The ways that requests may take in the other cluster, where one of here is not there.

        `now` is what the way would be called there. Requests for a route's rule may come through
        another listener or gateway, those for a listener through another one beside it that has
        its hostname and port.
        """
        if way in self.rules:
            names = self.rules[way].hostnames
            return tuple(
                levels
                for levels, path in other.rules.items()
                if levels[-2:] == now[-2:] and _meet(names, path.hostnames)
            )
        door = self._door(way)
        beside = (levels for levels in other.listeners if levels[:-1] == now[:-1])
        return tuple(levels for levels in beside if other._door(levels) == door)

    def _door(self, way: Levels) -> tuple[str, int | str]:
        """The hostname and port of a way's listener."""
        listeners = self.topology.nodes[way[-2]].listeners
        listener = next(each for each in listeners if each.name == way[-1].section_name)
        return listener.hostname, listener.port


def _by_levels(paths: tuple[RequestPath, ...]) -> dict[Levels, RequestPath]:
    return {path.levels[1:]: path for path in paths}


def _meet(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether a request may be for both; none is every hostname."""
    return not some or not others or any(intersects(a, b) for a in some for b in others)


class Protection(Struct, frozen=True, eq=False):
    """What the policies of one security kind protect on one cluster.

    `ways` are those on which such policies are carried out, with how specific the target is by
    which each of them is there: the place of that target among the levels. `guarded` are those on
    which a rule that guards is in force.
    """

    ways: Mapping[Levels, Mapping[Ref, int]]
    guarded: frozenset[Levels]
    _by_target: Mapping[Ref, tuple[Levels, ...]]

    def ways_of(self, policy: Ref, target: Target) -> tuple[Levels, ...]:
        """The ways that a policy is on by one of its targets."""
        return tuple(way for way in self._by_target.get(target.ref, ()) if policy in self.ways[way])


class Protections:
    """What the security policies of one cluster protect, kind by kind."""

    def __init__(
        self, judgement: Judgement, catalogue: Catalogue, namespaces: Topology | None
    ) -> None:
        """`namespaces` as for `rule_paths`."""
        self._judgement = judgement
        self._catalogue = catalogue
        self.ground = Ground(judgement.topology, namespaces)
        self._kinds: dict[Identity, Protection] = {}

    @cached_property
    def policies(self) -> Mapping[Identity, Mapping[Ref, tuple[Target, ...]]]:
        """The security policies that hold, or may, with what they are attached to."""
        targets_of: dict[Identity, dict[Ref, tuple[Target, ...]]] = {}
        for ref, item in self._judgement.attachments.items():
            kind = self._catalogue.kind(ref.group, ref.kind)
            if kind.security and (item.is_accepted or item.may_hold):
                named = tuple(Target(target) for target in dict.fromkeys(item.may_hold))
                held = named or self._unnamed(ref, kind)
                targets_of.setdefault((ref.group, ref.kind), {})[ref] = held
        return targets_of

    def _unnamed(self, ref: Ref, kind: Kind) -> tuple[Target, ...]:
        """What a policy is for that names nothing in the files: workloads, labels."""
        data = self._judgement.objects[ref].object
        return tuple(each for each in targets(kind, data, ref.namespace) if not each.ref.name)

    def of(self, identity: Identity) -> Protection:
        """What the policies of one kind protect."""
        if identity not in self._kinds:
            self._kinds[identity] = self._of(identity)
        return self._kinds[identity]

    def _of(self, identity: Identity) -> Protection:
        kind = self._catalogue.kind(*identity)
        by_target: dict[Ref, list[Ref]] = {}
        for policy, held in self.policies.get(identity, {}).items():
            for target in held:
                by_target.setdefault(target.ref, []).append(policy)
        ways: dict[Levels, dict[Ref, int]] = {}
        below: dict[Ref, list[Levels]] = {}
        for way, levels in self._ways(kind) if by_target else ():
            for place, level in enumerate(levels):
                for policy in by_target.get(level, ()):
                    ways.setdefault(way, {})[policy] = place
                if level in by_target:
                    below.setdefault(level, []).append(way)
        guarded = (
            item.path.levels[1:]
            for item in self._judgement.effective
            if (item.group, item.kind) == identity
            if not item.is_beyond and guards(kind, item.likely)
        )
        ways_of = {target: tuple(own) for target, own in below.items()}
        return Protection(ways, frozenset(guarded), ways_of)

    def _ways(self, kind: Kind) -> Iterator[tuple[Levels, Levels]]:
        """Every way on which policies of the kind are carried out, and what they may hang on."""
        for way, path in self.ground.listeners.items():
            yield way, path.levels
        for found in Ways(self.ground.topology, self.ground.namespaces).of(kind, ()):
            if found.is_covered and found.path.route is not None:
                yield found.path.levels[1:], found.levels
