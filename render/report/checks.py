"""What `check` has to say, as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from render.findings.results import Result
from render.rendering.values.rendered import Rendered
from render.report.changes import differences_json
from render.report.findings import merged_json, results_json
from render.review.differences import Difference


def check_json(
    results: Iterable[Result], differences: Sequence[Difference], rendered: Rendered
) -> str:
    """The findings and the differences as one JSON object."""
    return merged_json(results_json(results), differences_json(differences, rendered))
