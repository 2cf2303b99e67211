"""The page of a review, from its template, style and script, with a strict content policy."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, TypeVar

from spokerender.explain.diagram import Picture
from spokerender.findings.phrasing import count, joined
from spokerender.findings.results import Result, Severity
from spokerender.formats.templating.environment import render_page, trusted_html
from spokerender.model import Ref
from spokerender.rendering.values.rendered import Rendered
from spokerender.report import cards
from spokerender.report.cards import SpokeSets
from spokerender.report.describing import Describer, name_states
from spokerender.report.pictures import DARK, STYLE, draw_svg
from spokerender.report.reports import Look, ReviewReport
from spokerender.report.serializing import list_left_out
from spokerender.report.terminal import on_one_line
from spokerender.review.changes.values import Difference
from spokerender.review.values import MatrixCell, MatrixRow, PolicyState, Review

_Item = TypeVar("_Item")
PAGE_START = "<!DOCTYPE html>\n<!-- spokerender review -->\n"
"""The first lines, which mark a file as a page of this tool."""
TEMPLATE, CSS, SCRIPT = "page.html.j2", "page.css", "page.js"
_FOR_CONSEQUENCES, _FOR_TIGHTENED = cards.Room(600_000, 120_000), cards.Room(120_000, 40_000)
_FOR_CHANGES = cards.Room(600_000, 120_000)
_FOR_SETS, _FOR_NAMES, _FOR_PICTURES = 200_000, 150_000, 300_000
"""The bytes that each part may take, so that the page stays below three million."""


def review_html(report: ReviewReport, look: Look) -> str:
    """Return the page; `look.page` returns the files of the page, by name."""
    files, review = look.page(), report.review
    dark = f"@media screen and (prefers-color-scheme:dark){{{files[DARK]}}}"
    # One style and one script, since the policy below names each by its hash.
    style, script = f"{files[CSS]}{files[STYLE]}{dark}", files[SCRIPT]
    sets = SpokeSets(sorted(_all_spokes(review, report.rendered)))
    rendered = report.rendered
    read_whole = cards.WholeObjects(report.earlier, rendered).read
    describer = Describer(rendered)
    around = cards.ChangeContext(describer, _find_gateways(rendered), read_whole)
    changes = describer.join_alike(_sort_changes(review))
    context: dict[str, Any] = {
        "style": trusted_html(style),
        "script": trusted_html(script),
        # Nothing but this one style and this one script.
        "policy": f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        "review": review,
        "states": name_states(review),
        "verdict": _verdict(review),
        "tiles": _tiles(review, changes, sets.spokes),
        "consequences": cards.list_consequences(review.consequences, sets, _FOR_CONSEQUENCES),
        "needed": cards.list_consequences(review.needed, sets, _FOR_TIGHTENED),
        "tightened": cards.list_consequences(review.tightened, sets, _FOR_TIGHTENED),
        "matrix": build_matrix(review.matrix, sets),
        "changes": cards.list_changes(changes, sets, around, _FOR_CHANGES),
        "accepting": cards.list_entries(review.consequences),
        "pictures": [*_pictures(report.pictures())],
        "left_out": list_left_out(review.left_out),
        "notes": [side.note for side in (review.before, review.after) if side.note],
        "results": [_finding(result) for result in review.results],
        "spokes": [*_within(sets.spokes, _FOR_NAMES)],
    }
    # Links and indices come last: they count the cards that found room.
    _link_changes(context)
    # After linking, which reads the names that this replaces.
    context |= _number_names(context)
    listed = [*_within(sets.listed, _FOR_SETS)]
    # Cards and cells have registered their sets by now; before that the list is not complete.
    context |= {"sets": listed, "unlisted": len(sets.listed) - len(listed)}
    return PAGE_START + render_page(files[TEMPLATE], context, on_one_line)


def _within(items: Iterable[_Item], room: int) -> Iterator[_Item]:
    """Yield the first items, as long as their texts have room."""
    for item in items:
        room -= len(repr(item))
        if room < 0:
            return
        yield item


def _pictures(pictures: Sequence[Picture]) -> Iterator[dict[str, str]]:
    """Yield the pictures that have room, and only the titles of the others."""
    # A picture that is too large does not end the loop; a smaller one behind it may fit.
    room = _FOR_PICTURES
    for item in pictures:
        svg = draw_svg(item.diagram, item.title, changed=item.changed)
        if len(svg) <= room:
            room -= len(svg)
            yield {"title": item.title, "svg": trusted_html(svg)}
        else:
            yield {"title": item.title, "svg": "left out for size: spokerender graph draws it"}


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _all_spokes(review: Review, rendered: Rendered) -> set[str]:
    """Return the spokes of both states; removed spokes are only in differences and results."""
    cells = (cell.spokes for row in review.matrix for cell in row.cells)
    folders = (item.folders for item in review.changes)
    # A spoke that went has no bundle after the change, so it is known by its results only.
    results = (item.result.spokes for item in (*review.consequences, *review.tightened))
    names = {name for group in (*cells, *folders, *results) for name in group}
    return {name for name in {*names, *rendered.bundles} if not name.startswith("_")}


def _verdict(review: Review) -> dict[str, str]:
    """Return the first sentences of the page, with the sign of the worst severity."""
    counts = {severity: review.counts.get(severity, 0) for severity in cards.SEVERITIES}
    worst = next((severity for severity, number in counts.items() if number), None)
    if worst is None:
        words = "No consequence for traffic or access" if review.changes else "Nothing changes"
        lead = "Nothing gets weaker, nothing opens and nothing stops, as far as the files tell."
        # A note says that a side could not be read in full, so the page may not say that all is
        # well.
        is_sure = not (review.before.note or review.after.note)
        sign, tone = ("✓", "good") if is_sure else cards.SEVERITIES[Severity.INFO]
        return {"sign": sign, "tone": tone, "words": words, "lead": lead}
    sign, tone = cards.SEVERITIES[worst]
    spokes = {name for item in review.consequences for name in item.result.spokes}
    numbers = joined(count(number, severity) for severity, number in counts.items() if number)
    topics = joined(dict.fromkeys(cards.name_topic(i.topic) for i in review.consequences))
    where = f" on {count(len(spokes), 'spoke')}" if spokes else ""
    lead = "What this change does to requests and to who may make them, computed from the files."
    return {"sign": sign, "tone": tone, "words": f"{numbers}{where}: {topics}", "lead": lead}


def _tiles(
    review: Review, changes: Sequence[Difference], spokes: Sequence[str]
) -> list[dict[str, str]]:
    touched = {name for item in changes for name in item.folders if not name.startswith("_")}
    number = len(review.consequences)
    tone = next(
        (tone for level, (_, tone) in cards.SEVERITIES.items() if review.counts[level]), "good"
    )
    return [
        {"tone": tone, "number": f"{number:,}", "words": _one_or_more(number, "consequence")},
        {"tone": "", "number": f"{len(review.tightened):,}", "words": "stricter than before"},
        {
            "tone": "",
            "number": f"{len(changes):,}",
            "words": _one_or_more(len(changes), "distinct change"),
        },
        {
            "tone": "",
            "number": f"{len(touched):,}",
            "words": f"of {count(len(spokes), 'spoke')} (clusters) changed",
        },
    ]


def _one_or_more(number: int, noun: str) -> str:
    return noun if number == 1 else f"{noun}s"


def _sort_changes(review: Review) -> list[Difference]:
    """Return the changes, first those of the consequences' objects, in the consequences' order."""
    places: dict[Ref | None, int] = {}
    for place, item in enumerate((*review.consequences, *review.tightened)):
        for ref in (item.result.resource, *item.policies):
            places.setdefault(ref, place)
    # Consequences without a resource would otherwise move changes without a reference.
    places.pop(None, None)
    last = len(review.consequences) + len(review.tightened)
    return sorted(review.changes, key=lambda item: places.get(item.ref, last))


def _link_changes(context: Mapping[str, Any]) -> None:
    """Add the number of a change to each card of a consequence (0: no change has its objects)."""
    places: dict[str, int] = {}
    for number, card in enumerate(context["changes"]["cards"], 1):
        for name in card["names"]:
            places.setdefault(name, number)
    for part in ("consequences", "needed", "tightened"):
        for card in context[part]["cards"]:
            names = (card["resource"], *card["names"])
            card["change"] = next((places[name] for name in names if name in places), 0)


def _finding(result: Result) -> dict[str, str]:
    sign, tone = cards.SEVERITIES[result.severity]
    severity = str(result.severity)
    text = {"code": result.code, "message": result.message}
    return {"sign": sign, "tone": tone, "severity": severity, **text}


def _find_gateways(rendered: Rendered) -> Callable[[Difference], Iterable[str]]:
    """Return a function that names the hub's Gateways that a changed object ships with."""
    hub_refs: dict[str, dict[Ref, Ref]] = {}

    def find(item: Difference) -> Iterable[str]:
        item = item.example or item
        spoke, ref = item.folders[0], item.ref
        bundle = rendered.bundles.get(spoke)
        if bundle is None or ref is None:
            return ()
        # Once for each spoke: names on the spoke lead back to the hub's objects.
        if spoke not in hub_refs:
            variants = bundle.blueprint.variants
            hub_refs[spoke] = {bundle.ref(each.ref): each.manifest.ref for each in variants}
        # An object that is only in the earlier state has no variant, and no Gateway to name.
        hub = hub_refs[spoke].get(ref)
        return map(str, sorted(rendered.topology.ships_with(hub))) if hub is not None else ()

    return find


def _number_names(context: Mapping[str, Any]) -> dict[str, list[str]]:
    """Add to each card the indices of its Gateways and names in two lists; return the lists."""
    described: list[cards.Card] = [
        card
        for name in ("consequences", "needed", "tightened", "changes")
        for kind in ("cards", "lines")
        for card in context[name][kind]
    ]
    rows: list[cards.Card] = context["matrix"]["rows"]
    # Indices into one sorted list: every card would otherwise repeat long names.
    gateways = [*_within(sorted({n for card in described for n in card["gateways"]}), _FOR_NAMES)]
    named = [(card, card["names"]) for card in described]
    named += [(row, [str(row["policy"])]) for row in rows]
    names = [*_within(sorted({name for _, own in named for name in own}), _FOR_NAMES)]
    gateway_places, name_places = ({n: i for i, n in enumerate(each)} for each in (gateways, names))
    for card in described:
        card["gateway_places"] = _join_places(gateway_places, card["gateways"])
    for card, own in named:
        card["name_places"] = _join_places(name_places, own)
    return {"gateways": gateways, "names": names}


def _join_places(places: Mapping[str, int], names: Iterable[str]) -> str:
    return " ".join(str(places[name]) for name in dict.fromkeys(names) if name in places)


_MOST_COLUMNS = 24
_FEW_COLUMNS = 5
"""The number of columns up to which cells have room for words."""
_MOST_BYTES, _CELL, _ROW = 350_000, 190, 200
"""The bytes of the matrix, and the bytes of markup for a cell and for a row."""

STATES: Mapping[PolicyState, tuple[str, str]] = {
    PolicyState.ABSENT: ("·", "none"),
    PolicyState.IN_FORCE: ("✓", "good"),
    PolicyState.PARTLY: ("◐", "fair"),
    PolicyState.OVERRIDDEN: ("⊘", "fair"),
    PolicyState.UNATTACHED: ("✗", "poor"),
    PolicyState.NO_EFFECT: ("○", "none"),
    PolicyState.UNKNOWN: ("?", "open"),
}
"""The sign and the tone of each state."""


def build_matrix(rows: Sequence[MatrixRow], sets: SpokeSets) -> dict[str, Any]:
    """Return columns and rows for the template, and the omitted columns and rows in words."""
    by_row = [{spoke: cell for cell in row.cells for spoke in cell.spokes} for row in rows]
    columns: dict[tuple[int, ...], list[str]] = {}
    for spoke in sets.spokes:
        # Spokes with the same cells in all rows share a column.
        key = tuple(id(cells.get(spoke)) for cells in by_row)
        columns.setdefault(key, []).append(spoke)
    ordered = sorted(columns.values(), key=lambda names: (-len(names), names))
    shown, more = ordered[:_MOST_COLUMNS], ordered[_MOST_COLUMNS:]
    left_out = []
    if more:
        spokes = sum(map(len, more))
        left_out.append(f"{count(len(more), 'column')} of {count(spokes, 'spoke')}")
    most, room = 0, _MOST_BYTES
    for row in rows:
        room -= _ROW + 6 * len(str(row.policy)) + _CELL * len(shown)
        most += room >= 0
    if most < len(rows):
        left_out.append(count(len(rows) - most, "policy"))
    listed = [
        {
            "policy": row.policy,
            "is_changed": row.differs,
            "cells": [_cell(cells.get(names[0])) for names in shown],
        }
        for row, cells in zip(rows[:most], by_row, strict=False)
    ]
    unchanged = [row for row in listed if not row["is_changed"]]
    sets_of_rows = [sets.find(names) for names in shown]
    used = {state for row in rows for cell in row.cells for state in (cell.before, cell.after)}
    states = [(*STATES[state], state) for state in PolicyState if state in used]
    return {
        "columns": [
            {"set": each, "names": names if each.is_spelled_out else ()}
            for each, names in zip(sets_of_rows, shown, strict=True)
        ],
        "rows": listed,
        "changed": [row for row in listed if row["is_changed"]],
        "unchanged": unchanged,
        "unchanged_words": f"{count(len(unchanged), 'policy')} without a change",
        "is_narrow": len(shown) <= _FEW_COLUMNS,
        "left_out": " and ".join(left_out),
        "states": [{"sign": sign, "tone": tone, "words": words} for sign, tone, words in states],
    }


def _cell(cell: MatrixCell | None) -> dict[str, Any]:
    before, after = (cell.before, cell.after) if cell is not None else (PolicyState.ABSENT,) * 2
    words = str(after) if before is after else f"{before}, now {after}"
    mark = _mark(before, after) if cell is not None and cell.is_changed else ""
    note = ", its object differs" if mark == "edited" else ""
    return {
        "before": STATES[before],
        "after": STATES[after],
        "is_moved": before is not after,
        "state": str(after) if before is not after or after is not PolicyState.ABSENT else "",
        "mark": mark,
        "words": f"{words}{note}",
    }


def _mark(before: PolicyState, after: PolicyState) -> str:
    """Return the word for an object that changed: new, removed or edited."""
    if before is PolicyState.ABSENT:
        return "new"
    return "removed" if after is PolicyState.ABSENT else "edited"
