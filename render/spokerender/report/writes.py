"""What a command wrote of the files that people own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spokerender.findings.words import count
from spokerender.report.findings import json_text, results_member
from spokerender.report.printable import on_one_line
from spokerender.report.reports import Look, WrittenReport

_NAMED = 20


def written_text(report: WrittenReport, _: Look) -> str:
    """The counts, the files where they are few, and what to run next."""
    done = {"created": report.created, "updated": report.updated}
    said = [f"{count(len(paths), 'file')} {verb}" for verb, paths in done.items() if paths]
    said += [f"{report.unchanged:,} unchanged"] if report.unchanged else []
    lines = [", ".join(said) or "nothing to write"]
    changes = [f"  {verb} {on_one_line(path)}" for verb, paths in done.items() for path in paths]
    lines += _limited(changes)
    if report.follows:
        lines += ["", "What follows:", *(f"  {on_one_line(line)}" for line in report.follows)]
    if report.next_steps:
        lines += ["", "Next:", *(f"  {step}" for step in report.next_steps)]
    return "".join(f"{line}\n" for line in lines)


def written_json(report: WrittenReport, _: Look) -> str:
    """The same as one JSON object, with the findings."""
    return json_text(
        {
            "created": list(report.created),
            "updated": list(report.updated),
            "unchanged": report.unchanged,
            **({"follows": list(report.follows)} if report.follows else {}),
            **results_member(report.results),
        }
    )


def _limited(lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    yield from found[:_NAMED]
    if len(found) > _NAMED:
        yield f"  and {len(found) - _NAMED:,} more"
