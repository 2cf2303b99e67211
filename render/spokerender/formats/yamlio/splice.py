"""Edit a text in place: block collections entry by entry, and values on one line.

An entry keeps the comments that belong to it. Nothing is proven here (see `compose`).
"""

import re
from bisect import bisect_left

from msgspec import Struct

from spokerender.formats.yamlio import nodes
from spokerender.formats.yamlio.align import EntryStep, is_same_entry, plan_entries
from spokerender.formats.yamlio.emit import (
    after_colon,
    after_dash,
    entry,
    find_invisible,
    flow,
    key,
    quote,
    scalar,
    stays_block,
    stays_plain,
)
from spokerender.model.shapes import Json

_COLON = re.compile(r"[ \t]*:(?=[ \t\n]|\Z)")
LINE_REST = re.compile(r"[ \t]*(?:(?<![^ \t\n])#[^\n]*)?(?=\n|\Z)")
"""The rest of a line on which a value ends: spaces, and perhaps a comment after a space."""
_REMARK = re.compile(r"\n(?:[ \t]*\n)*([ ]*)#[^\n]*")
_NO_CONTENT = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
_SPACES = " \t"
_ODD_KEYS = "keys with `?`, or on several lines, can't be edited"

_Plan = list[tuple[int | None, str]]
"""The new entries in order, each with its old index (None: new) and its text."""


class EditedText(Struct, frozen=True):
    """A text under edit, with the sorted offsets (`restless`) of parts that must be rewritten.

    If `is_owned`, people own the text: all bytes that a change does not concern are unchanged, such
    as spaces at line ends, and a changed value keeps its quotes.
    """

    text: str
    restless: list[int]
    is_owned: bool = False

    def is_settled(self, start: int, end: int) -> bool:
        """Return whether text from `start` to `end` may stay if its meaning does not change."""
        # Asked for every value of every variant, so a search instead of a walk.
        first = bisect_left(self.restless, start)
        return first == len(self.restless) or self.restless[first] >= end

    def clean(self, text: str) -> str:
        """Return a part of the text; unless people own the text, without spaces at line ends."""
        return text if self.is_owned else trim(text)


class UncertainError(Exception):
    """The text is written in a way that can't be edited in place; the message says which."""


class Entry(Struct, frozen=True):
    """A key with its value, or, if `key` is None, a dash with its item, at `column`.

    `start` is the offset of the key or dash, `value_start` the offset after the colon or dash,
    `end` the end of its last line. Comments that are indented more deeply belong to the entry.
    """

    key: nodes.YamlNode | None
    value: nodes.YamlNode
    column: int
    start: int
    value_start: int
    end: int


class Block(Struct, frozen=True):
    """The entries of a block collection; `start` is the offset of the text before the first."""

    start: int
    column: int
    entries: list[Entry]

    @property
    def end(self) -> int:
        """Return the end of the last entry."""
        return self.entries[-1].end

    def gaps(self, source: EditedText) -> list[tuple[str, str]]:
        """Return the text before each entry in two parts; the second part belongs to the entry."""
        gaps = []
        floor = self.start
        for one in self.entries:
            begin = own_lines(source.text, one.start, floor)
            cut = one.start if begin is None else begin + 1
            stays, belongs = source.text[floor:cut], source.text[cut : one.start]
            gaps.append((source.clean(stays), source.clean(belongs)))
            floor = one.end
        return gaps


def block(text: str, start: int, node: nodes.Collection) -> Block:
    """Return the entries of a block. Raises `UncertainError`, such as for explicit keys (`? `)."""
    entries = _pairs(text, node) if node.is_mapping else _items(text, node)
    return Block(start, entries[0].column, entries)


def first_column(text: str, node: nodes.Collection) -> int:
    """Return the column of a block's keys or dashes; the node itself may begin with an anchor."""
    start = node.children[0].start.index if node.is_mapping else nodes.content_start(text, node)
    return start - text.rfind("\n", 0, start) - 1


def _pairs(text: str, node: nodes.Collection) -> list[Entry]:
    entries = []
    column = node.children[0].start.column
    for key_node, value in node.pairs():
        colon = _COLON.match(text, key_node.end.index)
        # Keys of one mapping that do not line up are explicit keys or anchors.
        if colon is None or key_node.start.column != column:
            raise UncertainError(_ODD_KEYS)
        end = _end(text, value, column)
        entries.append(Entry(key_node, value, column, key_node.start.index, colon.end(), end))
    return entries


def _items(text: str, node: nodes.Collection) -> list[Entry]:
    entries: list[Entry] = []
    column = first_column(text, node)
    dash = nodes.content_start(text, node)
    for item in node.children:
        if entries:
            # PyYAML's items have no mark for their dash, so it is looked for behind blank lines and
            # comments.
            match = _NO_CONTENT.match(text, entries[-1].end + 1)
            dash = (match.end() if match else 0) + column
        if text[dash : dash + 1] != "-":
            raise UncertainError(_ODD_KEYS)
        entries.append(Entry(None, item, column, dash, dash + 1, _end(text, item, column)))
    return entries


def content_end(text: str, node: nodes.YamlNode) -> int:
    """Return the offset where a node's content ends, before comments and blank lines after it."""
    # A block ends where its last value does; its own mark ends at the next token.
    while isinstance(node, nodes.Collection) and not node.flow:
        node = node.children[-1]
    end: int = node.end.index
    if isinstance(node, nodes.Scalar) and node.style in {"|", ">"}:
        source = text[node.start.index : end]
        # The header only: a + in the comment behind it means nothing.
        keeps = "+" in source.partition("\n")[0].partition("#")[0]
        return end - source.endswith("\n") if keeps else node.start.index + len(source.rstrip("\n"))
    return end


def _end(text: str, node: nodes.YamlNode, column: int) -> int:
    """Return the end of the entry at `column` whose value is `node`."""
    match = LINE_REST.match(text, content_end(text, node))
    if match is None:
        raise UncertainError(_ODD_KEYS)
    end = match.end()
    # Comments that are indented deeper belong to the entry above them.
    while (remark := _REMARK.match(text, end)) and len(remark[1]) > column:
        end = remark.end()
    return end


def own_lines(text: str, start: int, floor: int) -> int | None:
    """Return the index of the line end before an entry and the comments directly above it.

    The index is -1 if they begin the text, and None if the entry is not the first on its line.
    Comments that are indented more deeply belong to the entry before, which ends at `floor`.
    """
    begin = text.rfind("\n", floor, start)
    if text[max(begin + 1, floor) : start].strip(" ") or (begin < 0 and floor):
        return None
    column = start - begin - 1
    while begin > floor:
        previous = text.rfind("\n", floor, begin)
        line = text[max(previous + 1, floor) : begin]
        comment = line.lstrip(" \t")
        is_first = previous < 0 and floor > 0
        if is_first or not comment.startswith("#") or len(line) - len(comment) > column:
            break
        begin = previous
    return begin


def trim(gap: str) -> str:
    """Return `gap`, a text between entries, without spaces at the ends of its lines."""
    *lines, last = gap.split("\n")
    return "".join(f"{line.rstrip(_SPACES)}\n" for line in lines) + last


def edit_document(source: EditedText, root: nodes.Collection, old: Json, new: Json) -> str:
    """Return a whole document, edited, without blank lines around it and spaces at line ends."""
    edited, behind = edit_root(source, root, old, new)
    return edited.lstrip("\n") + trim(behind + "\n").rstrip() + "\n"


def edit_root(source: EditedText, root: nodes.Collection, old: Json, new: Json) -> tuple[str, str]:
    """Return the edited text up to the end of a document's root, and the text after the root."""
    if root.flow:
        start, end = root.start.index, root.end.index
        written = edit_inline(source, root, old, new) or flow(new)
        return source.text[:start] + written, source.text[end:]
    whole = block(source.text, 0, root)
    return _edit_block(source, whole, old, new), source.text[whole.end :]


def _edit_block(source: EditedText, within: Block, old: Json, new: Json) -> str:
    """Return an edited block, from the text before its first entry to the end of its last entry."""
    keys = [one.key for one in within.entries if one.key is not None]
    steps = plan_entries(keys if isinstance(new, dict) else None, old, new)
    plan = [(step.index, _edit_entry(source, within, step)) for step in steps]
    return _join(plan, within.gaps(source), " " * within.column)


def _join(plan: _Plan, gaps: list[tuple[str, str]], indent: str) -> str:
    """Return the joined entries of a block; comments that belong to no entry are kept."""
    text, tail = gaps[0][0], ""
    own_line = not text or text.endswith("\n")
    tails = [between for between, _ in gaps[1:]] + ["\n"]
    passed = 0
    for index, body in plan:
        lead = indent
        if index is not None:
            # Comments between removed entries stay, as nobody can tell whether they were about
            # those alone.
            loose = (lost.lstrip("\n") for lost in tails[passed:index] if "#" in lost)
            lead = "".join(loose) + (gaps[index][1] or indent)
            passed = index + 1
        # The first entry may be on the line of its dash, a comment above it can't.
        if not own_line and "#" in lead:
            text, own_line = text.rstrip(_SPACES) + "\n", True
        text += tail + (lead if own_line else "") + body
        tail = "\n" if index is None else tails[index]
        own_line = True
    return text + tail.rstrip()


def _edit_entry(source: EditedText, within: Block, step: EntryStep) -> str:
    """Return the new text of the entry that `step` describes, beginning with its key or dash."""
    if step.index is None:
        indent = " " * within.column
        if step.name is not None:
            return entry(step.name, step.new, indent)
        return f"-{after_dash(step.new, indent)}"
    one = within.entries[step.index]
    value = _edit_value(source, one, step.old, step.new)
    if one.key is None or step.name is None:
        return "-" + value
    colon = source.text[one.key.end.index : one.value_start]
    return edit_key(source, one.key, step.name) + colon + value


def _edit_value(source: EditedText, one: Entry, old: Json, new: Json) -> str:
    """Return the text of an edited entry that follows its colon or dash."""
    text, node = source.text, one.value
    # Settled as well as equal: text that readers disagree on is written anew without a change.
    if (old is new or is_same_entry(old, new)) and source.is_settled(one.value_start, one.end):
        return text[one.value_start : one.end]
    if isinstance(node, nodes.Collection) and not node.flow and type(old) is type(new) and new:
        within = block(text, one.value_start, node)
        return _edit_block(source, within, old, new) + source.clean(text[within.end : one.end])
    afresh = (after_colon if one.key else after_dash)(new, " " * one.column)
    if isinstance(node, nodes.Collection) and not node.flow:
        return afresh
    behind = source.clean(text[content_end(text, node) : one.end] + "\n").removesuffix("\n")
    written = edit_inline(source, node, old, new)
    if written is None:
        first, newline, rest = afresh.partition("\n")
        # Further lines of comments would become lines of a literal block.
        return afresh if newline and "\n" in behind else first + behind + newline + rest
    before = source.clean(text[one.value_start : node.start.index])
    return before + (" " if written and not before else "") + written + behind


def edit_inline(source: EditedText, node: nodes.YamlNode, old: Json, new: Json) -> str | None:
    """Return the new text of a node; None if the new value needs another style than the old."""
    if isinstance(node, nodes.Alias):
        raise UncertainError("the value is an alias")
    written = source.text[node.start.index : content_end(source.text, node)]
    if isinstance(node, nodes.Scalar):
        if is_same_entry(old, new):
            if not stays_block(node.style, node.text) or find_invisible(written):
                return None
            return scalar(old) if node.plain and not stays_plain(written, old) else written
        is_unfit = node.style in ("|", ">") or (isinstance(new, dict | list) and new)
        if is_unfit or (isinstance(new, str) and "\n" in new):
            return None
        return _in_quotes(node.style, new) if source.is_owned else flow(new)
    if type(old) is not type(new) or not new:
        return written if is_same_entry(old, new) else None
    return _edit_flow(source, node, old, new) if old else None


def _in_quotes(style: str, value: Json) -> str:
    """Return the text of a value; a string gets the quotes (`style`) of the old value, if any."""
    if style == "'" and isinstance(value, str) and not find_invisible(value):
        return "'" + value.replace("'", "''") + "'"
    return quote(value) if style == '"' and isinstance(value, str) else flow(value)


def edit_key(source: EditedText, node: nodes.YamlNode, name: str) -> str:
    """Return a key as it is written, unless readers disagree about its meaning."""
    written = source.text[node.start.index : node.end.index]
    if source.is_owned:
        return written
    if isinstance(node, nodes.Scalar) and node.plain:
        return written if written == name and stays_plain(written, name) else key(name)
    return key(name) if find_invisible(written) else written


def _edit_flow(source: EditedText, node: nodes.Collection, old: Json, new: Json) -> str:
    """Return an edited flow collection; a separator between two remaining entries is unchanged."""
    text, start, end = source.text, node.start.index, node.end.index
    if text[start] not in "{[":  # `[a: 1]` is a list with a mapping in it that has no brackets
        return flow(new)
    spans = [(one.start.index, value.end.index) for one, value in node.spans()]
    steps = plan_entries(node.children[::2] if node.is_mapping else None, old, new)
    plan = [(step.index, _edit_flow_entry(source, node, step)) for step in steps]
    result = text[start : spans[0][0]]
    before: int | None = None
    for position, (index, body) in enumerate(plan):
        if position:
            result += _separator(text, spans, before) if index is not None else ", "
        result += body
        before = index
    behind, own = text[spans[-1][1] : end], _separator(text, spans, before)
    # A comment behind the last entry on its line stays with the entry.
    if "\n" in own and "\n" in behind:
        behind = own.partition("\n")[0] + behind[behind.index("\n") :]
    return source.clean(result + behind)


def _separator(text: str, spans: list[tuple[int, int]], at: int | None) -> str:
    """Return the text between entry `at` in brackets and the next entry; `, ` if there is none."""
    if at is None or at + 1 == len(spans):
        return ", "
    return text[spans[at][1] : spans[at + 1][0]]


def _edit_flow_entry(source: EditedText, node: nodes.Collection, step: EntryStep) -> str:
    if step.index is None:
        return flow(step.new) if step.name is None else f"{key(step.name)}: {flow(step.new)}"
    key_node, value = node.spans()[step.index]
    start, end = value.start.index, value.end.index
    if source.is_owned and is_same_entry(step.old, step.new):
        return source.text[key_node.start.index : end]
    body = edit_inline(source, value, step.old, step.new) or flow(step.new)
    if step.name is None:
        return body
    colon = ": " if start == end else source.text[key_node.end.index : start]
    return edit_key(source, key_node, step.name) + colon + body
