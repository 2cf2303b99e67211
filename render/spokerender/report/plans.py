"""Print what a build did to its output, and whether a check found the output up to date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spokerender.findings.phrasing import count, on_spokes
from spokerender.model.plan import FolderPlan, Plan
from spokerender.report import reports
from spokerender.report.findings import summary

if TYPE_CHECKING:  # start-up counts
    from spokerender.model.rollout import RolloutState
    from spokerender.rendering.values.decisions import PlacementChange


def build_text(report: reports.BuildReport, _: reports.Look) -> str:
    """Print the numbers of changed files, and their names where they are few.

    A file that changed in the same way in many folders is one line.
    """
    plan = report.plan
    numbers = {"created": plan.created, "updated": plan.updated, "deleted": plan.deleted}
    counts = [f"{number:,} {verb}" for verb, number in numbers.items() if number]
    waiting = waiting_text(report.rollout)
    if not counts:
        moves = "".join(f"{line}\n" for line in reports.first_lines([*_move_lines(report.moves)]))
        return f"{report.output}: up to date, {count(plan.unchanged, 'file')}\n{moves}{waiting}"
    lines = [f"{report.output}: {', '.join(counts)}, {plan.unchanged:,} unchanged"]
    lines += reports.first_lines([*_move_lines(report.moves)])
    lines += reports.first_lines([*_change_lines(plan)])
    lines += reports.need_lines(report.needs, report.spokes)
    return "".join(f"{line}\n" for line in lines) + waiting


def _move_lines(moves: Sequence[PlacementChange]) -> Iterator[str]:
    for move in moves:
        yield from (f"  {move.key}: {name} is added, {reason}" for name, reason in move.comes)
        yield from (f"  {move.key}: {name} is removed, {reason}" for name, reason in move.goes)


def waiting_text(state: RolloutState | None) -> str:
    """Print which folders stay as they are until their wave."""
    if state is None:
        return ""
    from spokerender.report.waves import folders_text  # noqa: PLC0415  (few projects have a rollout)

    return folders_text(state)


def check_text(report: reports.CheckReport, look: reports.Look) -> str:
    """Print the differences and the verdict; findings go to stderr."""
    if report.plan is not None:
        waiting = waiting_text(report.rendered.rollout)
        return compared_text(report, look) + waiting + report.basis + report.reminder
    checks = " and ".join(dict.fromkeys(report.asked))
    spokes = count(len(report.rendered.bundles), "spoke")
    counts = summary(reports.Look().visible(report.results)) or "no error, no warning"
    return f"{checks}: {counts} on {spokes}\n{report.basis}{report.reminder}"


def compared_text(report: reports.CheckReport, look: reports.Look) -> str:
    """Print the differences between the output and the render, and the verdict."""
    from spokerender.report.changes import diff_text  # noqa: PLC0415  (start-up counts)

    is_told = report.differences or report.needs
    return (diff_text(report, look) if is_told else "") + report.verdict


def _change_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for every path and action; a whole folder is one line."""
    folders: dict[tuple[str, str, bool], list[str]] = {}
    for folder in plan.folders:
        is_spoke = not folder.folder.startswith("_")
        for verb, path in _changes(folder):
            folders.setdefault((verb, path, is_spoke), []).append(folder.folder)
    for (verb, path, _), names in folders.items():
        yield f"  {verb} {path} {on_spokes(names)}"


def _changes(folder: FolderPlan) -> Iterator[tuple[str, str]]:
    whole = "create" if folder.is_new else "delete" if folder.is_removed else ""
    for action, verb in reports.ACTIONS.items():
        paths = getattr(folder, action)
        if action == whole:
            yield verb, f"the folder with {count(len(paths), 'file')}"
        else:
            yield from ((verb, path) for path in paths)
