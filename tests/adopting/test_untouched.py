"""Laws of edited files: what a command was not asked to change is there byte by byte."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from msgspec import Struct

from spokerender.adopting.editable import add_to_fleet
from spokerender.adopting.placements import (
    add_spoke_to_files,
    copy_spoke,
    remove_spoke_from_files,
    rename_spoke_in_files,
)
from spokerender.formats.yamlio import read
from spokerender.formats.yamlio.editing import edit_in_place
from tests.formats.yamlio.nasty import blocks, comments, indented
from tests.support.profiles import examples

pytestmark = pytest.mark.property
law = settings(
    max_examples=examples(house=8), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

Lines = list[str]
HEAD = ("apiVersion: spokerender.io/v1alpha1", "kind: Placement", "metadata: {name:   x}  # ours")


class Pieces(Struct, frozen=True):
    """A placement file in pieces: its spokes, the names in a rule, and what is around them."""

    before: Lines
    spokes: dict[str, Lines]
    between: Lines
    style: int
    after: Lines
    indent: str
    newline: str
    bom: str
    ends: bool

    def text(self, names: Sequence[str], added: Lines | None = None) -> bytes:
        """Return the file with these of its spokes, and lines after the last."""
        spokes = [line for name in names for line in self.spokes[name]] + (added or [])
        lines = [
            *self.before,
            *HEAD,
            "spec:",
            "  spokes:",
            *indented(spokes, self.indent),
            "  rules:",
            "  - gateways: {names: [a/b]}",
            *indented(self.between, "    "),
            *self.selection([name for name in self.spokes if name in names]),
            *self.after,
        ]
        text = self.newline.join(lines) + (self.newline if self.ends else "")
        return (self.bom + text).encode()

    def selection(self, names: Sequence[str]) -> Lines:
        """Write the names in one of the styles."""
        if self.style == 0:
            return [f"    spokes: {{names: [ {',  '.join(names)} ]}}   # these"]
        if self.style == 1:
            return [
                "    spokes:",
                "      names:",
                *(f"      -  {name}  # {name[0]}" for name in names),
            ]
        lines = (f"        '{name}',   # {name[0]}]" for name in names)
        return ["    spokes:", "      names: [", *lines, "      ]"]


@st.composite
def placements(draw: st.DrawFn) -> Pieces:
    """Draw a placement file."""
    spokes: dict[str, Lines] = {}
    for name in ("eu-west", "us-east", "ap-south"):
        note = draw(comments)
        lines = [*([note] if note else []), f"- name: {name}   # {draw(comments)}"]
        if draw(st.booleans()):
            lines += ["  values:  # v", *indented(draw(blocks()), "    ")]
        if draw(st.booleans()):
            lines += ["  labels: {a: '1',b: \"2\" }"]
        spokes[name] = lines
    other = ["a: [1.10 ,2]  # c", "b: 0100", "---"]
    return Pieces(
        before=draw(st.sampled_from(([], ["# schema"], ["---"], other, ["---", "# c", *other]))),
        spokes=spokes,
        between=["set:", *indented(draw(blocks()), "  ")],
        style=draw(st.integers(0, 2)),
        after=draw(st.sampled_from(([], ["# end"], ["---", "z:  1e3"], ["", "..."], ["x: y"]))),
        indent=draw(st.sampled_from(("  ", "    ", "   "))),
        newline=draw(st.sampled_from(("\n", "\r\n"))),
        bom=draw(st.sampled_from(("", "\ufeff"))),
        ends=draw(st.booleans()),
    )


NAMES = ("eu-west", "us-east", "ap-south")


@law
@given(placements(), st.sampled_from(NAMES))
def test_rename_changes_the_name_alone(pieces: Pieces, name: str) -> None:
    text = pieces.text(NAMES)
    edited = rename_spoke_in_files([("p.yaml", text)], name, "new-name")
    assert edited["p.yaml"] == text.replace(name.encode(), b"new-name")


@law
@given(placements(), st.sampled_from(NAMES))
def test_remove_takes_its_lines_alone(pieces: Pieces, name: str) -> None:
    edited = remove_spoke_from_files([("p.yaml", pieces.text(NAMES))], name)
    assert edited["p.yaml"] == pieces.text([one for one in NAMES if one != name])


@law
@given(placements())
def test_add_adds_lines_alone(pieces: Pieces) -> None:
    edited = add_spoke_to_files([("p.yaml", pieces.text(NAMES))], {"name": "new"})
    assert edited["p.yaml"] == pieces.text(NAMES, ["- name: new"])


@law
@given(placements(), st.sampled_from(NAMES))
def test_a_copy_adds_lines_alone(pieces: Pieces, name: str) -> None:
    files = [("p.yaml", pieces.text(NAMES))]
    edited = add_spoke_to_files(files, copy_spoke(files, name, "new"), name)["p.yaml"].splitlines()
    before = files[0][1].splitlines()
    same = next(at for at, line in enumerate(edited) if b"name: new" in line)
    added = len(edited) - len(before)
    assert edited[:same] + edited[same + added :] == before


@law
@given(
    placements(), st.sampled_from(["# c", "spec: {}", "spec:", "spec:\n  hub: [ a,b ] # x", None])
)
def test_a_fleet_file_gets_lines_alone(pieces: Pieces, spec: str | None) -> None:
    body = pieces.between[1:] if spec is None else spec.split("\n")
    text = f"{pieces.bom}{pieces.newline.join(body)}{pieces.newline * pieces.ends}".encode()
    edited = add_to_fleet(("fleet.yaml", text), "crds", ["crds/"])["fleet.yaml"]
    kept = iter(edited.splitlines())
    assert all(line in kept for line in text.splitlines() if not line.endswith(b"spec: {}"))


def change(value: Any, draw: Callable[[st.SearchStrategy[Any]], Any]) -> Any:
    """Change something in a value, somewhere: take an entry out, put one in, replace one."""
    if not (isinstance(value, dict | list) and value and draw(st.integers(0, 3))):
        return draw(NEW)
    items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    at = draw(st.integers(0, len(items) - 1))
    key, item = items[at]
    items[at : at + 1] = draw(
        st.sampled_from(
            (
                [],
                [("new", draw(NEW)), items[at]],
                [items[at], ("new", draw(NEW))],
                [(key, change(item, draw))],
            )
        )
    )
    return dict(items) if isinstance(value, dict) else [item for _, item in items]


NEW = st.sampled_from(
    ("eu", "a: b", 7, True, None, "two\nlines\n", ["x"], {"k": [1, {"l": "m"}]}, {})
)


@settings(law, max_examples=examples(300, house=15))
@given(placements(), st.integers(0, 2), st.data())
def test_any_change_of_an_item_leaves_the_others(
    pieces: Pieces, at: int, data: st.DataObject
) -> None:
    text = pieces.text(NAMES)
    document = next(d for d in read(text, "")[0] if d.value.get("kind") == "Placement")
    new = deepcopy(document.value)
    new["spec"]["spokes"][at] = changed = change(new["spec"]["spokes"][at], data.draw)
    edited = edit_in_place(text, document.index, new)
    assert read(edited, "")[0][document.index].value["spec"]["spokes"][at] == changed
    lines = [pieces.spokes[name] for name in NAMES]
    before, after = text.splitlines(), edited.splitlines()
    start = len(pieces.before) + len(HEAD) + 2 + sum(map(len, lines[:at]))
    behind = len(before) - start - len(lines[at])
    assert after[:start] == before[:start]
    assert after[len(after) - behind :] == before[start + len(lines[at]) :]
    assert edited.endswith(b"\n") == text.endswith(b"\n")
