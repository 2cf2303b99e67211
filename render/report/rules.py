"""Every kind of finding: its code, how bad it is, what it means and how to mend it."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator
from typing import Any

from render.findings.codes.suppressions import instead_of_suppressing
from render.findings.codes.table import HUNDREDS
from render.findings.results import FindingKind
from render.report.colors import SEVERITY_STYLES, Style, paint
from render.report.findings import json_text
from render.report.reports import Look, RulesReport

_CODE, _SEVERITY = 8, 9
_NARROWEST, _WIDEST = 20, 100


def codes_text(report: RulesReport, look: Look) -> str:
    """What the codes mean, for people; a line is no wider than people read well."""
    return rules_text(report.codes, color=look.color, width=min(look.width, _WIDEST))


def codes_json(report: RulesReport, _: Look) -> str:
    """What the codes mean, for programs."""
    return rules_json(report.codes)


def rules_text(codes: Collection[str], *, color: bool, width: int) -> str:
    """Tell the rules with these codes, or all of them, by what they are about.

    Args:
        codes: the codes, as the rules have them; none of them means all.
        color: whether the reader is a terminal.
        width: how many characters fit into a line.

    Returns:
        Lines that end in a line feed.

    """
    parts = []
    for about, kinds in _told(codes):
        lines = [paint(f"{about} ({_hundred(kinds[0])})", Style.BOLD, color=color)]
        for kind in kinds:
            lines += ["", *_lines(kind, color=color, width=width)]
        parts.append("".join(f"{line}\n" for line in lines))
    return "\n".join(parts)


def rules_json(codes: Collection[str]) -> str:
    """The rules with these codes, or all of them, as one JSON object with the list `rules`."""
    values = [_value(kind, about) for about, kinds in _told(codes) for kind in kinds]
    return json_text({"rules": values})


def _told(codes: Collection[str]) -> Iterator[tuple[str, list[FindingKind]]]:
    for about, kinds in HUNDREDS.items():
        chosen = [kind for kind in kinds if not codes or kind.code in codes]
        if chosen:
            yield about, chosen


def _hundred(kind: FindingKind) -> str:
    name = f"{kind.code[:4]}xx"
    return f"{name}, not to be suppressed" if instead_of_suppressing(kind.code) else name


def _lines(kind: FindingKind, *, color: bool, width: int) -> Iterator[str]:
    indent = " " * (_CODE + _SEVERITY)
    room = max(width - len(indent), _NARROWEST)
    wrap = textwrap.TextWrapper(room, break_long_words=False, break_on_hyphens=False).wrap
    meaning, *more = wrap(kind.meaning)
    severity = paint(kind.severity, SEVERITY_STYLES[kind.severity], color=color)
    gap = " " * (_SEVERITY - len(kind.severity))
    yield f"{kind.code:{_CODE}}{severity}{gap}{meaning}"
    tags = "; ".join(f"{name}: {text}" for name, text in kind.tags)
    for line in (*more, *wrap(kind.mend), *wrap(tags)):
        yield indent + line


def _value(kind: FindingKind, about: str) -> dict[str, Any]:
    return {
        "code": kind.code,
        "severity": str(kind.severity),
        "about": about,
        "meaning": kind.meaning,
        "mend": kind.mend,
        "suppressible": not instead_of_suppressing(kind.code),
        "tags": dict(kind.tags),
    }
