"""`spokerender graph`: draw the topology of the hub or of a spoke, with its policies."""

import click

from spokerender.cli import EXIT_WRONG_INPUT, completing, options
from spokerender.cli.loaded import read_crd_files
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, refuse_unanswerable
from spokerender.explain.diagram import draw_topology
from spokerender.explain.lookup import find_spoke
from spokerender.pipeline import judge, judge_hub
from spokerender.report.reports import GraphReport


@click.command("graph", cls=ReportCommand)
@options.folder
@options.one_spoke(completing.complete_spokes, "Draw this spoke instead of the hub.", default="")
@options.code
@options.form(GraphReport)
def graph(folder: str, spoke: str) -> GraphReport:
    """Draw the topology of the project in DIR: classes, Gateways, listeners, routes and rules.

    Policies stand at their targets, with a mark where they conflict or another one overrides them.
    Without --spoke, it is the hub's topology, as if the hub were a cluster.
    """
    loaded = load(folder, None)
    rendered = loaded.rendered
    errors = refuse_unanswerable(rendered.results)
    if spoke:
        find_spoke(rendered, spoke)
        judged = judge(rendered, read_crd_files(loaded))
        diagram = judged.bundles[spoke].filled(draw_topology(judged.judged[spoke].judgement))
    else:
        diagram = draw_topology(judge_hub(rendered))
    return GraphReport(
        results=errors,
        diagram=diagram,
        subject=f"spoke {spoke}" if spoke else "hub",
        status=EXIT_WRONG_INPUT if errors else 0,
    )
