"""Requests that tests cover: guarded requests without a test, and the tests of a consequence."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, islice, product

from msgspec.structs import replace

from spokerender.explain.answered import UncoveredRequests
from spokerender.explain.outcomes import JudgedOutcome
from spokerender.explain.requests import RequestError
from spokerender.explain.running import RequestRunner
from spokerender.findings.results import Severity
from spokerender.judging.effective.callers import join_verdicts
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.model import Ref
from spokerender.rendering.values.alike import AlikeFleet
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Rendered
from spokerender.requests.reading import WrittenTest
from spokerender.requests.running import TestRunner
from spokerender.review.values import Consequence, ConsequencePath
from spokerender.topology.hostnames import EVERY_NAME, is_covered_plainly
from spokerender.topology.matches import (
    NOBODY,
    Request,
    find_mismatch,
    list_matches,
    read_matches,
    write_matches,
)
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_listener, find_rule_paths


class RequestCoverage:
    """The requests that tests make on the spokes of a fleet."""

    def __init__(
        self, rendered: Rendered, fleet: JudgedFleet, tests: Sequence[WrittenTest]
    ) -> None:
        self._runner = RequestRunner(rendered, fleet)
        self._results = TestRunner(rendered, fleet, with_lines=False)
        self._tests = tests

    def find_uncovered(self) -> tuple[UncoveredRequests, ...]:
        """Return the requests that not everybody may make and no test makes, with their spokes."""
        bundles_of: dict[UncoveredRequests, dict[str, Bundle]] = {}
        for judged, bundles in self._runner.by_blueprint:
            for path in find_rule_paths(judged.judgement.topology):
                uncovered = self._describe(judged, bundles[0], path)
                names = self._taken.get(path.levels[-1], ())
                # Rules are told by blueprint, but a test may be for some of its spokes alone.
                left = {it.spoke.name: it for it in bundles if it.spoke.name not in names}
                if uncovered is not None and left:
                    bundles_of.setdefault(uncovered, {}).update(left)
        entries = [(value, [*by_name.values()]) for value, by_name in bundles_of.items()]
        shared = AlikeFleet(self._runner.bundles).share(
            entries, lambda it: it.match, lambda it, spokes: replace(it, spokes=spokes.names)
        )
        return tuple(
            sorted((alike.common for alike in shared), key=lambda it: (it.rule, it.spokes))
        )

    def name_tests(self, item: Consequence) -> Consequence:
        """Return a consequence with the tests of its requests; an info is returned unchanged."""
        # Consequences without a request are about objects, which tests do not see.
        if not item.example or item.severity is Severity.INFO:
            return item
        spokes = frozenset(item.result.spokes)
        requests = [
            (test.test.name, request)
            for test in self._tests
            for request in self._list_requests(test, spokes)
            if is_covered_plainly(request.host, item.hostnames or (EVERY_NAME,))
        ]
        fitting = {
            place: [name for name, it in requests if _fits(it, place)] for place in item.places
        }
        tests = dict.fromkeys(chain.from_iterable(fitting.values()))
        untested = tuple(place for place, names in fitting.items() if not names)
        fails = tuple(name for name in tests if not spokes.isdisjoint(self._failing[name]))
        return replace(item, tests=tuple(tests), failing_tests=fails, untested=untested)

    @cached_property
    def _failing(self) -> Mapping[str, Collection[str]]:
        """The spokes on which each test fails; all spokes if the test itself is wrong."""
        every = [bundle.spoke.name for bundle in self._runner.bundles]
        return {
            test.test.name: {name for it in self._results.run(test) for name in it.spokes or every}
            for test in self._tests
        }

    @cached_property
    def _taken(self) -> dict[Ref, set[str]]:
        """By rule, the names of the spokes on which the rule may serve a request of a test."""
        taken: dict[Ref, set[str]] = {}
        for test in self._tests:
            for text in test.test.requests:
                spokes = {it.spoke.name for it in self._runner.bundles if test.is_for(it)}
                for asked in self._runner.ask(test.read(text), spokes=spokes):
                    names = {bundle.spoke.name for bundle in asked.bundles}
                    # All rules that may take the request count: only the cluster decides.
                    for way in asked.asked.ways if asked.asked is not None else ():
                        for path in way.rules:
                            taken.setdefault(path.levels[-1], set()).update(names)
        return taken

    def _describe(
        self, judged: JudgedBlueprint, bundle: Bundle, path: RequestPath
    ) -> UncoveredRequests | None:
        """Return the requests on `path`, with slots in texts; None if anybody may make them."""
        reader, topology = self._runner.reader, judged.judgement.topology
        outcomes = [
            JudgedOutcome(judged, bundle, it) for it in reader.outcomes.list_on_path(judged, path)
        ]
        # What anybody may call is not guarded; an unknown verdict counts as guarded.
        if join_verdicts(reader.outcomes.judge_caller(outcomes, NOBODY)).is_admitted:
            return None
        asked = reader.list_restrictions(map(reader.outcomes.read, outcomes))
        matches = read_matches(topology.nodes[path.levels[-2]])[path.rule]
        hostnames = path.hostnames or (find_listener(topology, path).hostname or "*",)
        who = dict.fromkeys(str(it.words) for it in asked if it.label == "who")
        return UncoveredRequests(path.levels[-1], hostnames, write_matches(matches), tuple(who))

    def _list_requests(self, test: WrittenTest, spokes: Collection[str]) -> Iterator[Request]:
        """Yield the requests of a test on the first of `spokes` that the test selects."""
        bundles = (it for it in self._runner.bundles if it.spoke.name in spokes and test.is_for(it))
        # Own values fill the host alike on all spokes, so one of them shows the path.
        for bundle, text in product(islice(bundles, 1), test.test.requests):
            with suppress(RequestError):  # a finding of the test itself
                yield self._runner.evaluate(test.read(text), bundle)


def _fits(request: Request, place: ConsequencePath) -> bool:
    """Return whether a request matches a path, judged by its URL path and method."""
    # Headers and parameters are left out: a test rarely names those of the witness.
    matches = (
        {key: fields[key] for key in ("path", "method") if key in fields}
        for fields in list_matches(place.match)
    )
    return any(not find_mismatch(fields, request) for fields in matches)
