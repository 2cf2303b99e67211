"""`spokerender diff`: compare a fresh render with the committed output."""

import click

from spokerender.cli import completing, options
from spokerender.cli.loaded import CommittedTree, reading
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, refuse_errors
from spokerender.cli.trees import plan_changes, read_base
from spokerender.edge import files
from spokerender.findings.errors import NothingCommittedError
from spokerender.findings.phrasing import count
from spokerender.model.plan import Plan
from spokerender.report.plans import waiting_text
from spokerender.report.reports import DiffReport
from spokerender.review.changes.differences import group_differences
from spokerender.review.changes.values import Difference


@click.command("diff", cls=ReportCommand)
@options.folder
@options.output
@click.option(
    "--against",
    metavar="REV",
    help="The Git revision to compare with. Default: HEAD, or an empty tree if nothing is "
    "committed.",
)
@options.one_spoke(completing.complete_spokes, "Show only this spoke.", default="")
@click.option("--kind", metavar="KIND", default="", help="Show only objects of this kind.")
@click.option("--name", metavar="[NAMESPACE/]NAME", default="", help="Show only this object.")
@options.code
@options.form(DiffReport)
def diff(  # noqa: PLR0913, PLR0917  (an argument for each option)
    folder: str, output: str | None, against: str | None, spoke: str, kind: str, name: str
) -> DiffReport:
    """Show how a fresh render of the project in DIR differs from the committed output.

    Nothing is written. Equal changes on many spokes are one entry, and so are changes of a field
    that has a different value on each spoke.

    Exit status: 1 if anything differs, in what the options select.
    """
    loaded = load(folder, output)
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=False)
    files.refuse_outside(loaded.folder, loaded.output)
    try:
        base = read_base(loaded, "HEAD" if against is None else against)
    except NothingCommittedError as error:
        if against is not None:
            raise
        base = CommittedTree({}, note=f"{error}: nothing to compare with, so everything is new")
    refuse_errors(base.results, strict=False)
    plan, pairs = plan_changes(base.tree, rendered)
    folders = plan.folders
    if spoke:
        if all(item.folder != spoke for item in folders):
            from spokerender.explain.lookup import find_spoke  # noqa: PLC0415  (start-up counts)

            find_spoke(rendered, spoke)
        pairs = tuple(pair for pair in pairs if pair[0] == spoke)
        folders = tuple(item for item in folders if item.folder == spoke)
    from spokerender.explain.new_needs import find_new_needs  # noqa: PLC0415  (as above)

    differences = group_differences(pairs, folders, rendered)
    selected = [item for item in differences.items if _is_selected(item, kind, name)]
    left = len(differences.items) - len(selected)
    others = f"{count(left, 'difference')} of other objects" if left else ""
    return DiffReport(
        results=(*rendered.results, *base.results),
        standing=rendered.results,
        spokes=len(rendered.bundles),
        status=1 if selected or not (spoke or kind or name or plan.is_empty) else 0,
        note="\n".join(filter(None, (base.note, others, waiting_text(rendered.rollout).rstrip()))),
        differences=selected,
        left_out={} if kind or name else differences.left_out,
        needs=() if kind or name else find_new_needs(Plan(folders), rendered, reading(base.tree)),
        rendered=rendered,
    )


def _is_selected(difference: Difference, kind: str, name: str) -> bool:
    named = (difference.ref, difference.was, *difference.follows, *difference.alike)
    refs = [ref for ref in named if ref is not None]
    if not (kind or name):
        return True
    return any(
        kind.casefold() in ("", ref.kind.casefold()) and name in ("", ref.name, ref.full_name)
        for ref in refs
    )
