"""The rules of the state after a change that take the requests of those before it."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from spokerender.model import Ref, grouped
from spokerender.review.comparison.overlay import Cell, RuleTakers, list_cells, pair_rules
from spokerender.review.comparison.renaming import Renaming
from spokerender.review.comparison.views import Way
from spokerender.topology.hostnames import intersects
from spokerender.topology.matches import Request
from spokerender.topology.paths import Entrance, Levels


class Successors(Renaming):
    """The names and the requests of one state in the next one."""

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The requests of both states, as far as anything takes them, with the rules that do."""
        return self.once("cells", lambda: tuple(self._list_cells()))

    def _list_cells(self) -> Iterator[Cell]:
        ways = (*self.old.listeners.values(), *self.old.rules.values())
        entrances = {self.follow(way): way.entrance for way in ways}
        return list_cells(*self._rules_by_state, entrances)

    def goes(self, old: Levels, new: Levels, request: Request) -> bool:
        """Tell whether a rule may take a request before the change, and a rule after it."""
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
        later = self.new.topology.ages or {
            ref: 0 for ref, name in new_nodes if name in lasting and self.name(name) == name
        }
        return RuleTakers(self.old, ages), RuleTakers(self.new, later)

    def follow(self, way: Way) -> Entrance:
        """Return where connections of a path of before come in: as there, or by its Gateway."""
        proxy, gateway = map(self.name, (way.proxy, way.levels[0]))
        is_there = proxy in self._proxies.values()
        return (proxy if is_there else self._proxies.get(gateway, gateway), *way.address[1:])

    @cached_property
    def _proxies(self) -> Mapping[Ref, Ref]:
        return {way.levels[0]: way.proxy for way in self.new.listeners.values()}

    @cached_property
    def pairs(self) -> tuple[tuple[Way, Way], ...]:
        """The rule paths before with those after that take their requests."""
        rules = self.old.rules.values()
        return self.once(
            "pairs", lambda: tuple((one, new) for one in rules for new in self.of(one))
        )

    def of(self, way: Way) -> tuple[Way, ...]:
        """Return the paths that take requests of a path to a rule; empty where none does.

        Where nothing takes them where they came in, those to the same rule are: there they may go.
        On paths that are not new, nobody meets anything else than before.
        """
        takers = self._takers.get(way.levels)
        if takers is None:  # others keep all requests from the rule: nothing becomes of them
            return ()
        return tuple(new for new, _ in takers.values()) or tuple(
            other for other in self.find_elsewhere(way) if other.levels not in self._lasting
        )

    @cached_property
    def _lasting(self) -> frozenset[Levels]:
        return frozenset(map(self.levels, self.old.rules))

    def find_elsewhere(self, way: Way) -> tuple[Way, ...]:
        """Return the paths to the rule of a path that have a hostname in common with it."""
        others = self._by_rule.get(self.levels(way.levels)[-2:], ())
        return tuple(
            other
            for other in others
            if any(
                "*" in (a, b) or a == b or intersects(a, b)
                for a in way.hostnames
                for b in other.hostnames
            )
        )

    def find_example(self, old: Way, new: Way) -> Request | None:
        """Return a request that goes from one rule to another; None where none is at hand."""
        return self._takers.get(old.levels, {}).get(new.levels, (new, None))[1]

    def find_taken(self, old: Way, new: Way) -> Ref | None:
        """Return the rule of a path by its later name, where the path after it has another rule."""
        rule = self.name(old.levels[-1])
        return rule if rule != new.levels[-1] else None

    def find_request(self, levels: Levels) -> Request | None:
        """Return a request that comes through a path of either state; None where none does."""
        requests = self.once("requests", self._list_requests)
        return requests.get(levels) or requests.get(self.levels(levels))

    def _list_requests(self) -> Mapping[Levels, Request]:
        return {  # the last one of each path counts, which surely takes it
            levels[:end]: cell.witness
            for cell in sorted(self.cells, key=lambda cell: cell.is_real)
            for way in reversed((*cell.after, *cell.before))
            for levels in {way.levels, self.levels(way.levels)}
            for end in range(1, len(levels) + 1)
        }

    @cached_property
    def _takers(self) -> Mapping[Levels, Mapping[Levels, tuple[Way, Request]]]:
        """The paths after the change, with a request, by those before it that took requests."""
        takers: dict[Levels, dict[Levels, tuple[Way, Request]]] = {}
        for cell in self.cells:
            for old in cell.before:
                takers.setdefault(old.levels, {})
            for old, new in pair_rules(cell, self.levels):
                takers[old.levels].setdefault(new.levels, (new, cell.witness))
        return takers

    def places(self, levels: Levels) -> tuple[Levels, ...]:
        """Return where a path is under its new names, or else the paths that take its requests."""
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
