"""The text of commands that write files, and of a check that compares the output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import shorten, wrap
from typing import TYPE_CHECKING

from spokerender.findings.phrasing import LISTED, count, joined, on_spokes
from spokerender.model.plan import FolderPlan, Plan
from spokerender.report import reports
from spokerender.report.findings import summary
from spokerender.report.terminal import on_one_line

if TYPE_CHECKING:  # start-up counts
    from spokerender.model.rollout import RolloutState
    from spokerender.rendering.values.decisions import PlacementChange

_WIDE = 90


def build_text(report: reports.BuildReport, _: reports.Look) -> str:
    """Return the numbers of changed files, and their names if they are few.

    A file that changed in the same way in several folders is one line.
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
    lines += reports.first_lines([*_change_lines(plan, report.spokes)])
    lines += reports.need_lines(report.needs, report.spokes)
    return "".join(f"{line}\n" for line in lines) + waiting


def _move_lines(moves: Sequence[PlacementChange]) -> Iterator[str]:
    for move in moves:
        yield from (f"  {move.key}: {name} is added, {reason}" for name, reason in move.comes)
        yield from (f"  {move.key}: {name} is removed, {reason}" for name, reason in move.goes)


def waiting_text(state: RolloutState | None) -> str:
    """Return a text about the rollout waves whose folders are unchanged for now."""
    if state is None or not state.waiting:
        return ""
    from spokerender.rendering.rollout.record import how_to_continue  # noqa: PLC0415  (few projects have a rollout)

    done = joined(wave.name for wave in state.waves[: state.done])
    waiting = joined(wave.name for wave in state.waiting)
    spokes = count(sum(len(wave.spokes) for wave in state.waiting), "spoke")
    verb = "waits" if len(state.waiting) == 1 else "wait"
    return f"waves: {done} done; {waiting} {verb}, {spokes}\n  {how_to_continue(state)}\n"


def check_text(report: reports.CheckReport, look: reports.Look) -> str:
    """Return the differences and the verdict; findings go to stderr."""
    if report.plan is not None:
        waiting = waiting_text(report.rendered.rollout)
        compared = _compared_text(report, look) + waiting + _tested_text(report)
        return compared + report.basis + report.reminder
    checks = " and ".join(dict.fromkeys(report.asked))
    spokes = count(len(report.rendered.bundles), "spoke")
    counts = summary(reports.Look().visible(report.results)) or "no error, no warning"
    return f"{checks}: {counts} on {spokes}\n{_tested_text(report)}{report.basis}{report.reminder}"


def _tested_text(report: reports.CheckReport) -> str:
    lines = []
    if report.tests:
        # A test that fails on several spokes has several findings, and counts once.
        failed = len({text for it in report.results for tag, text in it.tags if tag == "test"})
        tests, spokes = count(len(report.tests), "test"), count(report.spokes or 0, "spoke")
        lines.append(f"requests: {tests} on {spokes}, {failed or 'none'} failed")
    if report.uncovered is not None:
        number = count(len(report.uncovered), "guarded rule")
        lines.append(
            f"coverage: {number if report.uncovered else 'no guarded rule'} without a test"
        )
    for item in report.uncovered or ():
        rule = f"{item.rule.whole}, {item.rule.section_name}"
        hosts, where = joined(item.hostnames, LISTED), on_spokes(item.spokes, report.spokes)
        lines.append(f"  {item.match} to {hosts} {where} ({rule})")
        lines += [f"      {shorten(text, _WIDE, placeholder=' …')}" for text in item.who]
    return "".join(f"{line}\n" for line in lines)


def _compared_text(report: reports.CheckReport, look: reports.Look) -> str:
    """Return the differences between the output and the rendered tree, and the verdict."""
    if not (report.differences or report.needs):
        return report.verdict
    from spokerender.report.changes import diff_text  # noqa: PLC0415  (start-up counts)

    return diff_text(report, look) + report.verdict


def _change_lines(plan: Plan, spokes: int | None) -> Iterator[str]:
    """Yield a line for every path and action; a new or removed folder has a single line."""
    # Grouped by verb and path: a changed policy is one line, not one for each of 1,000 spokes.
    folders: dict[tuple[str, str, bool], list[str]] = {}
    for folder in plan.folders:
        # Folders that are not spokes do not count for "all spokes".
        is_spoke = not (folder.folder.startswith("_") or folder.is_removed)
        for verb, path in _changes(folder):
            folders.setdefault((verb, path, is_spoke), []).append(folder.folder)
    for (verb, path, is_spoke), names in folders.items():
        yield f"  {verb} {path} {on_spokes(names, spokes if is_spoke else None)}"


def _changes(folder: FolderPlan) -> Iterator[tuple[str, str]]:
    whole = "create" if folder.is_new else "delete" if folder.is_removed else ""
    for action, verb in reports.ACTIONS.items():
        paths = getattr(folder, action)
        if action == whole:
            yield verb, f"the folder with {count(len(paths), 'file')}"
        else:
            yield from ((verb, path) for path in paths)


def carried_text(report: reports.CarriedReport, look: reports.Look) -> str:
    """Return each product with its releases, the oldest first, wrapped at the reader's width."""
    lines = []
    for name, product in report.products.items():
        channels = dict.fromkeys(c for of in product.releases.values() for c in of)
        slash = f"/{'|'.join(channels)}" if channels else ""
        lines.append(f"{name}@RELEASE{slash}: {product.title}, {', '.join(product.groups)}")
        lines += wrap(
            " ".join(product.releases), look.width, initial_indent="  ", subsequent_indent="  "
        )
    return "".join(f"{line}\n" for line in lines)


def written_text(report: reports.WrittenReport, _: reports.Look) -> str:
    """Return the numbers of files, their names if they are few, and the commands to run next."""
    files = {"created": report.created, "updated": report.updated}
    counts = [f"{count(len(paths), 'file')} {verb}" for verb, paths in files.items() if paths]
    counts += [f"{report.unchanged:,} unchanged"] if report.unchanged else []
    lines = [", ".join(counts) or "nothing to write"]
    # Paths may come from an export, where a name can be anything.
    changes = [f"  {verb} {on_one_line(path)}" for verb, paths in files.items() for path in paths]
    lines += reports.first_lines(changes)
    if report.follows:
        lines += ["", "What follows:", *(f"  {on_one_line(line)}" for line in report.follows)]
    if report.next_steps:
        lines += ["", "Next:", *(f"  {step}" for step in report.next_steps)]
    return "".join(f"{line}\n" for line in lines)
