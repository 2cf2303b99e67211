"""Print a review as Markdown that fits into one comment of GitHub, and says what it left out."""

from collections.abc import Mapping, Sequence

from spokerender.findings.phrasing import count, joined, listed, on_spokes
from spokerender.findings.results import Severity
from spokerender.formats.comparing import Steps
from spokerender.model import shown
from spokerender.rendering.values.provenance import Tracer
from spokerender.report.budget import choose_forms, measure
from spokerender.report.changes import change_lines, exception_lines, source_text
from spokerender.report.inert import code_span, fenced, inert
from spokerender.report.reports import Look, ReviewReport
from spokerender.report.sides import compare_sides, write_diff
from spokerender.review.difference import Difference, DifferenceKind
from spokerender.review.values import Consequence

MARK = "<!-- spokerender review -->"
"""The first line, by which a comment is known as this tool's."""
LIMIT = 65_536
"""The letters of a comment on GitHub."""
_RESERVED = 1_500
_SIGNS = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.INFO: "💡"}
_PATHS = 10
_NAMED = 3
_FULL = "`spokerender review --format html` makes the page, and `--format json` has everything."


def review_markdown(report: ReviewReport, _: Look) -> str:
    """Print the consequences, then the changes, each as full as there is room for."""
    review, total = report.review, len(report.rendered.bundles)
    tracer = Tracer(report.rendered)
    sections = {
        "Consequences": [_consequence_forms(item, total) for item in review.consequences],
        "Stricter than before": [_consequence_forms(i, total)[:2] for i in review.tightened],
        "Changes": [_change_forms(item, tracer, total) for item in review.changes],
    }
    head = _head(report)
    room = LIMIT - measure(head) - _RESERVED
    chosen = choose_forms([forms for part in sections.values() for forms in part], room)
    lines, levels = [head], iter(chosen)
    for title, part in sections.items():
        texts = [forms[next(levels)] for forms in part]
        lines += [f"\n### {title}\n\n", *texts] if any(texts) else []
    lines.append(_tell_left_out(report, sections, chosen))
    return "".join(lines)


def _head(report: ReviewReport) -> str:
    review = report.review
    spokes = {name for item in review.consequences for name in item.result.spokes}
    numbers = [count(number, kind) for kind, number in review.counts.items() if number]
    title = f"{joined(numbers)} on {count(len(spokes), 'spoke')}" if numbers else "no consequence"
    sides = f"{inert(review.before.name)} → {inert(review.after.name)}"
    notes = [f"\n> {inert(side.note)}\n" for side in (review.before, review.after) if side.note]
    results = [
        f"- {_SIGNS[item.severity]} {code_span(item.code)} {inert(item.message)}\n"
        for item in review.results[:_NAMED]
    ]
    more = len(review.results) - _NAMED
    rest = f"- and {count(more, 'more finding')} about the comparison\n" if more > 0 else ""
    body = f"{MARK}\n## Review: {title}\n\n{sides}\n{''.join(notes)}"
    return f"{body}\n{''.join(results)}{rest}" if results else body


def _consequence_forms(item: Consequence, total: int) -> Sequence[str]:
    """Return nothing, a line, and the line with values, paths and cause."""
    result = item.result
    where = f" {inert(on_spokes(result.spokes, total))}" if result.spokes else ""
    accepted = " (accepted)" if "suppressed" in dict(result.tags) else ""
    sign, code = _SIGNS[result.severity], code_span(result.code)
    line = f"- {sign} {code}{accepted} {inert(result.message)}{where}\n"
    more = [f"{_code(item.was)} → {_code(item.now)}"] if item.was or item.now else []
    more += map(_path, item.paths[:_PATHS])
    if len(item.paths) > _PATHS:
        more.append(f"and {count(len(item.paths) - _PATHS, 'more path')}")
    if result.origin is not None:
        cause = f"{code_span(str(result.resource))} at " if result.resource is not None else ""
        more.append(f"caused by {cause}{code_span(str(result.origin))}")
    more += [inert(result.cure)] if result.cure else []
    return "", line, line + "".join(f"  - {text}\n" for text in more)


def _code(value: str) -> str:
    return code_span(value) if value else "nothing"


def _path(path: str) -> str:
    return " → ".join(map(code_span, path.split(" > ")))


def _change_forms(item: Difference, tracer: Tracer, total: int) -> Sequence[str]:
    """Return nothing, a line, the line with a few fields, and with all of them as a diff."""
    subject = str(item.ref) if item.ref is not None and item.ref.name else item.path
    if item.was is not None:
        subject = f"{item.was} to {item.ref}"
    if item.kind in (DifferenceKind.NEW_FOLDER, DifferenceKind.LOST_FOLDER):
        subject = f"spoke with {count(item.count, 'object')}"
    where = inert(on_spokes(item.folders, total))
    line = f"- {item.kind} {code_span(subject)} {where}"
    note = item.problem or item.does
    line += f": {inert(note)}\n" if note else "\n"
    fields = [
        _field(change.path, *change_lines(change.old, change.new, color=False)[:1])
        for change in item.changes
    ]
    varying = [
        _field(each.first.path, f"{len(each.by_folders):,} different changes")
        for each in item.varying
    ]
    source = _source(item, tracer)
    line += "".join(f"  - {inert(text)}\n" for text in exception_lines(item, total))
    grouped = line + "".join(f"  - {text}\n" for text in [*_few(fields), *_few(varying)])
    diff = write_diff(compare_sides(item.changes)) if item.changes else []
    full = [f"  {text}\n" for text in fenced(diff, "diff")] if diff else []
    tail = [f"  - {text}\n" for text in [*varying, *source]]
    return "", line, grouped, line + "".join([*tail, *full])


def _field(path: Steps, text: str) -> str:
    return f"{code_span(shown(path))} {code_span(text)}"


def _few(lines: Sequence[str]) -> list[str]:
    more = len(lines) - _NAMED
    return [*lines[:_NAMED], *([f"and {count(more, 'more field')}"] if more > 0 else [])]


def _source(item: Difference, tracer: Tracer) -> list[str]:
    if item.ref is None or item.kind is DifferenceKind.REMOVED:
        return []
    changes = [*item.changes, *(varying.first for varying in item.varying)]
    paths = [change.path for change in changes] or [()]
    sources = (tracer.source(item.folders[0], item.ref, path) for path in paths)
    texts = dict.fromkeys(source_text(source) for source in sources if source is not None)
    return [f"from {listed(map(code_span, texts), _NAMED)}"] if texts else []


def _tell_left_out(
    report: ReviewReport, sections: Mapping[str, Sequence[Sequence[str]]], chosen: Sequence[int]
) -> str:
    """Say what is missing or shorter than it could be, and where it is."""
    levels = iter(chosen)
    parts: list[str] = []
    short = 0
    for title, part in sections.items():
        own = [(next(levels), len(forms) - 1) for forms in part]
        missing = sum(level == 0 for level, _ in own)
        short += sum(0 < level < most for level, most in own)
        parts += [f"{missing:,} of {len(own):,} under “{title}”"] if missing else []
    reasons = [*report.review.left_out.items()]
    parts += [f"{number:,} {inert(reason)}" for reason, number in reasons[:_PATHS]]
    if len(reasons) > _PATHS:
        parts.append(f"{sum(number for _, number in reasons[_PATHS:]):,} others")
    text = f"**Left out:** {joined(parts)}. " if parts else ""
    text += f"{count(short, 'entry')} above shortened. " if short else ""
    return f"\n{text}{_FULL}\n" if text else ""
