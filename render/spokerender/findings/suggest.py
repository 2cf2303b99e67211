"""Words that messages share: what was probably meant, and what was found instead."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from itertools import starmap

from spokerender.findings.words import listed

MOST_COMPARED = 20_000
"""Words with which one command compares others; that is a small part of a second."""

_LISTED = 10
_SHOWN = 40
_SHORTEST = 4
_LONGEST = 100
_NEAR = 0.6
"""How alike two parts are at least, as difflib measures it."""
_STEPS = 2
_DIGITS = re.compile(r"\d")
_LOOKALIKES = str.maketrans("oli", "011")
_SLASH = re.compile("/")
_SEPARATORS = re.compile(r"[-._@:|]")
_HUMPS = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Between the words of a kind's name: `HTTP|Route`, `Rate|Limit|Policy`."""


class _Budget:
    """How many words may still be compared."""

    left = MOST_COMPARED


_BUDGET: ContextVar[_Budget | None] = ContextVar("budget", default=None)


@contextmanager
def few_suggestions() -> Iterator[None]:
    """Compare at most `MOST_COMPARED` words inside: thousands of wrong names need no hint each."""
    token = _BUDGET.set(_Budget())
    try:
        yield
    finally:
        _BUDGET.reset(token)


def _may_compare(words: int) -> bool:
    budget = _BUDGET.get()
    if budget is None:
        return True
    budget.left -= words
    return budget.left >= 0


def did_you_mean(word: str, known: Iterable[str], listed_as: str = "") -> str:
    """The known word that is nearest, as a question; else what is known, if told how to call it.

    `did_you_mean("selectr", ["names", "selector"])` is `did you mean "selector"?`. With no word
    near enough it is `listed_as` and the first of the known words, or empty without `listed_as`.

    Words are near if each of their parts is: `public-gateway` is not `internal-gateway`, whatever
    else they share, and `BasicAuthPolicy` is no `AuthPolicy`. Other digits are no slip.
    """
    words = tuple(known)
    near = [name for name in words if _is_near(word, name)] if _may_compare(len(words)) else []
    if near:
        return f'did you mean "{max(sorted(near), key=lambda name: _likeness(word, name))}"?'
    if not listed_as or not words:
        return ""
    return f"{listed_as} {_listed(words)}"


@lru_cache(maxsize=8)
def _listed(words: tuple[str, ...]) -> str:
    """The first of the words, each once whatever its case; thousands of mistakes ask for it."""
    distinct = {name.casefold(): name for name in sorted(words, reverse=True)}
    return listed(sorted(distinct.values()), _LISTED)


def mistyped(word: str, known: Iterable[str]) -> str:
    """The known word that becomes this one by one slip of the fingers, or empty.

    A slip is a letter too much, too few or another one, two that changed places, or other cases:
    far less than `did_you_mean` takes for near, so that `minReplicas` is none of `maxReplicas`.
    Words that differ in a digit only, or of fewer than four letters, are names on purpose.
    """
    words = tuple(known)
    if len(word) < _SHORTEST or not _may_compare(len(words)):
        return ""
    return next((name for name in sorted(words) if _is_slip(name.casefold(), word.casefold())), "")


def _is_slip(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    same = next(
        (i for i, pair in enumerate(zip(short, long, strict=False)) if len({*pair}) > 1), len(short)
    )
    short, long = short[same:], long[same:]
    if any(map(str.isdigit, short[:1] + long[:1])):
        return False
    if len(short) < len(long):
        return short == long[1:]
    return short[1:] == long[1:] or (short[:2] == long[1::-1] and short[2:] == long[2:])


def _is_near(word: str, known: str) -> bool:
    """Whether one may have been meant by the other: nowhere do they differ by much."""
    if _plain(word) == _plain(known) or known.startswith(f"{word}-") or _is_elsewhere(word, known):
        return True
    is_kind = word[:1].isupper() and known[:1].isupper()
    for pattern in (_SLASH, _SEPARATORS, *([_HUMPS] if is_kind else [])):
        parts, others = pattern.split(word), pattern.split(known)
        if len(parts) != len(others):
            return min(len(word), len(known)) >= _SHORTEST and _is_slip(*_folded(word, known))
        if len(parts) > 1:
            return all(starmap(_is_near, zip(parts, others, strict=True)))
    return _is_near_part(*_folded(word, known))


@lru_cache(maxsize=4096)
def _plain(word: str) -> str:
    """What stays of a word without its separators, and with digits for letters like them."""
    return _SEPARATORS.sub("", word.casefold()).translate(_LOOKALIKES)


def _is_elsewhere(one: str, other: str) -> bool:
    """Whether one is a path to the other's name, by fewer steps or from elsewhere."""
    steps, others = one.split("/"), other.split("/")
    return len(steps) + len(others) > _STEPS and steps[-1] == others[-1]


@lru_cache(maxsize=4096)
def _is_near_part(one: str, other: str) -> bool:
    digits, others = _DIGITS.findall(one), _DIGITS.findall(other)
    if (digits and others and digits != others) or max(len(one), len(other)) > _LONGEST:
        return False
    is_turned = len(one) == len(other) and sorted(one) == sorted(other) and _is_slip(one, other)
    return is_turned or _likeness(one, other) >= _NEAR


def _likeness(one: str, other: str) -> float:
    import difflib  # noqa: PLC0415  (only a message about a mistake needs it)

    matcher = difflib.SequenceMatcher(None, *_folded(one[:_LONGEST], other[:_LONGEST]))
    return matcher.ratio() if matcher.quick_ratio() >= _NEAR else 0.0


def _folded(one: str, other: str) -> tuple[str, str]:
    return one.casefold(), other.casefold()


def describe(value: object) -> str:
    """JSON data as a sentence calls it: `a list`, `the number 5`, `the text "abc"`, `empty`."""
    if value is None:
        return "empty"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    shown = json.dumps(value, ensure_ascii=False, default=repr)
    if len(shown) > _SHOWN:
        shown = f"{shown[:_SHOWN]}…"
    if isinstance(value, str):
        return f"the text {shown}"
    return shown if isinstance(value, bool) else f"the number {shown}"
