"""Findings go to stderr; errors among them end the command."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import click

from render.cli import EXIT_WRONG_INPUT
from render.findings.errors import InputError
from render.findings.results import Result, Severity
from render.report.findings import results_json, results_text


class Reporting(click.Command):
    """A command that also tells on stdout, in the form that it was asked for, what refuses it."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  (click's signature)
        """Run the command."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            match ctx.params.get("form"):
                case "json":
                    text = results_json(error.results)
                case "github":
                    from render.report.github import results_github  # noqa: PLC0415  (start-up)

                    text = results_github(error.results)
                case _:
                    raise
            click.echo(text, nl=False)
            return EXIT_WRONG_INPUT


def refused(results: Iterable[Result], *, strict: bool) -> bool:
    """Whether there is an error among the findings or, with `strict`, a warning."""
    refusing = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    return any(result.severity in refusing for result in results)


def refuse_errors(results: Iterable[Result], *, strict: bool) -> None:
    """End the command where findings refuse it.

    Raises:
        InputError: with all findings.

    """
    found = tuple(results)
    if refused(found, strict=strict):
        raise InputError(found)


def tell(results: Iterable[Result], *, verbose: bool, spokes: int) -> None:
    """Print findings to stderr; infos only on request, and not even that there are some."""
    told = [result for result in results if verbose or result.severity is not Severity.INFO]
    text = results_text(told, color=sys.stderr.isatty(), verbose=verbose, spokes=spokes)
    click.echo(text, err=True, nl=False)
