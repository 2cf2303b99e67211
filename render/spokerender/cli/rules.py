"""`spokerender rules`: explain the kinds of findings, and how to fix them."""

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
    valid, unknown = {kind.code for kind in FINDING_KINDS}, list[Result]()
    for code in names:
        if code not in valid:
            cure = did_you_mean(code, valid) or "spokerender rules lists every code"
            unknown.append(UNKNOWN_CODE.result(f'no finding has the code "{code}"', cure=cure))
    if unknown:
        raise InputError(tuple(unknown))
    return RulesReport(codes=names, examples=carried_examples(), meanings=carried_meanings())
