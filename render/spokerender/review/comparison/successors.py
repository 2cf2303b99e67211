"""The objects and paths of the state after a change that take the places of those before it."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, Generic, TypeVar

from msgspec import Struct

from spokerender.kinds.needs import read_requirements
from spokerender.model import Ref, grouped
from spokerender.model.memo import Remembering, memoised
from spokerender.model.refs import FieldPath
from spokerender.rendering.values.aligning import SharedWithSlots
from spokerender.review.changes.pairing import Pairing
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.topology.hostnames import Listening, intersects
from spokerender.topology.node import Match, Node
from spokerender.topology.paths import Levels

_Served = TypeVar("_Served")
_Answer = TypeVar("_Answer")
_EVERY_NAME = "*"


class ByHostname(Generic[_Served]):
    """Things by the hostname that each serves, `*` being every name."""

    def __init__(self, items: Iterable[tuple[str, _Served]]) -> None:
        self._by_name = grouped(items)
        # The index has listeners' hostnames, among which the empty one takes every name.
        self._names = Listening("" if name == _EVERY_NAME else name for name in self._by_name)

    def meet(self, hostname: str) -> Iterator[_Served]:
        """Yield what serves some name that a hostname stands for."""
        names: Iterable[str] = self._by_name
        if hostname != _EVERY_NAME:
            names = sorted(name or _EVERY_NAME for name in self._names.met_by(hostname))
        return (item for name in names for item in self._by_name[name])


class SharedSuccessors:
    """The answers about successors that spokes have in common."""

    def __init__(self) -> None:
        self.answers = SharedWithSlots()
        self.read_print = Remembering(_read_print)


class Successors:
    """The names of things of one state in the next one."""

    def __init__(
        self, old: SpokeView, new: SpokeView, shared: SharedSuccessors | None = None
    ) -> None:
        """Compare; `shared` is what the successors on several spokes have in common."""
        self.old = old
        self.new = new
        self._shared = shared or SharedSuccessors()

    def once(self, about: object, work_out: Callable[[], _Answer]) -> _Answer:
        """Return an answer, worked out once for all spokes that have the same paths in both states.

        It must depend on nothing but nodes, names and paths, and what is in `about`.
        """
        return self._shared.answers.answer((about, self._paths), work_out)

    @cached_property
    def _paths(self) -> object:
        """A mark of the topologies, the values in them, and the names that are new."""
        sides = ((it.topology, *it.bundle.values.items()) for it in (self.old, self.new))
        return self._shared.answers.answer((*sides, *self.renamed.items()), object)

    @cached_property
    def renamed(self) -> Mapping[Ref, Ref]:
        """The objects that have another name or namespace, with their new ones."""
        old, new = self.old.variants.keys(), self.new.variants.keys()
        pairing = Pairing(sorted(old - new), sorted(new - old))
        if old - new and new - old:
            views = {**dict.fromkeys(old - new, self.old), **dict.fromkeys(new - old, self.new)}
            read = self._shared.read_print
            alike = {
                ref: _list_likenesses(read(view.object_of(ref), view.nodes.get(ref)), ref)
                for ref, view in views.items()
            }
            for number in range(_LIKENESSES):
                if number == _LIKENESSES - 1:
                    self._pair_retargeted(pairing)
                pairing.pair_unique(partial(_pick, alike, number))
        return pairing.pairs

    @cached_property
    def earlier(self) -> Mapping[Ref, Ref]:
        """The objects that have another name or namespace, with their old ones."""
        return {new: old for old, new in self.renamed.items()}

    def _pair_retargeted(self, pairing: Pairing[Ref]) -> None:
        """Pair what policies targeted with what they target instead: they know who is who."""
        for ref in sorted(self.old.variants):
            name = pairing.pairs.get(ref, ref)
            if self.old.kind((ref.group, ref.kind)).is_policy and name in self.new.variants:
                old, new = self.old.targets(ref), self.new.targets(name)
                if len(old) == len(new):
                    for one, other in zip(old, new, strict=True):
                        if (one.group, one.kind) == (other.group, other.kind):
                            pairing.pair(one, other)

    def name(self, ref: Ref) -> Ref:
        """Return what an object, or a section of one, is called afterwards."""
        whole = ref.whole
        new = self.renamed.get(whole, whole)
        if not ref.section_name:
            return new
        return new.section(self._sections(whole, new).get(ref.section_name, ref.section_name))

    @memoised
    def new_names(self, ref: Ref) -> Mapping[FieldPath, str]:
        """Return the new names of what an object of before names, by their places in it.

        With them are the namespaces of what stays behind, where it names none and moves itself.
        """
        node = self.old.nodes.get(ref)
        links = (*node.references, *node.needs) if node is not None else ()
        names = {
            link.name_path or (*link.path, "name"): self.renamed[link.ref.whole].name
            for link in links
            if link.ref.whole in self.renamed and link.selector is None
        }
        return {**dict(self._find_left(ref)), **names}

    def _find_left(self, ref: Ref) -> Iterator[tuple[FieldPath, str]]:
        namespace = self.name(ref).namespace
        if namespace == ref.namespace:
            return
        kind = self.old.kind((ref.group, ref.kind))
        for need in read_requirements(kind, self.old.object_of(ref), ref.namespace):
            place = self.name(need.ref.whole).namespace
            if not need.explicit_namespace and place not in ("", namespace):
                yield (*need.path, "namespace"), place

    @memoised
    def levels(self, levels: Levels) -> Levels:
        """Return what the levels of a path are called afterwards."""
        return tuple(map(self.name, levels))

    @memoised
    def _sections(self, old: Ref, new: Ref) -> Mapping[str, str]:
        """Return what the listeners or rules of an object are called afterwards."""
        before, after = self.old.nodes.get(old), self.new.nodes.get(new)
        if before is None or after is None:
            return {}
        if before.listeners:
            return _pair_sections(
                {one.name: (one.hostname, one.port, one.protocol) for one in before.listeners},
                {one.name: (one.hostname, one.port, one.protocol) for one in after.listeners},
            )
        if before.is_route:
            return _pair_sections(self.old.matches(old), self.new.matches(new))
        return {}

    @cached_property
    def pairs(self) -> tuple[tuple[Way, Way], ...]:
        """The rule paths before with those after that take their requests."""
        return self.once("pairs", lambda: tuple(self._pair()))

    def _pair(self) -> Iterator[tuple[Way, Way]]:
        return ((way, other) for way in self.old.rules.values() for other in self.of(way))

    def of(self, way: Way) -> tuple[Way, ...]:
        """Return the paths that take the requests of a path to a rule; empty where none does.

        That is the path itself, under its new names; else those to the same rule through another
        listener, of the same address if there is one; else those of another route that serves the
        same requests on the same gateway, at the same listener if some do.
        """
        levels = self.levels(way.levels)
        if levels in self.new.rules and _is_met(way, self.new.rules[levels]):
            return (self.new.rules[levels],)
        same = self._by_rule.get(levels[-2:], ())
        others = [other for other in same if _is_met(way, other)]
        at_home = [other for other in others if other.levels[0] == levels[0]]
        # A listener that moves between a Gateway and a ListenerSet takes what it took.
        here = [other for other in at_home if other.address == way.address]
        if others:
            return tuple(here or at_home or others)
        alike = self._by_request.get((levels[0], way.match)) if way.match else None
        if alike is None:
            return ()
        met = {number for name in way.hostnames for number in alike.meet(name)}
        ways = tuple(self._new_ways[number] for number in sorted(met))
        door = self.levels(way.door)
        return tuple(other for other in ways if other.door == door) or ways

    def places(self, levels: Levels) -> tuple[Levels, ...]:
        """Return where a path is under its new names, or else the paths that take its requests."""
        new = self.levels(levels)
        if new in self.new.rules or new in self.new.listeners:
            return (new,)
        way = self.old.rules.get(levels)
        return tuple(other.levels for other in self.of(way)) if way is not None else ()

    @cached_property
    def _new_ways(self) -> tuple[Way, ...]:
        return tuple(self.new.rules.values())

    @cached_property
    def _by_rule(self) -> Mapping[Levels, list[Way]]:
        return grouped((way.levels[-2:], way) for way in self.new.rules.values())

    @cached_property
    def _by_request(self) -> Mapping[tuple[Ref, tuple[Match, ...]], ByHostname[int]]:
        """The new ways by gateway and match, as their places among all, by hostname."""
        places: dict[tuple[Ref, tuple[Match, ...]], list[tuple[str, int]]] = {}
        for number, way in enumerate(self._new_ways):
            own = places.setdefault((way.levels[0], way.match), [])
            own.extend((name, number) for name in way.hostnames)
        return {request: ByHostname(own) for request, own in places.items()}

    @cached_property
    def listeners(self) -> tuple[tuple[Way, Way | None], ...]:
        """The listeners before with those after that have their addresses, or else their names.

        One of a ListenerSet may be its Gateway's own now, or the reverse.
        """
        doors = self.old.listeners
        pairs = {levels: self.new.listeners.get(self.levels(levels)) for levels in doors}
        lasting = {way.levels for way in pairs.values() if way is not None}
        free = {
            (way.levels[0], *way.address): way
            for levels, way in self.new.listeners.items()
            if levels not in lasting
        }
        return tuple(
            (way, pairs[levels] or free.pop((self.name(levels[0]), *way.address), None))
            for levels, way in doors.items()
        )


def _is_met(one: Way, other: Way) -> bool:
    """Tell whether some hostname is for both."""
    return any(
        "*" in (a, b) or a == b or intersects(a, b) for a in one.hostnames for b in other.hostnames
    )


def _pair_sections(old: Mapping[str, object], new: Mapping[str, object]) -> dict[str, str]:
    """Pair names by what they stand for; then those that are left over in both."""
    same = [name for name in old if new.get(name, _NOTHING) == old[name]]
    # Of one name there may be one before and another after: where rules change places, say.
    sides = ([(n, repr(side[n])) for n in side if n not in same] for side in (old, new))
    pairing = Pairing(*sides)
    pairing.pair_unique(itemgetter(1))
    pairs = dict(zip(same, same, strict=True))
    pairs |= {was: now for (was, _), (now, _) in pairing.pairs.items()}
    left = [name for name in old if name not in pairs]
    free = [name for name in new if name not in pairs.values()]
    pairs |= {name: name for name in left if name in free}
    return pairs


def _pick(alike: Mapping[Ref, tuple[tuple[str, ...], ...]], number: int, ref: Ref) -> object:
    return alike[ref][number]


_NOTHING = object()


class _Print(Struct, frozen=True):
    """The parts of an object that stay when it is renamed, as texts to compare."""

    content: str
    shape: str
    addresses: str
    requests: str


def _read_print(data: Mapping[str, Any], node: Node | None) -> _Print:
    content = {key: item for key, item in data.items() if key not in ("metadata", "status")}
    shape = dict(content.get("spec") or {}) if isinstance(content.get("spec"), Mapping) else {}
    for key in ("targetRef", "targetRefs", "targetSelectors", "parentRefs", "parentRef"):
        shape.pop(key, None)
    addresses: list[str] = []
    if node is not None:
        addresses = sorted(str((one.hostname, one.port)) for one in node.listeners) or sorted(
            node.hostnames
        )
    requests = node.matches if node is not None else ()
    return _Print(_text(content), _text(shape), " ".join(addresses), _text(requests))


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _list_likenesses(own: _Print, ref: Ref) -> tuple[tuple[str, ...], ...]:
    """Return what is alike in an object under its old and its new name, the surest first."""
    kind = (ref.group, ref.kind)
    return (
        (*kind, ref.name),
        (*kind, ref.namespace, own.content),
        (*kind, ref.namespace, own.shape),
        (*kind, own.shape),
        (*kind, own.addresses or str(ref)),
        (*kind, ref.namespace, own.requests),
    )


_LIKENESSES = 6
