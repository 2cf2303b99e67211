"""The formats of reports: one table for all commands.

To add a format, write a module with a function for each report that it supports, and add a row
here.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from spokerender.report import reports
from spokerender.report.terminal import printable

PrintReport = Callable[[reports.Report, reports.Look], str]
StreamReport = Callable[[reports.Report, reports.Look], str | Iterable[str]]
"""Returns a report as one text, or in pieces if the text may be too long for the memory."""


class Format(Struct, frozen=True):
    """A format: its purpose, and the function that converts each report, as `module:function`.

    With `is_conversation`, findings go to stderr; otherwise they are part of the report. With
    `is_prose`, unprintable characters are escaped afterwards; formats that programs parse escape
    them in their own way.
    """

    meaning: str
    printers: Mapping[type[reports.Report], str]
    is_conversation: bool = False
    is_prose: bool = False


_TEXT: Mapping[type[reports.Report], str] = {
    reports.FindingsReport: "findings:findings_text",
    reports.AdoptionReport: "adoptions:adoption_text",
    reports.BuildReport: "plans:build_text",
    reports.CarriedReport: "plans:carried_text",
    reports.CheckReport: "plans:check_text",
    reports.DiffReport: "changes:diff_text",
    reports.ExplainReport: "explanations:explain_text",
    reports.AskReport: "asking:ask_text",
    reports.EffectiveReport: "effective:effective_text",
    reports.GraphReport: "diagrams:diagram_text",
    reports.MetapoliciesReport: "metapolicies:definitions_text",
    reports.QueryReport: "metapolicies:answers_text",
    reports.ReviewReport: "reviews:review_text",
    reports.RulesReport: "rules:rules_text",
    reports.WrittenReport: "plans:written_text",
}

_TABLE: Mapping[type[reports.Report], str] = {
    reports.StatusReport: "statuses:status_table",
    reports.RolloutReport: "waves:rollout_table",
    reports.SpokesReport: "explanations:spokes_table",
}

# Every report can be JSON; those with a shape of their own replace the general row.
_JSON: Mapping[type[reports.Report], str] = dict.fromkeys(
    (*_TEXT, *_TABLE), "serializing:report_json"
) | {
    reports.CheckReport: "changes:diff_json",
    reports.DiffReport: "changes:diff_json",
    reports.AskReport: "asking:ask_json",
    reports.EffectiveReport: "effective:effective_json",
    reports.ReviewReport: "review_document:review_json",
    reports.RulesReport: "rules:rules_json",
    reports.StatusReport: "statuses:status_json",
}

# Strings, not functions: a command imports the module of its format only.
_FINDINGS: Mapping[str, Mapping[type[reports.Report], str]] = {
    name: dict.fromkeys(
        (reports.FindingsReport, reports.CheckReport, reports.ReviewReport),
        f"{name}:findings_{name}",
    )
    for name in ("github", "sarif", "junit", "codequality")
}
"""The functions that return the findings of a report alone."""

FORMATS: Mapping[str, Format] = {
    "text": Format("for people", _TEXT, is_conversation=True, is_prose=True),
    # Before "json", since the first format of a report is its default.
    "table": Format("for people", _TABLE, is_conversation=True, is_prose=True),
    "json": Format("for programs", _JSON),
    "github": Format(
        "annotations at the lines of a pull request",
        _FINDINGS["github"],
    ),
    "sarif": Format("for code scanning, as SARIF", _FINDINGS["sarif"]),
    "junit": Format("a test case for each object", _FINDINGS["junit"]),
    "codequality": Format(
        "for merge requests of GitLab, as Code Quality", _FINDINGS["codequality"]
    ),
    "mermaid": Format(
        "for Markdown on GitHub and GitLab",
        {reports.GraphReport: "diagrams:diagram_mermaid"},
        is_conversation=True,
    ),
    "svg": Format("a picture", {reports.GraphReport: "pictures:diagram_svg"}, is_conversation=True),
    "markdown": Format(
        "for a comment on a pull request, within its size",
        {
            reports.ReviewReport: "markdown:review_markdown",
            reports.AdoptionReport: "adoptions:adoption_markdown",
        },
        is_conversation=True,
    ),
    "html": Format(
        "one page that needs nothing else",
        {reports.ReviewReport: "page:review_html"},
        is_conversation=True,
        is_prose=True,
    ),
    "yaml": Format(
        "objects with their status, as a cluster shows them",
        {reports.StatusReport: "statuses:status_yaml"},
        is_conversation=True,
    ),
}
"""The formats by the value of `--format`; the first that can print a report is its default."""


def offered(kind: type[reports.Report]) -> Mapping[str, Format]:
    """Return the formats that can print a kind of report, by name."""
    return {name: form for name, form in FORMATS.items() if kind in form.printers}


def printer(kind: type[reports.Report], form: str) -> PrintReport:
    """Return the function that converts a kind of report to a format. Raises `KeyError`."""
    function = streamer(kind, form)
    return lambda report, look: "".join(function(report, look))


def streamer(
    kind: type[reports.Report], form: str
) -> Callable[[reports.Report, reports.Look], Iterable[str]]:
    """Return the function that converts a kind of report to pieces of text. Raises `KeyError`."""
    # Imported here, since a command needs one of these modules, and start-up counts.
    module, _, name = FORMATS[form].printers[kind].partition(":")
    function: StreamReport = getattr(importlib.import_module(f"{__package__}.{module}"), name)

    def stream(report: reports.Report, look: reports.Look) -> Iterable[str]:
        text = function(report, look)
        pieces = (text,) if isinstance(text, str) else text
        # Prose is escaped here, once, so that no printer of texts can forget it.
        if not FORMATS[form].is_prose:
            return pieces
        return (printable(piece, color=look.color) for piece in pieces)

    return stream
