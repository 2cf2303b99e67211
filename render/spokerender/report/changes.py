"""Print how two trees differ: objects, and their fields from what to what."""

import difflib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from sys import maxsize
from typing import Any

from msgspec.structs import replace

from spokerender.findings.phrasing import count, listed, on_spokes
from spokerender.formats import yamlio
from spokerender.formats.comparing import ABSENT, Change
from spokerender.model import shown
from spokerender.model.shapes import Json
from spokerender.rendering.values.bundles import How
from spokerender.rendering.values.provenance import FieldSource, Tracer
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.reports import CheckReport, DiffReport, Look, need_lines
from spokerender.report.serializing import json_text, with_causes
from spokerender.report.terminal import Style, drawn_width, on_one_line, paint, wrap_indented
from spokerender.review.changes.values import Difference, DifferenceKind, FieldException

_STYLES = {
    DifferenceKind.ADDED: Style.GREEN,
    DifferenceKind.NEW_FOLDER: Style.GREEN,
    DifferenceKind.REMOVED: Style.RED,
    DifferenceKind.LOST_FOLDER: Style.RED,
    DifferenceKind.UNREADABLE: Style.RED,
}
_TEXT_ONLY = "only comments, the order of keys or the format"
_WIDTH = 60
"""The number of characters up to which a value stands on one line."""
_AROUND = 15
"""The number of equal characters that are shown on both sides of a difference."""
_LINES = 20
_CONTEXT = 2
_WAYS = 8
"""The number of changes of one field that are shown, where spokes change it each in its own way."""


def diff_text(report: DiffReport | CheckReport, look: Look) -> str:
    """Print every difference: object, spokes, and each field from what to what.

    Returns:
        Lines that end in a line feed; empty without differences.

    """
    lines = diff_lines(report.differences, report.rendered, replace(look, width=maxsize))
    lines += need_lines(report.needs, len(report.rendered.bundles))
    return "".join(f"{line}\n" for line in lines)


def diff_lines(differences: Sequence[Difference], rendered: Rendered, look: Look) -> list[str]:
    """Return the lines of differences, with their number at the end.

    Where the width has no room for it, what a line comes from is below it.
    """
    tracer, total = Tracer(rendered), len(rendered.bundles)
    lines: list[str] = []
    for difference in differences:
        lines += _headline(difference, tracer, total, look)
        lines += wrap_indented(difference.does, look.width) if difference.does else []
        lines += _field_lines(difference, tracer, total, look)
        lines += [f"    {line}" for line in exception_lines(difference, total)]
    return [*lines, _summary(differences)] if lines else lines


def exception_lines(difference: Difference, total: int) -> Iterator[str]:
    """Yield the spokes that keep a field, and the objects that only name a renamed one anew."""
    for item in difference.exceptions:
        value = "nothing" if item.value is ABSENT else _shown(item.value)
        source = f"  ({item.origin})" if item.origin is not None else ""
        yield f"but {value} {on_spokes(item.spokes, total)}{source}"
    if difference.follows:
        yield f"so named by {count(len(difference.follows), 'object')}: " + listed(
            map(str, difference.follows)
        )


def diff_json(report: DiffReport | CheckReport, _: Look) -> str:
    """Print the findings and the differences as one JSON object."""
    tracer = Tracer(report.rendered)
    differences = [difference_members(item, tracer) for item in report.differences]
    members = {"results": with_causes(report.results), "differences": differences}
    members |= {"needs": report.needs} if report.needs else {}
    rollout = report.rendered.rollout
    return json_text(members | ({"waves": rollout.members} if rollout is not None else {}))


def source_text(source: FieldSource) -> str:
    """Return where a value came from: `hub/dns.yaml:12, override placement.yaml:30`."""
    if source.how is How.HUB:
        return str(source.hub)
    origin = f" {source.origin}" if source.origin != source.hub else ""
    return f"{source.hub}, {source.how}{origin}"


def change_lines(old: Json, new: Json, *, color: bool) -> tuple[str, list[str]]:
    """Return a change as text that stands beside the field, and lines that stand below it."""
    if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        return "text changed", _cut_lines(_unified(old, new), color=color)
    if ABSENT in (old, new):
        value, verb, sign = (new, "added", "+") if old is ABSENT else (old, "removed", "-")
        if not _is_long(value):
            return f"{verb} {_shown(value)}", []
        return verb, _cut_lines((f"{sign} {line}" for line in value_lines(value)), color=color)
    if isinstance(old, str) and isinstance(new, str):
        before, after = _around_the_difference(old, new)
        return f"{yamlio.scalar(before)} -> {yamlio.scalar(after)}", []
    if not (_is_long(old) or _is_long(new)):
        return f"{_shown(old)} -> {_shown(new)}", []
    before, after = ("\n".join(value_lines(value)) for value in (old, new))
    return "changed", _cut_lines(_unified(before, after), color=color)


def value_lines(value: Json) -> list[str]:
    """Return a value on lines of its own: a text as it is, anything else as YAML."""
    text: str = value if isinstance(value, str) else yamlio.emit(value)
    return text.splitlines()


def _headline(difference: Difference, tracer: Tracer, total: int, look: Look) -> list[str]:
    kind = difference.kind
    verb = "changed" if kind is DifferenceKind.TEXT else str(kind)
    subject = difference.ref if difference.ref and difference.ref.name else difference.path
    if difference.was is not None:
        subject = f"{difference.was} to {difference.ref}"
    where = on_spokes(difference.folders, total)
    if kind in (DifferenceKind.NEW_FOLDER, DifferenceKind.LOST_FOLDER):
        subject, where = _whole_spokes(difference)
    line = f"{paint(verb, _STYLES.get(kind, Style.YELLOW), color=look.color)} {subject} {where}"
    source = _source(difference, tracer)
    is_told = source is not None and not (difference.changes or difference.varying)
    note = _TEXT_ONLY if kind is DifferenceKind.TEXT else difference.problem
    first, *more = _with_source(line, str(source.hub) if source and is_told else "", look)
    return [f"{first}: {note}" if note else first, *more]


def _with_source(line: str, source: str, look: Look) -> list[str]:
    """Return a line with its source, which is below it where it has no room beside it."""
    if not source:
        return [line]
    whole = line + paint(f"  ({source})", Style.FAINT, color=look.color)
    if drawn_width([whole]) <= look.width:
        return [whole]
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return [line, indent + paint(f"({source})", Style.FAINT, color=look.color)]


def _whole_spokes(difference: Difference) -> tuple[str, str]:
    """Return the spokes that come or go as a whole, and the number of objects on each."""
    folders, objects = difference.folders, count(difference.count, "object")
    if len(folders) == 1:
        return f"spoke {folders[0]}", f"({objects})"
    return f"{count(len(folders), 'spoke')}: {listed(folders)}", f"({objects} each)"


def _field_lines(difference: Difference, tracer: Tracer, total: int, look: Look) -> Iterator[str]:
    for change in difference.changes:
        text, more = change_lines(change.old, change.new, color=look.color)
        yield from _field_line(difference, change, text, tracer, look)
        yield from (f"        {line}" for line in more)
    for varying in difference.varying:
        text = f"{len(varying.by_folders):,} different changes"
        yield from _field_line(difference, varying.first, text, tracer, look)
        ways = sorted(varying.by_folders, key=lambda way: -len(way[0]))
        for folders, change in ways[:_WAYS]:
            text, more = change_lines(change.old, change.new, color=look.color)
            yield f"        {text} {on_spokes(folders, total)}"
            yield from (f"            {line}" for line in more)
        if len(ways) > _WAYS:
            yield f"        … {len(ways) - _WAYS:,} more"


def _field_line(
    difference: Difference, change: Change, text: str, tracer: Tracer, look: Look
) -> list[str]:
    source = _source(difference, tracer, change)
    field = f"{shown(change.path)}: " if change.path else ""
    return _with_source(f"    {field}{text}", source_text(source) if source else "", look)


def _source(
    difference: Difference, tracer: Tracer, change: Change | None = None
) -> FieldSource | None:
    if difference.ref is None or difference.kind is DifferenceKind.REMOVED:
        return None
    path = change.path if change is not None else ()
    return tracer.source(difference.folders[0], difference.ref, path)


def _summary(differences: Sequence[Difference]) -> str:
    folders = {folder for difference in differences for folder in difference.folders}
    counts = Counter(difference.kind for difference in differences)
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(counts.items()))
    spokes = count(len([name for name in folders if not name.startswith("_")]), "spoke")
    return f"{count(len(differences), 'difference')} ({kinds}) on {spokes}"


def difference_members(difference: Difference, tracer: Tracer) -> dict[str, Any]:
    """Return the JSON members of a difference."""
    fields = [_field_members(difference, change, tracer) for change in difference.changes]
    varying = [
        {"spokes": folders} | _field_members(replace(difference, folders=folders), change, tracer)
        for item in difference.varying
        for folders, change in item.by_folders
    ]
    members = {
        "kind": difference.kind,
        "resourceRef": difference.ref,
        "path": difference.path,
        "spokes": difference.folders,
        "message": difference.problem,
        "fields": fields,
        "varying": varying,
        "was": difference.was,
        "objects": difference.count,
        "does": difference.does,
        "exceptions": [_exception_members(item) for item in difference.exceptions],
        "follows": difference.follows,
    }
    required = ("kind", "path", "spokes")
    return {key: value for key, value in members.items() if value or key in required}


def _exception_members(item: FieldException) -> dict[str, Any]:
    members = {"spokes": item.spokes, "value": item.value, "source": item.origin}
    return {key: value for key, value in members.items() if value is not ABSENT}


def _field_members(difference: Difference, change: Change, tracer: Tracer) -> dict[str, Any]:
    sides = {"old": change.old, "new": change.new}
    members = {"path": shown(change.path)}
    members |= {side: value for side, value in sides.items() if value is not ABSENT}
    source = _source(difference, tracer, change)
    if source is None:
        return members
    return members | {"file": source.hub, "how": source.how, "source": source.origin}


def _common_start(texts: Sequence[str]) -> str:
    low, high = min(texts), max(texts)
    return low[: next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), None)]


def _shown(value: Json) -> str:
    """Return a value on one line, as YAML: a text that looks like another value is quoted."""
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return yamlio.scalar(value)


def _is_long(value: Json) -> bool:
    return (isinstance(value, str) and "\n" in value) or len(_shown(value)) > _WIDTH


def _around_the_difference(old: str, new: str) -> tuple[str, str]:
    """Cut equal text from both ends of two texts that are too long to be shown whole."""
    if max(len(old), len(new)) <= _WIDTH:
        return old, new
    start = len(_common_start((old, new)))
    same = len(_common_start((old[start:][::-1], new[start:][::-1])))
    cut_start, cut_end = max(0, start - _AROUND), max(0, same - _AROUND)
    return _cut(old, cut_start, cut_end), _cut(new, cut_start, cut_end)


def _cut(text: str, start: int, end: int) -> str:
    middle = text[start : len(text) - end]
    if len(middle) > 2 * _WIDTH:
        middle = f"{middle[:_WIDTH]}…{middle[-_WIDTH:]}"
    return ("…" if start else "") + middle + ("…" if end else "")


def _unified(old: str, new: str) -> Iterator[str]:
    if old.endswith("\n") and new.endswith("\n"):
        old, new = old[:-1], new[:-1]
    lines = difflib.unified_diff(old.split("\n"), new.split("\n"), lineterm="", n=_CONTEXT)
    for number, line in enumerate(lines):
        if number > 1:  # the first two name files
            yield f"{line[0]} {line[1:]}" if line[0] in "+- " else line


def _cut_lines(lines: Iterator[str], *, color: bool) -> list[str]:
    styles = {"+": Style.GREEN, "-": Style.RED}
    escaped = [on_one_line(line) for line in lines]
    shown_lines = [
        paint(line, styles[line[0]], color=color) if line[0] in styles else line
        for line in escaped[:_LINES]
    ]
    more = len(escaped) - _LINES
    return [*shown_lines, f"… {more} more lines"] if more > 0 else shown_lines
