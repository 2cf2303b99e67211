"""Narrows Istio's policies, which apply to workloads, to the rules that match a request.

A rule matches if one of its operations (`to`) matches, and an operation matches if each of its
fields has the request's value (istio/api, security/v1beta1/authorization_policy.proto).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, product
from typing import Any

from msgspec.structs import replace

from spokerender.judging.effective.outcomes import EffectivePolicy, EffectiveRule, PolicyOutcome
from spokerender.model.shapes import as_list, as_mapping, as_mappings, as_text
from spokerender.topology.matches import METHODS, Request

_USUAL = ("http:80", "https:443")
_WILD = re.compile(r"\*|\{[^}]*\}")
"""The parts of an operation's path that stand for any text."""


def list_operations(policies: Iterable[EffectivePolicy]) -> list[Mapping[str, Any]]:
    """Return the `to` operations in the likely rules of policies; a shared value counts once."""
    values = {id(rule.value): rule.value for item in policies for rule in item.likely.rules}
    entries = (as_mapping(entry) for value in values.values() for entry in as_list(value))
    return [operation for entry in entries for operation in as_mappings(entry.get("to"))]


def list_requests_by_operation(
    outcomes: Iterable[PolicyOutcome], request: Request
) -> Iterator[Request]:
    """Yield the request with each path and method in operations, its own, and an unnamed method."""
    entries = (as_mappings(rule.value) for outcome in outcomes for rule in outcome.rules)
    operations = (to for entry in chain(*entries) for to in as_mappings(entry.get("to")))
    named: dict[str, dict[str, None]] = {"paths": {request.path: None}, "methods": {}}
    for fields in (as_mapping(operation.get("operation")) for operation in operations):
        for key, texts in named.items():
            values = chain(*(as_list(fields.get(name)) for name in (key, f"not{key.title()}")))
            texts.update((_WILD.sub("x", as_text(value)), None) for value in values)
    # A method that no operation names stands for all such methods.
    other = next(method for method in METHODS if method not in named["methods"])
    for path, method in product(named["paths"], (request.method, *named["methods"], other)):
        yield replace(request, path=path, method=method)


def is_operation(operation: Mapping[str, Any], request: Request) -> bool | None:
    """Return whether an operation matches a request; None if files do not decide it."""
    fields = as_mapping(operation.get("operation"))
    # A port that is not the usual one is in the name that the request asks for.
    is_usual = f"{request.scheme}:{request.port}" in _USUAL
    host = request.host if is_usual else f"{request.host}:{request.port}"
    verdicts: set[bool | None] = {None} if fields.get("ports") or fields.get("notPorts") else set()
    for key, own, read in (
        ("Hosts", host, str.casefold),
        ("Methods", request.method, str),
        ("Paths", request.path, str),
    ):
        if wanted := as_list(fields.get(key.lower())):
            verdicts.add(_is_one_of(own, [*map(read, wanted)]))
        refused = _is_one_of(own, [*map(read, as_list(fields.get(f"not{key}")))])
        verdicts.add(None if refused is None else not refused)
    return False if False in verdicts else None if None in verdicts else True


def _is_one_of(own: str, texts: list[str]) -> bool | None:
    """Return whether a text, prefix (`/a*`) or suffix (`*.a`) fits `own`; None if templates may."""
    if any(
        own == text
        or (text.endswith("*") and own.startswith(text[:-1]))
        or (text.startswith("*") and own.endswith(text[1:]))
        for text in texts
    ):
        return True
    return None if any("{" in text for text in texts) else False


def narrow_policy(
    item: EffectivePolicy, request: Request, fill: Callable[[Any], Any]
) -> EffectivePolicy:
    """Return a policy with only the entries of its rules that match, or may match, a request."""
    likely, *others = (narrow_outcome(it, request, fill) for it in (item.likely, *item.others))
    return replace(item, likely=likely, others=tuple(others))


def narrow_outcome(
    outcome: PolicyOutcome, request: Request, fill: Callable[[Any], Any] = lambda value: value
) -> PolicyOutcome:
    """Return an outcome with only the entries of its rules that match, or may match, a request."""

    def narrow_rule(rule: EffectiveRule) -> EffectiveRule:
        if not isinstance(rule.value, list):
            return rule
        entries: list[Any] = []
        for entry in map(as_mapping, rule.value):
            verdicts = [is_operation(fill(it), request) for it in as_mappings(entry.get("to"))]
            if True in verdicts:
                entries.append(dict(entry))
                entries[-1].pop("to")
            elif None in verdicts or not verdicts:
                entries.append(entry)
        return replace(rule, value=entries)

    return replace(outcome, rules=tuple(map(narrow_rule, outcome.rules)))
