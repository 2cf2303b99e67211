"""The spans of a text that a change of its data replaces: values, and entries between brackets."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from spokerender.formats.yamlio.align import EntryStep, is_same_entry, plan_entries
from spokerender.formats.yamlio.construct import key_name
from spokerender.formats.yamlio.emit import find_invisible, flow, quote
from spokerender.formats.yamlio.nodes import (
    BETWEEN,
    Alias,
    Collection,
    Scalar,
    YamlNode,
    content_start,
    list_nodes,
)
from spokerender.formats.yamlio.splice import LINE_REST, own_lines
from spokerender.model.shapes import Json

_BETWEEN = re.compile(BETWEEN)
_NO_SINGLE_QUOTES = re.compile(r"[\x00-\x1f\x7f]")


class TextEdit(Struct, frozen=True):
    """A span of a text, and what to put there.

    `doubt` says why a change at this place may not be possible: the reason to give if the result
    turns out to be wrong.
    """

    start: int
    end: int
    text: str = ""
    doubt: str = ""


class UneditableError(Exception):
    """A text is written so that a change can't be made in it without changing other parts."""

    def __init__(self, line: int, reason: str) -> None:
        """Take the line, counted from 0 in the document, and from 1 in the file later."""
        super().__init__(reason)
        self.line = line
        self.reason = reason


def line_end(text: str, offset: int) -> int:
    """Return the end of the line on which a value ends: only a comment may follow."""
    match = LINE_REST.match(text, offset)
    if match is None:
        raise UneditableError(text.count("\n", 0, offset), "more follows on the line of a value")
    return match.end()


def find_doubt(text: str, node: YamlNode) -> Iterator[TextEdit]:
    """Yield the doubt about a node whose text may stand for several values."""
    start = int(node.start.index)
    if isinstance(node, Alias):
        yield TextEdit(start, start, doubt="the value is an alias")
    elif text[start : start + 1] == "&":
        yield TextEdit(start, start, doubt="the value has an anchor, and may be used elsewhere")


def plan_change(
    text: str, node: Collection, old: Json, new: Json
) -> tuple[list[EntryStep], list[int], list[TextEdit]]:
    """Return the entries of a changed collection, the indexes of those that go, and the doubts.

    A merge key is an entry without data, and stays.
    """
    keys = list(node.children[::2]) if node.is_mapping else None
    steps = plan_entries(keys, old, new)
    staying = {step.index for step in steps}
    names: list[Any] = [*range(len(old))] if keys is None else [*map(key_name, keys)]
    gone = [
        at for at, name in enumerate(names) if at not in staying and (keys is None or name in old)
    ]
    doubts: list[TextEdit] = []
    # A key that is in the data and not in the text comes from a merge.
    if keys is not None and not old.keys() <= {*names, *new}:
        start = int(node.start.index)
        doubts.append(TextEdit(start, start, doubt="a key that is to go comes from a merge key"))
    entries = node.spans()
    for inner in (inner for at in gone for inner in list_nodes(entries[at][1])):
        # An alias that goes takes nothing away from others; an anchor does.
        doubts += () if isinstance(inner, Alias) else find_doubt(text, inner)
    return steps, gone, doubts


def spell(node: YamlNode | None, new: Json, *, is_json: bool = False) -> str:
    """Write a value on one line; a text is quoted as the one before it was."""
    if is_json:
        return json.dumps(new, ensure_ascii=False)
    if isinstance(node, Scalar) and isinstance(new, str):
        # The quotes of the file stay if they can hold the new text.
        if node.style == "'" and not _NO_SINGLE_QUOTES.search(new) and not find_invisible(new):
            return "'" + new.replace("'", "''") + "'"
        if node.style == '"':
            return quote(new)
    return flow(new)


class _Member(Struct, frozen=True):
    """An entry between brackets.

    `floor` is where what precedes it ends, `comma` the offset of the comma behind it, if any.
    """

    floor: int
    start: int
    end: int
    comma: int | None
    value: YamlNode

    @property
    def whole_end(self) -> int:
        """The end of the entry with its comma."""
        return self.end if self.comma is None else self.comma + 1


class FlowText(Struct, frozen=True):
    """A text with collections between brackets, and whether it is JSON."""

    text: str
    is_json: bool

    def edit(self, node: Collection, old: Json, new: Json) -> Iterator[TextEdit]:
        """Yield the edits of a collection that had entries before, and has some afterwards."""
        members = list(self._members(node))
        added: dict[int, list[str]] = {}
        steps, gone, doubts = plan_change(self.text, node, old, new)
        yield from doubts
        staying = [index for index in range(len(members)) if index not in gone]
        before = -1
        for step in steps:
            if step.index is None:
                added.setdefault(before, []).append(self._written(step))
            else:
                before = step.index
                yield from self._change(members[before], step.old, step.new)
        if not staying:
            yield self.replace(node, new)
            return
        removals = [self._remove(members[at], is_behind=at > staying[-1]) for at in gone]
        yield from removals
        comma = members[staying[-1]].comma
        ends = [self.text[at] for one in removals[-1:] for at in (one.start, one.end)]
        has_own_line = ends == ["\n", "\n"]
        # JSON allows no comma behind the last entry, and people write none on one line.
        drops_comma = staying[-1] < len(members) - 1 and members[-1].comma is None
        drops_comma = drops_comma and (self.is_json or not has_own_line)
        if drops_comma and comma is not None:
            yield TextEdit(comma, comma + 1)
        for after, texts in added.items():
            if after < 0:
                start = members[staying[0]].start
                yield TextEdit(start, start, "".join(f"{one}, " for one in texts))
            else:
                yield from self._append(members[after], texts, is_free=not drops_comma)

    def spelled(self, node: YamlNode | None, new: Json) -> str:
        """Write a value on one line (`spell`)."""
        return spell(node, new, is_json=self.is_json)

    def replace(self, node: YamlNode, new: Json) -> TextEdit:
        """Return the edit that replaces a value on one line; its anchor stays."""
        return TextEdit(content_start(self.text, node), node.end.index, self.spelled(node, new))

    def _members(self, node: Collection) -> Iterator[_Member]:
        text, floor = self.text, content_start(self.text, node) + 1
        if text[floor - 1] not in "{[":
            raise UneditableError(node.start.line, "a pair in a list has no braces")
        for name, value in node.spans():
            # An empty value ends before its key does.
            end = max(int(name.end.index), int(value.end.index))
            match = _BETWEEN.match(text, end)
            comma = match.end() if match and text[match.end()] == "," else None
            member = _Member(floor, int(name.start.index), end, comma, value)
            yield member
            floor = member.whole_end

    def _written(self, step: EntryStep) -> str:
        value = self.spelled(None, step.new)
        return value if step.name is None else f"{self.spelled(None, step.name)}: {value}"

    def _change(self, member: _Member, old: Json, new: Json) -> Iterator[TextEdit]:
        node = member.value
        if is_same_entry(old, new):
            return
        yield from find_doubt(self.text, node)
        if isinstance(node, Alias):
            return
        if isinstance(node, Collection) and type(old) is type(new) and old and new:
            yield from self.edit(node, old, new)
            return
        start, end = content_start(self.text, node), int(node.end.index)
        before = self.text[start - 1]
        if start >= end and before not in ": \n":
            raise UneditableError(node.start.line, "a key between braces has no value")
        space = " " if start >= end and before == ":" else ""
        yield TextEdit(start, max(start, end), space + self.spelled(node, new))

    def _remove(self, member: _Member, *, is_behind: bool) -> TextEdit:
        """Take an entry out with its comma, and with its line where it has one of its own."""
        text, end = self.text, member.whole_end
        begin = own_lines(text, member.start, member.floor)
        rest = LINE_REST.match(text, end)
        if begin is not None and rest is not None:
            return TextEdit(begin, rest.end())
        # The last entries take the comma before them along.
        if is_behind and not text[member.floor : member.start].strip():
            return TextEdit(member.floor, end)
        return TextEdit(member.start, len(text) - len(text[end:].lstrip(" \t")))

    def _append(
        self, member: _Member, texts: Sequence[str], *, is_free: bool
    ) -> Iterator[TextEdit]:
        """Put entries behind another entry, on lines of their own if it has its own."""
        text = self.text
        begin = text.rfind("\n", member.floor, member.start)
        rest = LINE_REST.match(text, member.whole_end)
        if not is_free or begin < 0 or text[begin + 1 : member.start].strip() or rest is None:
            yield TextEdit(member.end, member.end, "".join(f", {one}" for one in texts))
            return
        indent = text[begin : member.start]
        if member.comma is None:
            yield TextEdit(member.end, member.end, ",")
            written = ",".join(indent + one for one in texts)
        else:
            written = "".join(f"{indent}{one}," for one in texts)
        yield TextEdit(rest.end(), rest.end(), written)
