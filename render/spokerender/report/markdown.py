"""A review as Markdown that fits into one comment of GitHub and names what it leaves out.

GitHub and GitLab interpret links, mentions, references to issues and commits, HTML and, at the
start of a line, quick actions in any text but code. So plain words in texts of other people remain
prose, and everything else becomes code.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from textwrap import indent

from msgspec import Struct

from spokerender.findings.phrasing import count, joined, listed
from spokerender.findings.results import Severity
from spokerender.findings.suppressions import SUPPRESSED
from spokerender.formats.comparing import Steps
from spokerender.model import Origin, grouped, shown
from spokerender.report.describing import Describer, describe_tests, name_states, split_paths
from spokerender.report.fields import change_lines
from spokerender.report.reports import Look, ReviewReport
from spokerender.report.sides import compare_sides, write_diff
from spokerender.report.terminal import on_one_line
from spokerender.review.changes.values import Difference
from spokerender.review.values import Consequence, group_by_cause

# Words in the sense of prose. Anything with a slash, an underscore, an @ or a # in it is none,
# since a host could take it for markup, a mention or a reference.
_WORD = re.compile(
    r"[(\"]?[A-Za-z]+(?:['-][A-Za-z]+)*[)\"]?[.,;:]?|[0-9]{1,4}(?:,[0-9]{3})?[.,;:]?|[-→]"
)
_PIECE = re.compile(r"(?<!\S)\{[^{}]*\}(?!\S)|\S+")
"""A word, or a mapping of YAML, which is copied as a whole."""
# Hosts link such a word to a commit.
_LIKE_COMMIT = re.compile(r"[0-9a-f]{7,40}")
# A parenthesis closes with the sentence, so it is taken together with the mark that follows it.
_END = re.compile(r"[.,;:]|\)[.,;:]?")
_TICKS = re.compile(r"`+")


def code_span(text: str) -> str:
    """Return a text as code on one line; the fence is longer than any run of ticks in the text."""
    text = on_one_line(text).strip() or " "
    ticks = "`" * (max(map(len, _TICKS.findall(text)), default=0) + 1)
    # CommonMark strips one space at both ends, so that a span can begin with a tick.
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


_LONGEST_CELL, _BAR = 200, "\\x7c"


def table_cell(text: str) -> str:
    """Return a text as code in a cell; bars are escaped, since a bar ends a cell even in code."""
    return code_span(_shorten(text)).replace("|", _BAR)


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"


def inert(text: str) -> str:
    """Return a sentence as Markdown: words that are not plain text are written as code."""
    parts: list[str] = []
    code: list[str] = []
    for word in _PIECE.findall(on_one_line(text)):
        if _WORD.fullmatch(word) and not _LIKE_COMMIT.fullmatch(word.strip('()".,;:')):
            if code:
                parts.append(_span_words(code))
                code = []
            parts.append(word)
        else:
            code.append(word)
    if code:
        parts.append(_span_words(code))
    return " ".join(parts)


def _span_words(words: list[str]) -> str:
    """Return words as code; the punctuation after the last word stays outside."""
    text = " ".join(words)
    # A closing parenthesis is code if its opening one is: `a.example (elsewhere b.example)`.
    bare = text.rstrip(".,;:") if "(" in text else text.rstrip(".,;:)")
    end = text[len(bare) :]
    if bare.strip() and _END.fullmatch(end):
        return f"{code_span(bare)}{end}"
    return code_span(text)


def fenced(lines: list[str], language: str) -> list[str]:
    """Return lines in a fence that is longer than any run of ticks in them."""
    shown = list(map(on_one_line, lines))
    longest = max((len(run) for line in shown for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *shown, fence]


MARK = "<!-- spokerender review -->"
"""The first line, which marks a comment as this tool's."""
LIMIT = 65_536
"""The most letters of a comment on GitHub."""
# For the headings of sections, and for the last line.
# Reserved before anything else is chosen: the sentence about omissions must always fit.
_RESERVED = 1_500
_SIGNS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.INFO: "💡"}
_FOR_TABLE = 4_000
"""The most letters of a table that sums up the entries without room for a line."""
_TABLE = "\n| what | number | spokes | such as |\n|---|---|---|---|\n"
_VERDICT = "Fix each error, or accept it with the entry that stands with it. Warnings do not block."
_FOLDED = "Changes"
"""The section that readers of a comment open if they want it."""
_PATHS, _NAMED = 10, 3
_FULL = "`spokerender review --format html` makes the page, and `--format json` has everything."


class _Sort(Struct, frozen=True):
    """An entry to sum up in a table: the name of its row, its text, and its spokes."""

    name: str
    example: str
    spokes: Sequence[str]


class _Counts(Struct, frozen=True):
    """The numbers of a section's entries: all, only in a table, missing, and shortened."""

    title: str
    total: int
    summed: int
    missing: int
    short: int


def review_markdown(report: ReviewReport, _: Look) -> str:
    """Return the consequences, then the changes, each in the longest form that has room.

    Entries without room for a line are summed up in a table; entries without room there are
    counted.
    """
    review, total = report.review, len(report.rendered.bundles)
    describer = Describer(report.rendered)
    groups = [alike for _, alike in group_by_cause(review.consequences)]
    linked = partial(_link, report)
    consequences = [forms for alike in groups for forms in _group_forms(alike, describer, linked)]
    needed = [_short_forms(item, describer) for item in review.needed]
    tightened = [_short_forms(item, describer) for item in review.tightened]
    differences = describer.join_alike(review.changes)
    changes = [_change_forms(item, describer) for item in differences]
    sections = {
        "Consequences": (consequences, [*map(_sort_consequence, review.consequences)]),
        "Newly needed on the clusters": (needed, [*map(_sort_consequence, review.needed)]),
        "Stricter than before": (tightened, [*map(_sort_consequence, review.tightened)]),
        _FOLDED: (changes, [*map(_sort_change, differences)]),
    }
    head = _head(report) + _sum_up(groups, describer, linked)
    room = LIMIT - measure(head) - _RESERVED
    pieces = [*consequences, *needed, *tightened, *changes]
    # First without tables, which a review that fits as a whole does not need.
    chosen = choose_forms(pieces, room)
    if not all(chosen):
        # The entries without room are summed up in tables, which need room as well.
        tables = sum(bool(part) for part, _ in sections.values())
        chosen = choose_forms(pieces, room - _FOR_TABLE * tables)
    lines, levels = [head], iter(chosen)
    counts: list[_Counts] = []
    for title, (part, sorts) in sections.items():
        own = [next(levels) for _ in part]
        missing = [sort for sort, level in zip(sorts, own, strict=True) if not level]
        table, summed = _summarise(missing, total)
        # Level 0 is the empty text, so an entry that was not chosen adds nothing.
        texts = [forms[level] for forms, level in zip(part, own, strict=True)]
        gap = "\n" if any(texts) else ""  # a table has its own
        body = [gap, *texts, *table]
        if title == _FOLDED:  # a host shows Markdown in it behind an empty line
            summary = f"<summary>{count(len(part), 'change')}</summary>"
            body = [f"\n<details>{summary}\n", *body, "\n</details>\n"]
        lines += [f"\n### {title}\n", *body] if part else []
        short = sum(0 < level < len(forms) - 1 for forms, level in zip(part, own, strict=True))
        counts.append(_Counts(title, len(part), summed, len(missing) - summed, short))
    lines.append(_tell_left_out(report, counts))
    return "".join(lines)


def _head(report: ReviewReport) -> str:
    review = report.review
    spokes = {name for item in review.consequences for name in item.result.spokes}
    numbers = [count(number, kind) for kind, number in review.counts.items() if number]
    where = f" on {count(len(spokes), 'spoke')}" if spokes else ""
    title = f"{joined(numbers)}{where}" if numbers else "no consequence"
    sides = inert("changes from {} to {}".format(*name_states(review)))
    notes = [f"\n> {inert(side.note)}\n" for side in (review.before, review.after) if side.note]
    results = [
        f"- {_SIGNS[item.severity]} {code_span(item.code)} {inert(item.message)}\n"
        for item in review.results[:_NAMED]
    ]
    more = len(review.results) - _NAMED
    rest = f"- and {count(more, 'more finding')} about the comparison\n" if more > 0 else ""
    # Only errors need an action, so only they get the sentence about it.
    if review.counts[Severity.ERROR]:
        sides += f"\n\n{_VERDICT}"
    body = f"{MARK}\n## Review: {title}\n\n{sides}\n{''.join(notes)}"
    return f"{body}\n{''.join(results)}{rest}" if results else body


def _link(report: ReviewReport, line: Origin) -> str:
    """Return a line as code, linked to its file at the host of the repository."""
    text, address = code_span(str(line)), report.link(line)
    return f"[{text}]({address})" if address else text


_ROWS, _SHORT = 15, 120
_SUMMARY = "\n| | what it means | for example | on | by which line |\n|---|---|---|---|---|\n"


def _sum_up(
    groups: Sequence[Sequence[Consequence]], describer: Describer, link: Callable[[Origin], str]
) -> str:
    """Return a table with the most severe consequence of each cause; empty for a single cause."""
    rows = []
    for first, *others in groups[:_ROWS]:
        result = first.result
        # Longer values stand with the entry below.
        is_short = 0 < len(f"{first.was}{first.now}") <= _SHORT
        change = f": {_code(first.was)} → {_code(first.now)}" if is_short else ""
        more = f" (and {count(len(others), 'more consequence')} of this line)" if others else ""
        about = first.example or "".join(place.steps[-1] for place in first.places[:1])
        cells = (
            _SIGNS[result.severity],
            f"{inert(_shorten(result.message))}{change}{more}",
            code_span(_shorten(about)) if about else "",
            inert(describer.place(result.spokes).removeprefix("on ")) if result.spokes else "",
            first.write_cause(link),
        )
        rows.append(f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |\n")
    left = len(groups) - _ROWS
    rows += [f"\nand {count(left, 'more line')} below\n"] if left > 0 else []
    return "".join([_SUMMARY, *rows]) if len(groups) > 1 else ""


def _group_forms(
    alike: Sequence[Consequence], describer: Describer, link: Callable[[Origin], str]
) -> Iterator[Sequence[str]]:
    """Yield each consequence's forms, from short to full; a line about the cause leads several."""
    cause = alike[0].write_cause(link)
    if len(alike) == 1:
        yield _consequence_forms(alike[0], describer, cause)
        return
    head = f"- {cause} has {count(len(alike), 'consequence')}:\n"
    for item in alike:
        # The head goes with the first consequence, which has the best chance of room.
        nothing, *forms = _consequence_forms(item, describer)
        yield nothing, *(head + indent(text, "  ") for text in forms)
        head = ""


def _short_forms(item: Consequence, describer: Describer) -> Sequence[str]:
    """Return the forms of a consequence: left out (""), and a line without a severity sign."""
    return "", f"- {_sentence(item, describer)}"


def _consequence_forms(item: Consequence, describer: Describer, cause: str = "") -> Sequence[str]:
    """Return the forms: left out (""), a line, and the line with values, paths and cause."""
    result = item.result
    line = f"- {_SIGNS[result.severity]} {_sentence(item, describer)}"
    more = [f"{_code(item.was)} → {_code(item.now)}"] if item.was or item.now else []
    more += (" → ".join(map(code_span, steps)) for steps in split_paths(item.places[:_PATHS]))
    if len(item.places) > _PATHS:
        more.append(f"and {count(len(item.places) - _PATHS, 'more path')}")
    more += [f"for example {code_span(item.example)}"] if item.example else []
    more += [inert(tests)] if (tests := describe_tests(item)) else []
    if cause:
        is_single = result.resource is not None and (item.hunks or 1) == 1
        more.append(f"caused by {f'{code_span(str(result.resource))} at ' * is_single}{cause}")
    if result.cure:
        cure, *entries = result.cure.rstrip().split("\n")
        block = (f"\n    {line}" for line in fenced(entries, "yaml")) if entries else ()
        more.append(inert(cure) + "".join(block))
    return "", line, line + "".join(f"  - {text}\n" for text in more)


def _sentence(item: Consequence, describer: Describer) -> str:
    result = item.result
    where = f", {inert(describer.place(result.spokes))}" if result.spokes else ""
    reason = dict(result.tags).get(SUPPRESSED)
    accepted = f" (accepted: {inert(reason)})" if reason else ""
    return f"{code_span(result.code)}{accepted} {inert(result.message)}{where}\n"


def _code(value: str) -> str:
    return code_span(value) if value else "none"


def _change_forms(item: Difference, describer: Describer) -> Sequence[str]:
    """Return the forms: left out (""), a line, the line with some fields, and with a diff."""
    item = describer.join_ways(item)
    described = describer.describe(item)
    # Without folders there is nothing to say where.
    line = f"- {described.verb} {code_span(described.subject)} {inert(described.where)}".rstrip()
    line += f": {inert(described.note)}\n" if described.note else "\n"
    fields = [
        _field(change.path, *change_lines(change.old, change.new, color=False)[:1])
        for change in item.changes
    ]
    varying = [
        _field(each.first.path, f"{len(each.by_folders):,} different changes")
        for each in item.varying
    ]
    line += "".join(f"  - {inert(text)}\n" for text in described.others)
    sources = listed(map(code_span, dict.fromkeys(described.sources)), _NAMED)
    # Between line and diff: many changes can show a few fields each where a few diffs would fit.
    grouped = line + "".join(f"  - {text}\n" for text in [*_few(fields), *_few(varying)])
    diff = write_diff(compare_sides(item.changes)) if item.changes else []
    full = [f"  {text}\n" for text in fenced(diff, "diff")] if diff else []
    tail = [f"  - {text}\n" for text in [*varying, *([f"from {sources}"] if sources else [])]]
    return "", line, grouped, line + "".join([*tail, *full])


def _field(path: Steps, text: str) -> str:
    return f"{code_span(shown(path))} {code_span(text)}"


def _few(lines: Sequence[str]) -> list[str]:
    more = len(lines) - _NAMED
    return [*lines[:_NAMED], *([f"and {count(more, 'more field')}"] if more > 0 else [])]


def _sort_consequence(item: Consequence) -> _Sort:
    result = item.result
    name = f"{_SIGNS[result.severity]} {item.topic} {table_cell(result.code)}"
    return _Sort(name, result.message, result.spokes)


def _sort_change(item: Difference) -> _Sort:
    kind = item.ref.kind if item.ref is not None and item.ref.name else "file"
    return _Sort(f"{item.kind} {table_cell(kind)}", str(item.ref or item.path), item.folders)


def _summarise(missing: Sequence[_Sort], total: int) -> tuple[Sequence[str], int]:
    """Return a table with a row for each name in `missing`, and how many entries it sums up."""
    by_name = grouped((item.name, item) for item in missing)
    room, rows, summed = _FOR_TABLE - len(_TABLE), [], 0
    # The most frequent sorts first: where a table has to end, it then sums up most entries.
    for name, items in sorted(by_name.items(), key=lambda row: -len(row[1])):
        spokes = len({spoke for item in items for spoke in item.spokes})
        where = f"all {total:,}" if spokes == total else f"{spokes:,}"
        row = f"| {name} | {len(items):,} | {where} | {table_cell(items[0].example)} |\n"
        room -= measure(row)
        if room < 0:
            break
        rows.append(row)
        summed += len(items)
    return ([_TABLE, *rows], summed) if rows else ((), 0)


def _tell_left_out(report: ReviewReport, counts: Sequence[_Counts]) -> str:
    """Return a sentence about missing or shortened entries, and where to find them."""
    tables = [_of(item, item.summed) for item in counts if item.summed]
    parts = [_of(item, item.missing) for item in counts if item.missing]
    reasons = [*report.review.left_out.items()]
    parts += [f"{number:,} {inert(reason)}" for reason, number in reasons[:_PATHS]]
    if len(reasons) > _PATHS:
        parts.append(f"{sum(number for _, number in reasons[_PATHS:]):,} others")
    short = sum(item.short for item in counts)
    text = f"**Only summed up in a table**: {joined(tables)}. " if tables else ""
    text += f"**Left out**: {joined(parts)}. " if parts else ""
    text += f"{count(short, 'entry')} above shortened. " if short else ""
    return f"\n{text}{_FULL}\n" if text else ""


def _of(item: _Counts, number: int) -> str:
    return f"{number:,} of {item.total:,} under “{item.title}”"


def measure(text: str) -> int:
    """Return a text's length as hosts count it: in UTF-16 units, two for an emoji."""
    # GitHub counts as JavaScript does, which is why an emoji takes two.
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def choose_forms(pieces: Sequence[Sequence[str]], limit: int) -> list[int]:
    """Return the index of the form to print for each piece, in at most `limit` letters.

    The forms of a piece go from the shortest, which may be empty, to the fullest. All pieces with
    room for it get their second form before any piece gets its third form, and so on.
    """
    chosen = [0] * len(pieces)
    room = limit - sum(measure(forms[0]) for forms in pieces)
    # Level by level, not piece by piece: otherwise the first pieces would take all room and the
    # last would vanish.
    for level in range(1, max(map(len, pieces), default=0)):
        for place, forms in enumerate(pieces):
            # A piece that had no room for a form does not skip to a longer one.
            if level >= len(forms) or chosen[place] != level - 1:
                continue
            more = measure(forms[level]) - measure(forms[level - 1])
            if more <= room:
                chosen[place] = level
                room -= more
    return chosen
