"""Run a command, print its report in the chosen format, refuse errors, and show progress."""

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TextIO

import click
from msgspec.structs import replace

from spokerender.cli import EXIT_WRONG_INPUT, options
from spokerender.edge import files
from spokerender.edge.carried import carried_meanings, carried_page
from spokerender.edge.disclosure import withhold_foreign
from spokerender.findings.codes import attachment, placement
from spokerender.findings.codes.hub import MISSING_TARGET, MISSPELT_KIND
from spokerender.findings.codes.shipping import OVERRIDE_UNUSED
from spokerender.findings.errors import InputError
from spokerender.findings.occurrences import fold_infos
from spokerender.findings.phrasing import count
from spokerender.findings.results import Result, Severity
from spokerender.report.findings import findings_text
from spokerender.report.formats import FORMATS, printer, streamer
from spokerender.report.reports import FindingsReport, Look, Report
from spokerender.report.terminal import fold_lines, printable

_ANSWERABLE = frozenset(
    kind.code
    for kind in (
        MISSING_TARGET,
        MISSPELT_KIND,
        placement.NO_GATEWAY,
        placement.NO_PLACEMENT,
        placement.NO_SPOKE,
        placement.RENAMED_GATEWAY,
        placement.UNKNOWN_KIND,
        OVERRIDE_UNUSED,
        attachment.MISSING_SECTION,
        attachment.DUPLICATE_TARGET,
        attachment.NOT_ADMITTED,
        attachment.HOSTNAME_OUTSIDE,
        attachment.NO_GRANT,
        attachment.DANGLING,
        attachment.ATTACHES_LESS,
        attachment.ATTACHES_MORE,
        attachment.OTHER_BACKEND,
    )
)
"""Errors about references to absent objects, or about policies that do not attach. A controller
would still judge all other objects, so questions about these can be answered."""

_FILE_PARAMETERS = ("exports", "sources")
"""The parameters that name files outside the project; messages may quote these files."""

# Fewer folders are done before a reader has read the line.
_WORTH_SHOWING = 500
"""The least number of folders for which progress is shown."""


class VerbosityCommand(click.Command):
    """A command with the options `-v` and `-q`."""

    def __init__(self, *arguments: Any, more: str = "Print infos, too.", **settings: Any) -> None:  # noqa: ANN401  (click's)
        """Add `-v` and `-q` after the command's own options; `more` is the effect of `-v`."""
        super().__init__(*arguments, **settings)
        self.params += options.loudness(more)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  (click's signature)
        """Run the command; `-v` and `-q` together are refused."""
        if options.option_value("quiet") and options.option_value("verbose"):
            options.refuse_usage("-q and -v cannot be used together")
        return super().invoke(ctx)


class ReportCommand(VerbosityCommand):
    """A command that returns a `Report`, or None if it has printed everything itself."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  (click's signature)
        """Run the command and print its report, or the findings that refuse it."""
        return run_reporting(lambda: super(ReportCommand, self).invoke(ctx), ctx)


def run_reporting(function: Callable[[], Report | None], ctx: click.Context) -> int:
    """Call a function and print its report, or the findings that refuse it; return the status."""
    try:
        report = function()
    except InputError as error:
        results = _with_excerpts(fold_infos(error.results), ctx)
        refusal = FindingsReport(results=results, spokes=error.spokes)
        _write_reports(refusal, ctx)
        _print_refusal(refusal)
        return EXIT_WRONG_INPUT
    if report is None:
        return 0
    # Before printing in any format: the findings of an export may quote a stranger's file.
    results = withhold_foreign(fold_infos(report.results), _folder(ctx), _given(ctx))
    report = replace(report, results=results)
    _write_reports(report, ctx)
    _print_report(report)
    return report.status


def print_findings(report: Report) -> None:
    """Print a report's findings to stderr, infos only with `-v`.

    Without `-v`, warnings that `check` reports, too, are only counted, except those about requests
    that nobody serves.
    """
    verbose = options.option_value("verbose")
    results = fold_infos(report.results)
    shown = [item for item in results if verbose or item.severity is not Severity.INFO]
    # A build would repeat these warnings every time; counted, they hide no new ones.
    standing = () if verbose else tuple(filter(_is_counted, report.standing))
    shown = [item for item in shown if item not in standing]
    _print_to_stderr(_loud_enough(replace(report, results=shown)))
    if standing and not options.option_value("quiet"):
        them = "it" if len(standing) == 1 else "them"
        more = "more " if any(item.severity is Severity.WARNING for item in shown) else ""
        line = f"{count(len(standing), f'{more}warning')}; spokerender check prints {them}"
        click.echo(f"{line}, and suppressions in fleet.yaml accept {them}", err=True)


def _is_counted(result: Result) -> bool:
    if result.severity is not Severity.WARNING:
        return False
    from spokerender.findings.codes.advice import DETACHED, UNSERVED  # noqa: PLC0415  (start-up counts)

    # Builds go on printing these two: requests that nobody serves are seldom intended.
    return result.code not in (DETACHED.code, UNSERVED.code)


def has_refusal(results: Iterable[Result], *, strict: bool) -> bool:
    """Return whether the findings have an error or, with `strict`, a warning."""
    refusing = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    return any(result.severity in refusing for result in results)


def refuse_errors(results: Iterable[Result], *, strict: bool, spokes: int | None = None) -> None:
    """Raise `InputError` if the findings have an error or, with `strict`, a warning.

    The exception has all findings, and the number of spokes in the fleet.
    """
    findings = tuple(results)
    if has_refusal(findings, strict=strict):
        raise InputError(findings, spokes)


def refuse_unanswerable(results: Iterable[Result]) -> tuple[Result, ...]:
    """Raise `InputError` with all findings if an error makes the answer to a question meaningless.

    Return all other errors, about references to absent objects: they are part of the answer.
    """
    findings = tuple(results)
    errors = tuple(result for result in findings if result.severity is Severity.ERROR)
    if any(error.code not in _ANSWERABLE for error in errors):
        raise InputError(findings)
    return errors


def is_watched() -> bool:
    """Return whether stderr is a terminal."""
    return sys.stderr.isatty()


def progress(label: str) -> files.Progress | None:
    """Return a function that shows how many folders are finished; None without a terminal."""
    if not is_watched():
        return None

    def show(done: int, total: int) -> None:
        # Every fiftieth folder: writing to a terminal takes longer than comparing a folder.
        if total >= _WORTH_SHOWING and (done % 50 == 0 or done == total):
            click.echo(f"\r{label}: {done} of {total}", err=True, nl=done == total)

    return show


def _with_excerpts(results: tuple[Result, ...], ctx: click.Context) -> tuple[Result, ...]:
    """Return the findings, with excerpts at columns, and without texts of foreign files."""
    results = withhold_foreign(results, _folder(ctx), _given(ctx))
    # Excerpts read files again, and only findings with a column can point into a line.
    if not any(result.origin is not None and result.origin.column for result in results):
        return results
    from spokerender.edge.disclosure import with_excerpts  # noqa: PLC0415  (start-up counts)

    return with_excerpts(results, _folder(ctx))


def _folder(ctx: click.Context) -> Path:
    return Path(ctx.params.get("folder", "."))


def _given(ctx: click.Context) -> tuple[str, ...]:
    """Return the files and folders outside the project that the command line names."""
    named = next((ctx.params[name] for name in _FILE_PARAMETERS if ctx.params.get(name)), ())
    return (named,) if isinstance(named, str) else tuple(named)


def _loud_enough(report: Report) -> Report:
    """Return the report; with `-q`, without findings other than errors."""
    if not options.option_value("quiet"):
        return report
    errors = [result for result in report.results if result.severity is Severity.ERROR]
    return replace(report, results=errors)


def _print_report(report: Report) -> None:
    """Print the report in the form of `--format` to stdout, its notes and findings to stderr."""
    form = options.option_value("format")
    if FORMATS[form].is_conversation:
        print_findings(report)
    # Programs get their JSON or SARIF also with -q; it is what they asked for.
    is_quiet = options.option_value("quiet") and FORMATS[form].is_conversation
    # The exit status says the rest.
    if is_quiet and report.is_account:
        click.echo(printable(report.reminder), err=True, nl=False)
        return
    if report.note and not is_quiet:
        click.echo(printable(report.note), err=True)
    width, height = shutil.get_terminal_size((Look().width, 0))
    look = Look(
        color=_has_color(sys.stdout),
        verbose=options.option_value("verbose"),
        width=width,
        meanings=carried_meanings,
        documentation=_find_documentation,
        page=carried_page,
    )
    # The module of the format is imported now, after all work that may fail.
    pieces = streamer(type(report), form)(report, look)
    # COLUMNS is set in many environments without a terminal, so only a terminal folds lines.
    if report.is_folded and FORMATS[form].is_prose and sys.stdout.isatty():
        pieces = (fold_lines(piece, width) for piece in pieces)
    if report.is_paged and sys.stdout.isatty():
        text = "".join(pieces)
        if text.count("\n") >= height:
            click.echo_via_pager(text, color=look.color)  # that of PAGER, or less
            return
        pieces = (text,)
    for piece in pieces:
        click.echo(piece, nl=False, color=look.color)


def _write_reports(report: Report, ctx: click.Context) -> None:
    """Write the report to the files of `--report`, each in its format."""
    for form, name in options.option_value("report") or ():
        text = printer(type(report), form)(report, _plain_look())
        if name == "-":
            click.echo(text, nl=False)
        else:
            # The file is named by a pipeline, and a link in a pull request could lead it anywhere.
            files.refuse_outside(_folder(ctx), Path(name))
            # Paths that are not UTF-8 go out as the bytes that they came in as.
            files.keep(Path(name), text.encode(errors="surrogateescape"))


def _print_refusal(findings: FindingsReport) -> None:
    form = options.option_value("format")
    if FORMATS[form].is_conversation:
        _print_to_stderr(_loud_enough(findings))
    else:
        click.echo(printer(FindingsReport, form)(findings, _plain_look()), nl=False)


def _find_documentation() -> str:
    from spokerender.edge import installed  # noqa: PLC0415  (start-up counts)

    return installed.find_documentation(installed.read_record())


def _plain_look() -> Look:
    """Return the look for formats that programs read."""
    return Look(
        verbose=options.option_value("verbose"),
        meanings=carried_meanings,
        documentation=_find_documentation,
    )


def _print_to_stderr(report: Report) -> None:
    look = Look(color=_has_color(sys.stderr), verbose=options.option_value("verbose"))
    text = findings_text(report, look)
    if sys.stderr.isatty():
        text = fold_lines(text, shutil.get_terminal_size().columns)
    click.echo(text, err=True, nl=False, color=look.color)


def _has_color(stream: TextIO) -> bool:
    """Return whether to print in colour: on a terminal, unless the environment says otherwise.

    https://no-color.org, https://force-color.org. Colours only repeat the words.
    """
    # NO_COLOR wins: colours only repeat the words, so nothing is lost without them.
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
