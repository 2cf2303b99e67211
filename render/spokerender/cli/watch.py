"""`build --watch`: build again whenever a file of the project changes."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from spokerender.cli.loaded import FLEET_FILE, read_fleet_file
from spokerender.cli.reporting import run_reporting
from spokerender.config.fleet import FleetFile
from spokerender.edge.files import OnDisk
from spokerender.edge.signals import ending_in_order
from spokerender.findings.errors import InputError, RenderError
from spokerender.findings.results import Severity
from spokerender.report.reports import Report
from spokerender.report.terminal import printable
from spokerender.wings.combined import settings_paths
from spokerender.wings.part import Session

if TYPE_CHECKING:
    from spokerender.edge.watching import Watched

_NAMED = 3


class WatchMissingError(RenderError):
    """The library that watches files is not installed."""


def watch(folder: str, output: str | None, session: Session, build: Callable[[], Report]) -> None:
    """Build, and build again whenever a file changes, until a signal ends it.

    Raises `WatchMissingError` if watchfiles is not installed, `KeyboardInterrupt` if a signal
    arrived.
    """
    context, project = click.get_current_context(), Path(folder)
    context.with_resource(ending_in_order())
    builder, watched = _RepeatedBuild(build), None
    while True:
        watched = _watched(watched, project, output, session)  # before the build reads anything
        builder.run(context)
        watched = _watched(watched, project, output, session)  # by now the extensions have started
        gc.collect()  # a run that ends does without: see `spokerender.cli.main`
        changed = watched.wait()
        click.echo(printable(_changed_line(changed, project)), err=True)
        for begin in session.on_change:
            begin(changed)


def _watched(
    before: Watched | None, project: Path, output: str | None, session: Session
) -> Watched:
    """Watch all inputs of the project; keep the watcher if they are the same as before."""
    try:
        from spokerender.edge.watching import Watched  # noqa: PLC0415  (an extra)
    except ModuleNotFoundError as error:
        raise WatchMissingError("--watch needs watchfiles: pip install watchfiles") from error
    paths, outputs = _inputs(project, output)
    inputs = (*paths, *(path for find in session.watched for path in find())), outputs
    if before is not None and before.asked == inputs:
        return before
    fresh = Watched(*inputs)
    if before is not None:
        fresh.follow(before)
    return fresh


class _RepeatedBuild:
    """A build that runs again and again, and reports only what is new since the last time."""

    def __init__(self, build: Callable[[], Report]) -> None:
        self._build = build
        self._reported: frozenset[str] = frozenset()

    def run(self, context: click.Context) -> None:
        """Build once; an error is shown, and the next change may fix it."""
        try:
            run_reporting(self._report_news, context)
        except RenderError as error:
            click.echo(printable(f"spokerender: {error}"), err=True)

    def _report_news(self) -> Report:
        report = self._build()
        reported, self._reported = self._reported, frozenset(map(repr, report.results))
        news = [
            result
            for result in report.results
            if result.severity is Severity.ERROR or repr(result) not in reported
        ]
        return replace(report, results=news)


def _inputs(project: Path, output: str | None) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Return inputs and outputs of the project; the whole folder if fleet.yaml is invalid."""
    try:
        document = read_fleet_file(OnDisk(project))
    except (InputError, OSError):
        return (project,), (project / (output or FleetFile().spec.output),)
    spec = document.model.spec
    entries = (spec.hub, spec.crd_paths, spec.placement, *settings_paths(document).values())
    paths = [FLEET_FILE, *(path for paths in entries for path in paths)]
    paths += [spec.templates] if spec.templates else []
    target = Path(output) if output is not None else project / spec.output
    return tuple(map(project.joinpath, paths)), (target,)


def _changed_line(changed: frozenset[Path], project: Path) -> str:
    """Name the changed files in one line."""
    real = project.resolve()
    names = sorted(
        str(project / path.relative_to(real)) if path.is_relative_to(real) else str(path)
        for path in changed
    )
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"changed: {', '.join(names[:_NAMED])}{more}"
