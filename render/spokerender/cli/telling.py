"""A command gives a report; here it is printed in the format that was asked for."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TextIO

import click
from msgspec.structs import replace

from spokerender.cli import EXIT_WRONG_INPUT, options
from spokerender.edge.carried import carried_meanings
from spokerender.edge.disclosure import withhold_foreign
from spokerender.findings.codes.attachment import DANGLING, MISSING_SECTION
from spokerender.findings.codes.hub import MISSING_TARGET
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result, Severity
from spokerender.report.findings import findings_text
from spokerender.report.formats import FORMATS, printer
from spokerender.report.reports import Findings, Look, Report
from spokerender.report.terminal import printable

_ANSWERABLE = frozenset({MISSING_TARGET.code, MISSING_SECTION.code, DANGLING.code})
"""Errors about a policy or route that names what is not there: `status` says so of it."""

_NAMING = ("exports", "sources")
"""The parameters that name files: who names one hears what is in it."""


class Talking(click.Command):
    """A command that has something to tell, more or less of it: with `-v`, with `-q`."""

    def __init__(self, *arguments: Any, more: str = "Tell infos too.", **options_: Any) -> None:  # noqa: ANN401  (click's)
        """Add both options behind the command's own; `more` is what `-v` adds."""
        super().__init__(*arguments, **options_)
        self.params += options.loudness(more)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  (click's signature)
        """Run the command, unless it is asked to be quiet and loud."""
        if options.asked("quiet") and options.asked("verbose"):
            message = "-q and -v can't stand together"
            raise click.UsageError(message)
        return super().invoke(ctx)


class Reporting(Talking):
    """A command that returns a `Report`; nothing where it has printed what it has to say."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  (click's signature)
        """Run the command, print its report or what refuses it; return the exit status."""
        return told(lambda: super(Reporting, self).invoke(ctx), ctx)


def told(carry_out: Callable[[], Report | None], ctx: click.Context) -> int:
    """Do what a command does, print its report or what refuses it; return the exit status."""
    try:
        report = carry_out()
    except InputError as error:
        _refuse(Findings(results=_shown(error.results, ctx)))
        return EXIT_WRONG_INPUT
    if report is None:
        return 0
    _show(replace(report, results=withhold_foreign(report.results, _folder(ctx), _given(ctx))))
    return report.status


def _shown(results: tuple[Result, ...], ctx: click.Context) -> tuple[Result, ...]:
    """The findings that refuse a command, with the lines of the project that they are about."""
    results = withhold_foreign(results, _folder(ctx), _given(ctx))
    if not any(result.origin is not None and result.origin.column for result in results):
        return results
    from spokerender.edge.disclosure import with_excerpts  # noqa: PLC0415  (start-up counts)

    return with_excerpts(results, _folder(ctx))


def _folder(ctx: click.Context) -> Path:
    return Path(ctx.params.get("folder", "."))


def _given(ctx: click.Context) -> tuple[str, ...]:
    """The files and folders outside of the project that the command was told to read."""
    named = next((ctx.params[name] for name in _NAMING if ctx.params.get(name)), ())
    return (named,) if isinstance(named, str) else tuple(named)


def tell(report: Report) -> None:
    """Print a report's findings to stderr; infos only on request, not even that there are some."""
    wanted = options.asked("verbose")
    shown = [each for each in report.results if wanted or each.severity is not Severity.INFO]
    _converse(_loud_enough(replace(report, results=shown)))


def _loud_enough(report: Report) -> Report:
    """The report with what is to be told: errors alone where `-q` asks for quiet."""
    if not options.asked("quiet"):
        return report
    errors = [each for each in report.results if each.severity is Severity.ERROR]
    return replace(report, results=errors)


def refused(results: Iterable[Result], *, strict: bool) -> bool:
    """Whether there is an error among the findings or, with `strict`, a warning."""
    refusing = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    return any(result.severity in refusing for result in results)


def refuse_errors(results: Iterable[Result], *, strict: bool) -> None:
    """End the command where findings refuse it.

    Raises:
        InputError: with all findings.

    """
    findings = tuple(results)
    if refused(findings, strict=strict):
        raise InputError(findings)


def refuse_questions(results: Iterable[Result]) -> tuple[Result, ...]:
    """End a command that answers a question where errors leave nothing to answer about.

    What a policy or a route names and is not there is an answer: these errors are given back, to
    be told beside it.

    Raises:
        InputError: with all findings.

    """
    findings = tuple(results)
    errors = tuple(each for each in findings if each.severity is Severity.ERROR)
    if any(each.code not in _ANSWERABLE for each in errors):
        raise InputError(findings)
    return errors


def _show(report: Report) -> None:
    """Print the product to stdout, the conversation to stderr."""
    form = options.asked("format")
    if FORMATS[form].is_conversation:
        tell(report)
    is_quiet = options.asked("quiet") and FORMATS[form].is_conversation
    if is_quiet and report.is_account:
        click.echo(printable(report.reminder), err=True, nl=False)
        return
    if report.note and not is_quiet:
        click.echo(printable(report.note), err=True)
    width, _ = shutil.get_terminal_size((Look().width, 0))
    look = Look(
        color=_has_color(sys.stdout),
        verbose=options.asked("verbose"),
        width=width,
        meanings=carried_meanings,
    )
    click.echo(printer(type(report), form)(report, look), nl=False, color=look.color)


def _refuse(findings: Findings) -> None:
    """Say what refuses the command, and that there are infos besides."""
    form = options.asked("format")
    if FORMATS[form].is_conversation:
        _converse(_loud_enough(findings))
    else:
        look = Look(verbose=options.asked("verbose"), meanings=carried_meanings)
        click.echo(printer(Findings, form)(findings, look), nl=False)


def _converse(report: Report) -> None:
    look = Look(color=_has_color(sys.stderr), verbose=options.asked("verbose"))
    click.echo(findings_text(report, look), err=True, nl=False, color=look.color)


def _has_color(stream: TextIO) -> bool:
    """Whether to print in colour: where it is a terminal, unless the environment says otherwise.

    https://no-color.org, https://force-color.org; colours only repeat what words say.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
