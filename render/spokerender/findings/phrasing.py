"""Phrases that messages share: counts, lists, suggestions and descriptions of values."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from itertools import islice, starmap
from posixpath import commonprefix

MOST_COMPARED = 20_000
"""The number of words that one command compares with others, in a small part of a second."""

LISTED = 5
"""The number of items that messages list."""
_SUGGESTED = 10
_SHOWN = 40
_AROUND = 15
"""The number of equal characters to show on both sides of a difference."""
_SHORTEST = 4
_LONGEST = 100
_NEAR = 0.6
"""The least similarity of two parts, as difflib measures it."""
_STEPS = 2
_DIGITS = re.compile(r"\d")
_LOOKALIKES = str.maketrans("oli", "011")
_SLASH = re.compile("/")
_SEPARATORS = re.compile(r"[-._@:|]")
_HUMPS = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Separates the words of a kind's name: `HTTP|Route`, `Rate|Limit|Policy`."""


def count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 file`, `1,200 files`, `2 policies`."""
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun}"


def listed(
    items: Iterable[object], limit: int = LISTED, separator: str = ", ", of: int | None = None
) -> str:
    """Return the first few items and the number of others: `a, b, c and 4 more`.

    `of` is the number of items, if known: then only the shown items are read.
    """
    if of is None:
        items = list(items)
        of = len(items)
    more = of - limit
    shown = separator.join(map(str, islice(items, limit)))
    return shown + (f" and {more:,} more" if more > 0 else "")


def joined(items: Iterable[object], limit: int | None = None) -> str:
    """Return all items as in a sentence: `a, b and c`; if limited, `a, b and 4 more`."""
    texts = list(map(str, items))
    more = len(texts) - limit if limit is not None else 0
    if more > 0:
        texts = [*texts[:limit], f"{more:,} more"]
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def cut_around(old: str, new: str, most: int) -> tuple[str, str]:
    """Return both texts; if one is longer than `most`, both are cut around their difference."""
    if max(len(old), len(new)) <= most:
        return old, new
    # Equal parts at both ends say nothing about the difference.
    start = len(commonprefix((old, new)))
    same = len(commonprefix((old[start:][::-1], new[start:][::-1])))
    cut_start, cut_end = max(0, start - _AROUND), max(0, same - _AROUND)
    return _cut(old, cut_start, cut_end, most), _cut(new, cut_start, cut_end, most)


def _cut(text: str, start: int, end: int, most: int) -> str:
    middle = text[start : len(text) - end]
    if len(middle) > 2 * most:
        middle = f"{middle[:most]}…{middle[-most:]}"
    return ("…" if start else "") + middle + ("…" if end else "")


def on_spokes(spokes: Sequence[str], total: int | None = None) -> str:
    """Return spokes as text: `on eu`, `on 3 spokes: a, b, c`; of `total`: `on all 200 spokes`."""
    if len(spokes) == 1:
        return f"on {spokes[0]}" if not spokes[0].startswith("_") else f"in {spokes[0]}"
    if len(spokes) == total:
        return f"on all {total:,} spokes"
    return f"on {count(len(spokes), 'spoke')}: {listed(spokes)}"


class _Comparisons:
    """The number of words (`left`) that `did_you_mean` may still compare."""

    left = MOST_COMPARED


_COMPARISONS: ContextVar[_Comparisons | None] = ContextVar("comparisons", default=None)


@contextmanager
def few_suggestions() -> Iterator[None]:
    """Let `did_you_mean` compare at most `MOST_COMPARED` words in a `with` block, to save time."""
    token = _COMPARISONS.set(_Comparisons())
    try:
        yield
    finally:
        _COMPARISONS.reset(token)


def _may_compare(words: int) -> bool:
    comparisons = _COMPARISONS.get()
    # Unlimited outside of commands that may report thousands of wrong names.
    if comparisons is None:
        return True
    comparisons.left -= words
    return comparisons.left >= 0


def did_you_mean(word: str, candidates: Iterable[str], listed_as: str = "") -> str:
    """Return a question with the candidate nearest to `word`, or a list of candidates.

    `did_you_mean("selectr", ["names", "selector"])` is `did you mean "selector"?`. If no word is
    near, the result is `listed_as` and the first candidates, or empty without `listed_as`.

    Words are near if all of their parts are: `public-gateway` is not near `internal-gateway`, nor
    `BasicAuthPolicy` near `AuthPolicy`. Words with different digits are never near.
    """
    words = tuple(candidates)
    near = [name for name in words if _is_near(word, name)] if _may_compare(len(words)) else []
    if near:
        # Sorted first, so that of equally near words always the same one is suggested.
        return f'did you mean "{max(sorted(near), key=lambda name: _likeness(word, name))}"?'
    if not listed_as or not words:
        return ""
    return f"{listed_as} {_listed(words)}"


@lru_cache(maxsize=8)
def _listed(words: tuple[str, ...]) -> str:
    """Return the first words in alphabetical order; words that differ only in case count once."""
    # The last word with each spelling is kept, which is the first in the alphabet.
    distinct = {name.casefold(): name for name in sorted(words, reverse=True)}
    return listed(sorted(distinct.values()), _SUGGESTED)


def mistyped(word: str, candidates: Iterable[str]) -> str:
    """Return the candidate that differs from `word` by a single typing error, or an empty text.

    An error is one letter added, missing or replaced, two letters swapped, or a different case.
    This is much stricter than `did_you_mean`: `minReplicas` is not `maxReplicas`. Words that differ
    only in a digit, or have fewer than four letters, are assumed to be intended.
    """
    words = tuple(candidates)
    if len(word) < _SHORTEST or not _may_compare(len(words)):
        return ""
    return next((name for name in sorted(words) if is_slip(name.casefold(), word.casefold())), "")


def is_slip(one: str, other: str) -> bool:
    """Return whether a single typing error turns one word into the other, in the same case."""
    short, long = sorted((one, other), key=len)
    same = next(
        (i for i, pair in enumerate(zip(short, long, strict=False)) if len({*pair}) > 1), len(short)
    )
    short, long = short[same:], long[same:]
    # Different digits are intended: v1 and v2, eu-1 and eu-2.
    if any(map(str.isdigit, short[:1] + long[:1])):
        return False
    if len(short) < len(long):
        return short == long[1:]
    return short[1:] == long[1:] or (short[:2] == long[1::-1] and short[2:] == long[2:])


def _is_near(word: str, other: str) -> bool:
    """Return whether `word` may be a misspelling of `other`, or its beginning up to a dash."""
    # A name that was cut short, such as `web` for `web-gateway`.
    if _plain(word) == _plain(other) or other.startswith(f"{word}-") or _is_elsewhere(word, other):
        return True
    is_kind = word[:1].isupper() and other[:1].isupper()
    for pattern in (_SLASH, _SEPARATORS, *([_HUMPS] if is_kind else [])):
        parts, others = pattern.split(word), pattern.split(other)
        # Different numbers of parts: only a missing or doubled separator is near.
        if len(parts) != len(others):
            return min(len(word), len(other)) >= _SHORTEST and is_slip(*_folded(word, other))
        if len(parts) > 1:
            return all(starmap(_is_near, zip(parts, others, strict=True)))
    return _is_near_part(*_folded(word, other))


@lru_cache(maxsize=4096)
def _plain(word: str) -> str:
    """Return a word without separators, with similar letters replaced by digits."""
    return _SEPARATORS.sub("", word.casefold()).translate(_LOOKALIKES)


def _is_elsewhere(one: str, other: str) -> bool:
    """Return whether two paths end in the same name."""
    steps, others = one.split("/"), other.split("/")
    return len(steps) + len(others) > _STEPS and steps[-1] == others[-1]


@lru_cache(maxsize=4096)
def _is_near_part(one: str, other: str) -> bool:
    digits, others = _DIGITS.findall(one), _DIGITS.findall(other)
    # Numbers are rarely mistyped and often the whole difference.
    if (digits and others and digits != others) or max(len(one), len(other)) > _LONGEST:
        return False
    is_turned = len(one) == len(other) and sorted(one) == sorted(other) and is_slip(one, other)
    return is_turned or _likeness(one, other) >= _NEAR


def _likeness(one: str, other: str) -> float:
    import difflib  # noqa: PLC0415  (only a message about a mistake needs it)

    matcher = difflib.SequenceMatcher(None, *_folded(one[:_LONGEST], other[:_LONGEST]))
    # The quick ratio is an upper bound, and cheap.
    return matcher.ratio() if matcher.quick_ratio() >= _NEAR else 0.0


def _folded(one: str, other: str) -> tuple[str, str]:
    return one.casefold(), other.casefold()


def describe(value: object) -> str:
    """Return a description of JSON data: `a list`, `the number 5`, `the text "abc"`, `empty`."""
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
