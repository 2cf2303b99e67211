"""Run tests of requests on a judged fleet, once for all spokes that give the same answer."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec.structs import replace

from spokerender.explain.running import AskedSpokes, RequestRunner
from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import did_you_mean, few_suggestions
from spokerender.findings.results import Result
from spokerender.formats.yamlio.emit import flow
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.model.selectors import SpokeSelector
from spokerender.rendering.values.alike import AlikeSpokes
from spokerender.rendering.values.rendered import Rendered
from spokerender.requests.facts import Facts, Held, hold, read_facts
from spokerender.requests.reading import WrittenTest
from spokerender.topology.matches import Request


def run_tests(
    rendered: Rendered, fleet: JudgedFleet, tests: Iterable[WrittenTest]
) -> tuple[Result, ...]:
    """Return the failures of tests on a judged fleet; spokes with the same failure share a finding.

    Most tests hold, so lines are looked up only for tests that fail.
    """
    # Only a failure shows lines, and they take time to look up.
    fast = TestRunner(rendered, fleet, with_lines=False)
    failing = [test for test in tests if next(fast.run(test), None) is not None]
    if not failing:
        return ()
    runner = TestRunner(rendered, fleet)
    with few_suggestions():
        return tuple(result for test in failing for result in runner.run(test))


class TestRunner:
    """Runs tests on a judged fleet, one by one."""

    __test__ = False  # pytest would collect it by its name

    def __init__(self, rendered: Rendered, fleet: JudgedFleet, *, with_lines: bool = True) -> None:
        self._requests = RequestRunner(rendered, fleet, with_lines=with_lines)
        self._spokes = {name: each.spoke.labels for name, each in fleet.bundles.items()}
        # Most tests are for the same few sets of spokes.
        self._select = cache(self._select_spokes)

    def run(self, written: WrittenTest) -> Iterator[Result]:
        """Yield the failures of a test."""
        selector = written.test.spokes.value
        for index, name in enumerate(selector.names or ()):
            if name not in self._spokes:
                cure = did_you_mean(name, self._spokes, "declared are")
                at = "spokes", "names", index
                yield written.report(codes.NO_MATCH, f'there is no spoke "{name}"', *at, cure=cure)
        spokes = self._select(selector)
        # Names that are wrong have their findings already.
        if not spokes and selector.names is None:
            yield written.report(codes.NO_MATCH, "no spoke is selected", "spokes")
        for text in written.test.requests if spokes else ():
            yield from self._run_request(written, text, spokes)

    def _select_spokes(self, selector: SpokeSelector) -> frozenset[str]:
        return frozenset(it for it, labels in self._spokes.items() if selector.means(it, labels))

    def _run_request(
        self, written: WrittenTest, text: str, spokes: Collection[str]
    ) -> Iterator[Result]:
        request, expected, way = written.read(text), written.test.expect.by_key, written.way
        about = f"{text}: " if way == "hosts" else ""
        failing: dict[tuple[str, Held], list[str]] = {}
        # Spokes whose limits alone differ answer as one, unless the test reads limits.
        groups = [*self._requests.ask(request, spokes=spokes, limits="limit" in expected)]
        # A catch-all listener answers for every host, so a misspelt one would pass as refused.
        if not any(asked.is_named for asked in groups):
            cure = self._requests.suggest_hosts(request)
            yield written.report(codes.NO_MATCH, f"{about}no spoke has this host", way, cure=cure)
            return
        for outcomes, alike in list_outcomes(self._requests, request, groups, expected):
            for failure in _find_failing(expected, outcomes):
                failing.setdefault(failure, []).extend(alike.names)
        for (key, (holds, words, origin)), names in failing.items():
            kind = codes.NOT_DECIDED if holds is None else codes.TEST_FAILED
            verb = "which is not known:" if holds is None else "is"
            expects = f"{key}: expected {flow(unwrap(expected[key]))}, {verb} " if key else ""
            decides = f" ({origin})" if origin is not None else ""
            at = ("expect", key) if key else (way,)
            result = written.report(kind, f"{about}{expects}{words}{decides}", *at)
            yield replace(result, spokes=tuple(names))


def list_outcomes(
    runner: RequestRunner, request: Request, groups: Iterable[AskedSpokes], keys: Collection[str]
) -> Iterator[tuple[str | Sequence[Facts], AlikeSpokes]]:
    """Yield the facts `keys` of all possible outcomes, with the spokes that share these outcomes.

    If a request can't be evaluated on some spokes, yield the problem instead of facts.
    """
    for each in groups:
        spokes = AlikeSpokes(each.bundles)
        if each.asked is None:
            yield each.problem, spokes
            continue
        answer = runner.reader.read(each.asked)
        # Slots in the host of the test become the own text of each spoke when facts are filled.
        as_written = replace(each.asked.request, host=request.host)
        facts = tuple(read_facts(answer, as_written, keys, runner.reader))
        yield from spokes.fill(facts)


def _find_failing(
    expected: Mapping[str, Any], outcomes: str | Sequence[Facts]
) -> Iterator[tuple[str, Held]]:
    """Yield the expectations that fail; an expectation must hold in every possible outcome."""
    if isinstance(outcomes, str):
        yield "", (False, outcomes, None)
        return
    for key, value in expected.items():
        verdicts = [hold(key, value, facts) for facts in outcomes]
        wrong = next((each for each in verdicts if not each[0]), None)
        # It holds in one outcome and fails in another: neither may be said for certain.
        if wrong is not None and any(each[0] for each in verdicts):
            wrong = None, f"as only the cluster can decide, perhaps {wrong[1]}", wrong[2]
        if wrong is not None:
            yield key, wrong


def unwrap(value: Any) -> Any:  # noqa: ANN401  (as the key of the expectation says)
    """Return `value` with each list of one item replaced by the item, as users may write it."""
    if isinstance(value, dict):
        return {key: unwrap(item) for key, item in value.items()}
    return value[0] if isinstance(value, list) and len(value) == 1 else value
