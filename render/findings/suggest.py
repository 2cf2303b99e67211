"""Words that messages share: what was probably meant, and what was found instead."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from render.findings.words import listed

_LISTED = 10
_SHOWN = 40
_SHORTEST = 4


def did_you_mean(word: str, known: Iterable[str], listed_as: str = "") -> str:
    """The known word that is nearest, as a question; else what is known, if told how to call it.

    `did_you_mean("selectr", ["names", "selector"])` is `did you mean "selector"?`. With no word
    near enough it is `listed_as` and the first of the known words, or empty without `listed_as`.
    """
    import difflib  # noqa: PLC0415  (only a message about a mistake needs it)

    words = {name.casefold(): name for name in sorted(known, reverse=True)}
    near = difflib.get_close_matches(word.casefold(), sorted(words), 1)
    if near:
        return f'did you mean "{words[near[0]]}"?'
    if not listed_as or not words:
        return ""
    return f"{listed_as} {listed(sorted(words.values()), _LISTED)}"


def mistyped(word: str, known: Iterable[str]) -> str:
    """The known word that becomes this one by one slip of the fingers, or empty.

    A slip is a letter too much, too few or another one, two that changed places, or other cases:
    far less than `did_you_mean` takes for near, so that `minReplicas` is none of `maxReplicas`.
    Words that differ in a digit only, or of fewer than four letters, are names on purpose.
    """
    if len(word) < _SHORTEST:
        return ""
    return next((name for name in sorted(known) if _is_slip(name.casefold(), word.casefold())), "")


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
