"""A diagram as a tree, for terminals, and as a flowchart in Mermaid."""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from spokerender.explain.diagram import Box, Diagram, DrawnPolicy, PolicyMark, bound_diagram
from spokerender.findings.phrasing import count, joined
from spokerender.model import grouped
from spokerender.report.reports import GraphReport, Look
from spokerender.report.terminal import Style, on_one_line, paint

# Below Mermaid's default bounds: maxTextSize (50,000 characters) and maxEdges (500).
_LONGEST = 40_000
_MOST_EDGES = 400
_MOST_BOXES = 160
_LABEL = 60
# A list of what is harmless: Mermaid's grammar has more special characters than its documentation
# lists.
_PLAIN = re.compile(r"[^\w .,/()*+✓◐⊘✗…-]")
_TONES = {
    "good": "fill:#dafbe1,stroke:#1a7f37,color:#0a3316",
    "fair": "fill:#fff8c5,stroke:#9a6700,color:#3b2300",
    "open": "fill:#ddf4ff,stroke:#0969da,color:#0a2540",
    "poor": "fill:#ffebe9,stroke:#cf222e,color:#4c0b10",
}


def diagram_mermaid(report: GraphReport, _: Look) -> str:
    """Return a flowchart with as many boxes and policies as Mermaid on GitHub has room for."""
    most = _MOST_BOXES
    while True:
        smaller = bound_diagram(report.diagram, most)
        text = "".join(f"{line}\n" for line in _lines(smaller))
        edges = len(smaller.edges) + sum(len(box.policies) for box in smaller.boxes)
        if (len(text) <= _LONGEST and edges <= _MOST_EDGES) or most == 1:
            return text
        # Shrink step by step: the length of the text is only known when it is written.
        most = most * 3 // 4


def _lines(diagram: Diagram) -> Iterator[str]:
    yield "flowchart LR"
    for number, box in enumerate(diagram.boxes):
        more = [f"and {describe_left_out(box.left_out)}"] if box.left_out else []
        label = "<br/>".join(map(_escaped, (box.heading, box.name, *box.details, *more)))
        yield f'  n{number}["{label}"]'
        for place, policy in enumerate(box.policies):
            sign = SIGNS[policy.mark]
            name = f"{policy.ref.kind} {policy.ref.full_name}"
            note = f"<br/>{_escaped(policy.note)}" if policy.note else ""
            label = f"{sign.text} {_escaped(name)}<br/>{_escaped(policy.mark)}{note}"
            yield f'  n{number}p{place}(["{label}"]):::{sign.tone}'
            yield f"  n{number}p{place} -.-> n{number}"
    yield from (f"  n{start} --> n{end}" for start, end in diagram.edges)
    if diagram.left_out:
        yield f'  more["left out: {_escaped(describe_left_out(diagram.left_out))}"]'
    tones = dict.fromkeys(SIGNS[mark].tone for mark in marks_in(diagram))
    yield from (f"  classDef {tone} {_TONES[tone]}" for tone in tones)


def _escaped(text: str) -> str:
    """Return the text; characters that Mermaid or HTML might interpret become numbers."""
    short = text if len(text) <= _LABEL else f"{text[: _LABEL - 1]}…"
    return _PLAIN.sub(lambda match: f"#{ord(match[0])};", short)


class Sign(Struct, frozen=True):
    """A sign for readers who see no colours; `tone` is its colour, `style` that on a terminal."""

    text: str
    tone: str
    style: Style


SIGNS: Mapping[PolicyMark, Sign] = {
    PolicyMark.IN_FORCE: Sign("✓", "good", Style.GREEN),
    PolicyMark.ACCEPTED: Sign("✓", "good", Style.GREEN),
    PolicyMark.UNVERIFIED: Sign("?", "open", Style.CYAN),
    PolicyMark.PARTLY: Sign("◐", "fair", Style.YELLOW),
    PolicyMark.OVERRIDDEN: Sign("⊘", "fair", Style.YELLOW),
    PolicyMark.UNRESOLVED: Sign("!", "poor", Style.RED),
    PolicyMark.UNKNOWN: Sign("?", "open", Style.CYAN),
    PolicyMark.CONFLICTED: Sign("✗", "poor", Style.RED),
    PolicyMark.REFUSED: Sign("!", "poor", Style.RED),
}


def joint(policy: DrawnPolicy) -> str:
    """Return the separator between a policy's mark and its note; empty without a note."""
    if not policy.note:
        return ""
    return " " if policy.note.startswith(("by ", "with ")) else ": "


def marks_in(diagram: Diagram) -> list[PolicyMark]:
    """Return the marks that a diagram shows, in their order."""
    shown = {policy.mark for box in diagram.boxes for policy in box.policies}
    return [mark for mark in SIGNS if mark in shown]


def describe_left_out(left_out: Iterable[tuple[str, int]]) -> str:
    """Return the numbers of removed boxes as text: `3 rules and 1 HTTPRoute`; or ""."""
    parts = [count(number, heading) for heading, number in left_out]
    return joined(parts) if parts else ""


_STEP = "   "


def diagram_text(report: GraphReport, look: Look) -> str:
    """Return a tree: each box in full below the first box that leads to it, then its name alone."""
    diagram = report.diagram
    if not diagram.boxes:
        return f"{report.subject}: no Gateway, and no policy\n"
    below = grouped((start, end) for start, end in diagram.edges)
    ends = {end for _, end in diagram.edges}
    # A box that nothing leads to is a root, also a policy's target that is missing.
    roots = [place for place in range(len(diagram.boxes)) if place not in ends]
    lines = _tree_lines(diagram, below, roots, color=look.color)
    return "".join(f"{line}\n" for line in lines)


def _tree_lines(
    diagram: Diagram, below: dict[int, list[int]], roots: list[int], *, color: bool
) -> Iterator[str]:
    # With a list instead of recursion, and each box once: ListenerSets make the topology a graph.
    drawn: set[int] = set()
    ahead = [(place, "", "") for place in reversed(roots)]
    while ahead:
        place, before, indent = ahead.pop()
        box, children = diagram.boxes[place], below.get(place, [])
        name = paint(on_one_line(box.name), Style.BOLD, color=color)
        if place in drawn:
            yield f"{before}{box.heading} {name}{' (above)' if children or box.policies else ''}"
            continue
        drawn.add(place)
        details = on_one_line(" ".join(box.details))
        yield f"{before}{box.heading} {name}{'  ' * bool(details)}{details}"
        rest = f"{indent}{'│  ' if children else _STEP}"
        yield from (f"{rest}{line}" for line in _policy_lines(box, color=color))
        for number, child in enumerate(reversed(children)):
            stem, more = ("└─ ", _STEP) if number == 0 else ("├─ ", "│  ")
            ahead.append((child, f"{indent}{stem}", f"{indent}{more}"))


def _policy_lines(box: Box, *, color: bool) -> Iterator[str]:
    for policy in box.policies:
        sign = SIGNS[policy.mark]
        mark = paint(f"{sign.text} {policy.mark}", sign.style, color=color)
        note = on_one_line(f"{joint(policy)}{policy.note}")
        yield f"{policy.ref.kind} {on_one_line(policy.ref.full_name)}: {mark}{note}"
    if box.left_out:
        yield f"and {describe_left_out(box.left_out)}"
