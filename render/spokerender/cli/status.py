"""`spokerender status`: show the status that policies, routes and listeners would get."""

from pathlib import Path

import click

from spokerender.cli import EXIT_WRONG_INPUT, completing, options
from spokerender.cli.loaded import Loaded, read_crd_files
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, has_refusal, refuse_unanswerable
from spokerender.edge.files import OnDisk
from spokerender.edge.reading import require_files, source_has
from spokerender.explain import statuses
from spokerender.explain.lookup import find_kind, find_spoke
from spokerender.explain.routing import routing_statuses
from spokerender.pipeline import judge
from spokerender.report.reports import StatusReport


@click.command("status", cls=ReportCommand, more="Also print what clusters must provide.")
@options.folder
@options.one_spoke(completing.complete_spokes, "Show only this spoke.", default="")
@completing.one_kind("Show only this kind: of a policy or a route, Gateway, ListenerSet.")
@click.option(
    "--from",
    "exports",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Compare exports of live spokes with the expected status: DIR/SPOKE.yaml or DIR/SPOKE/, "
    "as kubectl get -o yaml prints objects, or ManifestWorks. For a project that publishes, show "
    "what consumers see.",
)
@click.option(
    "--full", is_flag=True, help="With --from, also report fields that only a cluster has."
)
@options.code
@options.form(StatusReport)
def status(folder: str, spoke: str, kind: str, exports: str | None, *, full: bool) -> StatusReport:
    """Show whether policies and routes of the project in DIR attach, resolve and take effect.

    Listeners are shown with the number of routes on them. Spokes where an object has the same
    status are one row.

    Exit status with --from: 1 if a spoke is not as expected.
    """
    if full and exports is None:
        options.refuse_usage("--full needs --from")
    loaded = load(folder, None)
    rendered = loaded.rendered
    errors = refuse_unanswerable(rendered.results)
    if spoke:
        find_spoke(rendered, spoke)
    kind = find_kind(rendered, kind) if kind else ""
    if exports is not None and rendered.contribution.copies:
        return _of_consumers(loaded, exports, spoke)
    if exports is not None:
        return _of_exports(loaded, exports, spoke, kind, full=full)
    judged = judge(rendered, read_crd_files(loaded), with_routing=True)
    return StatusReport(
        results=errors,
        statuses=statuses(judged, spoke, kind, rendered.results),
        routing=routing_statuses(judged, spoke, kind, rendered.results),
        spokes=len(rendered.bundles),
        status=EXIT_WRONG_INPUT if errors else 0,
    )


def _of_exports(loaded: Loaded, folder: str, spoke: str, kind: str, *, full: bool) -> StatusReport:
    """Return what spokes report of policies, and in what they are not as foretold."""
    from spokerender.cli.snapshots import observe_spokes  # noqa: PLC0415  (start-up counts)
    from spokerender.explain.observed.compare import join_spokes  # noqa: PLC0415  (as above)

    compared = join_spokes(observe_spokes(loaded, folder, spoke, kind, full=full))
    return StatusReport(
        results=compared.results,
        statuses=(),
        observed=compared.statuses,
        spokes=len(loaded.rendered.bundles),
        status=int(has_refusal(compared.results, strict=False)),
    )


def _of_consumers(loaded: Loaded, folder: str, spoke: str) -> StatusReport:
    """Return the statuses that consumers get from the spokes that have an export."""
    from spokerender.wings.publishing.copies.status import read_consumer_statuses  # noqa: PLC0415  (few projects publish)

    source = OnDisk(Path(folder))
    rendered, limit = loaded.rendered, loaded.fleet_file.spec.max_hub_bytes
    exports = {
        name: require_files(source, [name], limit_bytes=limit)
        for name in rendered.bundles
        if spoke in ("", name) and source_has(source, name)
    }
    consumers, results = read_consumer_statuses(rendered, exports)
    return StatusReport(
        results=results, statuses=(), consumers=consumers, spokes=len(rendered.bundles)
    )
