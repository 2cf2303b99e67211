"""The formats that reports are printed in: one table for all commands.

A new format is a module with a function for each report that it can print, and one row here.
The functions are named, not imported: start-up counts, and a command needs one of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping

from msgspec import Struct

from spokerender.report.printable import printable
from spokerender.report.reports import (
    BuildReport,
    CheckReport,
    DiffReport,
    EffectiveReport,
    ExplainReport,
    Findings,
    Look,
    MetapoliciesReport,
    PushReport,
    QueryReport,
    Report,
    RulesReport,
    SpokesReport,
    StatusReport,
    WrittenReport,
)

Print = Callable[[Report, Look], str]


class Format(Struct, frozen=True):
    """A format: who it is for, and what prints each report in it, as `module:function`.

    With `is_conversation` findings are told on stderr, beside the report; else they are in it.
    With `is_prose` nothing parses it, and what is not printable can be escaped.
    """

    meaning: str
    printers: Mapping[type[Report], str]
    is_conversation: bool = False
    is_prose: bool = False


_TEXT: Mapping[type[Report], str] = {
    Findings: "findings:findings_text",
    BuildReport: "plans:build_text",
    CheckReport: "checks:check_text",
    DiffReport: "changes:diff_text",
    ExplainReport: "explanations:explain_text",
    EffectiveReport: "effective:in_force_text",
    MetapoliciesReport: "metapolicies:known_text",
    PushReport: "artifacts:pushed_text",
    QueryReport: "metapolicies:answers_text",
    RulesReport: "rules:codes_text",
    WrittenReport: "writes:written_text",
}

FORMATS: Mapping[str, Format] = {
    "text": Format("for people", _TEXT, is_conversation=True, is_prose=True),
    "table": Format(
        "for people",
        {StatusReport: "statuses:status_table", SpokesReport: "spokes:spokes_table"},
        is_conversation=True,
        is_prose=True,
    ),
    "json": Format(
        "for programs",
        {
            Findings: "findings:findings_json",
            BuildReport: "plans:build_json",
            CheckReport: "checks:check_json",
            DiffReport: "changes:diff_json",
            ExplainReport: "explained:explain_json",
            EffectiveReport: "effective_json:in_force_json",
            MetapoliciesReport: "metapolicies:known_json",
            PushReport: "artifacts:pushed_json",
            QueryReport: "metapolicies:answers_json",
            RulesReport: "rules:codes_json",
            StatusReport: "status_objects:status_json",
            SpokesReport: "spokes:spokes_json",
            WrittenReport: "writes:written_json",
        },
    ),
    "github": Format(
        "annotations beside the lines of a pull request",
        {Findings: "github:findings_github", CheckReport: "checks:check_github"},
    ),
    "sarif": Format(
        "for code scanning: SARIF",
        {Findings: "sarif:findings_sarif", CheckReport: "sarif:check_sarif"},
    ),
    "junit": Format(
        "a case for each object, as tests are shown",
        {Findings: "junit:findings_junit", CheckReport: "junit:check_junit"},
    ),
    "yaml": Format(
        "each policy's status as GEP-713 has it",
        {StatusReport: "status_objects:status_yaml"},
        is_conversation=True,
    ),
}
"""By the name that `--format` takes; the first that can print a command's report is its default."""


def offered(kind: type[Report]) -> Mapping[str, Format]:
    """The formats that such a report can be printed in, by name."""
    return {name: form for name, form in FORMATS.items() if kind in form.printers}


def printer(kind: type[Report], form: str) -> Print:
    """What prints such a report in the format.

    Raises:
        KeyError: the format does not have it.

    """
    module, _, name = FORMATS[form].printers[kind].partition(":")
    function: Print = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    if not FORMATS[form].is_prose:
        return function
    return lambda report, look: printable(function(report, look), color=look.color)
