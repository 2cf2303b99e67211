"""What a build did, or would do, to the files of the output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from spokerender.findings.results import Result, Severity
from spokerender.findings.words import count, on_spokes
from spokerender.model.plan import FolderPlan, Plan
from spokerender.report.findings import json_text, merged_json, results_json, summary
from spokerender.report.reports import BuildReport, Look

_NAMED = 20
_ACTIONS = ("create", "update", "delete")
_DONE = {"create": "created", "update": "updated", "delete": "deleted"}


def build_text(report: BuildReport, _: Look) -> str:
    """What a build did, for people."""
    return plan_text(report.plan, report.output)


def build_json(report: BuildReport, _: Look) -> str:
    """The findings and what was done as one JSON object."""
    return merged_json(results_json(report.results), plan_json(report.plan, report.output))


def plan_text(plan: Plan, output: PurePath | str) -> str:
    """Tell what was done to the output: the counts, and the files where they are few.

    A file that had the same done to it in many folders is one line.
    """
    counts = {"created": plan.created, "updated": plan.updated, "deleted": plan.deleted}
    said = [f"{number:,} {verb}" for verb, number in counts.items() if number]
    if not said:
        return f"{output}: up to date, {count(plan.unchanged, 'file')}\n"
    lines = [f"{output}: {', '.join(said)}, {plan.unchanged:,} unchanged"]
    changed = list(_lines(plan))
    lines += changed[:_NAMED]
    if len(changed) > _NAMED:
        lines.append(f"  and {len(changed) - _NAMED:,} more")
    return "".join(f"{line}\n" for line in lines)


def verdict_text(plan: Plan, output: PurePath | str) -> str:
    """Whether the output is what the sources render to, and what to do if not."""
    if plan.is_empty:
        return f"{output}: true, {count(plan.unchanged, 'file')}\n"
    changes = plan.created + plan.updated + plan.deleted
    return f"{output}: stale, {count(changes, 'file')} would change; run spokerender build\n"


def judged_text(asked: Iterable[str], results: Iterable[Result], spokes: int) -> str:
    """What came of a check that compares nothing: `policies: no error, no warning on 8 spokes`."""
    worse = [result for result in results if result.severity is not Severity.INFO]
    counts = summary(worse) or "no error, no warning"
    return f"{' and '.join(dict.fromkeys(asked))}: {counts} on {count(spokes, 'spoke')}\n"


def plan_json(plan: Plan, output: PurePath | str) -> str:
    """The plan as one JSON object: counts, and every folder with its files."""
    return json_text(
        {
            "output": str(output),
            "created": plan.created,
            "updated": plan.updated,
            "deleted": plan.deleted,
            "unchanged": plan.unchanged,
            "folders": [_value(folder) for folder in plan.folders if folder.changes],
        }
    )


def _lines(plan: Plan) -> Iterator[str]:
    """One line for every path and what was done to it; whole folders are one line."""
    folders: dict[tuple[str, str, bool], list[str]] = {}
    for folder in plan.folders:
        is_spoke = not folder.folder.startswith("_")
        for action, path in _changes(folder):
            folders.setdefault((action, path, is_spoke), []).append(folder.folder)
    for (action, path, _), names in folders.items():
        yield f"  {_DONE[action]} {path} {on_spokes(names)}"


def _changes(folder: FolderPlan) -> Iterator[tuple[str, str]]:
    whole = "create" if folder.is_new else "delete" if folder.is_removed else ""
    for action in _ACTIONS:
        paths = getattr(folder, action)
        if action == whole:
            yield action, f"the folder with {count(len(paths), 'file')}"
        else:
            yield from ((action, path) for path in paths)


def _value(folder: FolderPlan) -> dict[str, Any]:
    named = {_DONE[action]: list(getattr(folder, action)) for action in _ACTIONS}
    return {"folder": folder.folder} | {action: paths for action, paths in named.items() if paths}
