"""Print a diagram as a Mermaid flowchart that GitHub and GitLab draw.

Mermaid refuses texts above 50,000 characters and above 500 edges (`maxTextSize`, `maxEdges` of its
configuration, which GitHub does not raise).
"""

import re
from collections.abc import Iterator

from spokerender.explain.diagram import Diagram, bound_diagram
from spokerender.report.diagrams.marks import SIGNS, describe_left_out, marks_in
from spokerender.report.reports import GraphReport, Look

_LONGEST = 40_000
_MOST_EDGES = 400
_MOST_BOXES = 160
_LABEL = 60
_PLAIN = re.compile(r"[^\w .,/()*+✓◐⊘✗…-]")
_TONES = {
    "good": "fill:#dafbe1,stroke:#1a7f37,color:#0a3316",
    "fair": "fill:#fff8c5,stroke:#9a6700,color:#3b2300",
    "open": "fill:#ddf4ff,stroke:#0969da,color:#0a2540",
    "poor": "fill:#ffebe9,stroke:#cf222e,color:#4c0b10",
}


def diagram_mermaid(report: GraphReport, _: Look) -> str:
    """Print a flowchart with as many boxes as Mermaid on GitHub has room for; policies count."""
    most = _MOST_BOXES
    while True:
        smaller = bound_diagram(report.diagram, most)
        text = "".join(f"{line}\n" for line in _lines(smaller))
        edges = len(smaller.edges) + sum(len(box.policies) for box in smaller.boxes)
        if (len(text) <= _LONGEST and edges <= _MOST_EDGES) or most == 1:
            return text
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
    """Return the text with every character that Mermaid or HTML might read as a number."""
    short = text if len(text) <= _LABEL else f"{text[: _LABEL - 1]}…"
    return _PLAIN.sub(lambda match: f"#{ord(match[0])};", short)
