"""The ways of requests, from where they come in to where they go, before and after a change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import listed
from spokerender.findings.results import INFO
from spokerender.formats.comparing import ABSENT, fingerprint
from spokerender.judging.effective.guarding import measure_outcome
from spokerender.model import Ref
from spokerender.model.shapes import Json, as_list, as_mapping
from spokerender.review.meaning.drafts import Draft, write_value
from spokerender.review.meaning.objects import ObjectChanges
from spokerender.review.meaning.successors import Successors
from spokerender.review.meaning.views import SpokeView, Way
from spokerender.review.values import Topic
from spokerender.topology.hostnames import is_covered

_NOT_ROUTING = ("name", "matches")
"""The fields of a route's rule that are compared otherwise."""


def is_guarded(view: SpokeView, way: Way) -> bool:
    """Tell whether a policy in force decides who may call on a path, whatever the ages are."""
    for policy_kind in view.in_force:
        kind = view.kind(policy_kind)
        if not kind.traits.guards:
            continue
        for _, item in view.below(policy_kind, way):
            outcomes = (item.likely, *item.others)
            if all(o.unknown or measure_outcome(kind, o).parts for o in outcomes):
                return True
    return False


class TrafficComparison:
    """The comparison of the routes, hostnames and backends of two states."""

    def __init__(
        self, successors: Successors, objects: ObjectChanges, old_routes: Collection[Ref]
    ) -> None:
        """Compare; `old_routes` are those of the hub that some spoke had before."""
        self._old_routes = old_routes
        self._successors = successors
        self._old, self._new = successors.old, successors.new
        self._objects = objects

    def drafts(self) -> Iterator[Draft]:
        """Yield what is no longer served, what is served newly, and what is routed otherwise."""
        yield from self._gone()
        yield from self._further()
        yield from self._routed()

    @cached_property
    def _served(self) -> frozenset[str]:
        """The hostnames that are served after the change."""
        return frozenset(name for way in self._new.rules.values() for name in way.hostnames)

    def _gone(self) -> Iterator[Draft]:
        """Yield each path whose requests nothing takes any more, under some of its hostnames."""
        for way in self._old.rules.values():
            others = self._successors.of(way)
            names = {name for other in others for name in other.hostnames}
            same_door = self._successors.levels(way.door)
            addresses = {other.address[1:] for other in others if other.door != same_door}
            lost = tuple(name for name in way.hostnames if not _covers(names, name))
            is_moved = bool(addresses) and way.address[1:] not in addresses
            is_moved &= all(other.door != same_door for other in others)
            if not lost and not is_moved:
                continue
            unserved = tuple(name for name in lost if not _covers(self._served, name))
            found = codes.HOSTNAME_GONE if unserved else codes.WAY_GONE
            path = self._successors.levels(way.levels)
            message = self._describe_gone(way, lost, unserved)
            was, now = _ports(way), listed(map(_ports, others)) if others else ""
            yield Draft(
                kind=found,
                topic=Topic.TRAFFIC,
                message=message,
                cause=self._objects.cause(reversed(path), reversed(way.levels)),
                cure="nothing, if nobody calls it any more",
                path=str(way),
                hostnames=unserved or lost or way.hostnames,
                names=unserved or lost,
                was=was if is_moved else "",
                now=now if is_moved else "",
            )

    @staticmethod
    def _describe_gone(way: Way, lost: tuple[str, ...], unserved: tuple[str, ...]) -> str:
        route = way.levels[-2]
        if unserved:
            return "nothing serves {names} any more"
        if lost:
            return f"{route} no longer serves {{names}} here; other routes do"
        return f"{route} is served on another port or protocol"

    def _further(self) -> Iterator[Draft]:
        """Yield each path that is new for its route, or under further hostnames."""
        predecessors: dict[tuple[Ref, ...], set[str]] = {}
        for old, new in self._successors.pairs:
            predecessors.setdefault(new.levels, set()).update(old.hostnames)
        for way in self._new.rules.values():
            before = predecessors.get(way.levels, set())
            further = tuple(name for name in way.hostnames if not _covers(before, name))
            if not further:
                continue
            is_open = not is_guarded(self._new, way)
            yield self._draft_further(way, further, is_open=is_open)

    def _draft_further(self, way: Way, further: tuple[str, ...], *, is_open: bool) -> Draft:
        route = way.levels[-2]
        variant = self._new.variants.get(route)
        is_old = variant is not None and variant.manifest.ref in self._old_routes
        return Draft(
            kind=codes.NEWLY_PUBLIC if is_open else codes.FURTHER_WAY,
            topic=Topic.EXPOSURE,
            message=f"anybody may call {route} under {{names}}, and could not before"
            if is_open
            else f"{route} is served under {{names}}, and was not before",
            cause=self._objects.cause(reversed(way.levels)),
            cure="attach a policy that guards it, if it is not for everybody" if is_open else "",
            path=str(way),
            hostnames=further,
            names=further,
            severity=None if is_open or is_old else INFO,
        )

    def _routed(self) -> Iterator[Draft]:
        """Yield each rule that sends its requests elsewhere, or does something else with them."""
        for old, new in self._successors.pairs:
            before = _rule_of(self._old, old)
            after = _rule_of(self._new, new)
            for field in dict.fromkeys((*before, *after)):
                one, other = before.get(field, ABSENT), after.get(field, ABSENT)
                one = self._rename_backends(one, old) if field == "backendRefs" else one
                if fingerprint(one) == fingerprint(other):
                    continue
                yield self._draft_routed(new, field, one, other)
            if old.match != new.match:
                yield self._draft_routed(new, "matches", old.match, new.match)

    def _rename_backends(self, backends: Json, way: Way) -> Json:
        """Return backends with the names that their objects have after the change."""
        route = way.levels[-2]
        renamed: list[Any] = []
        for item in as_list(backends):
            name = as_mapping(item).get("name")
            namespace = as_mapping(item).get("namespace") or route.namespace
            ref = Ref(item.get("group") or "", item.get("kind") or "Service", namespace, str(name))
            new = self._successors.renamed.get(ref)
            renamed.append({**item, "name": new.name} if new is not None else item)
        return renamed if backends is not ABSENT else ABSENT

    def _draft_routed(self, way: Way, field: str, old: Json, new: Json) -> Draft:
        what = _FIELDS.get(field, f"{field} of the rule change")
        return Draft(
            kind=codes.ROUTED_ELSEWHERE,
            topic=Topic.TRAFFIC,
            message=f"{way.levels[-2]}: {what}",
            cause=self._objects.cause((way.levels[-2],), (), ("rules",)),
            path=str(way),
            hostnames=way.hostnames,
            was="" if field == "matches" else write_value(old),
            now="" if field == "matches" else write_value(new),
        )


_FIELDS: Mapping[str, str] = {
    "backendRefs": "requests go to other backends, or with other weights",
    "filters": "the filters of the rule change",
    "matches": "the rule is for other requests",
    "timeouts": "the timeouts of the rule change",
}


def _covers(names: Iterable[str], name: str) -> bool:
    served = set(names)
    return name in served or "*" in served or is_covered(name, served)


def _ports(way: Way) -> str:
    _, port, protocol = way.address
    return f"{port} {protocol}".strip()


def _rule_of(view: SpokeView, way: Way) -> Mapping[str, Any]:
    """Return the fields of a rule that say what becomes of its requests."""
    route = way.levels[-2]
    names = [*view.matches(route)]
    rules = as_list(as_mapping(view.object_of(route).get("spec")).get("rules"))
    index = names.index(way.levels[-1].section_name) if way.levels[-1].section_name in names else -1
    rule = as_mapping(rules[index]) if 0 <= index < len(rules) else {}
    return {key: value for key, value in rule.items() if key not in _NOT_ROUTING}
