"""`spokerender effective`: the policy in force on every path, and where each rule came from."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from render.cli import options
from render.cli.judging import definitions
from render.cli.project import load
from render.cli.telling import Reporting, refuse_errors
from render.explain import Question, in_force, left_out
from render.explain.lookup import find_policy_kind, find_routes, find_spoke
from render.judging.audit import audit
from render.model import Ref
from render.report.effective import effective_json, effective_text


@click.command("effective", cls=Reporting)
@options.folder
@click.option("--spoke", metavar="SPOKE", default="", help="Tell about this spoke only.")
@click.option(
    "--route", metavar="[KIND/][NAMESPACE/]NAME", default="", help="Tell about this route only."
)
@click.option("--kind", metavar="KIND", default="", help="Tell about policies of this kind only.")
@click.option(
    "--hostname", metavar="NAME", default="", help="Tell what a request to this host meets."
)
@options.text_or_json
@click.option("-v", "--verbose", is_flag=True, help="Tell the rules' values too.")
def command(  # noqa: PLR0913, PLR0917  (one parameter an option)
    folder: str, spoke: str, route: str, kind: str, hostname: str, form: str, *, verbose: bool
) -> None:
    """Tell which policy is in force from each Gateway down to each rule, and why.

    Every rule is told with the policy, the file and the line that it came from, and with what it
    overruled. Spokes on which the same is in force are told once. Policies that their controller or
    an API server would refuse are left out, and named.
    """
    loaded = load(folder, None)
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=False)
    if spoke:
        find_spoke(rendered, spoke)
    if route:
        find_routes(rendered, route)
    if kind:
        kind = find_policy_kind(rendered, kind)
    judged = audit(rendered, definitions(loaded))
    question = Question(spoke, route, kind, hostname)
    answers = in_force(rendered, judged, question)
    _tell_left_out(left_out(judged, question))
    if form == "json":
        click.echo(effective_json(answers), nl=False)
        return
    text = effective_text(
        answers, color=sys.stdout.isatty(), verbose=verbose, spokes=len(rendered.bundles)
    )
    click.echo(text or _nothing(spoke, route, kind, hostname), nl=False)


def _nothing(spoke: str, route: str, kind: str, hostname: str) -> str:
    """Say that nothing is in force, and what was asked for: a wrong host name is an answer too."""
    asked = (
        f" to route {route}" if route else "",
        f" for host {hostname}" if hostname else "",
        f" on {spoke}" if spoke else "",
    )
    return f"no {kind or 'policy'} is on any path{''.join(asked)}\n"


def _tell_left_out(policies: Sequence[Ref]) -> None:
    """Say which policies count for nothing; why is a matter of `status`."""
    if policies:
        names = ", ".join(map(str, policies))
        click.echo(f"not accepted, so not in force: {names}; spokerender status says why", err=True)
