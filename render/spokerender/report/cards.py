"""The consequences and changes of a review, as plain data for the page's template.

A page has a limit of bytes: an entry without room for a card becomes a line, and an entry without
room for a line is only counted.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import Any

from msgspec import Struct

from spokerender.findings.phrasing import count, joined, listed
from spokerender.findings.results import Severity
from spokerender.findings.suppressions import SUPPRESSED
from spokerender.formats import yamlio
from spokerender.formats.comparing import ABSENT, Change
from spokerender.formats.templating.environment import trusted_html
from spokerender.kinds.credentials import Redactor, find_credentials
from spokerender.model import shown
from spokerender.model.memo import memoised
from spokerender.model.shapes import Json
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.describing import Describer, describe_tests, split_paths
from spokerender.report.fields import change_lines
from spokerender.report.sides import compare_sides
from spokerender.report.terminal import on_one_line
from spokerender.review.changes.values import Difference, DifferenceKind, Varying
from spokerender.review.values import Consequence, Topic, group_by_cause

_FEW = 4


class SpokeSet(Struct, frozen=True):
    """A set of spokes as text; `number` is its place in the page's list of sets (0: not listed).

    `ranges` are the indexes of its members in the list of all spokes, as `0-3 7`.
    """

    words: str
    number: int
    ranges: str
    is_spelled_out: bool = False
    """True if the words are the names of all members."""


class SpokeSets:
    """All sets of spokes on a page; a large set is listed once, and other places link to it."""

    def __init__(self, spokes: Sequence[str]) -> None:
        self.spokes = spokes
        self._places: Mapping[str, int] = {name: i for i, name in enumerate(self.spokes)}
        self.listed: list[tuple[str, ...]] = []
        """The sets that have an entry in the page's list, in the order of their numbers."""

    def find(self, names: Sequence[str]) -> SpokeSet:
        """Return the set of these spokes or folders for display; a large set gets a number."""
        return self._make(tuple(sorted(names)))

    @memoised
    def _make(self, names: tuple[str, ...]) -> SpokeSet:
        places = [self._places[name] for name in names if name in self._places]
        # Ranges instead of names, which are long and would stand in every card.
        ranges = " ".join(_ranges(places))
        if not names:
            return SpokeSet("", 0, "")
        if len(places) == len(self.spokes) > 1:
            return SpokeSet(f"all {len(names):,} spokes", 0, ranges)
        if len(names) <= _FEW:
            return SpokeSet(", ".join(names), 0, ranges, is_spelled_out=True)
        self.listed.append(names)
        return SpokeSet(count(len(names), "spoke"), len(self.listed), ranges)


def _ranges(places: list[int]) -> Iterator[str]:
    start = None
    # The -1 behind the last index follows no index, so it ends the last range.
    for here, after in zip(places, [*places[1:], -1], strict=False):
        start = here if start is None else start
        if after != here + 1:
            yield str(start) if start == here else f"{start}-{here}"
            start = None


# Estimates, since the page is not made yet: cards are chosen before the template prints them.
_CARD, _LINE, _ROW = 1_400, 500, 60
"""The bytes of markup around the texts of a card, of a line, and of a row of YAML."""
_SHOWN, _HOSTNAMES, _WAYS = 40, 8, 12
"""The most paths and policies of a consequence, hostnames, and values of a field."""

SEVERITIES: Mapping[Severity, tuple[str, str]] = {
    Severity.ERROR: ("✗", "poor"),
    Severity.WARNING: ("!", "fair"),
    Severity.INFO: ("i", "open"),
}
"""The sign and the tone of each severity."""
_VERBS = {
    DifferenceKind.ADDED: ("+", "good"),
    DifferenceKind.NEW_FOLDER: ("+", "good"),
    DifferenceKind.REMOVED: ("−", "poor"),  # noqa: RUF001  (a minus sign)
    DifferenceKind.LOST_FOLDER: ("−", "poor"),  # noqa: RUF001
    DifferenceKind.UNREADABLE: ("?", "poor"),
    DifferenceKind.MOVED: ("→", "fair"),
}
_OTHER_VERB = ("~", "fair")
_WHOLE = {DifferenceKind.ADDED: "new", DifferenceKind.REMOVED: "removed"}
"""The differences that are shown with the whole object, and the heading above the object."""
_CLASSES = (
    ("Token.Name.Tag", "k"),
    ("Token.Name.Constant", "s"),
    ("Token.Literal", "s"),
    ("Token.Comment", "c"),
    ("Token.Punctuation", "p"),
)
_ENTRIES = 20
_REASON = "say why it is meant to be so"
_IN_LINE = ("sign", "tone", "severity", "kind", "subject", "where", "origin", "gateways", "names")

Card = dict[str, Any]


class Room(Struct, frozen=True):
    """The bytes that a list may use: for cards, and for lines of entries without a card."""

    cards: int
    lines: int


def list_consequences(items: Sequence[Consequence], sets: SpokeSets, room: Room) -> Card:
    """Return consequences as cards, lines and counts by code, grouped by cause."""
    return _within(
        room,
        [item for _, alike in group_by_cause(items) for item in alike],
        lambda item: _consequence(item, sets),
        lambda item: f"{item.result.code} {item.severity}",
    )


class ChangeContext(Struct, frozen=True, eq=False):
    """Functions that return the context of a change: hub lines, Gateways, and whole objects."""

    describer: Describer
    gateways: Callable[[Difference], Iterable[str]]
    read_whole: Callable[[Difference], Sequence[Change]]


def list_changes(
    items: Sequence[Difference], sets: SpokeSets, around: ChangeContext, room: Room
) -> Card:
    """Return changes as cards, lines and counts by kind."""
    return _within(
        room, items, lambda item: _change(item, sets, around), lambda item: str(item.kind)
    )


def _within(
    room: Room, items: Sequence[Any], build: Callable[[Any], Card], classify: Callable[[Any], str]
) -> Card:
    """Return cards as far as there is room, then lines; all other items are counted by class."""
    cards: list[Card] = []
    lines: list[Card] = []
    more: Counter[str] = Counter()
    for_cards, for_lines = room.cards, room.lines
    for item in items:
        # Building a card takes a comparison of texts, so it is left out where nothing has room.
        if for_cards < _CARD and for_lines < _LINE:
            more[classify(item)] += 1
            continue
        # A card is built before its size is known: only the texts in it tell how long it is.
        card = build(item)
        size = _CARD + _weigh(card)
        # A line is a part of the card, so both say the same of the entry.
        line = {key: card[key] for key in _IN_LINE if key in card}
        line_size = _LINE + _weigh(line)
        if size <= for_cards:
            cards.append(card)
            for_cards -= size
        elif line_size <= for_lines:
            lines.append(line)
            for_lines -= line_size
        else:
            more[classify(item)] += 1
    return {
        "cards": cards,
        "lines": lines,
        "more": joined(f"{number:,} {name}" for name, number in more.items()) if more else "",
    }


def _weigh(value: object) -> int:
    """Return the number of bytes of all texts in a value, as HTML."""
    match value:
        case Mapping():
            return sum(map(_weigh, value.values()))
        case list() | tuple():
            return sum(map(_weigh, value)) + _ROW * len(value)
        case SpokeSet():
            return len(value.ranges) + len(value.words)
        # Markup that is already safe is not escaped again, so its bytes count as they are.
        case str():
            text = str(value) if hasattr(value, "__html__") else escape(on_one_line(value))
            return len(text.encode(errors="replace"))
    return 0


def _consequence(item: Consequence, sets: SpokeSets) -> Card:
    result = item.result
    sign, tone = SEVERITIES[result.severity]
    # Places are paths of the topology, from the Gateway down; a section of it is left off.
    gateways = dict.fromkeys(str(place.levels[0].whole) for place in item.places)
    return {
        "sign": sign,
        "tone": tone,
        "severity": str(result.severity),
        "code": result.code,
        "topic": name_topic(item.topic),
        "subject": result.message,
        "cure": result.cure.rstrip().split("\n") if result.cure else [],
        "was": item.was,
        "now": item.now,
        "example": item.example,
        "tested": describe_tests(item),
        "paths": split_paths(item.places[:_SHOWN]),
        "more_paths": max(0, len(item.places) - _SHOWN),
        "hostnames": _some(item.hostnames, _HOSTNAMES),
        "names": [str(ref) for ref in item.policies],
        "policies": _some(str(ref) for ref in item.policies if ref != result.resource),
        "resource": "" if result.resource is None else str(result.resource),
        "origin": item.cause,
        "accepted": dict(result.tags).get(SUPPRESSED, ""),
        "where": sets.find(result.spokes),
        "gateways": list(gateways),
    }


def name_topic(topic: Topic) -> str:
    """Return the name of a topic for people."""
    return "DNS" if topic is Topic.DNS else str(topic)


def _some(texts: Iterable[str], most: int = _SHOWN) -> list[str]:
    every = list(texts)
    more = len(every) - most
    return every if more <= 0 else [*every[:most], f"and {more:,} more"]


def _change(item: Difference, sets: SpokeSets, around: ChangeContext) -> Card:
    # Ways are joined first: the description counts them.
    item = around.describer.join_ways(item)
    described = around.describer.describe(item)
    sign, tone = _VERBS.get(item.kind, _OTHER_VERB)
    sources = [*dict.fromkeys(described.sources)]
    rows = compare_sides(item.changes or around.read_whole(item))
    # Each side is highlighted as one text. Line by line, the lexer would not see that a line
    # belongs to a block scalar.
    old, new = (
        iter(_highlight_yaml([side for side in sides if side is not None]))
        for sides in ([row.old for row in rows], [row.new for row in rows])
    )
    return {
        "sign": sign,
        "tone": tone,
        "kind": described.verb,
        "subject": described.subject,
        "names": [str(name) for name in (item.ref, item.was) if name is not None and name.name],
        "where": sets.find(item.folders),
        "note": described.note,
        "origin": listed(sources, 1),
        "gateways": [*around.gateways(item)],
        "sources": sources,
        "extra": described.others,
        "whole": _WHOLE.get(item.kind, ""),
        "rows": [
            {
                "old": None if row.old is None else trusted_html(next(old)),
                "new": None if row.new is None else trusted_html(next(new)),
                "is_equal": row.is_equal,
            }
            for row in rows
        ],
        "varying": [_varying(varying, sets) for varying in item.varying],
    }


def _highlight_yaml(lines: list[str]) -> list[str]:
    """Return each line as HTML; characters that are not printable are escaped as in Python."""
    text = "\n".join(map(on_one_line, lines))
    tokens = ((_find_class(token), value) for token, value in _lexer().get_tokens(text))
    done = [""]
    # Neighbours of one style become one element: the lexer splits a scalar into several tokens.
    for style, group in groupby(tokens, key=itemgetter(0)):
        for number, part in enumerate("".join(value for _, value in group).split("\n")):
            if number:
                done.append("")
            if part:
                shown = escape(part)
                done[-1] += f'<i class="{style}">{shown}</i>' if style else shown
    return done[: len(lines)]


@cache
def _lexer() -> Any:  # noqa: ANN401  (Pygments has no types)
    from pygments.lexers.data import YamlLexer  # noqa: PLC0415  (only pages need it)

    # By default the lexer drops empty lines at both ends, and lines must stay countable.
    return YamlLexer(stripnl=False, ensurenl=False)


@cache
def _find_class(token: object) -> str:
    name = str(token)
    return next((style for prefix, style in _CLASSES if name.startswith(prefix)), "")


def _varying(varying: Varying, sets: SpokeSets) -> Card:
    ways = varying.by_folders
    return {
        "field": shown(varying.first.path),
        "number": f"{len(ways):,}",
        "ways": [
            {"text": " ".join([text, *more]), "where": sets.find(folders)}
            for folders, change in ways[:_WAYS]
            for text, more in (change_lines(change.old, change.new, color=False),)
        ],
        "more": max(0, len(ways) - _WAYS),
    }


class WholeObjects:
    """Reads objects of two states of a fleet; numbers replace the credentials in them."""

    def __init__(self, before: Rendered | None, after: Rendered) -> None:
        """Start with both states; if `before` is None, deleted objects are unknown."""
        self._before, self._after = before, after
        self._redactor = Redactor()

    def read(self, item: Difference) -> tuple[Change, ...]:
        """Return an added or deleted object as one change, as on the first spoke; else empty."""
        # Joined differences are read from the first of their spokes.
        item = item.example or item
        if item.kind is DifferenceKind.ADDED:
            data = self._read(self._after, item)
            return () if data is ABSENT else (Change((), ABSENT, data),)
        # Changed objects have their changes; the whole object is shown only if it comes or goes.
        data = self._read(self._before, item) if item.kind is DifferenceKind.REMOVED else ABSENT
        return () if data is ABSENT else (Change((), data, ABSENT),)

    def _read(self, rendered: Rendered | None, item: Difference) -> Json:
        bundle = rendered.bundles.get(item.folders[0]) if rendered is not None else None
        variant = bundle.find(item.ref) if bundle is not None and item.ref is not None else None
        if rendered is None or bundle is None or variant is None or item.ref is None:
            return ABSENT
        # Redacted last: the redactor gives equal credentials equal numbers, over all objects of the
        # page.
        data = bundle.object_of(variant)
        kind = rendered.hub.catalogue.kind(item.ref.group, item.ref.kind)
        return self._redactor.data(data, find_credentials(kind, data))


def list_entries(consequences: Sequence[Consequence]) -> dict[str, Any] | None:
    """Return entries for fleet.yaml that accept consequences, in HTML; None without entries."""
    entries = []
    for item in consequences:
        resource = item.result.resource
        if item.severity is Severity.INFO or resource is None:
            continue
        entry = {"code": item.result.code, "resource": f"{resource.kind}/{resource.full_name}"}
        # An entry of a suppression names one spoke or none; for a few spokes it leaves them open.
        if len(item.result.spokes) == 1:
            entry["spoke"] = item.result.spokes[0]
        if entry not in entries:
            entries.append(entry)
    if not entries:
        return None
    listed = [entry | {"reason": _REASON} for entry in entries[:_ENTRIES]]
    lines = yamlio.emit({"suppressions": listed}).splitlines()
    return {
        "lines": [trusted_html(line) for line in _highlight_yaml(lines)],
        "more": max(0, len(entries) - _ENTRIES),
    }
