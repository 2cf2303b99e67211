"""`spokerender status`: the status that each policy would get on each spoke."""

from __future__ import annotations

import sys

import click

from render.cli import options
from render.cli.judging import definitions
from render.cli.project import load
from render.cli.telling import Reporting, refuse_errors
from render.explain import statuses
from render.explain.lookup import find_policy_kind, find_spoke
from render.judging.audit import audit
from render.report.statuses import statuses_json, statuses_text, statuses_yaml


@click.command("status", cls=Reporting)
@options.folder
@click.option("--spoke", metavar="SPOKE", default="", help="Tell about this spoke only.")
@click.option("--kind", metavar="KIND", default="", help="Tell about policies of this kind only.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "yaml"]),
    default="table",
    show_default=True,
    help="How to print; yaml is each policy's status as GEP-713 has it.",
)
def command(folder: str, spoke: str, kind: str, form: str) -> None:
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
    judged = audit(rendered, definitions(loaded))
    found = statuses(judged, spoke, kind)
    match form:
        case "json":
            text = statuses_json(found)
        case "yaml":
            text = statuses_yaml(found)
        case _:
            text = statuses_text(found, color=sys.stdout.isatty(), spokes=len(rendered.bundles))
    click.echo(text, nl=False)
