"""`spokerender rules`: explain the kinds of findings, and how to fix them."""

from collections.abc import Iterable, Iterator

import click

from spokerender.cli import completing, options
from spokerender.cli.reporting import ReportCommand
from spokerender.edge.carried import carried_meanings
from spokerender.edge.templates import carried_examples
from spokerender.findings.codes.project import UNKNOWN_CODE
from spokerender.findings.codes.table import FINDING_KINDS
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Result
from spokerender.report.reports import RulesReport


@click.command("rules", cls=ReportCommand)
@click.argument("codes", metavar="[CODE]...", nargs=-1, shell_complete=completing.complete_codes)
@options.form(RulesReport)
def rules(codes: tuple[str, ...]) -> RulesReport:
    """Explain what findings mean and how to fix them.

    CODE is a finding's code, such as SR1010: for each, a wrong and a right YAML are shown. Without
    a code, list all findings.
    """
    names = tuple(code.upper() for code in codes)
    unknown = tuple(_unknown(names))
    if unknown:
        raise InputError(unknown)
    return RulesReport(codes=names, examples=carried_examples(), meanings=carried_meanings())


def _unknown(codes: Iterable[str]) -> Iterator[Result]:
    every_code = {kind.code for kind in FINDING_KINDS}
    for code in codes:
        if code not in every_code:
            cure = did_you_mean(code, every_code) or "spokerender rules lists every code"
            yield UNKNOWN_CODE.result(f'no finding has the code "{code}"', cure=cure)
