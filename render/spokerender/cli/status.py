"""`spokerender status`: show the status that policies, routes and listeners would get."""

from __future__ import annotations

from operator import attrgetter

import click

from spokerender.cli import EXIT_WRONG_INPUT, completing, options
from spokerender.cli.loaded import Loaded, read_crd_files
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, has_refusal, refuse_unanswerable
from spokerender.explain.lookup import find_kind, find_spoke
from spokerender.explain.routing import share_routing
from spokerender.explain.statuses import share_statuses
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
    "as kubectl get -o yaml prints objects, or ManifestWorks. For a project that publishes, also "
    "show what consumers see.",
)
@click.option(
    "--full", is_flag=True, help="With --from, also report fields that only a cluster has."
)
@options.code
@options.form(StatusReport)
def status(folder: str, spoke: str, kind: str, exports: str | None, *, full: bool) -> StatusReport:
    """Show whether policies and routes of the project in DIR attach, resolve and take effect.

    Listeners are shown with the number of routes on them. Spokes where an object has the same
    status are one row, with {{ spoke.name }} in the place of a value of each spoke's own.

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
    if exports is not None:
        return _of_exports(loaded, exports, spoke, kind, full=full)
    judged = judge(rendered, read_crd_files(loaded), with_routing=True)
    return StatusReport(
        results=errors,
        statuses=share_statuses(judged, spoke, kind, rendered.results),
        routing=share_routing(judged, spoke, kind, rendered.results),
        spokes=len(rendered.bundles),
        status=EXIT_WRONG_INPUT if errors else 0,
    )


def _of_exports(loaded: Loaded, folder: str, spoke: str, kind: str, *, full: bool) -> StatusReport:
    """Return a report of statuses in exports, differences from them, and consumers' statuses."""
    from spokerender.cli.snapshots import observe_spokes  # noqa: PLC0415  (start-up counts)
    from spokerender.explain.observed.statuses import join_spokes  # noqa: PLC0415  (as above)

    consumers = None
    if loaded.rendered.contribution.copies:
        from spokerender.wings.publishing.copies.status import ConsumerStatuses  # noqa: PLC0415  (few projects publish)

        consumers = ConsumerStatuses(loaded.rendered)
    look = consumers.read if consumers is not None else None
    compared = join_spokes(observe_spokes(loaded, folder, spoke, kind, full=full, look=look))
    by_object = attrgetter("workspace", "object", "spoke")
    return StatusReport(
        results=(*compared.results, *(consumers.results if consumers is not None else ())),
        statuses=(),
        observed=compared.statuses,
        consumers=sorted(consumers.statuses, key=by_object) if consumers is not None else (),
        spokes=len(loaded.rendered.bundles),
        status=int(has_refusal(compared.results, strict=False)),
    )
