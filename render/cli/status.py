"""`spokerender status`: the status that each policy would get on each spoke."""

from __future__ import annotations

import click

from render.cli import options
from render.cli.judging import definitions
from render.cli.project import load
from render.cli.telling import Reporting, refuse_errors
from render.explain import statuses
from render.explain.lookup import find_policy_kind, find_spoke
from render.pipeline import judge
from render.report.reports import StatusReport


@click.command("status", cls=Reporting)
@options.folder
@click.option("--spoke", metavar="SPOKE", default="", help="Tell about this spoke only.")
@click.option("--kind", metavar="KIND", default="", help="Tell about policies of this kind only.")
@options.form(StatusReport)
def command(folder: str, spoke: str, kind: str) -> StatusReport:
    """Tell for every policy, spoke by spoke, whether it would attach, resolve and be in force.

    Spokes on which a policy has the same status are told once.
    """
    loaded = load(folder, None)
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=False)
    if spoke:
        find_spoke(rendered, spoke)
    if kind:
        find_policy_kind(rendered, kind)
    judged = judge(rendered, definitions(loaded))
    found = statuses(judged, spoke, kind)
    return StatusReport(statuses=found, spokes=len(rendered.bundles))
