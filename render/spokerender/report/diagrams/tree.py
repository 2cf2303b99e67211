"""Print a diagram as a tree, for terminals."""

from collections.abc import Iterator

from spokerender.explain.diagram import Box, Diagram
from spokerender.model import grouped
from spokerender.report.diagrams.marks import SIGNS, describe_left_out
from spokerender.report.reports import GraphReport, Look
from spokerender.report.terminal import Style, on_one_line, paint

_STEP = "   "


def diagram_text(report: GraphReport, look: Look) -> str:
    """Print each box below the first that leads to it; where another does too, its name alone."""
    diagram = report.diagram
    if not diagram.boxes:
        return f"{report.subject}: no Gateway, and no policy\n"
    below = grouped((start, end) for start, end in diagram.edges)
    ends = {end for _, end in diagram.edges}
    roots = [place for place in range(len(diagram.boxes)) if place not in ends]
    lines = _tree_lines(diagram, below, roots, color=look.color)
    return "".join(f"{line}\n" for line in lines)


def _tree_lines(
    diagram: Diagram, below: dict[int, list[int]], roots: list[int], *, color: bool
) -> Iterator[str]:
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
        note = f" {on_one_line(policy.note)}" if policy.note else ""
        yield f"{policy.ref.kind} {on_one_line(policy.ref.full_name)}: {mark}{note}"
    if box.left_out:
        yield f"and {describe_left_out(box.left_out)}"
