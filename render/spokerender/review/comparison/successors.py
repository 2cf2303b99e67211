"""Successors: the name of each object after a change, and the rules that serve its requests."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from operator import itemgetter
from typing import Any, TypeVar

from msgspec import Struct

from spokerender.formats.comparing import fingerprint
from spokerender.judging.effective.outcomes import EffectivePolicy
from spokerender.kinds.needs import read_requirements
from spokerender.model import Ref, grouped
from spokerender.model.memo import memoised, remembered
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import as_mapping
from spokerender.review.changes.pairs import Pairing
from spokerender.review.comparison.overlay import Cell, RuleTakers, list_cells, pair_rules
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.topology.hostnames import intersects
from spokerender.topology.matches import Request
from spokerender.topology.node import Node
from spokerender.topology.paths import Entrance, Levels

_Answer = TypeVar("_Answer")


class PolicyPair(Struct, frozen=True, eq=False):
    """The policies of one kind on a path before a change, and on a later path of its requests.

    `earlier` are the levels of the earlier path, with old names, `levels` those of the later path.
    If the paths lead to different rules, `taken` is the earlier path's rule, by its new name.
    """

    earlier: Levels
    levels: Levels
    hostnames: tuple[str, ...]
    before: EffectivePolicy | None
    after: EffectivePolicy | None
    taken: Ref | None = None
    example: Request | None = None
    """One of the requests; None if the pair is not about rules."""
    lent: Ref | None = None
    """The other rule whose policies Kuadrant's plugin applies to the requests after the change."""

    @property
    def policies(self) -> tuple[Ref, ...]:
        """Return the policies on the path before the change."""
        return self.before.stack if self.before is not None else ()

    def was_replaced(self, policy: Ref) -> bool:
        """Return whether other policies surely overrode `policy` on the path before the change."""
        if self.before is None:
            return True
        return all(
            not item.unknown
            and policy not in item.policies
            and any(lost.policy == policy for lost in item.overruled)
            for item in (self.before.likely, *self.before.others)
        )


class Successors:
    """The objects, paths and rules after a change that correspond to those before it."""

    def __init__(self, old: SpokeView, new: SpokeView) -> None:
        self.old = old
        self.new = new

    def once(self, about: object, work_out: Callable[[], _Answer]) -> _Answer:
        """Return the result of `work_out`, computed once for spokes with the same paths.

        `about` is the key of the result, which may depend only on nodes, names, paths and `about`.
        """
        return self.new.shared.once((about, self._paths), work_out)

    @cached_property
    def _paths(self) -> object:
        """A key: one and the same object for all spokes with equal topologies, values, renames."""
        sides = ((it.topology, *it.bundle.values.items()) for it in (self.old, self.new))
        return self.new.shared.once((*sides, *self.renamed.items()), object)

    @cached_property
    def renamed(self) -> Mapping[Ref, Ref]:
        """The objects whose name or namespace changes, with their new identities."""
        old, new = self.old.variants.keys(), self.new.variants.keys()
        pairing = Pairing(sorted(old - new), sorted(new - old))
        if old - new and new - old:
            views = {**dict.fromkeys(old - new, self.old), **dict.fromkeys(new - old, self.new)}
            attached = grouped(
                (target, one.name)
                for view in (self.old, self.new)
                for one in view.variants
                for target in view.targets(one)
            )
            # A listener may come from a ListenerSet of the Gateway, or go there, meanwhile.
            listening = grouped(
                (way.levels[0], str(way.address))
                for view in (self.old, self.new)
                for way in view.listeners.values()
            )
            alike = {
                ref: _list_likenesses(
                    _read_print(view.object_of(ref), view.nodes.get(ref)),
                    ref,
                    attached.get(ref, ()),
                    listening.get(ref, ()),
                )
                for ref, view in views.items()
            }
            # From the surest likeness on; each pairs only what is unique on both sides.
            for keys in zip(*alike.values(), strict=True):
                pairing.pair_unique(dict(zip(alike, keys, strict=True)).__getitem__)
        return pairing.pairs

    @cached_property
    def earlier(self) -> Mapping[Ref, Ref]:
        """The objects whose name or namespace changed, with their old identities."""
        return {new: old for old, new in self.renamed.items()}

    def name(self, ref: Ref) -> Ref:
        """Return the name of an object, or of a section of it, after the change."""
        whole = ref.whole
        new = self.renamed.get(whole, whole)
        if not ref.section_name:
            return new
        return new.section(self._sections(whole, new).get(ref.section_name, ref.section_name))

    @memoised
    def new_names(self, ref: Ref) -> Mapping[FieldPath, str]:
        """Return the new names in the references of an earlier object, by field path.

        If the object moves, and an object that it refers to does not, the namespace is included.
        """
        node = self.old.nodes.get(ref)
        links = (*node.references, *node.needs) if node is not None else ()
        names = {
            link.name_path or (*link.path, "name"): self.renamed[link.ref.whole].name
            for link in links
            # A selector names nothing that could be renamed.
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
        """Return the levels of a path with their names after the change."""
        return tuple(map(self.name, levels))

    @memoised
    def _sections(self, old: Ref, new: Ref) -> Mapping[str, str]:
        """Return the names of listeners or rules after the change, by their old names."""
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
    def cells(self) -> tuple[Cell, ...]:
        """The cells: sets of requests, each with the rules that serve them in both states."""
        return self.once("cells", lambda: tuple(self._list_cells()))

    def _list_cells(self) -> Iterator[Cell]:
        ways = (*self.old.listeners.values(), *self.old.rules.values())
        entrances = {self.follow(way): way.entrance for way in ways}
        return list_cells(*self._rules_by_state, entrances)

    def goes(self, old: Levels, new: Levels, request: Request) -> bool:
        """Return whether `old` may serve a request before the change, and `new` after it."""
        return all(
            any(way.levels == levels for way in rules.take(view.rules[levels].entrance, request))
            for rules, view, levels in zip(
                self._rules_by_state, (self.old, self.new), (old, new), strict=True
            )
        )

    @cached_property
    def _rules_by_state(self) -> tuple[RuleTakers, RuleTakers]:
        ages = self.old.topology.ages
        # What has another name after the change is a new object, and so younger than all that stay.
        lasting = {ref for ref, node in self.old.nodes.items() if node.is_route}
        new_nodes = ((ref, self.new.fill(ref)) for ref in self.new.topology.nodes)
        # Unless ages are given, all lasting objects are of one age, and new ones younger.
        later = self.new.topology.ages or {
            ref: 0 for ref, name in new_nodes if name in lasting and self.name(name) == name
        }
        return RuleTakers(self.old, ages), RuleTakers(self.new, later, self.old)

    def follow(self, way: Way) -> Entrance:
        """Return where connections of an earlier path come in later, at its proxy or Gateway."""
        proxy, gateway = map(self.name, (way.proxy, way.levels[0]))
        is_there = proxy in self._proxies.values()
        return (proxy if is_there else self._proxies.get(gateway, gateway), *way.address[1:])

    @cached_property
    def _proxies(self) -> Mapping[Ref, Ref]:
        return {way.levels[0]: way.proxy for way in self.new.listeners.values()}

    @cached_property
    def pairs(self) -> tuple[tuple[Way, Way], ...]:
        """The pairs of an earlier rule path and a later one that serves some of its requests."""
        rules = self.old.rules.values()
        # Shared, as pairs are asked for by every comparison of all spokes.
        return self.once(
            "pairs", lambda: tuple((one, new) for one in rules for new in self.of(one))
        )

    def of(self, way: Way) -> tuple[Way, ...]:
        """Return the paths that serve requests of an earlier rule path; empty if no path does.

        If no path serves them at the same entrance, return the new paths to the same rule, as
        clients may use these. Paths that existed before are left out: they change nothing for
        clients.
        """
        takers = self._takers.get(way.levels)
        if takers is None:  # other rules got all its requests before the change
            return ()
        return tuple(new for new, _ in takers.values()) or tuple(
            other for other in self.find_elsewhere(way) if other.levels not in self._lasting
        )

    @cached_property
    def _lasting(self) -> frozenset[Levels]:
        return frozenset(map(self.levels, self.old.rules))

    def find_elsewhere(self, way: Way) -> tuple[Way, ...]:
        """Return the later paths to the same rule that share a hostname with `way`."""
        others = self._by_rule.get(self.levels(way.levels)[-2:], ())
        return tuple(
            other
            for other in others
            if any(
                "*" in (a, b) or intersects(a, b) for a in way.hostnames for b in other.hostnames
            )
        )

    def find_example(self, old: Way, new: Way) -> Request | None:
        """Return a request that `old` serves before, and `new` after the change, if known."""
        return self._takers.get(old.levels, {}).get(new.levels, (new, None))[1]

    def find_taken(self, old: Way, new: Way) -> Ref | None:
        """Return the rule of `old` by its later name if `new` has another rule; otherwise, None."""
        rule = self.name(old.levels[-1])
        return rule if rule != new.levels[-1] else None

    def find_request(self, levels: Levels) -> Request | None:
        """Return a request that uses a path of either state; None if there is none."""
        requests = self.once("requests", self._list_requests)
        return requests.get(levels) or requests.get(self.levels(levels))

    def _list_requests(self) -> Mapping[Levels, Request]:
        return {  # the last witness of a path counts: the likely rule serves it
            levels[:end]: cell.witness
            # Sorted so that real requests overwrite assumed ones.
            for cell in sorted(self.cells, key=lambda cell: cell.is_real)
            for way in reversed((*cell.after, *cell.before))
            for levels in {way.levels, self.levels(way.levels)}
            for end in range(1, len(levels) + 1)
        }

    @cached_property
    def _takers(self) -> Mapping[Levels, Mapping[Levels, tuple[Way, Request]]]:
        """By earlier path, the later paths that serve its requests, each with one request."""
        takers: dict[Levels, dict[Levels, tuple[Way, Request]]] = {}
        for cell in self.cells:
            for old in cell.before:
                # A path that took requests before, and whose requests nobody takes, has an empty
                # entry.
                takers.setdefault(old.levels, {})
            for old, new in pair_rules(cell, self.levels):
                takers[old.levels].setdefault(new.levels, (new, cell.witness))
        return takers

    def places(self, levels: Levels) -> tuple[Levels, ...]:
        """Return the path by its new names if it still exists, else its requests' later paths."""
        new = self.levels(levels)
        if new in self.new.rules or new in self.new.listeners:
            return (new,)
        way = self.old.rules.get(levels)
        return tuple(other.levels for other in self.of(way)) if way is not None else ()

    @cached_property
    def _by_rule(self) -> Mapping[Levels, list[Way]]:
        return grouped((way.levels[-2:], way) for way in self.new.rules.values())

    @cached_property
    def listeners(self) -> tuple[tuple[Way, Way | None], ...]:
        """The earlier listeners, each with the later one of the same name or address, or None.

        A listener may move between a Gateway and its ListenerSet.
        """
        doors = self.old.listeners
        # Names first; addresses only for what has no successor by name.
        pairs = {levels: self.new.listeners.get(self.levels(levels)) for levels in doors}
        lasting = {way.levels for way in pairs.values() if way is not None}
        free = {
            (way.levels[0], *way.address): way
            for levels, way in self.new.listeners.items()
            if levels not in lasting
        }
        return tuple(
            # Taken out, as an address has one successor.
            (way, pairs[levels] or free.pop((self.name(levels[0]), *way.address), None))
            for levels, way in doors.items()
        )


def _pair_sections(old: Mapping[str, object], new: Mapping[str, object]) -> dict[str, str]:
    """Return the new name of each section: by equal content, then by name."""
    # What stands for the same under the same name is never paired otherwise.
    same = [name for name in old if name in new and new[name] == old[name]]
    # The items have contents, too: two rules may swap their names.
    sides = ([(n, repr(side[n])) for n in side if n not in same] for side in (old, new))
    pairing = Pairing(*sides)
    pairing.pair_unique(itemgetter(1))
    pairs = dict(zip(same, same, strict=True))
    pairs |= {was: now for (was, _), (now, _) in pairing.pairs.items()}
    left = [name for name in old if name not in pairs]
    free = [name for name in new if name not in pairs.values()]
    # The rest by name, though its content changed.
    pairs |= {name: name for name in left if name in free}
    return pairs


class _Print(Struct, frozen=True):
    """The parts of an object that a rename does not change, as texts to compare."""

    content: str
    shape: str
    addresses: str


@remembered
def _read_print(data: Mapping[str, Any], node: Node | None) -> _Print:
    content = {key: item for key, item in data.items() if key not in ("metadata", "status")}
    spec = as_mapping(content.get("spec"))
    shape = {key: item for key, item in spec.items() if key not in _ATTACHING}
    listeners = node.listeners if node is not None else ()
    addresses = [str((one.hostname, one.port)) for one in listeners]
    addresses += node.hostnames if node is not None else ()
    return _Print(fingerprint(content), fingerprint(shape), " ".join(sorted(addresses)))


_ATTACHING = ("targetRef", "targetRefs", "targetSelectors", "parentRefs", "parentRef")


def _list_likenesses(
    own: _Print, ref: Ref, attached: Iterable[str], listening: Iterable[str]
) -> tuple[tuple[str, ...], ...]:
    """Return keys by which an old and a new object may be the same, the most certain key first.

    `attached` are the names of attached objects, `listening` the listener addresses of a Gateway.
    """
    kind = (ref.group, ref.kind)
    return (
        # The same name in another namespace is the most likely move.
        (*kind, ref.name),
        (*kind, ref.namespace, own.content),
        (*kind, ref.namespace, own.shape),
        (*kind, own.shape),
        (*kind, *(sorted(attached) or [str(ref)])),
        (*kind, own.addresses or str(ref)),
        (*kind, *(sorted(listening) or [str(ref)])),
    )
