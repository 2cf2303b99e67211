"""Editing the YAML of files that people own: every byte that no change is about stays.

A change is the difference between the data that a document has and the data that it shall have.
The parser's marks give the span of each value that differs: only these spans are replaced, and
whole entries are put in or taken out, with the comments that are theirs. The result is read again
before anyone gets it.

PyYAML reads YAML 1.1, ruamel.yaml YAML 1.2. They disagree about line ends, tabs, colons and quotes
at the edges. The people and programs that read a file are of either kind, so a text is edited only
where both see the same nodes in it.
"""

import json
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from spokerender.formats.yamlio import spans, splice
from spokerender.formats.yamlio.align import EntryStep, is_same_entry
from spokerender.formats.yamlio.emit import after_colon, find_invisible, flow, key
from spokerender.formats.yamlio.nodes import (
    BETWEEN,
    Alias,
    Collection,
    Scalar,
    YamlNode,
    content_start,
    list_nodes,
    parse_once,
)
from spokerender.formats.yamlio.reading import Document, read
from spokerender.model.shapes import Json, exact_text

_LINE_END = re.compile(r"\r\n|\r|\n")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*")
_BOM = "\ufeff"
_SHORT = 60


def edit_in_place(data: bytes, index: int, new: Json) -> bytes:
    """Return a file whose document at `index` has the data `new`, with all other bytes as before.

    Raises `UneditableError` if the change would need other changes. It has the line in the file.
    """
    documents, problems = read(data, "")
    document = next((one for one in documents if one.index == index), None)
    if problems or document is None:
        line = problems[0].line if problems else 1
        raise spans.UneditableError(line, "the file can't be read")
    # No change, no edit: the file may hold something that is never edited.
    if is_same_entry(document.value, new):
        return data
    try:
        edits = list(_edits(document, new))
        # A doubt is no edit; it explains a result that comes out wrong.
        result = _replaced(data, document, [one for one in edits if not one.doubt])
    except spans.UneditableError as error:
        raise spans.UneditableError(error.line + document.text_line, error.reason) from None
    reread, problems = read(result, "")
    expected = [new if one.index == index else one.value for one in documents]
    # The edits are not trusted: the whole file is read again, its other documents too.
    if problems or exact_text([one.value for one in reread]) != exact_text(expected):
        doubt = next((one for one in edits if one.doubt), None)
        place = (doubt or edits[0]).start if edits else 0
        line = document.text_line + document.text.count("\n", 0, place)
        reason = problems[0].message if problems else "its layout can't be kept"
        raise spans.UneditableError(line, doubt.doubt if doubt else reason)
    return result


def _replaced(data: bytes, document: Document, edits: Sequence[spans.TextEdit]) -> bytes:
    """Apply the edits of a document's text to its file, whose line ends and BOM stay."""
    # The document's text has LF line ends and no BOM, so offsets are counted anew in the raw file.
    raw = data.decode()
    ends = list(_LINE_END.finditer(raw))
    starts = [0, *(end.end() for end in ends)]
    pieces: list[str] = []
    text, done = document.text, 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        offsets = []
        for offset in (edit.start, edit.end):
            line = document.text_line - 1 + text.count("\n", 0, offset)
            column = offset - text.rfind("\n", 0, offset) - 1
            begin = starts[line] if line < len(starts) else len(raw)
            offsets.append(min(begin + raw.startswith(_BOM, begin) + column, len(raw)))
        start, end = offsets
        if start < done:
            raise spans.UneditableError(edit.start, "two changes overlap")
        # A file may mix line ends; the one that follows the edit is used.
        newline = next(
            (one[0] for one in ends if one.start() >= start), ends[-1][0] if ends else "\n"
        )
        pieces += raw[done:start], edit.text.replace("\n", newline)
        done = end
    return "".join((*pieces, raw[done:])).encode()


def _edits(document: Document, new: Json) -> Iterator[spans.TextEdit]:
    text, tree = document.text, parse_once(document.text)
    root = tree.root if tree is not None else None
    # An empty or a scalar root has no entry whose place could be found.
    if not isinstance(root, Collection) or type(new) is not type(document.value) or not new:
        raise spans.UneditableError(0, "the document is not a mapping with entries")
    if (line := find_disagreement(text, root)) is not None:
        raise spans.UneditableError(line, "YAML 1.2 reads it otherwise than YAML 1.1")
    editor = _BlockText(spans.FlowText(text, _is_json(text)), _find_indents(text, root))
    yield from editor.edit(splice.Entry(None, root, 0, 0, 0, 0), document.value, new)


def _is_json(text: str) -> bool:
    """Tell whether a document is JSON, not only YAML in brackets."""
    try:
        return text.lstrip().startswith(("{", "[")) and bool(json.loads(text))
    except ValueError:
        return False


def find_disagreement(text: str, root: YamlNode) -> int | None:
    """Return the line, counted from 0, of the first node that YAML 1.2 reads differently."""
    nodes = iter(list_nodes(root))
    try:
        # ruamel's pure parser: with its C extension it would use libyaml, which reads YAML 1.1.
        for event in YAML(typ="safe", pure=True).parse(text):
            if not isinstance(event, NodeEvent):
                continue
            node = next(nodes, None)
            if node is None or not _is_same(node, event):
                return int(event.start_mark.line)
    except MarkedYAMLError as error:
        return int(error.problem_mark.line) if error.problem_mark else 0
    rest = next(nodes, None)
    return None if rest is None else int(rest.start.line)


def _is_same(node: YamlNode, event: NodeEvent) -> bool:
    if isinstance(node, Scalar) and not node.text:
        return isinstance(event, ScalarEvent) and not event.value  # nothing is anywhere
    if node.start.index != event.start_mark.index:
        return False
    if isinstance(node, Alias):
        return isinstance(event, AliasEvent)
    if isinstance(node, Scalar):
        return isinstance(event, ScalarEvent) and node.text == event.value
    is_mapping = isinstance(event, MappingStartEvent)
    return isinstance(event, CollectionStartEvent) and node.is_mapping == is_mapping


def write_block(value: Json) -> str:
    """Write data in block style, with lists of scalars in brackets, as people do."""
    editor = _BlockText(spans.FlowText("", is_json=False), _Indents())
    return "".join(f"{line}\n" for line in editor.lines(value, 0))


class _Indents(Struct, frozen=True):
    """The number of spaces by which mappings and sequences are indented below their keys."""

    mapping: int = 2
    sequence: int = 2


def _find_indents(text: str, root: YamlNode) -> _Indents:
    """Return the indentation that the file uses first."""
    indents: dict[str, int] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Collection) or node.flow:
            continue
        # In the order of the text, so that the first indentation is the one that a reader sees
        # first.
        waiting += reversed(node.children)
        for name, value in node.pairs() if node.is_mapping else ():
            if isinstance(value, Collection) and not value.flow:
                sort = "mapping" if value.is_mapping else "sequence"
                indents.setdefault(sort, splice.first_column(text, value) - name.start.column)
    return _Indents(**indents)


class _BlockText(Struct, frozen=True):
    """A text with collections in block style, and how new entries are indented in it."""

    flow_text: spans.FlowText
    indents: _Indents

    @property
    def text(self) -> str:
        """The text itself."""
        return self.flow_text.text

    def edit(self, entry: splice.Entry, old: Json, new: Json) -> Iterator[spans.TextEdit]:
        """Yield the edits that make the value of an entry another one."""
        node = entry.value
        if is_same_entry(old, new):
            return
        yield from spans.find_doubt(self.text, node)
        if isinstance(node, Alias):
            return
        is_flow = isinstance(node, Collection) and node.flow
        # Empty collections have no entries beside which others could be written.
        if isinstance(node, Collection) and type(old) is type(new) and old and new:
            inside = self.flow_text.edit(node, old, new) if is_flow else None
            yield from inside or self._edit_block(node, entry.value_start, old, new)
        elif is_flow and isinstance(new, dict | list):
            yield self.flow_text.replace(node, new)
        else:
            yield from self._replace(entry, new)

    def _edit_block(
        self, node: Collection, start: int, old: Json, new: Json
    ) -> Iterator[spans.TextEdit]:
        try:
            entries = splice.block(self.text, start, node).entries
        except splice.UncertainError:
            reason = "keys with `?`, or on several lines, can't be edited"
            raise spans.UneditableError(node.start.line, reason) from None
        steps, gone, doubts = spans.plan_change(self.text, node, old, new)
        yield from doubts
        # With all entries gone there is none left to insert beside.
        if len(gone) == len(entries):
            written = "\n".join(self.lines(new, entries[0].column)).lstrip(" ")
            yield spans.TextEdit(entries[0].start, entries[-1].end, written)
            return
        before = -1
        for step in steps:
            if step.index is not None:
                before = step.index
                yield from self.edit(entries[before], step.old, step.new)
            else:
                yield self._insert(entries, start, before, self._written(entries, step))
        for index in gone:
            floor = entries[index - 1].end if index else start
            following = entries[1:2] if index + 1 not in gone else ()
            yield self._remove(entries[index], floor, following)

    def _insert(
        self, entries: Sequence[splice.Entry], start: int, before: int, written: str
    ) -> spans.TextEdit:
        """Put lines behind the entry at the index `before`, or in front of all."""
        if before >= 0:
            return spans.TextEdit(entries[before].end, entries[before].end, f"\n{written}")
        first = entries[0]
        begin = splice.own_lines(self.text, first.start, start)
        if begin is None or begin < 0:
            indent = " " * first.column
            return spans.TextEdit(first.start, first.start, f"{written.lstrip(' ')}\n{indent}")
        return spans.TextEdit(begin, begin, f"\n{written}")

    def _remove(
        self, entry: splice.Entry, floor: int, following: Sequence[splice.Entry]
    ) -> spans.TextEdit:
        """Remove an entry with its comments; an item whose first entry it is keeps its dash."""
        begin = splice.own_lines(self.text, entry.start, floor)
        if begin is not None:
            return spans.TextEdit(max(begin, 0), entry.end + (begin < 0))
        if following and not self.text[entry.end : following[0].start].strip():
            # The next key moves up behind the dash.
            return spans.TextEdit(entry.start, following[0].start)
        return spans.TextEdit(len(self.text[: entry.start].rstrip(" ")), entry.end)

    def _replace(self, entry: splice.Entry, new: Json) -> Iterator[spans.TextEdit]:
        """Replace a value that has no part in common with the new value."""
        layout = _layout(self.text, entry)
        literal = _literal(self.text, entry.value, layout, new)
        head, lines = literal or self._spelled(entry, new)
        start, end = layout.start, layout.end
        # A value that moves to the next line leaves no space behind the colon.
        before = self.text[:start].rstrip(" \t" if head else None)
        if not head:
            start = max(len(before), entry.value_start)
        elif start == end and self.text[start - 1] not in " \n":
            head = f" {head}"
        yield spans.TextEdit(start, end, head)
        tail = "".join(f"\n{line}" for line in lines)
        yield spans.TextEdit(layout.lines_start, layout.lines_end, tail)

    def _spelled(self, entry: splice.Entry, new: Json) -> tuple[str, list[str]]:
        node = entry.value
        if isinstance(new, dict | list) and new and not _is_short(new):
            lines = self.lines(new, self._inner(new, entry.column, is_item=entry.key is None))
            return ("", lines) if entry.key else (lines[0].lstrip(" "), lines[1:])
        is_line = not (isinstance(new, str) and "\n" in new)
        return (spans.spell(node, new), []) if is_line else self._spelled_leaf(new, entry.column)

    def _spelled_leaf(self, value: Json, column: int) -> tuple[str, list[str]]:
        if isinstance(value, list):
            return flow(value), []
        head, *lines = after_colon(value, " " * column).split("\n")
        return head.strip(" "), lines

    def _written(self, entries: Sequence[splice.Entry], step: EntryStep) -> str:
        """Write a new entry beside others: in brackets if all of these are."""
        column, value = entries[0].column, step.new
        are_flow = all(isinstance(one.value, Collection) and one.value.flow for one in entries)
        if step.name is None and are_flow and isinstance(value, dict | list):
            return f"{' ' * column}- {flow(value)}"
        return "\n".join(self.lines([value] if step.name is None else {step.name: value}, column))

    def _inner(self, value: Json, column: int, *, is_item: bool) -> int:
        """Return the column of a collection below a key or behind a dash."""
        below_key = self.indents.mapping if isinstance(value, dict) else self.indents.sequence
        return column + (2 if is_item else below_key)

    def lines(self, value: Json, column: int) -> list[str]:
        """Write a collection in block style."""
        lines: list[str] = []
        indent, is_mapping = " " * column, isinstance(value, dict)
        for name, item in value.items() if is_mapping else ((None, item) for item in value):
            lead = f"{indent}-" if name is None else f"{indent}{key(name)}:"
            if not (isinstance(item, dict | list) and item) or _is_short(item):
                head, tail = self._spelled_leaf(item, column)
                lines += [f"{lead} {head}", *tail]
                continue
            inner = self.lines(item, self._inner(item, column, is_item=name is None))
            first = [lead] if name is not None else [f"{lead} {inner.pop(0).lstrip(' ')}"]
            lines += [*first, *inner]
        return lines


def _is_short(value: Json) -> bool:
    """Return whether a value is a list of scalars that fits into a line."""
    are_scalars = isinstance(value, list) and not any(isinstance(x, dict | list) for x in value)
    return are_scalars and len(flow(value)) <= _SHORT


class _Layout(Struct, frozen=True):
    """The span of a value on its first line, and that of the whole lines that follow."""

    start: int
    end: int
    lines_start: int
    lines_end: int


def _layout(text: str, entry: splice.Entry) -> _Layout:
    node = entry.value
    if isinstance(node, Collection) and not node.flow:
        end = splice.content_end(text, node)
        match = re.compile(BETWEEN).match(text, entry.value_start)
        first = match.end() if match else end
        if "\n" not in text[entry.value_start : first]:
            return _Layout(first, end, entry.end, entry.end)
        lines_start = spans.line_end(text, entry.value_start)
        return _Layout(entry.value_start, entry.value_start, lines_start, entry.end)
    start, end = content_start(text, node), int(node.end.index)
    if isinstance(node, Scalar) and node.style in ("|", ">"):
        header = _BLOCK_HEADER.match(text, start)
        end = header.end() if header else start
        return _Layout(start, end, spans.line_end(text, end), splice.content_end(text, node))
    if start >= end:  # an absent value is where the colon or dash ends
        start = end = entry.value_start
    lines_start = spans.line_end(text, end)
    return _Layout(start, end, lines_start, lines_start)


def _literal(text: str, node: YamlNode, layout: _Layout, new: Json) -> tuple[str, list[str]] | None:
    """Write lines with the indentation of those before them, so that equal lines stay equal."""
    header = text[layout.start : layout.end]
    is_literal = isinstance(node, Scalar) and node.style == "|" and header.strip("|+-") == ""
    # Such a text needs an indentation indicator.
    if not (is_literal and isinstance(new, str) and "\n" in new) or new[0] in " \t\n":
        return None
    # A literal block has no escapes.
    if find_invisible(new) or re.search(r"[\x00-\x08\x0b-\x1f\x7f]", new):
        return None
    body = text[layout.lines_start : layout.lines_end].lstrip("\n")
    indent = body[: len(body) - len(body.lstrip(" "))]
    end = "+" if new.endswith("\n\n") else "" if new.endswith("\n") else "-"
    lines = new.removesuffix("\n").split("\n")
    return f"|{end}", [indent + line if line else "" for line in lines]
