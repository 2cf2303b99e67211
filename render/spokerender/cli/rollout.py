"""`spokerender rollout`: show the waves of a change, and how far it is."""

import click

from spokerender.cli import options
from spokerender.cli.loaded import Loaded
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, refuse_errors
from spokerender.model.rollout import Release, RolloutState, RolloutStatus
from spokerender.model.times import read_time
from spokerender.report.reports import RolloutReport


@click.command("rollout", cls=ReportCommand)
@options.folder
@options.output
@click.option(
    "--from",
    "exports",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Exports of live spokes, as for status: show what the strategy would release next.",
)
@click.option(
    "--now", metavar="TIME", help="The time for --from, such as 2026-11-24T10:00:00Z (RFC 3339)."
)
@options.code
@options.form(RolloutReport)
def rollout(folder: str, output: str | None, exports: str | None, now: str | None) -> RolloutReport:
    """Show the waves in which a change of the project in DIR reaches its spokes.

    A wave is done if its spokes have the tree that the sources render to, as the record in the
    output says. Nothing is changed: build --wave continues the rollout.
    """
    if (exports is None) != (now is None):
        options.refuse_usage("--from and --now go together: no clock is read")
    loaded = load(folder, output)
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=False)
    if rendered.rollout is None:
        options.refuse_usage("fleet.yaml has no spec.rollout: a build writes all spokes")
    statuses: tuple[RolloutStatus, ...] = ()
    release: Release | None = None
    if exports is not None and now is not None:
        statuses, release = _release(loaded, rendered.rollout, exports, now)
    return RolloutReport(
        results=rendered.results,
        standing=rendered.results,
        spokes=len(rendered.bundles),
        rollout=rendered.rollout,
        statuses=statuses,
        release=release,
    )


def _release(
    loaded: Loaded, state: RolloutState, exports: str, now: str
) -> tuple[tuple[RolloutStatus, ...], Release]:
    """Return the status of each spoke, and the spokes that the strategy releases next."""
    from spokerender.cli.snapshots import observe_spokes  # noqa: PLC0415  (start-up counts)
    from spokerender.explain.observed.statuses import list_statuses  # noqa: PLC0415  (as above)
    from spokerender.rendering.rollout.waves import release  # noqa: PLC0415  (as above)

    try:
        time = read_time(now)
    except ValueError as error:
        options.refuse_usage(f"--now: {error}")
    statuses = list_statuses(state, observe_spokes(loaded, exports))
    settings = loaded.fleet_file.spec.rollout
    assert settings is not None  # noqa: S101  (there is a state of it)
    return statuses, release(settings.strategy.value, state.groups, statuses, time)
