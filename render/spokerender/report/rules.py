"""Every kind of finding: its code, how bad it is, what it means and how to mend it."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator
from typing import Any

from msgspec.structs import asdict

from spokerender.findings.codes.suppressions import instead_of_suppressing
from spokerender.findings.codes.table import HUNDREDS
from spokerender.findings.examples import Examples
from spokerender.findings.results import FindingKind
from spokerender.report.colors import SEVERITY_STYLES, Style, paint
from spokerender.report.findings import json_text
from spokerender.report.reports import Look, RulesReport

_CODE, _SEVERITY = 8, 9
_NARROWEST, _WIDEST = 20, 100
_INDENT = " " * 4


def codes_text(report: RulesReport, look: Look) -> str:
    """What the codes mean, for people; a line is no wider than people read well."""
    width = min(look.width, _WIDEST)
    return rules_text(report.codes, report.examples, color=look.color, width=width)


def codes_json(report: RulesReport, _: Look) -> str:
    """What the codes mean, for programs."""
    return rules_json(report.codes, report.examples)


def rules_text(codes: Collection[str], examples: Examples, *, color: bool, width: int) -> str:
    """Tell the rules with these codes, or all of them, by what they are about.

    Args:
        codes: the codes, as the rules have them; none of them means all.
        examples: what is shown of each code that is named.
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
            lines += _example(kind.code, examples, color=color) if codes else ()
        parts.append("".join(f"{line}\n" for line in lines))
    if not codes:
        parts.append("`spokerender rules CODE` shows a wrong and a right YAML.\n")
    return "\n".join(parts)


def rules_json(codes: Collection[str], examples: Examples) -> str:
    """The rules with these codes, or all of them, as one JSON object with the list `rules`."""
    values = [_value(kind, about, examples) for about, kinds in _told(codes) for kind in kinds]
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


def _example(code: str, examples: Examples, *, color: bool) -> Iterator[str]:
    """The files that make the finding, and the same files mended; or why there are none."""
    example = examples.written.get(code)
    if example is None:
        yield ""
        yield f"{_INDENT}No YAML shows it: {examples.why_none(code)}."
        return
    for said, files, style in (
        ("given", example.both, Style.BOLD),
        ("wrong", example.wrong, Style.RED),
        ("right", example.right, Style.GREEN),
    ):
        for path, text in files.items():
            yield ""
            yield paint(f"{_INDENT}{said}: {path}", style, color=color)
            yield from (f"{_INDENT * 2}{line}".rstrip() for line in text.splitlines())
    yield ""
    yield f"{_INDENT}In a project that `spokerender init` makes, you can try it."


def _value(kind: FindingKind, about: str, examples: Examples) -> dict[str, Any]:
    example = examples.written.get(kind.code)
    return {
        "code": kind.code,
        "severity": str(kind.severity),
        "about": about,
        "meaning": kind.meaning,
        "mend": kind.mend,
        "suppressible": not instead_of_suppressing(kind.code),
        "tags": dict(kind.tags),
        "example": asdict(example) if example else None,
    }
