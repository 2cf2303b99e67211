"""Facts about a request on a spoke, in the words of expectations, and whether these hold."""

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from msgspec import Struct

from spokerender.explain.answered import AnsweringBackend, AnsweringRule, RequestAnswer
from spokerender.explain.values import EffectiveAnswer, RuleInForce
from spokerender.explain.words import RuleWords, label_rule, read_words
from spokerender.findings.phrasing import joined
from spokerender.judging.effective.callers import CallerVerdict
from spokerender.judging.effective.rates import read_limit, read_rate
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Origin, grouped
from spokerender.model.memo import Remembering
from spokerender.model.shapes import as_mapping, as_mappings, as_text
from spokerender.topology.matches import USUAL_PORTS, Request

_STATUS = re.compile(r"\b(?:answered|refused|log in) with ([1-5][0-9]{2})\b")
_ANY = "any"


class Fact(Struct, frozen=True):
    """A fact in the shape of an expectation, in words, and the line that decides.

    `open` says what only the cluster can decide; then `value` is None, or true whatever that is.
    `partly` is what is true of some requests alone, of which ones, and the line.
    """

    value: Any
    words: str = ""
    origin: Origin | None = None
    open: str = ""
    partly: tuple[tuple[Any, str, Origin], ...] = ()


Facts = Mapping[str, Fact]
Held = tuple[bool | None, str, Origin | None]
"""Whether an expectation holds (None: not known), what is there, and the line that decides."""


class _Asked(Struct):
    """A rule in force in words; `label` says what it restricts."""

    kind: str
    label: str
    words: RuleWords
    origin: Origin


class WordReader:
    """Reads rules in words, each that several answers have in common once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._label, self._words = Remembering(label_rule), Remembering(read_words)

    def read(self, policy: EffectiveAnswer, item: RuleInForce) -> _Asked:
        """Read a rule in force of a policy."""
        kind, rule = self._catalogue.kind(policy.group, policy.kind), item.rule
        origin = (*item.changed_by, item.origin)[0]
        return _Asked(policy.kind, self._label(kind, rule), self._words(kind, rule), origin)


def read_facts(answer: RequestAnswer, request: Request, words: WordReader) -> Iterator[Facts]:
    """Yield the facts of each outcome that a request may have; the answer has no slots."""
    if answer.refused:
        yield _refuse(answer.refused)
    for proxy in answer.proxies:
        yield from (_read_rule(rule, request, words) for rule in proxy.rules)
        if proxy.refused:
            is_open = "" if proxy.is_certain else "other tools may bring a route (completeKinds)"
            yield _refuse(proxy.refused, is_open)


def hold(key: str, expected: Any, facts: Facts) -> Held:  # noqa: ANN401  (as the key says)
    """Hold an expectation against facts."""
    fact = facts.get(key)
    if fact is None:  # it is about what a rule does, and no rule is there
        served = facts["served"]
        why = served.open or f"not served: {served.words}"
        return None if served.open else False, why, served.origin
    meets: Callable[[Any, Any], bool] = _MEETS.get(key, operator.eq)
    if fact.value is not None and meets(expected, fact.value):
        return True, fact.words, fact.origin
    if fact.open:
        return None, fact.open, fact.origin
    some = ((where, origin) for value, where, origin in fact.partly if meets(expected, value))
    where, origin = next(some, ("", fact.origin))
    return (None, f"it holds where {where}", origin) if where else (False, fact.words, origin)


def _refuse(why: str, is_open: str = "", origin: Origin | None = None) -> Facts:
    status = _STATUS.search(why)
    facts = {"served": False, "anonymous": "refused", "status": int(status[1]) if status else 0}
    return {
        key: Fact(None if is_open else value, why, origin, is_open) for key, value in facts.items()
    }


def _read_rule(rule: AnsweringRule, request: Request, words: WordReader) -> Facts:
    broken = [each.failing for each in rule.backends if each.failing]
    if rule.failing or (broken and len(broken) == len(rule.backends)):
        return _refuse(f"answered with 500: {rule.failing or broken[0]}", origin=rule.origin)
    asked, unsure = list[_Asked](), list[str]()
    for policy in rule.policies:
        if policy.unknown or policy.others:
            unsure.append(f"{policy.kind}: {policy.unknown or 'the age of each decides'}")
        for item in () if policy.others else policy.rules:
            asked.append(words.read(policy, item))
    who = [each for each in asked if each.label == "who"]
    limits = [each for each in asked if each.label == "limit" and each.words.rates]
    caller, origin, is_open = rule.verdict, _find_line(who, rule), "; ".join(unsure)
    depends = f"it depends on {caller.why}" if caller.is_admitted is None else ""
    anonymous = {True: "served", False: "refused", None: None}[caller.is_admitted]
    backends = [_name(each) for each in rule.backends if not each.share.startswith("0/")]
    is_served = f"served by {rule.rule.whole}, {rule.rule.section_name}"
    return {
        "served": Fact(True, is_served, rule.origin),
        "anonymous": Fact(anonymous, caller.why or "served", origin, depends),
        "authentication": _read_credentials(who, caller, origin, depends or is_open),
        "authorization": _collect(who, _list_conditions, rule, is_open),
        "limit": _collect(limits, lambda it: (it,), rule, is_open),
        "backend": Fact(backends, _write(backends), rule.origin),
        **_read_filters(rule, request),
        "status": _read_status(rule, origin, depends),
    }


def _find_line(asked: Sequence[_Asked], rule: AnsweringRule) -> Origin:
    return asked[0].origin if asked else rule.origin


def _list_conditions(words: RuleWords) -> tuple[str, ...]:
    return words.asks or (() if words.credentials else words.rest)


def _collect(
    asked: Sequence[_Asked],
    read: Callable[[RuleWords], tuple[Any, ...]],
    rule: AnsweringRule,
    is_open: str,
) -> Fact:
    """Return what rules ask of every request, and what each asks of some besides."""
    values = [(value, each) for each in asked for value in read(each.words)]
    always = [value for value, each in values if not each.words.where]
    partly = tuple(
        ([*always, value], joined(each.words.where), each.origin)
        for value, each in values
        if each.words.where
    )
    origin = _find_line([each for _, each in values], rule)
    return Fact(always, _write([value for value, _ in values]), origin, is_open, partly)


def _read_credentials(
    who: Sequence[_Asked], caller: CallerVerdict, origin: Origin, is_open: str
) -> Fact:
    """Return the credentials that each kind of policy takes, if callers need one."""
    asking = [each for each in who if each.words.credentials]
    taken = [
        {
            takes: {own for of in owners for own in of or (_ANY,)}
            for takes, owners in grouped(
                it for each in rules for it in each.words.credentials
            ).items()
        }
        for rules in grouped((each.kind, each) for each in asking).values()
    ]
    words = _write([each.words for each in asking])
    if taken and caller.is_admitted:
        taken, words = [], "not needed to be let in"
    return Fact(taken, words, origin, is_open)


def _read_status(rule: AnsweringRule, origin: Origin, depends: str) -> Fact:
    redirects = [as_mapping(it.get("requestRedirect")) for it in _list_filters(rule)]
    codes = [it.get("statusCode", 302) for it in redirects if it]
    refused = _STATUS.search(rule.verdict.why)
    if rule.verdict.is_admitted is False:
        codes = [int(refused[1])] if refused else []
    return Fact(codes[0] if codes else 0, str((codes or ["the backend's own"])[0]), origin, depends)


def _read_filters(rule: AnsweringRule, request: Request) -> dict[str, Fact]:
    """Return what a backend is asked for, and where callers are sent.

    HTTPURLRewriteFilter and HTTPRequestRedirectFilter: a port is left out that is the scheme's own.
    """
    rewrite = redirect = ""
    for item in _list_filters(rule):
        change, to = as_mapping(item.get("urlRewrite")), as_mapping(item.get("requestRedirect"))
        if change:
            rewrite = f"{change.get('hostname', request.host)}{_replace(change, rule, request)}"
        if to:
            scheme = as_text(to.get("scheme")) or request.scheme
            usual = USUAL_PORTS.get(scheme)
            port = to.get("port", usual if "scheme" in to else request.port)
            host = f"{to.get('hostname', request.host)}{'' if port == usual else f':{port}'}"
            redirect = f"{scheme}://{host}{_replace(to, rule, request)}"
    is_extended = any("extensionRef" in it for it in _list_filters(rule))
    is_open = "a filter of type ExtensionRef" if is_extended else ""
    return {
        key: Fact(url, url or "none", rule.origin, is_open)
        for key, url in (("rewrite", rewrite), ("redirect", redirect))
    }


def _list_filters(rule: AnsweringRule) -> list[Mapping[str, Any]]:
    return as_mappings(rule.does.get("filters"))


def _replace(change: Mapping[str, Any], rule: AnsweringRule, request: Request) -> str:
    """Return the path after a filter; of a prefix, whole elements are replaced."""
    path = as_mapping(change.get("path"))
    if "replacePrefixMatch" not in path:
        return as_text(path.get("replaceFullPath")) or request.path
    rest = request.path[len(rule.prefix.rstrip("/")) :]
    return f"{as_text(path['replacePrefixMatch']).rstrip('/')}{rest}" or "/"


def _name(backend: AnsweringBackend) -> str:
    ref = backend.backend
    kind = "" if (ref.group, ref.kind) == ("", "Service") else f"{ref.kind}/"
    return f"{kind}{ref.full_name}{f':{backend.port}' if backend.port is not None else ''}"


def _write(values: Sequence[object]) -> str:
    return joined(values) if values else "none"


def _takes(expected: Mapping[str, Sequence[str]], taken: Sequence[Mapping[str, set[str]]]) -> bool:
    return any(
        each.keys() == expected.keys()
        and all(_ANY in of or set(of) == each[takes] for takes, of in expected.items())
        for each in taken
    )


def _asks(expected: Sequence[str], asked: Sequence[str]) -> bool:
    return {" ".join(text.split()) for text in expected} <= {" ".join(it.split()) for it in asked}


def _limits(expected: Mapping[str, Any], limits: Sequence[RuleWords]) -> bool:
    """Tell whether no more requests than expected pass by one of the limits, time after time."""
    count, seconds = read_limit(expected["atMost"])
    per = set(expected.get("per", ()))
    return any(
        rate is not None and rate[0] * ceil(seconds / rate[1]) <= count
        for each in limits
        if not per or per == set(each.per)
        for rate in (read_rate(*own) for own in each.rates)
    )


def _leads(expected: Sequence[str], backends: Sequence[str]) -> bool:
    without_port = {name.rpartition(":")[0] or name: name for name in backends}
    return {without_port.get(text, text) for text in expected} == set(backends)


def _goes(expected: str, url: str) -> bool:
    path = f"/{(url.partition('://')[2] or url).partition('/')[2]}"
    return bool(url) and expected in (url, path)


_MEETS: Mapping[str, Callable[[Any, Any], bool]] = {
    "authentication": _takes,
    "authorization": _asks,
    "limit": _limits,
    "backend": _leads,
    "rewrite": _goes,
    "redirect": _goes,
}
"""Whether an expectation is met by a fact; others are equal."""
