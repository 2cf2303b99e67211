"""The spokes that there are, as a table and for programs."""

from __future__ import annotations

from spokerender.report.findings import json_text, results_member
from spokerender.report.printable import on_one_line
from spokerender.report.reports import Look, SpokesReport
from spokerender.report.statuses import table

_HEADER = ("SPOKE", "LABELS", "GATEWAYS", "OBJECTS", "DECLARED AT")


def spokes_table(report: SpokesReport, _: Look) -> str:
    """A row for each spoke, in columns as kubectl has them."""
    rows = [
        (
            line.name,
            ",".join(f"{key}={value}" for key, value in line.labels.items()) or "-",
            ", ".join(line.gateways) or "-",
            f"{line.objects:,}",
            line.place,
        )
        for line in report.lines
    ]
    return "".join(f"{on_one_line(line)}\n" for line in table([_HEADER, *rows]))


def spokes_json(report: SpokesReport, _: Look) -> str:
    """The same as one JSON object with the list `spokes`."""
    spokes = [
        {
            "name": line.name,
            "labels": dict(line.labels),
            "gateways": list(line.gateways),
            "objects": line.objects,
            "declaredAt": line.place,
        }
        for line in report.lines
    ]
    return json_text({"spokes": spokes, **results_member(report.results)})
