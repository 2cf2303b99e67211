"""`spokerender build`: render every spoke's tree and write it, all or nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from spokerender.cli import completing, options
from spokerender.cli.loaded import FLEET_FILE, Loaded
from spokerender.cli.losses import PlanLosses, lost_on_disk, steered_above
from spokerender.cli.project import load, printed_files
from spokerender.cli.reporting import ReportCommand, print_findings, progress, refuse_errors
from spokerender.edge import files
from spokerender.edge.reading import read_optional
from spokerender.findings.codes.shipping import DELETION
from spokerender.findings.errors import GitError, InputError
from spokerender.findings.results import Result
from spokerender.model.plan import KUSTOMIZATION, Plan, split_plan
from spokerender.rendering.placement.source import LOCK_FILE
from spokerender.rendering.values.layout import FLEET_FOLDER
from spokerender.report.reports import BuildReport, FindingsReport
from spokerender.wings.combined import all_engines

if TYPE_CHECKING:  # start-up counts
    from spokerender.explain.values import NewNeed
    from spokerender.review.guard.acknowledging import Flag
    from spokerender.review.guard.claims import Losses


@click.command("build", cls=ReportCommand)
@options.folder
@options.output_to(
    "The output folder, or - to print all objects as one stream. Default: spec.output in "
    "fleet.yaml, or clusters/."
)
@options.one_spoke(completing.complete_spokes, "With -o -, print only the objects of this spoke.")
@click.option(
    "--allow-delete",
    "allowed",
    shell_complete=completing.complete_deletions,
    metavar="NAME",
    multiple=True,
    callback=options.remember,
    help="Allow the deletion of a spoke (SPOKE) or an object (KIND/NAMESPACE/NAME[@SPOKE,...]). "
    "Repeatable.",
)
@click.option(
    "--allow-open",
    "opened",
    shell_complete=completing.complete_deletions,
    metavar="NAME",
    multiple=True,
    help="Allow a policy to stay and protect less (KIND/NAMESPACE/NAME[@SPOKE,...]). Repeatable.",
)
@click.option(
    "--allow-unserved",
    "unserved",
    shell_complete=completing.complete_deletions,
    metavar="NAME",
    multiple=True,
    help="Allow that hostnames are served no more (KIND/NAMESPACE/NAME[@SPOKE,...]). A build only "
    "warns of them, and check --against refuses them. Repeatable.",
)
@click.option(
    "--reason",
    metavar="TEXT",
    help="Also write what is allowed to fleet.yaml with this reason, so that check --against "
    "allows it, too.",
)
@click.option(
    "--wave",
    metavar="NAME|next|all",
    help="Continue the rollout: up to the wave NAME, with the next wave, or with all waves.",
)
@options.decisions
@options.code
@options.form(BuildReport)
@options.strict
def build(  # noqa: PLR0913  (an argument for each option)
    folder: str,
    output: str | None,
    spoke: str | None,
    allowed: tuple[str, ...],
    opened: tuple[str, ...],
    *,
    unserved: tuple[str, ...],
    reason: str | None,
    wave: str | None,
    strict: bool,
) -> BuildReport | None:
    """Render the project in DIR and write a folder for each spoke.

    Nothing is written if there is an error. Only files that differ are written, and a file is only
    replaced or deleted if its first line says that spokerender rendered it. With spec.rollout in
    fleet.yaml, only the spokes of waves that are done are written, at least those of the first.
    """
    by_loss = {"goes": allowed, "opens": opened, "unserved": unserved}
    flags = [(lost, name) for lost, names in by_loss.items() for name in names]
    if reason is not None and not flags:
        options.refuse_usage("--reason needs --allow-delete, --allow-open or --allow-unserved")
    if spoke is not None and output != "-":
        options.refuse_usage("--spoke needs -o -: a build writes every spoke")
    if output == "-" and wave is not None:
        options.refuse_usage("--wave and -o - cannot be used together: all spokes are printed")
    # A stream always has the whole fleet: waves are about what is on disk.
    if output == "-":
        _print_stream(load(folder, None, wave=None), spoke, strict=strict)
        return None
    loaded = load(folder, output, wave=wave or "")
    if wave is not None and loaded.fleet_file.spec.rollout is None:
        options.refuse_usage("--wave needs spec.rollout in fleet.yaml")
    results, spokes = loaded.rendered.results, len(loaded.rendered.bundles)
    # Refused before the lock: a build with errors neither waits nor blocks others.
    refuse_errors(results, strict=strict, spokes=spokes)
    if reason is not None:
        # Replacing a link by rename would leave its target as it was.
        files.refuse_link(loaded.folder / FLEET_FILE)
    plan, problems, needs = _write(loaded, flags, reason, strict=strict)
    return BuildReport(
        results=(*results, *problems),
        standing=results,
        spokes=spokes,
        plan=plan,
        output=loaded.output,
        needs=needs,
        moves=loaded.rendered.decision.hub.changes if loaded.rendered.decision.hub else (),
        rollout=loaded.rendered.rollout,
    )


def _print_stream(loaded: Loaded, spoke: str | None, *, strict: bool) -> None:
    """Print all documents in one stream, each with its path as a comment.

    For one spoke, only its objects are printed, without the kustomization.yaml that lists them.
    """
    rendered = loaded.rendered
    refuse_errors(rendered.results, strict=strict)
    results, spokes = rendered.results, len(rendered.bundles)
    print_findings(FindingsReport(results=results, standing=results, spokes=spokes))
    if spoke is not None:
        from spokerender.explain.lookup import find_spoke  # noqa: PLC0415  (start-up counts)

        find_spoke(rendered, spoke)
    for path, text in printed_files(rendered.tree, spoke):
        if spoke is None or path != f"{spoke}/{KUSTOMIZATION}":
            # Bytes, since rendered files are bytes and must not be encoded anew.
            sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()


def _write(
    loaded: Loaded, flags: Sequence[Flag], reason: str | None, *, strict: bool
) -> tuple[Plan, tuple[Result, ...], tuple[NewNeed, ...]]:
    """Write differing files; return plan, findings, newly needed objects. Raises `InputError`."""
    tree = loaded.rendered.tree
    for place in (loaded.output, *map(loaded.folder.joinpath, loaded.rendered.contribution.files)):
        files.refuse_outside(loaded.folder, place)
    # The comparison is under the lock, too: otherwise two builds could plan from one state.
    with files.locked(loaded.output):
        plan = files.compare(
            loaded.output, tree, holds=loaded.rendered.holds, progress=progress("compared")
        )
        on_disk = files.findings(plan, loaded.output, all_engines().rules, loaded.claims)
        losses = lost_on_disk(loaded, plan, flags)
        problems = (*on_disk, *steered_above(loaded), *_place(loaded, losses))
        rendered = loaded.rendered
        refusing = (*rendered.results, *problems)
        refuse_errors(refusing, strict=strict, spokes=len(rendered.bundles))
        # Read before writing, since the earlier files are gone afterwards.
        needs = _find_needs(loaded, plan)
        fleet = None
        if reason is not None:
            fleet = _acknowledge(loaded, flags, losses.losses, reason)
        # A build that was killed may have left temporary files.
        files.sweep(loaded.folder, (FLEET_FILE, LOCK_FILE))
        # First, so that a build that is killed here leaves a source that renders the same tree.
        if fleet is not None:
            files.rewrite(loaded.folder / FLEET_FILE, fleet)
        for path, data in loaded.rendered.contribution.files.items():
            files.keep(loaded.folder / path, data)
        parts: tuple[Plan, ...] = (plan,)
        if loaded.rendered.rollout is not None:
            from spokerender.model.rollout import RECORD  # noqa: PLC0415  (few projects have one)

            # The record first: a build that is killed then goes on with the wave that it began.
            parts = split_plan(plan, FLEET_FOLDER, RECORD)
        for part in parts:
            files.apply(loaded.output, part, tree, progress=progress("written"))
    return plan, problems, needs


def _place(loaded: Loaded, lost: PlanLosses) -> tuple[Result, ...]:
    """Return the findings about losses; a refused one gets the line that causes it, if any does.

    Only a refused build searches for these lines, among those changed since the last commit.
    """
    if lost.losses is None or all(result.code != DELETION.code for result in lost.results):
        return lost.results
    from spokerender.cli.bases import find_base, judge_state  # noqa: PLC0415  (hardly ever)
    from spokerender.cli.causes import place_at_causes  # noqa: PLC0415  (the same)
    from spokerender.review.guard.refusals import refuse_removals  # noqa: PLC0415  (the same)
    from spokerender.review.meaning.causes import count_trials  # noqa: PLC0415  (the same)

    try:
        base = find_base(loaded, "HEAD")
    except (GitError, InputError):
        return lost.results
    if base.tree.document is None or not count_trials(loaded.rendered):
        return lost.results
    states = base.state, judge_state(loaded, "the working tree")
    placed = place_at_causes(lost.losses, refuse_removals, states, loaded, base.tree)
    lines = {(item.resource, item.spokes): item.origin for item in placed}
    return tuple(
        replace(item, origin=lines.get((item.resource, item.spokes), item.origin))
        if item.code == DELETION.code
        else item
        for item in lost.results
    )


def _find_needs(loaded: Loaded, plan: Plan) -> tuple[NewNeed, ...]:
    """Return objects that spokes newly need; imports no module if no existing spoke changes."""
    if all(item.is_new or not (item.create or item.update) for item in plan.folders):
        return ()
    from spokerender.explain.new_needs import find_new_needs  # noqa: PLC0415  (start-up counts)

    return find_new_needs(plan, loaded.rendered, partial(files.read_files, loaded.output))


def _acknowledge(
    loaded: Loaded, flags: Sequence[Flag], losses: Losses | None, reason: str
) -> bytes:
    """Return fleet.yaml with entries for the losses that the flags allow, otherwise unchanged.

    Raises `InputError` if entries can't be added; its suggested fix has the lines to add by hand.
    """
    from spokerender.adopting.editable import add_to_fleet  # noqa: PLC0415  (start-up counts)
    from spokerender.review.guard.acknowledging import entries_for  # noqa: PLC0415  (as above)

    file = read_optional(loaded.source, FLEET_FILE)
    fleet = (FLEET_FILE, file.data) if file is not None else None
    entries = entries_for(flags, losses, reason) if losses is not None else []
    return add_to_fleet(fleet, "deletions", entries)[FLEET_FILE]
