"""Write tests of requests from answers: each test holds on the spokes that it names."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from spokerender.config.base import API_VERSION
from spokerender.explain.running import RequestRunner
from spokerender.explain.words import RuleWords
from spokerender.formats.yamlio.emit import emit
from spokerender.judging.effective.rates import read_rate, read_times
from spokerender.requests.facts import MEETS, Facts, hold
from spokerender.requests.running import list_outcomes, unwrap
from spokerender.topology.matches import Request


def write_tests(
    runner: RequestRunner, text: str, request: Request, headers: Sequence[str] = ()
) -> str:
    """Return tests of a request as YAML: one for each group of spokes with equal results.

    Spokes without the request's host are left out. The text is empty if files decide no result.
    `text` and `headers` are the request as the user wrote it.
    """
    groups = (each for each in runner.ask(request) if each.is_named and each.asked is not None)
    by_text: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for outcomes, alike in list_outcomes(runner, request, groups, MEETS):
        if isinstance(outcomes, str):
            continue
        expect = {
            key: value
            for key, value in _read_expectations(outcomes[0])
            if all(hold(key, value, facts)[0] for facts in outcomes)
        }
        if expect:
            by_text.setdefault(repr(expect), (expect, []))[1].extend(alike.names)
    given = {"headers": [*headers], "from": request.client}
    fields = {"request": text, **{key: value for key, value in given.items() if value}}
    tests = []
    for number, (expect, names) in enumerate(by_text.values(), 1):
        name = text if len(by_text) == 1 else f"{text} ({number})"
        is_all = len(names) == len(runner.bundles)
        spokes = {} if is_all else {"spokes": {"names": sorted(names)}}
        tests.append({"name": name, **fields, **spokes, "expect": unwrap(expect)})
    header = {"apiVersion": API_VERSION, "kind": "RequestTests"}
    return emit({**header, "spec": {"tests": tests}}) if tests else ""


def _read_expectations(facts: Facts) -> Iterator[tuple[str, Any]]:
    values = {key: fact.value for key, fact in facts.items() if fact.value}
    if not values.get("served"):
        yield "served", False
    elif "anonymous" in values:
        yield "anonymous", values["anonymous"]
    if taken := values.get("authentication"):
        yield "authentication", {takes: sorted(of) for takes, of in taken[0].items()}
    limits = [limit for words in values.get("limit", ()) for limit in _read_limits(words)]
    if limits:
        rate, per = min(limits, key=lambda limit: limit[0][0] / limit[0][1])
        at_most = f"{rate[0]}/{read_times(f'{rate[1]}s')}"
        yield "limit", {"atMost": at_most, **({"per": [*per]} if per else {})}
    if always := [text for text, where in values.get("authorization", ()) if not where]:
        yield "authorization", always
    for key in ("redirect", "rewrite", "status"):
        if key in values:
            yield key, values[key]
    if "redirect" not in values and "backend" in values:
        yield "backend", values["backend"]


def _read_limits(words: RuleWords) -> Iterator[tuple[tuple[Fraction, Fraction], tuple[str, ...]]]:
    """Yield (requests, seconds) and `words.per` for each whole rate; nothing with conditions."""
    for own in words.rates if not words.where else ():
        rate = read_rate(*own)
        if rate is not None and min(rate) >= 1 and {each.denominator for each in rate} == {1}:
            yield rate, words.per
