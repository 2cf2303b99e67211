"""One spoke before and after a change: objects that go, and what loses protection or hostnames."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from msgspec.structs import replace

from spokerender.findings.codes.review import ACCESS_REMOVED, ACCESS_WEAKENED
from spokerender.findings.phrasing import joined, listed
from spokerender.kinds.reference import Reference
from spokerender.model import Origin, Ref, grouped
from spokerender.rendering.values.bundles import Variant
from spokerender.review.comparison import openings
from spokerender.review.comparison.asked import AskedComparison
from spokerender.review.comparison.clients import compare_validations
from spokerender.review.comparison.pairs import SharedAnswersOfPairs
from spokerender.review.comparison.policies import PolicyPairs
from spokerender.review.comparison.successors import Successors
from spokerender.review.guard.losses import LostObject, Removal
from spokerender.review.guard.protection import (
    ProtectedPath,
    Protection,
    ProtectionComparison,
    describe_protected,
)
from spokerender.review.guard.targets import SpokeState
from spokerender.topology.graph import find_class_controller, read_controller_name
from spokerender.topology.hostnames import is_covered_plainly
from spokerender.topology.places import hub_line


class SpokeComparison:
    """The comparison of a spoke before and after a change, and its losses."""

    def __init__(
        self, old: SpokeState, new: SpokeState, shared: SharedAnswersOfPairs, *, may_weaken: bool
    ) -> None:
        """Compare; with `may_weaken` false everything that stays is protected as before."""
        self._old = old
        self._new = new
        self._shared = shared
        self._may_weaken = may_weaken
        self._successors = Successors(old.view, new.view)
        self._roots: dict[Ref, frozenset[Ref]] = {}

    def lost(self) -> tuple[LostObject, ...]:
        """Return every object that goes, and what protects less than before or serves less."""
        lost = tuple(self._list_lost())
        changed = [item for item in self._old.differing.values() if item is not None]
        if not any(item.node.is_route or item.node.listeners for item in changed):
            return lost
        names_by_route = self._list_unserved()
        going = [replace(item, unserved=tuple(names_by_route.pop(item.ref, ()))) for item in lost]
        staying = (
            LostObject(ref, stays=True, unserved=tuple(names), origin=self._find_hostnames(ref))
            for ref, names in sorted(names_by_route.items())
        )
        return (*going, *staying)

    def _list_unserved(self) -> dict[Ref, dict[str, None]]:
        """Return the hostnames that nothing serves any more, by the routes that served them.

        The name of every host is none: without a hostname there is nothing to acknowledge.
        """
        served, ways = openings.ServedRequests(self._successors), self._old.view.rules.values()
        named = openings.list_served(ways)
        names_by_route: dict[Ref, dict[str, None]] = {}
        for way in ways:
            names = [name for name in way.hostnames if name in named and not served.has(way, name)]
            if names:
                names_by_route.setdefault(way.levels[-2], {}).update(dict.fromkeys(names))
        return names_by_route

    def _find_hostnames(self, route: Ref) -> Origin | None:
        variant = self._new.view.variants.get(route)
        return hub_line(variant.manifest, ("spec", "hostnames")) if variant is not None else None

    def _list_lost(self) -> Iterator[LostObject]:
        for ref in sorted(self._old.differing.keys() - self._new.differing):
            is_guard = self._is_security_policy(ref) and self._old.restricts(ref)
            yield self._lost_policy(ref) if is_guard else self._lost_object(ref)
        if self._may_weaken:
            yield from self._weakened_policies()
            yield from self._unknown_classes()
            yield from self._list_taking()
        yield from self._opened_routes()
        yield from self._unchecked_clients()

    def _list_taking(self) -> Iterator[LostObject]:
        """Yield each route that takes requests of guarded ones, and asks less of them."""
        taken: dict[Ref, dict[Ref, str]] = {}
        for pair, policies in self._protection.list_taken():
            own = taken.setdefault(pair.levels[-2], {})
            own.update(dict.fromkeys(policies, str(pair.example)))
        for route, own in sorted(taken.items()):
            example, names = next(iter(own.values()), ""), listed(sorted(map(str, own)))
            reason = f"it takes requests of which {names} asked more, for example {example}"
            yield LostObject(route, stays=True, guarded=reason, origin=self._find_origin([route]))

    def _opened_routes(self) -> Iterator[LostObject]:
        """Yield each new route that anybody reaches, beside routes that are guarded."""
        view, added = self._new.view, self._new.differing.keys() - self._old.differing
        variants = {ref: self._new.differing[ref] for ref in added - {*self._successors.earlier}}
        routes = {ref for ref, item in variants.items() if item is not None and item.node.is_route}
        opened: dict[Ref, dict[str, None]] = {}
        for item in self._openings if routes else ():
            route, gateway = item.further.way.levels[-2], item.further.way.levels[0]
            if route in routes and gateway in self._guarded_gateways:
                opened.setdefault(route, {}).update(dict.fromkeys(item.further.hostnames))
        for route, own in sorted(opened.items()):
            origin = view.variants[route].manifest.origin
            yield LostObject(route, stays=True, opened=tuple(own), origin=origin)

    def _unchecked_clients(self) -> Iterator[LostObject]:
        """Yield what has listeners that clients need no certificate for, or one of others."""
        listeners: dict[tuple[Ref, str], list[str]] = {}
        for old, new in self._successors.listeners:
            change = compare_validations(self._successors, old, new) if new is not None else None
            if new is not None and change is not None:
                section = new.levels[-1]
                names = listeners.setdefault((section.whole, change[0].code), [])
                names.append(section.section_name)
        for (ref, code), names in sorted(listeners.items()):
            at = joined(names, len(names))
            variant = self._new.differing.get(ref)
            origin = variant.manifest.origin if variant is not None else None
            lost = LostObject(ref, stays=True, origin=origin)
            if code == ACCESS_REMOVED.code:
                yield replace(lost, guarded=f"clients need no valid certificate any more, at {at}")
            elif code == ACCESS_WEAKENED.code:
                does = f"it lets clients in with certificates of other authorities, at {at}"
                yield replace(lost, weakened=(does,))

    @cached_property
    def _openings(self) -> tuple[openings.Opening, ...]:
        """The paths that anybody may call after the change, and could not before."""
        return tuple(openings.list_openings(self._successors))

    @cached_property
    def _guarded_gateways(self) -> frozenset[Ref]:
        view = self._new.view
        return frozenset(way.levels[0] for way in view.rules.values() if view.is_guarded(way))

    def _is_security_policy(self, ref: Ref) -> bool:
        return self._new.view.kind((ref.group, ref.kind)).security

    def _lost_object(self, ref: Ref) -> LostObject:
        is_renamed = ref in self._successors.renamed
        return LostObject(
            ref,
            goes_with=self._goes_with(ref),
            replaced=is_renamed,
            needed_by=() if is_renamed else self._policies_by_target.get(ref, ()),
            origin=self._find_origin(self._policies_by_target.get(ref, ())),
        )

    def _lost_policy(self, ref: Ref) -> LostObject:
        paths = self._protection.of_policy(ref)
        states = {item.protection for item in paths}
        is_kept = Protection.KEPT in states and Protection.LOST not in states
        state = Protection.LOST if Protection.LOST in states else Protection.GONE
        return LostObject(
            ref,
            security=True,
            unprotected=() if is_kept else describe_protected(paths, state),
            goes_with=self._goes_with(ref) if states <= {Protection.GONE} else (),
            replaced=is_kept if paths else ref in self._successors.renamed,
            origin=self._find_origin(self._protection.rename(item.target).ref for item in paths),
        )

    def _find_origin(self, refs: Iterable[Ref]) -> Origin | None:
        """Return the line of the first of these objects that is there after the change."""
        variants = (self._new.view.variants.get(ref.whole) for ref in refs)
        origins = (variant.manifest.origin for variant in variants if variant is not None)
        return next((origin for origin in origins if origin.path), None)

    def _weakened_policies(self) -> Iterator[LostObject]:
        """Yield each security policy that stays while a target that stays loses its protection."""
        for ref in sorted(self._protection.policies):
            if ref in self._old.differing and ref not in self._new.differing:
                continue
            paths = self._protection.of_policy(ref)
            places = describe_protected(paths, Protection.LOST)
            unprotected = (*places, *self._list_exposed(ref, paths))
            if unprotected:
                lost = LostObject(ref, security=True, unprotected=unprotected, stays=True)
                yield self._with_cause(lost, paths)
            elif weakened := self._protection.weakened(ref, self._old.differing):
                yield self._with_cause(LostObject(ref, stays=True, weakened=weakened), paths)

    def _unknown_classes(self) -> Iterator[LostObject]:
        """Yield each Gateway with protection of which nobody knows the controller any more."""
        old, new = self._old.view, self._new.view
        for gateway in sorted(self._protection.gateways):
            ref = self._successors.name(gateway)
            before, after = old.nodes.get(gateway), new.nodes.get(ref)
            if before is None or after is None or not after.gateway_class:
                continue
            was, now = before.gateway_class, after.gateway_class
            name = read_controller_name(new.topology, now)
            is_other = was == now and read_controller_name(old.topology, was) != name
            is_known = bool(find_class_controller(old.topology, was).id)
            if (is_known or is_other) and not find_class_controller(new.topology, now).id:
                controller = f"is of the controller {name}" if name else "is in no file"
                reason = f"its GatewayClass {now} {controller}, and whether that carries out the "
                reason += "policies on it is not known"
                yield LostObject(ref, stays=True, guarded=reason, origin=self._find_origin([ref]))

    def _list_exposed(self, policy: Ref, paths: Iterable[ProtectedPath]) -> Iterator[str]:
        """Yield the hostnames that a policy guarded, and that only open paths serve now.

        Those of paths that are lost themselves are named with these.
        """
        rules = self._old.view.rules
        lost = {it.path for it in paths if it.protection is Protection.LOST and it.is_rule}
        names_of_lost = {name for path in lost if path for name in rules[path].hostnames}
        exposed = (pair for item in self._openings for pair in item.exposed.items())
        names = (name for name, policies in exposed if policy in policies)
        return (f"hostname {name}" for name in dict.fromkeys(names) if name not in names_of_lost)

    def _with_cause(self, lost: LostObject, paths: Iterable[ProtectedPath]) -> LostObject:
        """Name the change that takes protection away, with its line.

        That is of the policy itself, of another one of its kind, or of what it targets.
        """
        ref = lost.ref
        levels = {level.whole for it in paths for level in (it.target.ref, *(it.path or ()))}
        changed = sorted(self._new.differing)
        cause = next(
            (
                other
                for nearness in (
                    lambda other: other == ref,
                    lambda other: (other.group, other.kind) == (ref.group, ref.kind),
                    levels.__contains__,
                )
                for other in changed
                if nearness(other)
            ),
            None,
        )
        variant = self._new.view.variants.get(cause) if cause is not None else None
        if variant is None:
            return lost
        overrides = [item.override.origin for item in variant.overrides]
        origin = overrides[-1] if overrides else variant.manifest.origin
        other = cause if cause != ref else None
        return replace(lost, cause=other, origin=origin if origin.path else None)

    @cached_property
    def _protection(self) -> ProtectionComparison:
        comparison = AskedComparison(self._successors, self._new.view.bundle, self._shared)
        pairs, kind = PolicyPairs(self._successors), self._old.view.kind
        earlier = {key: pairs.list_earlier(key) for key in pairs.kinds if kind(key).security}
        return ProtectionComparison(self._old, self._new, comparison, earlier, pairs.list_all)

    @cached_property
    def _policies_by_target(self) -> Mapping[Ref, tuple[Ref, ...]]:
        """The security policies after the change, by the objects that they are attached to."""
        policies = grouped(
            (link.ref.whole, ref)
            for ref, variant in self._new.view.variants.items()
            if self._is_security_policy(ref)
            for link in _links(variant)
        )
        return {target: tuple(sorted({*refs})) for target, refs in policies.items()}

    @cached_property
    def _gone(self) -> frozenset[Ref]:
        """The objects that go and do not come back under another name."""
        return frozenset(
            self._old.differing.keys() - self._new.differing - self._successors.renamed.keys()
        )

    def _goes_with(self, ref: Ref) -> tuple[Ref, ...]:
        return tuple(sorted(self._topmost(ref) - {ref}))

    def _topmost(self, ref: Ref) -> frozenset[Ref]:
        """Return the topmost objects that go, if this one depends on them alone."""
        if ref not in self._roots:
            self._roots[ref] = frozenset([ref])  # where objects form a circle
            parents = _parents(self._old.differing.get(ref))
            if parents and self._gone.issuperset(parents):
                self._roots[ref] = frozenset().union(*map(self._topmost, parents))
        return self._roots[ref]


def _links(variant: Variant) -> tuple[Reference, ...]:
    """Return the references by which an object is attached to others."""
    return tuple(link for link in variant.node.references if link.row.role.guards)


def _parents(variant: Variant | None) -> tuple[Ref, ...]:
    """Return the objects that one is attached to; none if it selects some by label."""
    links = _links(variant) if variant is not None else ()
    is_by_name = all(link.selector is None for link in links)
    return tuple(link.ref.whole for link in links) if is_by_name else ()


def without_served(removals: Iterable[Removal], served: Collection[str]) -> Iterator[Removal]:
    """Yield the removals, without the hostnames that any spoke serves after the change."""
    for removal in removals:
        lost: list[LostObject] = []
        for item in removal.lost:
            names = tuple(name for name in item.unserved if not is_covered_plainly(name, served))
            if names or not (item.stays and item.unserved):
                lost.append(replace(item, unserved=names))
        yield replace(removal, lost=tuple(lost))
