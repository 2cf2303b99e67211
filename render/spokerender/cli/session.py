"""The run of a command, as wings see it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import click

from spokerender.cli import options
from spokerender.report.terminal import printable
from spokerender.wings.part import Session


class CommandSession(Session):
    """A session that has the options of a command, and ends with it."""

    def __init__(self, context: click.Context) -> None:
        """Read the options of the command."""
        super().__init__()
        self._context = context
        self.allows_code = bool(options.asked("allow_project_code"))
        self.checks_purity = bool(options.asked("check_pure"))
        self.follows = bool(options.asked("watch"))
        self.is_quiet = bool(options.asked("quiet"))
        self.is_verbose = bool(options.asked("verbose"))

    def tell(self, line: str) -> None:
        """Print a line on standard error."""
        click.echo(printable(line), err=True)

    def on_close(self, callback: Callable[[], object]) -> None:
        """Call a function when the command ends."""
        self._context.call_on_close(callback)

    def enter(self, manager: AbstractContextManager[None]) -> None:
        """Enter a context manager, and leave it when the command ends."""
        self._context.with_resource(manager)


def session() -> Session:
    """Return the session of the command that runs; an empty one where none does."""
    context = click.get_current_context(silent=True)
    if context is None:
        return Session()
    existing: Session = context.meta.setdefault(__name__, CommandSession(context))
    return existing
