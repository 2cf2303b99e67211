"""The kinds of findings as text: code, severity, meaning and suggested fix, with an example."""

import textwrap
from collections.abc import Collection, Iterator
from typing import Any

from msgspec.structs import asdict

from spokerender.findings.codes.table import HUNDREDS
from spokerender.findings.examples import CodeMeaning, Examples
from spokerender.findings.results import FindingKind
from spokerender.findings.suppressions import instead_of_suppressing
from spokerender.report.reports import Look, RulesReport
from spokerender.report.serializing import json_text
from spokerender.report.terminal import SEVERITY_STYLES, Style, paint

_CODE, _SEVERITY = 8, 9
_NARROWEST, _WIDEST = 20, 100
"""The least and the most characters in a line beside the code and severity."""
_INDENT = " " * 4


def rules_text(report: RulesReport, look: Look) -> str:
    """Return the meanings of the report's codes as text; for all codes, by subject."""
    parts = []
    for subject, kinds in _select_kinds(report.codes):
        code = kinds[0].code
        words = ", cannot be suppressed" if instead_of_suppressing(code) else ""
        lines = [paint(f"{subject} ({code[:4]}xx{words})", Style.BOLD, color=look.color)]
        for kind in kinds:
            lines += ["", *_rule_lines(kind, report.meanings[kind.code], look)]
            if report.codes:
                lines += _example_lines(kind.code, report.examples, color=look.color)
        parts.append("".join(f"{line}\n" for line in lines))
    if not report.codes:
        parts.append("`spokerender rules CODE` shows a wrong and a right YAML.\n")
    return "\n".join(parts)


def rules_json(report: RulesReport, _: Look) -> str:
    """Return the meanings of the report's codes, or of all, as one JSON object."""
    rules = [
        _rule_members(kind, subject, report)
        for subject, kinds in _select_kinds(report.codes)
        for kind in kinds
    ]
    return json_text({"rules": rules})


def _select_kinds(codes: Collection[str]) -> Iterator[tuple[str, list[FindingKind]]]:
    for subject, kinds in HUNDREDS.items():
        selected = [kind for kind in kinds if not codes or kind.code in codes]
        if selected:
            yield subject, selected


def _rule_lines(kind: FindingKind, code_meaning: CodeMeaning, look: Look) -> Iterator[str]:
    indent = " " * (_CODE + _SEVERITY)
    room = max(min(look.width, _WIDEST) - len(indent), _NARROWEST)
    wrap = textwrap.TextWrapper(room, break_long_words=False, break_on_hyphens=False).wrap
    meaning, *more = wrap(code_meaning.meaning)
    severity = paint(kind.severity, SEVERITY_STYLES[kind.severity], color=look.color)
    gap = " " * (_SEVERITY - len(kind.severity))
    yield f"{kind.code:{_CODE}}{severity}{gap}{meaning}"
    tags = "; ".join(f"{name}: {text}" for name, text in kind.tags)
    for line in (*more, *wrap(code_meaning.mend), *wrap(tags)):
        yield indent + line


def _example_lines(code: str, examples: Examples, *, color: bool) -> Iterator[str]:
    """Yield files that cause the finding, and the corrected files; or the reason for no example."""
    example = examples.written.get(code)
    if example is None:
        yield ""
        yield f"{_INDENT}There is no example: {examples.why_none(code)}."
        return
    for label, files, style in (
        ("given", example.both, Style.BOLD),
        ("wrong", example.wrong, Style.RED),
        ("right", example.right, Style.GREEN),
    ):
        for path, text in files.items():
            yield ""
            yield paint(f"{_INDENT}{label}: {path}", style, color=color)
            yield from (f"{_INDENT * 2}{line}".rstrip() for line in text.splitlines())
    yield ""
    yield f"{_INDENT}Try it in a project that `spokerender init` makes."


def _rule_members(kind: FindingKind, subject: str, report: RulesReport) -> dict[str, Any]:
    example = report.examples.written.get(kind.code)
    code_meaning = report.meanings[kind.code]
    return {
        "code": kind.code,
        "severity": kind.severity,
        "about": subject,
        "meaning": code_meaning.meaning,
        "mend": code_meaning.mend,
        "suppressible": not instead_of_suppressing(kind.code),
        "tags": dict(kind.tags),
        "example": asdict(example) if example else None,
    }
