"""The paths to rules that are new, or that serve further hostnames."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain

from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import listed
from spokerender.findings.results import ERROR, INFO
from spokerender.model import Ref, grouped
from spokerender.review.comparison.openings import list_further_ways, list_openings
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.takeovers import find_takeovers
from spokerender.review.comparison.views import Way, list_names, write_levels
from spokerender.review.meaning.drafts import CURE_OF_OPEN, Draft
from spokerender.review.meaning.objects import ObjectChanges, ViewComparison
from spokerender.review.meaning.splitting import find_equal_takeovers, is_taken_alike
from spokerender.review.values import Topic
from spokerender.topology.hostnames import is_covered
from spokerender.topology.matches import are_for_all
from spokerender.topology.paths import Levels


class ExposureComparison(ViewComparison):
    """The comparison of where requests can come in."""

    def __init__(
        self, successors: Successors, objects: ObjectChanges, old_routes: Collection[Ref]
    ) -> None:
        """Compare; `old_routes` are those of the hub that some spoke had before."""
        super().__init__(successors, objects)
        self._old_routes = old_routes

    def drafts(self) -> Iterator[Draft]:
        """Yield each path that is new for its route, or under further hostnames."""
        for way, names in list_further_ways(self._successors):
            if not self._does_the_same(way, names):
                yield self.draft(way, names)

    def draft(self, way: Way, names: tuple[str, ...]) -> Draft:
        """Return a path that serves further hostnames."""
        route = way.levels[-2]
        variant = self._new.variants.get(route)
        is_old = variant is not None and variant.manifest.ref in self._old_routes
        is_open = not self._new.is_guarded(way)
        exposed = self._exposed.get(way.levels, {}) if is_open else {}
        policies = dict.fromkeys(chain.from_iterable(exposed.values()))
        former = [self._successors.levels(old.levels) for old in self._former.get(way.levels, ())]
        return Draft.on(
            way,
            codes.NEWLY_PUBLIC if is_open else codes.FURTHER_WAY,
            Topic.EXPOSURE,
            self._write(way, names, former, is_open=is_open),
            self._objects.cause(reversed(way.levels)),
            cure=CURE_OF_OPEN if is_open else "",
            hostnames=names,
            names=names,
            policies=tuple(map(self._successors.name, policies)),
            severity=ERROR if policies else None if is_open or is_old or former else INFO,
        )

    @cached_property
    def _exposed(self) -> Mapping[Levels, Mapping[str, tuple[Ref, ...]]]:
        return {item.way.levels: item.exposed for item in list_openings(self._successors)}

    def _write(
        self, way: Way, names: Iterable[str], former: Collection[Levels], *, is_open: bool
    ) -> str:
        route = way.levels[-2]
        served = f"anybody may call {route}" if is_open else f"{route} is served"
        earlier = self._by_rule.get(way.levels[-1], ())
        if earlier and all(is_covered(name, list_names(earlier)) for name in names):
            is_bare = not way.is_encrypted and all(old.is_encrypted for old in earlier)
            without = ", without encryption" if is_bare else ""
            return f"{served} under {{names}} on {write_levels(way.door)}, too{without}"
        others = {levels[-2] for levels in former} - {route}
        if is_open:
            return f"{served} under {{names}}, and could not before"
        if others:
            losers = listed(sorted(map(str, others)))
            return f"{route} takes requests under {{names}} that {losers} took"
        if former:
            losers = listed(sorted({str(levels[-1]) for levels in former}))
            return f"{way.levels[-1]} takes requests under {{names}} that {losers} took"
        return f"{served} under {{names}}, and was not before"

    def _does_the_same(self, way: Way, served: Collection[str]) -> bool:
        """Tell whether a rule does with requests what the rules did that took them.

        Where those of its route took all of them, no other one counts. Others may have taken some
        if a rule that does what they did takes these.
        """
        former = self._former.get(way.levels, ())
        equal = [old for old in former if (old.levels, way.levels) in self._equal]
        names = list_names(equal)
        is_all = all(is_covered(name, names) for name in served)
        if not is_all or not are_for_all([old.match for old in equal], way.match):
            return False
        others = [old for old in former if old not in equal]
        own = [old for old in others if self._successors.name(old.levels[-2]) == way.levels[-2]]
        ours = {self._successors.name(old.levels[-2]) for old in equal}
        if way.levels[-2] in ours and not own:
            return True
        return all(
            is_taken_alike(self._successors, old, name)
            for old in others
            for name in old.hostnames
            if is_covered(name, served) or any(is_covered(each, (name,)) for each in served)
        )

    @cached_property
    def _equal(self) -> frozenset[tuple[Levels, Levels]]:
        """The pairs of rules of which the later one does the same with requests of the earlier."""
        equal = find_equal_takeovers(self._successors)
        return frozenset((item.old.levels, item.new.levels) for item in equal)

    @cached_property
    def _former(self) -> Mapping[Levels, list[Way]]:
        """The rules that took requests before that a path takes now."""
        return grouped((item.new.levels, item.old) for item in find_takeovers(self._successors))

    @cached_property
    def _by_rule(self) -> Mapping[Ref, list[Way]]:
        """The paths to each rule before the change, by its new name."""
        return grouped(
            (self._successors.name(way.levels[-1]), way) for way in self._old.rules.values()
        )
