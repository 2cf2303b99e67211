"""Semantic versions, as version 0 of Kubernetes' CEL library has them."""

import re

from spokerender.formats.cel.functions import SEMVER, charge_text, global_function, member

_IDENTIFIER = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_NUMBER = r"(0|[1-9][0-9]{0,18})"
_SEMVER = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_IDENTIFIER}(?:\.{_IDENTIFIER})*))?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
_TWO = f"{SEMVER} {SEMVER}"


def _semver(text: str) -> str:
    """Return a semantic version without its build, which comparisons ignore."""
    if not _SEMVER.fullmatch(charge_text(text)):
        message = f'"{text[:40]}" is not a semantic version'
        raise ValueError(message)
    return text.partition("+")[0]


def _version(text: str) -> tuple[tuple[int, int, int], list[tuple[bool, int, str]]]:
    """Return the numbers and the identifiers of a version, in forms that compare."""
    match = _SEMVER.fullmatch(text)
    assert match is not None  # noqa: S101  (it was made by `_semver`)
    identifiers = match[4].split(".") if match[4] else []
    return (int(match[1]), int(match[2]), int(match[3])), [
        (False, int(part), "") if part.isdecimal() else (True, 0, part) for part in identifiers
    ]


def _compare_versions(left: str, right: str) -> int:
    (numbers, identifiers), (other_numbers, other_identifiers) = _version(left), _version(right)
    one = (numbers, not identifiers, identifiers)  # a pre-release comes before its release
    other = (other_numbers, not other_identifiers, other_identifiers)
    return (one > other) - (one < other)


SEMVER_FUNCTIONS = (
    global_function("semver", "string", SEMVER, _semver),
    global_function(
        "isSemver", "string", "bool", lambda text: bool(_SEMVER.fullmatch(charge_text(text)))
    ),
    member("compareTo", _TWO, "int", _compare_versions),
    member("isGreaterThan", _TWO, "bool", lambda a, b: _compare_versions(a, b) > 0),
    member("isLessThan", _TWO, "bool", lambda a, b: _compare_versions(a, b) < 0),
    member("major", SEMVER, "int", lambda version: _version(version)[0][0]),
    member("minor", SEMVER, "int", lambda version: _version(version)[0][1]),
    member("patch", SEMVER, "int", lambda version: _version(version)[0][2]),
)
