"""Facts about a request on a spoke, in the words of expectations, and whether these hold."""

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import ceil
from typing import Any

from msgspec import Struct

from spokerender.explain.answered import AnsweringBackend, AnsweringRule, RequestAnswer
from spokerender.explain.asking import AnswerReader
from spokerender.explain.words import RuleWords
from spokerender.findings.phrasing import joined
from spokerender.judging.effective.rates import read_limit, read_rate
from spokerender.model import Origin, grouped
from spokerender.model.shapes import as_mapping, as_mappings, as_text
from spokerender.topology.matches import USUAL_PORTS, Request

_STATUS = re.compile(r"\b(?:answered|refused|log in) with ([1-5][0-9]{2})\b")
_ANY = "any"


class Fact(Struct, frozen=True):
    """A fact in the shape of an expectation, in words, and the line that decides.

    `doubt` says what only the cluster can decide.
    """

    value: Any
    words: str
    origin: Origin | None = None
    doubt: str = ""


Facts = Mapping[str, Fact]
Held = tuple[bool | None, str, Origin | None]
"""Whether an expectation holds (None: not known), what is there, and the line that decides."""


class _Restriction(Struct):
    """A rule in force in words, and the policy's kind; `label` says what it restricts."""

    kind: str
    label: str
    words: RuleWords
    origin: Origin


class _TakenRule(Struct, dict=True):
    """A rule that may take a request."""

    rule: AnsweringRule
    request: Request
    reader: AnswerReader

    @cached_property
    def restrictions(self) -> Sequence[_Restriction]:
        """The rules of policies that are certainly in force."""
        return [
            _Restriction(
                policy.kind,
                *self.reader.read_words(policy, item.rule),
                (*item.changed_by, item.origin)[0],
            )
            for policy in self.rule.policies
            for item in (() if policy.others else policy.rules)
        ]

    @property
    def who(self) -> list[_Restriction]:
        """The restrictions of callers."""
        return [it for it in self.restrictions if it.label == "who"]

    @property
    def doubt(self) -> str:
        """The reasons for which policies are not known."""
        unsure = (it for it in self.rule.policies if it.unknown or it.others)
        return "; ".join(f"{it.kind}: {it.unknown or 'the age of each decides'}" for it in unsure)

    @property
    def depends(self) -> str:
        """The reason for which it is not known whether an anonymous caller is let in."""
        verdict = self.rule.verdict
        return f"it depends on {verdict.why}" if verdict.is_admitted is None else ""

    @property
    def filters(self) -> list[Mapping[str, Any]]:
        """The filters of the rule."""
        return as_mappings(self.rule.does.get("filters"))

    def make_fact(
        self,
        value: object,
        words: Sequence[object],
        by: Sequence[_Restriction] = (),
        doubt: str = "",
    ) -> Fact:
        """Return a fact about restrictions, of which the first one decides."""
        origin = by[0].origin if by else self.rule.origin
        return Fact(value, joined(words) if words else "none", origin, doubt)


def read_facts(
    answer: RequestAnswer, request: Request, keys: Collection[str], reader: AnswerReader
) -> Iterator[Facts]:
    """Yield the facts of each outcome that a request may have; they may hold slots."""
    if answer.refused:
        yield _refuse(answer.refused)
    for proxy in answer.proxies:
        for rule in proxy.rules:
            broken = [each.failing for each in rule.backends if each.failing]
            if rule.failing or (broken and len(broken) == len(rule.backends)):
                yield _refuse(f"answered with 500: {rule.failing or broken[0]}", rule.origin)
                continue
            taken = _TakenRule(rule, request, reader)
            yield {key: _EXPECTATIONS[key][0](taken) for key in ("served", *keys)}
        if proxy.refused:
            doubt = "" if proxy.is_certain else "other tools may bring a route (completeKinds)"
            yield _refuse(proxy.refused, None, doubt)


def hold(key: str, expected: Any, facts: Facts) -> Held:  # noqa: ANN401  (as the key says)
    """Hold an expectation against facts."""
    fact = facts.get(key)
    if fact is None:  # it is about what a rule does, and no rule is there
        served = facts["served"]
        why = served.doubt or f"not served: {served.words}"
        return None if served.doubt else False, why, served.origin
    meets = _EXPECTATIONS[key][1](expected, fact.value)
    if meets is True:
        return True, fact.words, fact.origin
    doubt = meets or fact.doubt
    return (None, doubt, fact.origin) if doubt else (False, fact.words, fact.origin)


def _refuse(why: str, origin: Origin | None = None, doubt: str = "") -> Facts:
    status = _STATUS.search(why)
    values = {"served": False, "anonymous": "refused", "status": int(status[1]) if status else 0}
    return {key: Fact(None if doubt else it, why, origin, doubt) for key, it in values.items()}


def _read_served(taken: _TakenRule) -> Fact:
    ref = taken.rule.rule
    return Fact(True, f"served by {ref.whole}, {ref.section_name}", taken.rule.origin)


def _read_caller(taken: _TakenRule) -> Fact:
    verdict = taken.rule.verdict
    anonymous = {True: "served", False: "refused", None: None}[verdict.is_admitted]
    return taken.make_fact(anonymous, [verdict.why or "served"], taken.who, taken.depends)


def _read_credentials(taken: _TakenRule) -> Fact:
    """Return the credentials that each kind of policy takes, if callers need one."""
    asking = [it for it in taken.who if it.words.credentials]
    words: list[object] = [it.words for it in asking]
    if taken.rule.verdict.is_admitted:
        asking, words = [], ["not needed to be let in"] if asking else []
    by_kind = grouped((it.kind, own) for it in asking for own in it.words.credentials)
    taking = [
        {
            takes: frozenset(of for each in owners for of in each or (_ANY,))
            for takes, owners in grouped(credentials).items()
        }
        for credentials in by_kind.values()
    ]
    return taken.make_fact(taking, words, taken.who, taken.depends or taken.doubt)


def _read_conditions(taken: _TakenRule) -> Fact:
    asked = [
        (text, it)
        for it in taken.who
        for text in it.words.asks or (() if it.words.credentials else it.words.rest)
    ]
    value = [(text, it.words.where) for text, it in asked]
    return taken.make_fact(value, [text for text, _ in asked], [it for _, it in asked], taken.doubt)


def _read_limits(taken: _TakenRule) -> Fact:
    limits = [it for it in taken.restrictions if it.label == "limit" and it.words.rates]
    words = [it.words for it in limits]
    return taken.make_fact(words, words, limits, taken.doubt)


def _read_backends(taken: _TakenRule) -> Fact:
    names = [_name(it) for it in taken.rule.backends if not it.share.startswith("0/")]
    return taken.make_fact(names, names)


def _name(backend: AnsweringBackend) -> str:
    ref = backend.backend
    kind = "" if (ref.group, ref.kind) == ("", "Service") else f"{ref.kind}/"
    return f"{kind}{ref.full_name}{f':{backend.port}' if backend.port is not None else ''}"


def _read_rewrite(taken: _TakenRule) -> Fact:
    """Return the host and path that a backend is asked for (HTTPURLRewriteFilter)."""
    changes = [as_mapping(it.get("urlRewrite")) for it in taken.filters]
    urls = [
        f"{change.get('hostname', taken.request.host)}{_replace(change, taken)}"
        for change in changes
        if change
    ]
    return _make_url(urls, taken)


def _read_redirect(taken: _TakenRule) -> Fact:
    """Return where callers are sent: without a port that is the scheme's own.

    (HTTPRequestRedirectFilter, `port`.)
    """
    request, urls = taken.request, []
    for to in (as_mapping(it.get("requestRedirect")) for it in taken.filters):
        scheme = as_text(to.get("scheme")) or request.scheme
        usual = USUAL_PORTS.get(scheme)
        port = to.get("port", usual if "scheme" in to else request.port)
        host = f"{to.get('hostname', request.host)}{'' if port == usual else f':{port}'}"
        urls += [f"{scheme}://{host}{_replace(to, taken)}"] if to else []
    return _make_url(urls, taken)


def _make_url(urls: Sequence[str], taken: _TakenRule) -> Fact:
    is_extended = any("extensionRef" in it for it in taken.filters)
    doubt = "a filter of type ExtensionRef" if is_extended else ""
    return taken.make_fact(urls[-1] if urls else "", urls[-1:], (), doubt)


def _replace(change: Mapping[str, Any], taken: _TakenRule) -> str:
    """Return the path after a filter; of a prefix, whole elements are replaced."""
    path, own = as_mapping(change.get("path")), taken.request.path
    if "replacePrefixMatch" not in path:
        return as_text(path.get("replaceFullPath")) or own
    rest = own[len(taken.rule.prefix.rstrip("/")) :]
    return f"{as_text(path['replacePrefixMatch']).rstrip('/')}{rest}" or "/"


def _read_status(taken: _TakenRule) -> Fact:
    redirects = (as_mapping(it.get("requestRedirect")) for it in taken.filters)
    codes = [it.get("statusCode", 302) for it in redirects if it]
    refused = _STATUS.search(taken.rule.verdict.why)
    if taken.rule.verdict.is_admitted is False:
        codes = [int(refused[1])] if refused else []
    words = codes[:1] or ["the backend's own"]
    return taken.make_fact(codes[0] if codes else 0, words, taken.who, taken.depends)


def _takes(
    expected: Mapping[str, Sequence[str]], taken: Sequence[Mapping[str, Collection[str]]]
) -> bool:
    return any(
        each.keys() == expected.keys()
        and all(_ANY in of or set(of) == each[takes] for takes, of in expected.items())
        for each in taken
    )


def _asks(expected: Sequence[str], asked: Sequence[tuple[str, Sequence[str]]]) -> bool | str:
    by_text = grouped((" ".join(text.split()), where) for text, where in asked)
    met = [_is_asked(by_text.get(" ".join(text.split()), ())) for text in expected]
    return False if False in met else next((each for each in met if each is not True), True)


def _limits(expected: Mapping[str, Any], limits: Sequence[RuleWords]) -> bool | str:
    """Tell whether no more requests than expected pass by one of the limits, time after time."""
    count, seconds = read_limit(expected["atMost"])
    per = set(expected.get("per", ()))
    return _is_asked(
        each.where
        for each in limits
        if not per or per == set(each.per)
        for rate in (read_rate(*own) for own in each.rates)
        if rate is not None and rate[0] * ceil(seconds / rate[1]) <= count
    )


def _is_asked(conditions: Iterable[Sequence[str]]) -> bool | str:
    """Tell whether something holds for every request; or for which ones alone."""
    all_where = sorted(conditions, key=len)
    if not all_where:
        return False
    return f"it holds where {joined(all_where[0])}" if all_where[0] else True


def _leads(expected: Sequence[str], backends: Sequence[str]) -> bool:
    without_port = {name.rpartition(":")[0] or name: name for name in backends}
    return {without_port.get(text, text) for text in expected} == set(backends)


def _goes(expected: str, url: str) -> bool:
    path = f"/{(url.partition('://')[2] or url).partition('/')[2]}"
    return bool(url) and expected in (url, path)


_EXPECTATIONS: Mapping[
    str, tuple[Callable[[_TakenRule], Fact], Callable[[Any, Any], bool | str]]
] = {
    "served": (_read_served, operator.eq),
    "anonymous": (_read_caller, operator.eq),
    "authentication": (_read_credentials, _takes),
    "authorization": (_read_conditions, _asks),
    "limit": (_read_limits, _limits),
    "backend": (_read_backends, _leads),
    "rewrite": (_read_rewrite, _goes),
    "redirect": (_read_redirect, _goes),
    "status": (_read_status, operator.eq),
}
"""How each fact is read, and whether an expectation is met by it: yes, no, or of some requests."""
EVERY_KEY = tuple(_EXPECTATIONS)
