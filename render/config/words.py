"""What is wrong with a value of our files, and what to do, in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from render.config.fields import TextRule
from render.findings.codes.project import MISSING_KEY, UNKNOWN_KEY
from render.findings.faults import Fault
from render.findings.suggest import describe, did_you_mean
from render.model import FieldPath

Words = tuple[str, str]
"""What is wrong, and what to do about it."""

EMPTY: Words = ("must not be empty", "fill it in, or leave the key out")


def unknown(path: FieldPath, meanings: Mapping[str, str]) -> Fault:
    """A key that the mapping does not have; `meanings` are those that it has."""
    key = str(path[-1])
    cure = did_you_mean(key, meanings, "known keys are")
    return Fault(UNKNOWN_KEY, f'unknown key "{key}"', cure, path)


def missing(path: FieldPath, meanings: Mapping[str, str]) -> Fault:
    """A key that has to be there."""
    key = str(path[-1])
    meaning = meanings[key]
    cure = f"add {key}: {meaning[:1].lower()}{meaning[1:].rstrip('.')}"
    return Fault(MISSING_KEY, f'the key "{key}" is missing', cure, path)


def must_be(wanted: str, value: object) -> Words:
    """A value of another type."""
    return f"must be {wanted}, but is {describe(value)}", ""


def no_text(value: object) -> Words:
    """What is no text; a number is, in quotes."""
    message, _ = must_be("a text", value)
    return message, "write it in quotes" if isinstance(value, (bool, int, float)) else ""


def no_list(value: object) -> Words:
    """What is no list; a text may be meant as the one item."""
    message, _ = must_be("a list", value)
    return message, f"write it as a list: [{value}]" if isinstance(value, str) else ""


def choice(choices: Sequence[str], value: object) -> Words:
    """What is none of the words that are known there."""
    message, _ = must_be(f"one of {', '.join(choices)}", value)
    return message, did_you_mean(value, choices) if isinstance(value, str) else ""


def pattern(rule: TextRule, value: str) -> Words:
    """A text of another form; with `-` for `_` and in lower case it may be right."""
    tidy = re.sub("[_ ]", "-", value.lower())
    hint = f'did you mean "{tidy}"?' if re.fullmatch(rule.pattern, tidy) else ""
    return f"must be {rule.meaning}; it is {describe(value)}", hint


def too_long(most: int, value: str) -> Words:
    """A text that no API server would take."""
    return f"must have at most {most} characters, but has {len(value)}", "shorten it"


def too_small(bound: int, value: int) -> Words:
    """A number at or below a bound."""
    return f"must be more than {bound}, but is {value}", ""
