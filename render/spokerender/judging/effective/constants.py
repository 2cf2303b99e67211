"""Conditions that are the same for every request: in CEL, in Rego, or as Authorino's patterns."""

import re
from collections.abc import Mapping
from typing import Any

from spokerender.model.shapes import Json, as_list
from spokerender.model.slots import ask, has_slot

_PASSED_OVER = re.compile(r"#[^\n]*|^\s*(?:package|import)\b[^\n]*", re.MULTILINE)
_ALLOWED = re.compile(
    r"^\s*(?:default\s+)?allow\b(?:\s*:?=\s*(?P<value>true)\b)?(?:\s*if\b)?"
    r"(?:\s*\{(?P<body>[^{}]*)\}|[ \t]+(?P<bare>true)\b)?\s*?$",
    re.MULTILINE,
)
_REFUSED = re.compile(r"\ballow\s*:?=\s*false\b(?=\s*(?:if\b|\{))")
_NEVER = re.compile(r"(?:default\s+)?allow\s*:?=\s*false")
_EVERYTHING = frozenset({"", ".*", "^.*", ".*$", "^.*$"})


def find_truth(value: Json) -> bool | None:
    """Return the truth of a condition, or of all in a list; None if it depends on the request."""
    if isinstance(value, list):
        truths = [find_truth(item) for item in value]
        return False if False in truths else True if all(truths) else None
    if isinstance(value, str):
        return ask(_truth_of_text, value)
    if not isinstance(value, Mapping):
        return value if isinstance(value, bool) else None
    if "any" in value:
        return _find_truth_of_any(as_list(value["any"]))
    is_match = value.get("operator") == "matches" and value.get("value") in _EVERYTHING
    condition = next((value[key] for key in ("predicate", "all") if key in value), None)
    return True if is_match else find_truth(condition)


def _find_truth_of_any(items: list[Any]) -> bool | None:
    truths = [find_truth(item) for item in items]
    if True in truths:
        return True
    return None if None in truths or not truths else False


def refuses_all(value: Json) -> bool:
    """Tell whether a condition, or one of a list of them, holds of no request."""
    if isinstance(value, list):
        return any(map(refuses_all, value))
    return find_truth(value) is False or (isinstance(value, str) and _never_allows(value))


def _never_allows(text: str) -> bool:
    """Tell whether a text in Rego says nothing but that no request is allowed."""
    lines = [line.strip() for line in _PASSED_OVER.sub("", text).splitlines()]
    return any(lines) and all(_NEVER.fullmatch(line) for line in lines if line)


def _truth_of_text(text: str) -> bool | None:
    if has_slot(text):
        return None
    from spokerender.formats import cel  # noqa: PLC0415  (start-up counts: most texts hold no constant)

    truth = cel.constant_of(text)
    return True if truth is None and _always_allows(text) else truth


def _always_allows(text: str) -> bool:
    """Tell whether a text in Rego has a rule that allows every request."""
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


def read_host(url: str) -> str:
    """Return the hostname of a URL, without its port; empty where there is none."""
    return _host_of(url) if "://" in url else ask(_host_of, url)


def _host_of(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].partition(":")[0]
