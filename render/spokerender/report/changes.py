"""The differences between two trees as text and JSON: objects, and old and new values of fields."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from sys import maxsize
from typing import Any

from msgspec.structs import replace

from spokerender.findings.phrasing import count
from spokerender.formats.comparing import ABSENT, Change
from spokerender.model import shown
from spokerender.report.describing import Describer
from spokerender.report.fields import change_lines
from spokerender.report.reports import CheckReport, DiffReport, Look, need_lines
from spokerender.report.serializing import json_text, list_left_out, with_causes
from spokerender.report.terminal import Style, drawn_width, paint, wrap_indented, wrap_words
from spokerender.review.changes.values import Difference, DifferenceKind

_STYLES = {
    DifferenceKind.ADDED: Style.GREEN,
    DifferenceKind.NEW_FOLDER: Style.GREEN,
    DifferenceKind.REMOVED: Style.RED,
    DifferenceKind.LOST_FOLDER: Style.RED,
    DifferenceKind.UNREADABLE: Style.RED,
}
_MOST_LINES = 1_000
"""The number of lines of differences, or of consequences, that are shown without `verbose`."""
_WAYS = 8
"""The number of changes of one field that are shown, if they differ between spokes."""


def diff_text(report: DiffReport | CheckReport, look: Look) -> str:
    """Return the differences as text: object, spokes, and the old and new value of each field.

    Without `verbose`, differences after the first lines are counted. The text is empty without
    differences.
    """
    # A diff may be searched and copied, so its lines are not wrapped.
    describer, whole = Describer(report.rendered), replace(look, width=maxsize)
    differences = describer.join_alike(report.differences)
    pieces = ([*difference_lines(item, describer, whole)] for item in differences)
    lines = [*first_lines_of(pieces, len(differences), "difference", look)]
    # Joined differences count as often as they occur; `number` remembers it.
    lines += [sum_up_differences(differences)] if lines else []
    lines += (f"not shown: {text}" for text in list_left_out(report.left_out))
    lines += need_lines(report.needs, len(report.rendered.bundles))
    return "".join(f"{line}\n" for line in lines)


def first_lines_of(pieces: Iterable[list[str]], total: int, noun: str, look: Look) -> Iterator[str]:
    """Yield the lines of the first pieces, and how many of `total` follow; with `verbose`, all."""
    room = _MOST_LINES
    for number, piece in enumerate(pieces):
        # Checked before a piece, so the first piece is printed whole, however long it is.
        if room <= 0 and not look.verbose:
            more = total - number
            yield f"and {count(more, f'more {noun}')}; -v prints {'them' if more > 1 else 'it'}"
            return
        room -= len(piece)
        yield from piece


def diff_json(report: DiffReport | CheckReport, _: Look) -> str:
    """Return the findings and the differences as one JSON object."""
    describer = Describer(report.rendered)
    differences = [difference_members(item, describer) for item in report.differences]
    members: dict[str, Any] = {
        "results": with_causes(report.results),
        "differences": differences,
    }
    members |= {"leftOut": report.left_out} if report.left_out else {}
    members |= {"needs": report.needs} if report.needs else {}
    if isinstance(report, CheckReport) and report.uncovered is not None:
        members["uncovered"] = report.uncovered
    rollout = report.rendered.rollout
    return json_text(members | ({"waves": rollout.members} if rollout is not None else {}))


def difference_lines(item: Difference, describer: Describer, look: Look) -> Iterator[str]:
    """Yield the lines of a difference, wrapped at the width; YAML and texts are not wrapped."""
    item = describer.join_ways(item)
    described = describer.describe(item)
    head = f"{described.verb} {described.subject} {described.where}".rstrip()
    # In the order of `describe`: one for each field, or one for the whole object.
    sources = iter(described.sources)
    is_whole = not (item.changes or item.varying)
    first, *more = _with_source(head, next(sources, "") if is_whole else "", look, "")
    style = _STYLES.get(item.kind, Style.YELLOW)
    # Coloured after wrapping, since escape sequences would count as width.
    yield paint(described.verb, style, color=look.color) + first.removeprefix(described.verb)
    yield from more
    yield from wrap_indented(described.note, look.width) if described.note else ()
    for change in item.changes:
        text, more = change_lines(change.old, change.new, color=look.color)
        yield from _field_line(change, text, next(sources, ""), look)
        yield from (f"        {line}" for line in more)
    for varying in item.varying:
        ways = varying.by_folders
        text = f"{len(ways):,} different changes"
        yield from _field_line(varying.first, text, next(sources, ""), look)
        for folders, change in ways[:_WAYS]:
            text, more = change_lines(change.old, change.new, color=look.color)
            yield from _with_source(f"{text} {describer.place(folders)}", "", look, " " * 8)
            yield from (f"            {line}" for line in more)
        if len(ways) > _WAYS:
            yield f"        … {len(ways) - _WAYS:,} more"
    for line in described.others:
        yield from wrap_indented(line, look.width)


def _field_line(change: Change, text: str, source: str, look: Look) -> list[str]:
    field = f"{shown(change.path)}: " if change.path else ""
    return _with_source(f"{field}{text}", source, look, "    ")


def _with_source(text: str, source: str, look: Look, indent: str) -> list[str]:
    """Return a text wrapped at the width, with its source at the end, or on a line below."""
    *lines, last = wrap_words(text, look.width, f"{indent}    ", indent)
    if not source:
        return [*lines, last]
    beside = f"{last}  ({source})"
    if drawn_width([beside]) <= look.width:
        return [*lines, last + paint(f"  ({source})", Style.FAINT, color=look.color)]
    below = wrap_words(f"({source})", look.width, f"{indent}     ", f"{indent}    ")
    return [*lines, last, *(paint(line, Style.FAINT, color=look.color) for line in below)]


def sum_up_differences(differences: Sequence[Difference]) -> str:
    """Return the number of differences, the numbers of each kind, and the number of spokes."""
    folders = {folder for difference in differences for folder in difference.folders}
    counts = Counter[DifferenceKind]()
    for difference in differences:
        counts[difference.kind] += difference.number
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(counts.items()))
    # `_fleet` and the like are folders, but no spokes.
    spokes = [name for name in folders if not name.startswith("_")]
    place = f"on {count(len(spokes), 'spoke')}" if spokes else "outside spokes"
    return f"{count(counts.total(), 'difference')} ({kinds}) {place}"


def difference_members(difference: Difference, describer: Describer) -> dict[str, Any]:
    """Return the JSON members of a difference."""
    fields = [_field_members(difference, change, describer) for change in difference.changes]
    varying = [
        {"spokes": folders}
        | _field_members(replace(difference, folders=folders), change, describer)
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
        "follows": difference.follows,
        "alike": difference.alike,
    }
    # Programs rely on these three also where they are empty.
    required = ("kind", "path", "spokes")
    return {key: value for key, value in members.items() if value or key in required}


def _field_members(difference: Difference, change: Change, describer: Describer) -> dict[str, Any]:
    sides = {"old": change.old, "new": change.new}
    members = {"path": shown(change.path)}
    members |= {side: value for side, value in sides.items() if value is not ABSENT}
    source = describer.trace(difference, change.path)
    if source is None:
        return members
    return members | {"file": source.hub, "how": source.how, "source": source.origin}
