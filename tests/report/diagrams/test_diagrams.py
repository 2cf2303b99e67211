"""Diagrams as text: the tree, Mermaid and SVG; names that would break out of each."""

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

from hypothesis import given, strategies as st

from spokerender.edge.carried import carried_page
from spokerender.explain.diagram import Box, Diagram, DrawnPolicy, PolicyMark
from spokerender.model import Ref
from spokerender.report.formats import printer
from spokerender.report.reports import GraphReport, Look
from tests.support import each, rows_of

GROUP = "gateway.networking.k8s.io"
NASTY = [
    '<script>alert(1)</script>"><img src=x onerror=alert(1)>',
    '"]; click n0 "javascript:alert(1)"; n9["x',
    "%%{init: {'securityLevel': 'loose'}}%%",
    'a"]\nend\nsubgraph x',
    "\x1b[31mred\x1b[0m \u202eevil\x00",
    'back\\slash \\N \\" &lt;b&gt; #quot; `**md**`',
    "@everyone [link](https://evil.example)",
    "宽" * 50,
]
SVG = "{http://www.w3.org/2000/svg}"


def of(name: str, number: int = 1, policies: int = 1) -> Diagram:
    """A Gateway and routes of that name, with policies."""
    policy = DrawnPolicy(Ref("kuadrant.io", "AuthPolicy", "ns", name), PolicyMark.OVERRIDDEN, name)
    boxes = [Box(Ref(GROUP, "Gateway", "ns", name), 0, (name,), (policy,) * policies)]
    boxes += [
        Box(Ref(GROUP, "HTTPRoute", "ns", f"{name}{i}"), 1, (name,), (policy,) * policies)
        for i in range(number)
    ]
    return Diagram(tuple(boxes), tuple((0, i + 1) for i in range(number)))


def printed(diagram: Diagram, form: str, *, color: bool = False) -> str:
    """The diagram in a format, as the command prints it."""
    report = GraphReport(diagram=diagram, subject="hub")
    return printer(GraphReport, form)(report, Look(color=color, page=carried_page))


def test_the_tree_names_a_box_that_two_lead_to_once() -> None:
    diagram = of("x", 2)
    shared = Diagram(
        (*diagram.boxes, Box(Ref(GROUP, "HTTPRoute", "ns", "x0", "buy"), 2)),
        (*diagram.edges, (1, 3), (2, 3)),
    )
    assert printed(shared, "text") == (
        rows_of(__file__, "the_tree_names_a_box_that_two_lead_to_once")
    )
    assert printed(Diagram((), ()), "text") == "hub: no Gateway, and no policy\n"


@each(*NASTY)
def test_names_stay_text_in_mermaid(name: str) -> None:
    """Every line is one of ours, and labels have nothing that Mermaid or HTML reads."""
    label = r"[\w .,/()*+✓◐⊘✗…#;-]|<br/>"
    line = re.compile(
        rf'flowchart LR|  n\d+\["(?:{label})*"\]|  n\d+p\d+\(\["(?:{label})*"\]\):::\w+'
        r"|  n\d+p\d+ -\.-> n\d+|  n\d+ --> n\d+|  classDef \w+ [a-z0-9:#,]+"
    )
    lines = printed(of(name, 2), "mermaid").splitlines()
    assert [text for text in lines if not line.fullmatch(text)] == []


@given(st.integers(0, 400), st.integers(0, 30), st.sampled_from(NASTY))
def test_mermaid_is_small_enough_and_says_what_it_left_out(
    routes: int, policies: int, name: str
) -> None:
    text = printed(of(name, routes, policies), "mermaid")
    assert len(text) <= 50_000
    assert text.count("-->") + text.count("-.->") <= 500
    shown = len(re.findall(r'^  n\d+\["HTTPRoute', text, re.MULTILINE))
    left_out = re.search(r"left out: .*?(\d+) HTTPRoute", text)
    assert shown + (int(left_out[1]) if left_out else 0) == routes


@each(*NASTY)
def test_names_stay_text_in_svg(name: str) -> None:
    root = ET.fromstring(printed(of(name, 2), "svg"))  # noqa: S314  (ours)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "title", "style", "rect", "g", "path", "text", "circle"}
    names = {key for element in root.iter() for key in element.attrib}
    assert not {key for key in names if key.startswith("on") or "href" in key}
    letters = [letter for element in root.iter() for letter in element.text or ""]
    assert all(letter.isprintable() or letter == "\n" for letter in letters)


@each("short", "w" * 30, *NASTY)
def test_texts_end_within_their_boxes(name: str) -> None:
    """A character takes 0.602 em at 12 px; one of East Asia takes two."""
    root = ET.fromstring(printed(of(name, 3, 2), "svg"))  # noqa: S314  (ours)
    boxes = [
        item for item in root.iter(f"{SVG}g") if item.find(f"{SVG}rect[@class='box']") is not None
    ]
    assert len(boxes) == 4
    for box in boxes:
        rect = box.find(f"{SVG}rect")
        assert rect is not None
        rows = []
        for text in box.iter(f"{SVG}text"):
            cells = sum(2 if letter == "宽" else 1 for letter in text.text or "")
            assert float(text.get("x", 0)) + cells * 12 * 0.602 <= float(rect.get("width", 0))
            rows.append(float(text.get("y", 0)))
        assert rows == sorted(rows)
        assert all(b - a >= 12 for a, b in pairwise(rows))
        assert rows[-1] <= float(rect.get("height", 0)) - 4


def test_a_picture_follows_the_colour_scheme_and_explains_its_signs() -> None:
    text = printed(of("x"), "svg")
    assert "prefers-color-scheme:dark" in text
    assert ">overridden</text>" in text
