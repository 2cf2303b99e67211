"""`spokerender rules`: every kind of finding, what it means and how to mend it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from spokerender.cli import completing, options
from spokerender.cli.telling import Reporting
from spokerender.edge.carried import carried_meanings
from spokerender.edge.templates import carried_examples
from spokerender.findings.codes.project import UNKNOWN_CODE
from spokerender.findings.codes.table import FINDING_KINDS
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Result
from spokerender.report.reports import RulesReport


@click.command("rules", cls=Reporting)
@click.argument("codes", metavar="[CODE]...", nargs=-1, shell_complete=completing.codes)
@options.form(RulesReport)
def command(codes: tuple[str, ...]) -> RulesReport:
    """Tell what the findings with these codes mean and how to mend them; without one, of all.

    Of a code that is named, a wrong and a right YAML are shown.
    """
    wanted = tuple(code.upper() for code in codes)
    unknown = tuple(_unknown(wanted))
    if unknown:
        raise InputError(unknown)
    return RulesReport(codes=wanted, examples=carried_examples(), meanings=carried_meanings())


def _unknown(codes: Iterable[str]) -> Iterator[Result]:
    every_code = {kind.code for kind in FINDING_KINDS}
    for code in codes:
        if code not in every_code:
            cure = did_you_mean(code, every_code) or "spokerender rules lists every code"
            yield UNKNOWN_CODE.result(f'no finding has the code "{code}"', cure=cure)
