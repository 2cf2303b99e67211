"""Progress on stderr, when work is long and a terminal is there to show it."""

from __future__ import annotations

import sys

import click

from spokerender.edge.files import Progress

_WORTH_SHOWING = 500


def is_shown() -> bool:
    """Whether somebody looks."""
    return sys.stderr.isatty()


def progress(label: str) -> Progress | None:
    """A function to tell how many folders of how many are done; None where nobody would see it."""
    if not is_shown():
        return None

    def show(done: int, total: int) -> None:
        if total >= _WORTH_SHOWING and (done % 50 == 0 or done == total):
            click.echo(f"\r{label}: {done} of {total}", err=True, nl=done == total)

    return show
