"""What `check` has to say: the verdict in a line, or all of it as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from render.differences import Difference
from render.pipeline import Rendered
from render.plan import Plan
from render.report.changes import differences_json
from render.report.findings import merged_json, results_json
from render.report.words import count
from render.results import Result


def verdict_text(plan: Plan, output: PurePath | str) -> str:
    """Whether the output is what the sources render to, and what to do if not."""
    if plan.is_empty:
        return f"{output}: true, {count(plan.unchanged, 'file')}\n"
    changes = plan.created + plan.updated + plan.deleted
    return f"{output}: stale, {count(changes, 'file')} would change; run spokerender build\n"


def check_json(
    results: Iterable[Result], differences: Sequence[Difference], rendered: Rendered
) -> str:
    """The findings and the differences as one JSON object."""
    return merged_json(results_json(results), differences_json(differences, rendered))
