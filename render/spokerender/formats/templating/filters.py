"""The filters and tests that values may use.

Jinja2's where they are bounded and the same in every run, our own where Jinja2's are not, or
where they would pass over a mistake (`"abc" | int` is 0 there).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from jinja2 import filters, tests

from spokerender.findings.suggest import describe
from spokerender.formats.templating.values import (
    Json,
    TemplateProblem,
    as_json,
    as_text,
    expect_length,
)

_JINJA_FILTERS = (
    "abs capitalize default first last length list lower max min sort title trim unique upper"
)
_JINJA_TESTS = (
    "boolean defined divisibleby even false in integer mapping none number odd sequence string"
    " true undefined"
)


def _join(items: Iterable[Json], separator: str = "") -> str:
    texts = [as_text(item) for item in items]
    expect_length(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _replace(value: Json, old: str, new: str) -> str:
    text = as_text(value)
    expect_length(len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def _split(value: Json, separator: str) -> list[str]:
    return as_text(value).split(separator)


def _int(value: Json) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise _no(value, "a whole number") from None


def _float(value: Json) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise _no(value, "a number") from None
    if not math.isfinite(number):
        raise _no(value, "a number in JSON")
    return number


def _no(value: Json, wanted: str) -> TemplateProblem:
    return TemplateProblem(f"{describe(value)} is not {wanted}")


FILTERS: dict[str, Callable[..., Any]] = {
    **{name: filters.FILTERS[name] for name in _JINJA_FILTERS.split()},
    "float": _float,
    "int": _int,
    "join": _join,
    "replace": _replace,
    "split": _split,
    "string": as_text,
    "tojson": as_json,
}

TESTS: dict[str, Any] = {name: tests.TESTS[name] for name in _JINJA_TESTS.split()}
