"""Facts about a request on a spoke, in the terms of expectations, and whether expectations hold."""

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from msgspec import Struct

from spokerender.explain.answered import AnsweringBackend, AnsweringRule, RequestAnswer
from spokerender.explain.asking import AnswerReader, Restriction
from spokerender.explain.words import RuleWords
from spokerender.findings.phrasing import joined
from spokerender.judging.effective.rates import read_limit, read_rate
from spokerender.model import SERVICE, Origin, grouped
from spokerender.model.shapes import as_mapping, as_mappings, as_text
from spokerender.topology.matches import USUAL_PORTS, Request

_STATUS = re.compile(r"\b(?:answered|refused|log in) with ([1-5][0-9]{2})\b")
_ANY = "any"


class Fact(Struct, frozen=True):
    """A fact about a request; `value` has the form of an expectation's value.

    The text of the fact is in `parts`; `origin` is the line that decides it. `doubt` says what only
    the cluster can decide; empty if there is no doubt.
    """

    value: Any
    parts: Sequence[object]
    origin: Origin | None = None
    doubt: str = ""

    @property
    def words(self) -> str:
        """Return the fact as text; it is joined late, as few expectations fail."""
        return (joined(self.parts) if self.parts else "") or "none"


Facts = Mapping[str, Fact]
Held = tuple[bool | None, str, Origin | None]
"""A verdict on an expectation (None: unknown), the fact as text, and the line that decides it."""


def read_facts(
    answer: RequestAnswer, request: Request, keys: Collection[str], reader: AnswerReader
) -> Iterator[Facts]:
    """Yield the facts of each possible outcome, by expectation; texts may have slots.

    If a rule serves the request: `served` and `keys`; otherwise `served`, `anonymous`, `status`.
    """
    if answer.refused:
        yield _refuse(answer.refused)
    for proxy in answer.proxies:
        for rule in proxy.rules:
            # Envoy answers the share of a broken backend with 500, and serves the others.
            broken = [each.failing for each in rule.backends if each.failing]
            if rule.failing or (broken and len(broken) == len(rule.backends)):
                yield _refuse(f"answered with 500: {rule.failing or broken[0]}", rule.origin)
            else:
                facts = _read_rule(rule, request, reader)
                yield {key: facts[key] for key in ("served", *keys)}
        if proxy.refused:
            # Without completeKinds a spoke may have routes that no file shows.
            doubt = "" if proxy.is_certain else "other tools may bring a route (completeKinds)"
            yield _refuse(proxy.refused, None, doubt)


def hold(key: str, expected: Any, facts: Facts) -> Held:  # noqa: ANN401  (as the key says)
    """Return whether the request with these `facts` meets the expectation `key`; if not, why."""
    fact = facts.get(key)
    if fact is None:  # it is about what a rule does, and no rule is there
        served = facts["served"]
        return None if served.doubt else False, served.doubt or served.words, served.origin
    meets = MEETS[key](expected, fact.value)
    if meets is True:
        return True, "", None
    doubt = meets or fact.doubt
    return (None, doubt, fact.origin) if doubt else (False, fact.words, fact.origin)


def _refuse(why: str, origin: Origin | None = None, doubt: str = "") -> Facts:
    status = _STATUS.search(why)
    values = {"served": False, "anonymous": "refused", "status": int(status[1]) if status else 0}
    words = [f"not served: {why}"]
    return {key: Fact(None if doubt else it, words, origin, doubt) for key, it in values.items()}


def _read_rule(rule: AnsweringRule, request: Request, reader: AnswerReader) -> Facts:
    # A backend of weight 0 gets no request.
    backends = [_name(it) for it in rule.backends if not it.share.startswith("0/")]
    filters = as_mappings(rule.does.get("filters"))
    rewrite, redirect, status = _read_filters(rule, filters, request)
    # A filter of a controller may rewrite or redirect as well, in words that no row reads.
    is_extended = any("extensionRef" in it for it in filters)
    extension = "a filter of type ExtensionRef" if is_extended else ""
    return {
        "served": _write(True, [f"served by {rule.rule.whole}, {rule.rule.section_name}"], rule),
        "backend": _write(backends, backends, rule),
        "rewrite": _write(rewrite, [rewrite], rule, doubt=extension),
        "redirect": _write(redirect, [redirect], rule, doubt=extension),
        **_read_policies(rule, status, reader),
    }


def _read_policies(rule: AnsweringRule, status: int, reader: AnswerReader) -> Facts:
    """Return facts about callers, limits and status; `status` is the rule's own status, or 0."""
    restrictions = reader.list_restrictions(rule.policies)
    in_force = [it for it in restrictions if it.policy.rules and not it.policy.others]
    unsure = (it for it in rule.policies if it.unknown or it.others)
    doubt = "; ".join(f"{it.kind}: {it.unknown or 'the age of each decides'}" for it in unsure)
    caller, who = rule.verdict, [it for it in in_force if it.label == "who"]
    depends = f"it depends on {caller.why}" if caller.is_admitted is None else ""
    if caller.is_admitted is False:
        refused = _STATUS.search(caller.why)
        status = int(refused[1]) if refused else 0
    limits = [it for it in in_force if it.label == "limit" and it.words.rates]
    # A rule that admits everybody asks for no credential, though it may read one.
    takes = [it for it in who if it.words.credentials and not caller.is_admitted]
    asked = [
        (text, it)
        for it in who
        for text in it.words.asks or (() if it.words.credentials else it.words.rest)
    ]
    anonymous = {True: "served", False: "refused", None: None}[caller.is_admitted]
    conditions, by = [(text, it.words.where) for text, it in asked], [it for _, it in asked]
    rates = [it.words for it in limits]
    return {
        "anonymous": _write(anonymous, [caller.why or "served"], rule, who, depends),
        "authentication": _write(
            _list_credentials(takes), [it.words for it in takes], rule, who, depends or doubt
        ),
        "authorization": _write(conditions, [text for text, _ in asked], rule, by, doubt),
        "limit": _write(rates, rates, rule, limits, doubt),
        "status": _write(status, [status or "the backend's own"], rule, who, depends),
    }


def _write(
    value: object,
    parts: Sequence[object],
    rule: AnsweringRule,
    by: Sequence[Restriction] = (),
    doubt: str = "",
) -> Fact:
    """Return a fact; its line is that of the first restriction in `by`, or else of the rule."""
    items = [it.item for it in by]
    # An override decides rather than the line of the hub that it changes.
    origin = (*items[0].changed_by, items[0].origin)[0] if items else rule.origin
    return Fact(value, parts, origin, doubt)


def _list_credentials(asking: Iterable[Restriction]) -> list[Mapping[str, frozenset[str]]]:
    """Return, for each kind of policy, the accepted kinds of credential, each with its issuers."""
    by_kind = grouped((it.policy.kind, own) for it in asking for own in it.words.credentials)
    return [
        {
            takes: frozenset(of for each in owners for of in each or (_ANY,))
            for takes, owners in grouped(credentials).items()
        }
        for credentials in by_kind.values()
    ]


def _name(backend: AnsweringBackend) -> str:
    ref = backend.backend
    kind = "" if (ref.group, ref.kind) == SERVICE else f"{ref.kind}/"
    return f"{kind}{ref.full_name}{f':{backend.port}' if backend.port is not None else ''}"


def _read_filters(
    rule: AnsweringRule, filters: Iterable[Mapping[str, Any]], request: Request
) -> tuple[str, str, int]:
    """Return the URL that a backend gets, the URL of a redirect, and its status (0: none).

    See HTTPURLRewriteFilter and HTTPRequestRedirectFilter; the scheme's usual port is left out.
    """
    rewrite, redirect, status = "", "", 0
    for item in filters:
        change, to = as_mapping(item.get("urlRewrite")), as_mapping(item.get("requestRedirect"))
        if change:
            rewrite = f"{change.get('hostname', request.host)}{_replace(change, rule, request)}"
        if to:
            scheme = as_text(to.get("scheme")) or request.scheme
            port = to.get("port", USUAL_PORTS.get(scheme) if "scheme" in to else request.port)
            place = Request(scheme, to.get("hostname", request.host), port)
            redirect = f"{place}{_replace(to, rule, request)}"
            # The first redirect answers; 302 is the default of HTTPRequestRedirectFilter.
            status = status or to.get("statusCode", 302)
    return rewrite, redirect, status


def _replace(change: Mapping[str, Any], rule: AnsweringRule, request: Request) -> str:
    """Return the path that a filter with the fields `change` makes of the request's path."""
    path = as_mapping(change.get("path"))
    if "replacePrefixMatch" not in path:
        return as_text(path.get("replaceFullPath")) or request.path
    # A prefix of `/a/` matches `/a` as well: its slash belongs to what is kept.
    rest = request.path[len(rule.prefix.rstrip("/")) :]
    return f"{as_text(path['replacePrefixMatch']).rstrip('/')}{rest}" or "/"


def _takes(
    expected: Mapping[str, Sequence[str]], taken: Sequence[Mapping[str, Collection[str]]]
) -> bool:
    return any(
        each.keys() == expected.keys()
        and all(_ANY in of or set(of) == each[takes] for takes, of in expected.items())
        for each in taken
    )


def _asks(expected: Sequence[str], asked: Sequence[tuple[str, Sequence[str]]]) -> bool | str:
    # YAML folds long expressions, so white space does not count.
    by_text = grouped((" ".join(text.split()), where) for text, where in asked)
    met = [_is_asked(by_text.get(" ".join(text.split()), ())) for text in expected]
    return False if False in met else next((each for each in met if each is not True), True)


def _limits(expected: Mapping[str, Any], limits: Sequence[RuleWords]) -> bool | str:
    """Return whether one of `limits` ensures `expected`; if it has conditions, these as text."""
    count, seconds = read_limit(expected["atMost"])
    per = set(expected.get("per", ()))
    return _is_asked(
        each.where
        for each in limits
        if not per or per == set(each.per)
        for rate in (read_rate(*own) for own in each.rates)
        # Whole windows: a limit of 5 per 10s lets 10 pass in 15s.
        if rate is not None and rate[0] * ceil(seconds / rate[1]) <= count
    )


def _is_asked(conditions: Iterable[Sequence[str]]) -> bool | str:
    """Return True if an item is empty, else the shortest item as text; False without items."""
    # The widest first: if it holds without conditions, the others add nothing.
    all_where = sorted(conditions, key=len)
    if not all_where:
        return False
    return f"it holds where {joined(all_where[0])}" if all_where[0] else True


def _leads(expected: Sequence[str], backends: Sequence[str]) -> bool:
    # A test may leave the port out.
    without_port = {name.rpartition(":")[0] or name: name for name in backends}
    return {without_port.get(text, text) for text in expected} == set(backends)


def _goes(expected: str, url: str) -> bool:
    path = f"/{(url.partition('://')[2] or url).partition('/')[2]}"
    return bool(url) and expected in (url, path)


MEETS: Mapping[str, Callable[[Any, Any], bool | str]] = {
    "served": operator.eq,
    "anonymous": operator.eq,
    "authentication": _takes,
    "authorization": _asks,
    "limit": _limits,
    "backend": _leads,
    "rewrite": _goes,
    "redirect": _goes,
    "status": operator.eq,
}
"""Functions of an expectation and a fact: True if it is met, False, or a condition as text."""
