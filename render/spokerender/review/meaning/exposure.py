"""Paths to rules that serve requests which no rule served before."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain

from spokerender.findings.codes import review as codes
from spokerender.findings.results import ERROR, INFO
from spokerender.model import Ref, grouped
from spokerender.model.shapes import as_list, as_mapping
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import Way
from spokerender.review.meaning.backends import find_failing, read_rule
from spokerender.review.meaning.drafts import CURE_OF_OPEN, Draft, write_matching
from spokerender.review.meaning.objects import ObjectChanges, ViewComparison
from spokerender.review.values import Topic
from spokerender.topology.paths import Entrance


class ExposureComparison(ViewComparison):
    """The search for new paths of requests."""

    def __init__(
        self, successors: Successors, objects: ObjectChanges, old_routes: Collection[Ref]
    ) -> None:
        """Start; `old_routes` are the routes of the hub that any spoke had before."""
        super().__init__(successors, objects)
        self._old_routes = old_routes

    def drafts(self) -> Iterator[Draft]:
        """Yield each path that serves requests which no rule served before."""
        further = grouped(
            (way.levels, cell)
            for cell in self._successors.cells
            for way in (() if cell.before else cell.after)
        )
        for levels, cells in further.items():
            names = tuple(dict.fromkeys(cell.hostname for cell in cells))
            yield self._draft(self._new.rules[levels], names, str(cells[0].witness))

    def _draft(self, way: Way, names: tuple[str, ...], example: str) -> Draft:
        """Return a draft for a path that newly serves the hostnames `names`."""
        variant = self._new.variants.get(way.levels[-2])
        is_old = variant is not None and variant.manifest.ref in self._old_routes
        is_open = not self._new.is_guarded(way)
        filters = as_list(read_rule(self._new, way, {}).get("filters"))
        # A redirect needs no policy: its target restricts access.
        is_redirect = any(as_mapping(item).get("type") == "RequestRedirect" for item in filters)
        guards = self._list_former_guards(way, names) if is_open and not is_redirect else ()
        policies = dict.fromkeys(guards)
        earlier = self._by_rule.get(way.levels[-1], ())
        same = (old for old in earlier if self._successors.levels(old.levels) == way.levels)
        was, now = write_matching(next(same, way), way)
        served = [self._guarded.get((way.entrance, name)) for name in names]
        # More paths under a hostname that has equally guarded ones are usual.
        fails = find_failing(self._successors)[1].fails(way)
        is_usual = fails or is_redirect or (None not in served and not (is_open and any(served)))
        message = self._write(
            way, is_open=is_open, is_served=None not in served, is_wider=was != now
        )
        return Draft.on(
            way,
            codes.NEWLY_PUBLIC if is_open else codes.FURTHER_WAY,
            Topic.EXPOSURE,
            f"{message}{'; its requests fail' * fails}",
            self._cause_of_rule(way) if was != now else self._objects.cause(reversed(way.levels)),
            cure=CURE_OF_OPEN if is_open else "",
            hostnames=names,
            names=names,
            example=example,
            was=was,
            now=now,
            policies=tuple(map(self._successors.name, policies)),
            severity=ERROR if policies else INFO if is_usual or not (is_open or is_old) else None,
        )

    @cached_property
    def _guarded(self) -> Mapping[tuple[Entrance, str], bool]:
        """The entrances and hostnames that rules served before: True if some path was guarded."""
        guarded = (
            ((self._successors.follow(way), name), self._old.is_guarded(way))
            for way in self._old.rules.values()
            for name in way.hostnames
        )
        return {key: any(own) for key, own in grouped(guarded).items()}

    def _list_former_guards(self, new: Way, names: Iterable[str]) -> Iterator[Ref]:
        """Yield the former guards of `names` that were served only elsewhere, and all guarded."""
        for name in names:
            ways = self._by_name.get(name, ())
            places = {self._successors.follow(way) for way in ways}
            if new.entrance not in places and all(map(self._old.is_guarded, ways)):
                yield from chain.from_iterable(map(self._old.list_guards, ways))

    @cached_property
    def _by_name(self) -> Mapping[str, list[Way]]:
        """The paths before the change by hostname."""
        return grouped((name, way) for way in self._old.rules.values() for name in way.hostnames)

    def _write(self, way: Way, *, is_open: bool, is_served: bool, is_wider: bool) -> str:
        route, whose = way.levels[-2], " of anybody" * is_open
        if is_wider:
            return f"{way.levels[-1]} takes further requests{whose} under {{names}}"
        if is_served:
            return f"{route} takes requests{whose} under {{names}} that nothing took"
        earlier = self._by_rule.get(way.levels[-1], ())
        served = f"anybody may call {route}" if is_open else f"{route} is served"
        is_bare = bool(earlier) and not way.is_encrypted and all(it.is_encrypted for it in earlier)
        how = " without encryption" * is_bare
        return f"{served} under {{names}}{how}, and {'could' if is_open else 'was'} not before"

    @cached_property
    def _by_rule(self) -> Mapping[Ref, list[Way]]:
        """The paths to each rule before the change, by the rule's new name."""
        return grouped(
            (self._successors.name(way.levels[-1]), way) for way in self._old.rules.values()
        )
