"""The entries of fleet.yaml that accept the consequences of a review."""

from collections.abc import Sequence
from typing import Any

from spokerender.findings.results import Severity
from spokerender.formats import yamlio
from spokerender.formats.templating.pages import trusted_html
from spokerender.report.page.yaml_lines import highlight_yaml
from spokerender.review.values import Consequence

_LISTED = 20
_REASON = "say why it is meant to be so"


def list_entries(consequences: Sequence[Consequence]) -> dict[str, Any] | None:
    """Return the lines of `suppressions`, in HTML, and the number of others; None for no entry."""
    entries = []
    for item in consequences:
        resource = item.result.resource
        if item.severity is Severity.INFO or resource is None:
            continue
        entry = {"code": item.result.code, "resource": f"{resource.kind}/{resource.full_name}"}
        if len(item.result.spokes) == 1:
            entry["spoke"] = item.result.spokes[0]
        if entry not in entries:
            entries.append(entry)
    if not entries:
        return None
    listed = [entry | {"reason": _REASON} for entry in entries[:_LISTED]]
    lines = yamlio.emit({"suppressions": listed}).splitlines()
    return {
        "lines": [trusted_html(line) for line in highlight_yaml(lines)],
        "more": max(0, len(entries) - _LISTED),
    }
