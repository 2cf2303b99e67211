"""Tests of requests, run on a judged fleet: each once for spokes that give the same answer."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.explain.answered import RequestAnswer
from spokerender.explain.asking import AnswerReader, Asked, Ways
from spokerender.explain.lookup import group_by_blueprint
from spokerender.explain.requests import read_request
from spokerender.findings.codes import requests as codes
from spokerender.findings.phrasing import did_you_mean, few_suggestions
from spokerender.findings.results import Result
from spokerender.formats.templating.template import compile_template, is_template
from spokerender.formats.templating.values import TemplateProblem
from spokerender.formats.yamlio.emit import flow
from spokerender.judging.effective.outcomes import EffectivePolicy
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.model import Ref
from spokerender.model.selectors import SpokeSelector
from spokerender.rendering.values.alike import AlikeSpokes
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Rendered
from spokerender.requests.facts import Facts, Held, WordReader, hold, read_facts
from spokerender.requests.grouping import (
    AlikeForHost,
    group_by_host,
    join_blueprints,
    list_hostnames,
)
from spokerender.requests.reading import WrittenTest
from spokerender.topology.matches import ANONYMOUS, Request
from spokerender.topology.paths import RequestPath

_PARTS = re.compile(r"((?:[A-Za-z]+\s+)?(?:[A-Za-z]+://)?)((?:\{\{.*?\}\}|[^\s/:?#@{])+)(.*)")
"""All before the host of a request, the host, and all behind it."""
_NOWHERE = RequestPath("", Ref("", "", "", ""), None, "")


_Hosts = tuple[dict[str, tuple[str, str]], dict[str, list[str]], Sequence[Sequence[AlikeForHost]]]


class AskedSpokes(Struct, frozen=True, eq=False):
    """Spokes with the facts about a request there, of each outcome that it may have.

    `problem` says why it can't be read there, `is_named` whether any hostname is for its host.
    """

    names: tuple[str, ...]
    outcomes: tuple[Facts, ...] = ()
    problem: str = ""
    is_named: bool = True


class RequestRunner:
    """Asks what becomes of requests on all spokes together; these may have values of spokes."""

    def __init__(self, rendered: Rendered, fleet: JudgedFleet, *, with_lines: bool = True) -> None:
        """Start; a host that several requests have in common is looked for once."""
        self._fleet, self.bundles = fleet, fleet.bundles
        self._reader = AnswerReader(rendered, with_lines=with_lines)
        self._read, self._join = cache(self._read_hosts), cache(self._join_all)
        self.select = cache(self._select)
        self._put = WordReader(rendered.hub.catalogue)

    def _select(self, selector: SpokeSelector) -> frozenset[str]:
        spokes = (each.spoke for each in self.bundles.values())
        return frozenset(it.name for it in spokes if selector.means(it.name, it.labels))

    def ask(
        self,
        text: str,
        headers: Sequence[str],
        client: str,
        spokes: Collection[str],
        limits: bool = True,
    ) -> Iterator[AskedSpokes]:
        """Yield what becomes of an anonymous request, once for spokes that are alike.

        Without `limits`, policies count for nothing that ask nothing of callers.
        """
        parts = _PARTS.fullmatch(text.strip())
        assert parts is not None  # noqa: S101  (it was read before)
        before, host, behind = parts.groups()
        rest = behind if is_template(behind) else ""
        texts, problems, _ = self._read(host, rest)
        for problem, names in problems.items():
            if own := tuple(name for name in names if name in spokes):
                yield AskedSpokes(own, problem=problem)

        def read(name: str) -> Request:
            own_host, own_rest = texts[name]
            request = read_request(f"{before}{own_host}{own_rest or behind}", headers)
            return replace(request, credential=ANONYMOUS, client=client)

        is_own = bool(client) or is_template(behind)  # policies may have values of spokes, too
        for family in self._join(host, rest, limits):
            ways, named = Ways(), ""
            for group in family:
                alike = [each for each in group.bundles if each.spoke.name in spokes]
                for some in [[each] for each in alike] if is_own else [alike] if alike else []:
                    request = read(some[0].spoke.name)
                    named = named if ways else request.host
                    asked = self._reader.follow(group.asked, some[0], request, ways)
                    ways = () if is_own else asked.ways
                    answer = self._strip(asked, limits, f"for {named}", f"for {host}")
                    for filled, shared in AlikeSpokes(tuple(some)).fill(answer):
                        facts = read_facts(filled, replace(request, host=host), self._put)
                        yield AskedSpokes(shared.names, tuple(facts), is_named=group.is_named)

    def _join_all(self, host: str, rest: str, limits: bool) -> list[list[AlikeForHost]]:
        def weigh(item: EffectivePolicy) -> object:
            outcomes = item.likely, *item.others
            is_sure = not (item.others or any(it.unknown or it.failing for it in outcomes))
            if limits or not is_sure or self._reader.asks_callers(item.group, item.kind):
                return item
            return item.kind, [rule.path for rule in item.likely.rules]  # plugins look for these

        texts, _, families = self._read(host, rest)
        firsts = (texts[family[0].bundles[0].spoke.name][0] for family in families)
        return [
            join_blueprints(family, self._reader, first, weigh)
            for family, first in zip(families, firsts, strict=True)
        ]

    def _strip(self, asked: Asked, limits: bool, named: str, written: str) -> RequestAnswer:
        """Read an answer without what does not count, and what spokes may have of their own.

        A reason names the host as the request is written.
        """
        counts = self._reader.asks_callers
        answer, proxies = self._reader.read(asked), []
        for proxy in answer.proxies:
            rules = []
            for rule in proxy.rules:
                counting = (it for it in rule.policies if limits or counts(it.group, it.kind))
                policies = tuple(replace(it, path=_NOWHERE) for it in counting)
                rules.append(replace(rule, policies=policies))
            why = proxy.refused.replace(named, written)
            short = replace(proxy, listeners=(), passed=(), rules=tuple(rules), refused=why)
            proxies.append(short)
        return replace(answer, proxies=tuple(proxies))

    def list_hosts(self) -> list[str]:
        """Return the hostnames of a spoke of each blueprint, for suggestions."""
        blueprints = group_by_blueprint(self._fleet)
        names = ((it, bundles[0]) for it, bundles in blueprints)
        return sorted(
            {b.text(name) for it, b in names for name in list_hostnames(it.judgement.topology)}
        )

    def _read_hosts(self, host: str, rest: str) -> _Hosts:
        """Evaluate a host for each spoke, and what is behind it if that has expressions."""
        evaluate, evaluate_rest = _compile(host), _compile(rest)
        texts: dict[str, tuple[str, str]] = {}
        problems: dict[str, list[str]] = {}
        for name, bundle in self._fleet.bundles.items():
            try:
                own, own_rest = evaluate(bundle), evaluate_rest(bundle)
                texts[name] = read_request(f"http://{own}{own_rest}").host, own_rest
            except (ValueError, TemplateProblem) as error:
                problems.setdefault(str(error), []).append(name)
        hosts = {name: own for name, (own, _) in texts.items()}
        return texts, problems, group_by_host(self._fleet, self._reader, hosts)


def _compile(text: str) -> Callable[[Bundle], str]:
    if not is_template(text):
        return lambda _: text
    template = compile_template(text)
    return lambda bundle: str(template.evaluate({"spoke": bundle.spoke.context}))


def run_tests(
    rendered: Rendered, fleet: JudgedFleet, tests: Iterable[WrittenTest]
) -> tuple[Result, ...]:
    """Run tests on a judged fleet; return what fails, once for spokes where it is the same.

    Most tests hold: lines are looked up for the others.
    """
    fast = RequestRunner(rendered, fleet, with_lines=False)
    failing = [test for test in tests if next(_run_test(fast, test), None) is not None]
    runner = RequestRunner(rendered, fleet)
    with few_suggestions():
        return tuple(result for test in failing for result in _run_test(runner, test))


def _run_test(runner: RequestRunner, written: WrittenTest) -> Iterator[Result]:
    test, bundles = written.test, runner.bundles
    selector = test.spokes.value
    for index, name in enumerate(selector.names or ()):
        if name not in bundles:
            cure, at = did_you_mean(name, bundles, "declared are"), ("spokes", "names", index)
            yield written.report(codes.NO_MATCH, f'there is no spoke "{name}"', *at, cure=cure)
    spokes = runner.select(selector)
    if not spokes and selector.names is None:
        yield written.report(codes.NO_MATCH, "no spoke is selected", "spokes")
    for text in test.requests if spokes else ():
        yield from _run_request(runner, written, text, spokes)


def _run_request(
    runner: RequestRunner, written: WrittenTest, text: str, spokes: Collection[str]
) -> Iterator[Result]:
    test, expected = written.test, written.test.expect.by_key
    way, about = ("request", "") if test.request is not None else ("hosts", f"{text}: ")
    failing: dict[tuple[str, Held], list[str]] = {}
    is_named = False
    for asked in runner.ask(text, test.headers, test.from_, spokes, "limit" in expected):
        is_named |= asked.is_named
        for failure in _find_failing(expected, asked):
            failing.setdefault(failure, []).extend(asked.names)
    if not is_named:
        cure = did_you_mean(_PARTS.sub(r"\2", text), runner.list_hosts(), "hosts here are")
        yield written.report(codes.NO_MATCH, f"{about}no spoke has this host", way, cure=cure)
        return
    for (key, (holds, words, origin)), names in failing.items():
        kind = codes.NOT_DECIDED if holds is None else codes.TEST_FAILED
        verb = "which is not known:" if holds is None else "is"
        there = f"{key}: expected {flow(unwrap(expected[key]))}, {verb} {words}" if key else words
        decides = f" ({origin})" if origin is not None else ""
        at = ("expect", key) if key else (way,)
        yield replace(written.report(kind, f"{about}{there}{decides}", *at), spokes=tuple(names))


def _find_failing(expected: Mapping[str, Any], asked: AskedSpokes) -> Iterator[tuple[str, Held]]:
    """Yield what does not hold; an expectation has to hold whatever the cluster decides."""
    if asked.problem:
        yield "", (False, asked.problem, None)
        return
    for key, value in expected.items():
        verdicts = [hold(key, value, facts) for facts in asked.outcomes]
        wrong = next((each for each in verdicts if not each[0]), None)
        if wrong is not None and any(each[0] for each in verdicts):
            wrong = None, f"as only the cluster can decide, perhaps {wrong[1]}", wrong[2]
        if wrong is not None:
            yield key, wrong


def unwrap(value: Any) -> Any:  # noqa: ANN401  (as the key of the expectation says)
    """Return what is expected as it stands in a test, where one item needs no list."""
    if isinstance(value, dict):
        return {key: unwrap(item) for key, item in value.items()}
    return value[0] if isinstance(value, list) and len(value) == 1 else value
