"""Print a diagram in the language of Graphviz."""

from collections.abc import Iterator

from spokerender.explain.diagram import Diagram
from spokerender.report.diagrams.marks import SIGNS
from spokerender.report.reports import GraphReport, Look
from spokerender.report.terminal import on_one_line

_COLORS = {"good": "#1a7f37", "fair": "#9a6700", "open": "#0969da", "poor": "#cf222e"}


def diagram_dot(report: GraphReport, _: Look) -> str:
    """Print the whole diagram."""
    return "".join(f"{line}\n" for line in _lines(report.diagram))


def _lines(diagram: Diagram) -> Iterator[str]:
    yield "digraph topology {"
    yield "  rankdir=LR"
    yield '  node [shape=box, style=rounded, fontname="sans-serif", fontsize=11]'
    for number, box in enumerate(diagram.boxes):
        yield f"  n{number} [label={_quoted(box.heading, box.name, *box.details)}]"
        for place, policy in enumerate(box.policies):
            sign = SIGNS[policy.mark]
            name, state = f"{policy.ref.kind} {policy.ref.full_name}", f"{sign.text} {policy.mark}"
            label = _quoted(name, state, *([policy.note] if policy.note else []))
            color = f'color="{_COLORS[sign.tone]}"'
            yield f"  n{number}p{place} [label={label}, shape=note, style=solid, {color}]"
            yield f"  n{number}p{place} -> n{number} [style=dashed, {color}]"
    yield from (f"  n{start} -> n{end}" for start, end in diagram.edges)
    yield "}"


def _quoted(*lines: str) -> str:
    r"""Return a quoted string of lines; a backslash of a text is doubled (`\N` is a name)."""
    texts = (on_one_line(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(texts) + '"'
