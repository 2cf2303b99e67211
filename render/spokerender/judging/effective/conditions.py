"""Compares conditions on requests, split into clauses at `&&` and `||` and items of lists."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Literal

from spokerender.formats.comparing import fingerprint
from spokerender.model.shapes import Json, as_list

JoinedBy = Literal["", "all", "any"]
_Clauses = frozenset[frozenset[str]]
"""A conjunction of clauses; each clause is a set of alternatives, of which one must hold."""
_TOKEN = re.compile(
    r"""//[^\n]*|[rRbB]{0,2}(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
    r"|&&|\|\||\w+|[^\w\s]",
    re.DOTALL,
)
_OPENING, _CLOSING = "([{", ")]}"
_MOST = 64
"""The greatest number of clauses into which a condition is split to be compared."""


def compare_conditions(old: Json, new: Json, joining: JoinedBy) -> int | None:
    """Return 1 if fewer requests meet the new condition, -1 if more, 0 if the same; else None.

    `joining` says whether a request must meet `all` items of a list, or `any` item.
    """
    was, now = _read(old, joining), _read(new, joining)
    fewer, more = _implies(now, was), _implies(was, now)
    return fewer - more if fewer or more else None


def _implies(some: _Clauses, others: _Clauses) -> bool:
    """Return whether each request that fulfils the conditions `some` also fulfils `others`."""
    return all(any(one <= other for one in some) for other in others)


def _read(value: Json, joining: JoinedBy = "all") -> _Clauses:
    if isinstance(value, str):
        tokens = [token for token in _TOKEN.findall(value) if not token.startswith("//")]
        return _read_tokens(tokens)
    if isinstance(value, list):
        return _join(joining, map(_read, value))
    if isinstance(value, Mapping) and len(value) == 1:
        (key, inside), *_ = value.items()
        if key == "predicate" and isinstance(inside, str):
            return _read(inside)
        if key in ("all", "any"):
            return _join("any" if key == "any" else "all", map(_read, as_list(inside)))
    return frozenset({frozenset({fingerprint(value)})})


def _read_tokens(tokens: list[str]) -> _Clauses:
    while _is_enclosed(tokens):
        tokens = tokens[1:-1]
    for operator, joining in (("||", "any"), ("&&", "all")):
        parts = list(_split(tokens, operator))
        # The conditional operator `?:` binds weaker than `&&` and `||`, so its parts can't be cut.
        if len(parts) > 1 and len(list(_split(tokens, "?"))) == 1:
            return _join("any" if joining == "any" else "all", map(_read_tokens, parts))
    return frozenset({frozenset({" ".join(map(_requote, tokens))})})


def _join(joining: JoinedBy, parts: Iterable[_Clauses]) -> _Clauses:
    items = list(parts)
    if joining != "any":
        return frozenset().union(*items)
    number = 1
    for item in items:
        number *= len(item)
    # Distribution over `||` multiplies clauses; above the limit the condition is one opaque clause.
    if number > _MOST:
        return frozenset({frozenset({fingerprint(sorted(map(str, items)))})})
    return frozenset(frozenset().union(*choice) for choice in product(*items))


def _split(tokens: list[str], operator: str) -> Iterator[list[str]]:
    """Yield the parts between the occurrences of an operator outside of parentheses."""
    depth, part = 0, list[str]()
    for token in tokens:
        depth += (token in _OPENING) - (token in _CLOSING)
        if token == operator and not depth:
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _is_enclosed(tokens: list[str]) -> bool:
    """Return whether one pair of parentheses encloses all tokens."""
    if tokens[:1] != ["("] or tokens[-1:] != [")"]:
        return False
    depth = 0
    for token in tokens[:-1]:
        depth += (token in _OPENING) - (token in _CLOSING)
        if not depth:
            return False
    return True


def _requote(token: str) -> str:
    """Return a string token with double quotes instead of single ones, if it needs no escapes."""
    inside = token[1:-1]
    is_plain = token[:1] == "'" and token[-1:] == "'" and not set("\"'\\") & set(inside)
    return f'"{inside}"' if is_plain else token
