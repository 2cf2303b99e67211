"""What differs between two trees, as text for people and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from spokerender.findings.words import count, listed, on_spokes
from spokerender.formats.comparing import ABSENT, Change
from spokerender.model import shown
from spokerender.rendering.values.bundles import How
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.sources import Source
from spokerender.rendering.values.tracing import Tracer
from spokerender.report.colors import Style, paint
from spokerender.report.findings import (
    json_text,
    merged_json,
    origin_value,
    ref_value,
    results_json,
)
from spokerender.report.reports import DiffReport, Look
from spokerender.report.values import change_lines, pattern
from spokerender.review.differences import Difference, DifferenceKind

_STYLES = {
    DifferenceKind.ADDED: Style.GREEN,
    DifferenceKind.NEW_FOLDER: Style.GREEN,
    DifferenceKind.REMOVED: Style.RED,
    DifferenceKind.LOST_FOLDER: Style.RED,
    DifferenceKind.UNREADABLE: Style.RED,
}
_FOLDERS = (DifferenceKind.NEW_FOLDER, DifferenceKind.LOST_FOLDER)
_TEXT = "only comments, the order of keys or the format"


def diff_text(report: DiffReport, look: Look) -> str:
    """What differs from what is committed, for people."""
    return differences_text(report.differences, report.rendered, color=look.color)


def diff_json(report: DiffReport, _: Look) -> str:
    """The findings and the differences as one JSON object."""
    return merged_json(
        results_json(report.results), differences_json(report.differences, report.rendered)
    )


def differences_text(
    differences: Sequence[Difference], rendered: Rendered | None = None, *, color: bool
) -> str:
    """Tell every difference: object, spokes, and each field from what to what.

    Args:
        differences: what `spokerender.review.differences` found.
        rendered: the new side, to tell the line that each field came from.
        color: whether the reader is a terminal.

    Returns:
        Lines that end in a line feed; empty if nothing differs.

    """
    tracer = Tracer(rendered) if rendered is not None else None
    total = len(rendered.bundles) if rendered is not None else None
    lines: list[str] = []
    for difference in differences:
        lines.append(_headline(difference, tracer, total, color=color))
        lines += _fields(difference, tracer, color=color)
    if lines:
        lines.append(_summary(differences))
    return "".join(f"{line}\n" for line in lines)


def differences_json(differences: Sequence[Difference], rendered: Rendered | None = None) -> str:
    """The differences as one JSON object; a side that is not there has no value."""
    tracer = Tracer(rendered) if rendered is not None else None
    return json_text({"differences": [_value(item, tracer) for item in differences]})


def source_text(source: Source) -> str:
    """Say where a value came from: `hub/dns.yaml:12`, `hub/dns.yaml:12, override place.yaml:30`."""
    if source.how is How.HUB:
        return str(source.hub)
    return f"{source.hub}, {source.how}" + (
        f" {source.origin}" if source.origin != source.hub else ""
    )


def source_value(source: Source) -> dict[str, Any]:
    """The same as JSON data: the hub's line as `file`, that of what changed it as `source`."""
    return {
        "file": origin_value(source.hub),
        "how": str(source.how),
        "source": origin_value(source.origin),
    }


def _headline(
    difference: Difference, tracer: Tracer | None, total: int | None, *, color: bool
) -> str:
    kind = difference.kind
    verb = "changed" if kind is DifferenceKind.TEXT else str(kind)
    what = difference.ref if difference.ref and difference.ref.name else difference.path
    if difference.was is not None:
        what = f"{difference.was} to {difference.ref}"
    where = on_spokes(difference.folders, total)
    if kind in _FOLDERS:
        what, where = _whole(difference)
    line = f"{paint(verb, _STYLES.get(kind, Style.YELLOW), color=color)} {what} {where}"
    source = _source(difference, tracer)
    if source is not None and not (difference.changes or difference.varying):
        line += paint(f"  ({source.hub})", Style.FAINT, color=color)
    note = _TEXT if kind is DifferenceKind.TEXT else difference.problem
    return f"{line}: {note}" if note else line


def _whole(difference: Difference) -> tuple[str, str]:
    """Spokes that come or go as a whole, and how many objects each of them has."""
    folders = difference.folders
    names = listed(folders) if len(folders) > 1 else folders[0]
    spokes = f"{count(len(folders), 'spoke')}: {names}" if len(folders) > 1 else f"spoke {names}"
    each = " each" if len(folders) > 1 else ""
    return spokes, f"({count(difference.count, 'object')}{each})"


def _fields(difference: Difference, tracer: Tracer | None, *, color: bool) -> Iterator[str]:
    for change in difference.changes:
        lines, more = change_lines(change.old, change.new, color=color)
        source = _source(difference, tracer, change)
        comes_from = f"  ({source_text(source)})" if source is not None else ""
        field = f"{shown(change.path)}: " if change.path else ""
        yield f"    {field}{lines}{paint(comes_from, Style.FAINT, color=color)}"
        yield from (f"        {line}" for line in more)
    for varying in difference.varying:
        pairs = [change for _, change in varying.each]
        old, new = (pattern([getattr(each, side) for each in pairs]) for side in ("old", "new"))
        source = _source(difference, tracer, varying.first)
        comes_from = f"  ({source_text(source)})" if source is not None else ""
        field = f"{shown(varying.first.path)}: " if varying.first.path else ""
        said = f"{old} -> {new}, each spoke its own"
        yield f"    {field}{said}{paint(comes_from, Style.FAINT, color=color)}"


def _source(
    difference: Difference, tracer: Tracer | None, change: Change | None = None
) -> Source | None:
    if tracer is None or difference.ref is None or difference.kind is DifferenceKind.REMOVED:
        return None
    path = change.path if change is not None else ()
    return tracer.source(difference.folders[0], difference.ref, path)


def _summary(differences: Sequence[Difference]) -> str:
    folders = {folder for difference in differences for folder in difference.folders}
    counts = Counter(difference.kind for difference in differences)
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(counts.items()))
    spokes = count(len([name for name in folders if not name.startswith("_")]), "spoke")
    return f"{count(len(differences), 'difference')} ({kinds}) on {spokes}"


def _value(difference: Difference, tracer: Tracer | None) -> dict[str, Any]:
    value: dict[str, Any] = {"kind": str(difference.kind)}
    if difference.ref is not None:
        value["resourceRef"] = ref_value(difference.ref)
    value["path"] = difference.path
    value["spokes"] = list(difference.folders)
    if difference.problem:
        value["message"] = difference.problem
    if difference.changes:
        value["fields"] = [_field(difference, change, tracer) for change in difference.changes]
    if difference.varying:
        value["varying"] = [
            {"spokes": list(folders)} | _field(replace(difference, folders=folders), change, tracer)
            for varying in difference.varying
            for folders, change in varying.each
        ]
    if difference.was is not None:
        value["was"] = ref_value(difference.was)
    if difference.count:
        value["objects"] = difference.count
    return value


def _field(difference: Difference, change: Change, tracer: Tracer | None) -> dict[str, Any]:
    value: dict[str, Any] = {"path": shown(change.path)}
    sides = {"old": change.old, "new": change.new}
    value |= {side: item for side, item in sides.items() if item is not ABSENT}
    source = _source(difference, tracer, change)
    return value | (source_value(source) if source is not None else {})
