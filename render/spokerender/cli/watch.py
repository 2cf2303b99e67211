"""`build --watch`: built again whenever a file changes that the project is made of."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from spokerender.cli.loaded import FLEET_FILE, fleet_of
from spokerender.cli.session import session
from spokerender.cli.telling import told
from spokerender.config.fleet import FleetFile
from spokerender.edge.files import OnDisk
from spokerender.edge.signals import ending_in_order
from spokerender.findings.errors import InputError, RenderError
from spokerender.findings.results import Result, Severity
from spokerender.report.reports import Report
from spokerender.report.terminal import printable
from spokerender.wings.combined import settings_paths

if TYPE_CHECKING:
    from spokerender.edge.watching import Watched

_NAMED = 3


class WatchMissingError(RenderError):
    """There is nothing to watch files with."""


def watch(folder: str, output: str | None, build: Callable[[], Report]) -> None:
    """Build, and again whenever something changes, until a signal ends it.

    Raises:
        WatchMissingError: what watches files is not installed.
        KeyboardInterrupt: that is how it ends.

    """
    context, project = click.get_current_context(), Path(folder)
    context.with_resource(ending_in_order())
    teller, watched = _Teller(build), None
    while True:
        watched = _watched(watched, project, output)  # before anything is read
        teller.carry_out(context)
        watched = _watched(watched, project, output)  # the extensions are known by now
        gc.collect()  # a run that ends does without: see `spokerender.cli.main`
        changed = watched.wait()
        click.echo(printable(_named(changed, project)), err=True)
        for begin in session().on_change:
            begin(changed)


def _watched(before: Watched | None, project: Path, output: str | None) -> Watched:
    """What watches all that the project is made of; the one there is, if that does."""
    try:
        from spokerender.edge.watching import Watched  # noqa: PLC0415  (an extra)
    except ModuleNotFoundError as error:
        message = 'to watch files needs watchfiles: pip install "spokerender[watch]"'
        raise WatchMissingError(message) from error
    paths, made = _inputs(project, output)
    inputs = (*paths, *(path for find in session().watched for path in find())), made
    if before is not None and before.asked == inputs:
        return before
    fresh = Watched(*inputs)
    if before is not None:
        fresh.follow(before)
    return fresh


class _Teller:
    """Builds, and tells what is new: what was told of the build before is not told again."""

    def __init__(self, build: Callable[[], Report]) -> None:
        self._build = build
        self._told: frozenset[str] = frozenset()

    def carry_out(self, context: click.Context) -> None:
        """Build once. Whatever is wrong is for the user to mend, while we wait."""
        try:
            told(self._news, context)
        except RenderError as error:
            click.echo(printable(f"spokerender: {error}"), err=True)

    def _news(self) -> Report:
        report = self._build()
        known, self._told = self._told, frozenset(map(repr, report.results))
        return replace(report, results=tuple(_new(report.results, known)))


def _new(results: Iterable[Result], known: frozenset[str]) -> Iterable[Result]:
    return (each for each in results if each.severity is Severity.ERROR or repr(each) not in known)


def _inputs(project: Path, output: str | None) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """What the project is made of, and what is made of it; all of it where nobody can tell."""
    try:
        document = fleet_of(OnDisk(project))
    except (InputError, OSError):
        return (project,), (project / (output or FleetFile().spec.output),)
    spec = document.model.spec
    named = (spec.hub, spec.crds, spec.placement, *settings_paths(document).values())
    paths = [FLEET_FILE, *(path for paths in named for path in paths)]
    paths += [spec.templates] if spec.templates else []
    made = Path(output) if output is not None else project / spec.output
    return tuple(map(project.joinpath, paths)), (made,)


def _named(changed: frozenset[Path], project: Path) -> str:
    """What has changed, in a line."""
    real = project.resolve()
    names = sorted(
        str(project / path.relative_to(real)) if path.is_relative_to(real) else str(path)
        for path in changed
    )
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"changed: {', '.join(names[:_NAMED])}{more}"
