"""Finds conditions that hold for every request or for none, in CEL, Rego and fields of policies."""

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import lru_cache
from ipaddress import collapse_addresses, ip_network
from typing import Any

from spokerender.kinds.columns import Everybody
from spokerender.kinds.fields import find_values
from spokerender.model.shapes import Json, as_list, as_mapping, as_mappings, as_text
from spokerender.model.slots import consult, has_slot

_PASSED_OVER = re.compile(r"#[^\n]*|^\s*(?:package|import)\b[^\n]*", re.MULTILINE)
_ALLOWED = re.compile(
    r"^\s*(?:default\s+)?allow\b(?:\s*:?=\s*(?P<value>true)\b)?(?:\s*if\b)?"
    r"(?:\s*\{(?P<body>[^{}]*)\}|[ \t]+(?P<bare>true)\b)?\s*?$",
    re.MULTILINE,
)
_REFUSED = re.compile(r"\ballow\s*:?=\s*false\b(?=\s*(?:if\b|\{))")
_NEVER = re.compile(r"(?:default\s+)?allow\s*:?=\s*false")
_REMEMBERED = 4_096


def find_truth(value: Json) -> bool | None:
    """Return the constant result of a condition or list of conditions; None if it may vary."""
    if isinstance(value, list):
        truths = [find_truth(item) for item in value]
        return False if False in truths else True if all(truths) else None
    if isinstance(value, str):
        return consult(_truth_of_text, value)
    if not isinstance(value, Mapping):
        return value if isinstance(value, bool) else None
    if "any" in value:
        return _find_truth_of_any(as_list(value["any"]))
    is_match = value.get("operator") == "matches" and _matches_all(as_text(value.get("value")))
    condition = next((value[key] for key in ("predicate", "all") if key in value), None)
    return True if is_match else find_truth(condition)


@lru_cache(_REMEMBERED)
def _matches_all(pattern: str) -> bool:
    """Return whether a regular expression matches every text."""
    from spokerender.formats import cel  # noqa: PLC0415  (start-up counts: few texts are one)

    return not has_slot(pattern) and cel.matches_all(pattern)


def _find_truth_of_any(items: list[Any]) -> bool | None:
    truths = [find_truth(item) for item in items]
    if True in truths:
        return True
    return None if None in truths or not truths else False


def refuses_all(value: Json) -> bool:
    """Return whether a condition, or some condition of a list, is false for every request."""
    if isinstance(value, list):
        return any(map(refuses_all, value))
    return find_truth(value) is False or (isinstance(value, str) and _never_allows(value))


def _never_allows(text: str) -> bool:
    """Return whether a Rego policy contains only rules that allow no request."""
    lines = [line.strip() for line in _PASSED_OVER.sub("", text).splitlines()]
    return any(lines) and all(_NEVER.fullmatch(line) for line in lines if line)


# The blueprints of a fleet have policies of the same texts: each is judged once.
@lru_cache(_REMEMBERED)
def _truth_of_text(text: str) -> bool | None:
    if has_slot(text):
        return None
    from spokerender.formats import cel  # noqa: PLC0415  (start-up counts: most texts hold no constant)

    truth = cel.constant_of(text)
    return True if truth is None and _always_allows(text) else truth


def _always_allows(text: str) -> bool:
    """Return whether a Rego policy has a rule that allows every request."""
    if "allow" not in text:
        return False
    from spokerender.formats import cel  # noqa: PLC0415  (as above)

    rego = _PASSED_OVER.sub("", text)
    if _REFUSED.search(rego):
        return False
    for rule in _ALLOWED.finditer(rego):
        body = rule["body"]
        if body is None:
            if rule["value"] or rule["bare"]:
                return True
            continue
        lines = [line for line in re.split(r"[;\n]", body) if line.strip()]
        if lines and all(cel.constant_of(line.strip()) for line in lines):
            return True
    return False


_OPERATORS = {"eq": "{} == '{}'", "neq": "{} != '{}'", "matches": "{}.matches('{}')"}
_SPELLED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")


class Vain(Enum):
    """The reason why a condition that reads the request restricts nothing, or next to nothing."""

    ALWAYS = "holds of every request"
    WITNESSED = "holds of every request that its own words can tell apart"
    PRESENT = "holds of every request that has the fields that it reads"


def find_vain(value: Json) -> Vain | None:
    """Return why a condition that reads the request restricts nothing; None if it restricts."""
    text = write_predicate(value)
    return None if has_slot(text) or not _SPELLED.search(text) else _find_vain_text(text)


@lru_cache(_REMEMBERED)
def _find_vain_text(text: str) -> Vain | None:
    from spokerender.formats import cel  # noqa: PLC0415  (few need it)
    from spokerender.formats.cel.requests import holds_of_witnesses  # noqa: PLC0415  (as above)

    if cel.constant_of(text) is True:
        return Vain.ALWAYS
    if holds_of_witnesses(text):
        return Vain.WITNESSED
    return Vain.PRESENT if holds_of_witnesses(text, are_present=True) else None


def write_predicate(value: Json) -> str:
    """Return Authorino's patterns as CEL; empty if one of the patterns has no CEL form."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [write_predicate(item) for item in value]
        return " && ".join(f"({part})" for part in parts) if all(parts) else ""
    fields = as_mapping(value)
    if "any" in fields:
        parts = [write_predicate(item) for item in as_list(fields["any"])]
        return " || ".join(f"({part})" for part in parts) if all(parts) else ""
    if "predicate" in fields or "all" in fields:
        return write_predicate(fields.get("predicate", fields.get("all")))
    form, field = _OPERATORS.get(as_text(fields.get("operator"))), as_text(fields.get("selector"))
    text = as_text(fields.get("value"))
    is_plain = _SPELLED.fullmatch(field) and not {"'", "\\"}.intersection(text)
    return form.format(field, text) if form and is_plain else ""


_ANY = frozenset(("*", "/*", "/{**}"))
"""Texts that every hostname or path matches (istio/api, security/v1/authorization_policy.proto)."""
_ADDRESSES = ("source.ip", "remote.ip", "destination.ip")
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
"""A rule that lists all of these methods counts as one for every method (RFC 9110; RFC 5789)."""


def is_for_everybody(whole: Json, kinds: Everybody) -> bool:
    """Return whether one of the rules that admit callers applies to every request."""
    rules = (rule for _, rule in find_values(whole, kinds.rules))
    if kinds.given is not None:
        field, values = kinds.given
        rules = (rule for rule in rules if as_mapping(rule).get(field) in values)
    # In kinds with parts, a rule without any is for all requests; in others it is for none.
    asking = {*kinds.networks, *kinds.headers, *kinds.selectors}
    return any(
        isinstance(rule, Mapping)
        and (kinds.parts or not asking.isdisjoint(rule))
        and _holds_of_all(rule, kinds)
        for rule in rules
    )


def _holds_of_all(asked: Mapping[str, Any], kinds: Everybody) -> bool:
    return all(value in (None, []) or is_met(key, value, kinds) for key, value in asked.items())


def is_met(key: str, value: Json, kinds: Everybody) -> bool:
    """Return whether every request fulfils the entry `key: value` of a rule."""
    entries = value if isinstance(value, list) else [value]
    sorts: tuple[tuple[tuple[str, ...], Callable[[list[Any]], bool]], ...] = (
        (
            kinds.parts,
            lambda items: any(isinstance(it, Mapping) and _holds_of_all(it, kinds) for it in items),
        ),
        (kinds.networks, has_all_addresses),
        (kinds.texts, lambda texts: not _ANY.isdisjoint(map(as_text, texts))),
        (kinds.methods, lambda texts: "*" in texts or _METHODS.issubset(map(as_text, texts))),
        (kinds.headers, lambda items: any(map(_is_of_request, items))),
        (kinds.selectors, lambda items: any(map(_selects_all, items))),
        (kinds.conditions, lambda items: all(map(_is_of_anybody, items))),
        ((*kinds.exceptions, *kinds.aside), lambda _: True),
    )
    return any(key in keys and holds(entries) for keys, holds in sorts)


def _is_of_anybody(value: Json) -> bool:
    """Return whether an Istio condition admits all addresses, or only excludes some values."""
    asked = as_mapping(value)
    key, values, others = as_text(asked.get("key")), as_list(asked.get("values")), "notValues"
    if key in _ADDRESSES:
        return not asked.get(others) and has_all_addresses(values)
    # Envoy's own headers, such as `:path`, are those of every request.
    is_there = key.startswith("request.headers[:") and "*" in values
    return is_there if values else bool(asked.get(others))


def _is_of_request(value: Json) -> bool:
    """Return whether a rate limit identifies callers by a value that they send."""
    return any("request." in as_text(text) for text in as_mapping(value).values())


def _selects_all(value: Json) -> bool:
    """Return whether a selector selects API keys in all namespaces without requiring a label."""
    selector = as_mapping(as_mapping(value).get("selector"))
    if as_mapping(value).get("allNamespaces") is not True:
        return False
    expressions = as_mappings(selector.get("matchExpressions"))
    absent = all(item.get("operator") in ("DoesNotExist", "NotIn") for item in expressions)
    return not selector.get("matchLabels") and absent


def has_all_addresses(blocks: Iterable[Json]) -> bool:
    """Return whether CIDR blocks together cover all addresses of IPv4 or of IPv6."""
    return _have_all_addresses(tuple(map(as_text, blocks)))


@lru_cache(_REMEMBERED)
def _have_all_addresses(blocks: tuple[str, ...]) -> bool:
    networks: dict[int, list[Any]] = {}
    for block in blocks:
        try:
            network = ip_network(block, strict=False)
        except ValueError:
            continue
        networks.setdefault(network.version, []).append(network)
    joined = (whole for each in networks.values() for whole in collapse_addresses(each))
    return any(network.prefixlen == 0 for network in joined)


def read_host(url: str) -> str:
    """Return the hostname of a URL without its port; empty if there is none."""
    return _host_of(url) if "://" in url else consult(_host_of, url)


def _host_of(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].partition(":")[0]
