"""Editing the YAML of files that people own: every byte that no change is about stays.

A change is the difference between the data that a document has and the data that it shall have.
Entries of blocks are put in and taken out here, with the comments that are theirs. All else, such
as values and entries between brackets, is left to the library `yaml-edit`, which keeps the layout
around them. The result is read again before anyone gets it.

PyYAML reads YAML 1.1, ruamel.yaml YAML 1.2. They disagree about line ends, tabs, colons and quotes
at the edges. The people and programs that read a file are of either kind, so a text is edited only
where both see the same nodes in it.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from operator import itemgetter
from typing import Any

from msgspec.structs import replace
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)
from yaml_edit import Document as Editor, Node, ScalarValue, Sequence as EditorSequence, YamlError

from spokerender.formats.yamlio import splice
from spokerender.formats.yamlio.align import (
    EntryStep,
    align,
    is_same_entry,
    order_keys,
    plan_entries,
)
from spokerender.formats.yamlio.construct import key_name
from spokerender.formats.yamlio.emit import after_dash, entry, flow, scalar
from spokerender.formats.yamlio.nodes import (
    Alias,
    Collection,
    Scalar,
    YamlNode,
    list_nodes,
    parse_once,
)
from spokerender.formats.yamlio.reading import Document, read
from spokerender.model.shapes import Json, exact_text

_LINE = re.compile(r"(?=.)([^\r\n]*)(\r\n|\r|\n|\Z)", re.DOTALL)
_BOM = "\ufeff"
_SHORT = 60
"""Characters of a list of scalars that is written on one line."""
_INSIDE = object()
_TextEdit = tuple[int, int, str]
"""A span of a text, and what to put there."""


class UneditableError(Exception):
    """A text is written so that a change can't be made in it without changing other parts."""

    def __init__(self, line: int, reason: str) -> None:
        """Take the line, counted from 1 in the file."""
        super().__init__(reason)
        self.line = line
        self.reason = reason


def edit_in_place(data: bytes, index: int, new: Json) -> bytes:
    """Return a file whose document at `index` has the data `new`, with all other bytes as before.

    Raises `UneditableError` if the change would need other changes.
    """
    documents, problems = read(data, "")
    document = next((one for one in documents if one.index == index), None)
    if problems or document is None:
        raise UneditableError(problems[0].line if problems else 1, "the file can't be read")
    # No change, no edit: the file may hold something that is never edited.
    if is_same_entry(document.value, new):
        return data
    edited = _edit(document, new)
    result = _place(data.decode(), document, edited).encode()
    reread, problems = read(result, "")
    expected = [new if one.index == index else one.value for one in documents]
    # The edits are not trusted: the whole file is read again, its other documents too.
    if problems or exact_text([one.value for one in reread]) != exact_text(expected):
        pairs = zip(document.text.splitlines(), edited.splitlines(), strict=False)
        same = next((at for at, (one, other) in enumerate(pairs) if one != other), 0)
        reason = problems[0].message if problems else "anchors, or its layout, are in the way"
        raise UneditableError(document.text_line + same, reason)
    return result


def _place(raw: str, document: Document, edited: str) -> str:
    """Put the edited text of a document into its file, whose line ends and BOM stay."""
    lines = _LINE.findall(raw)
    newline = next((end for _, end in lines if end), "\n")
    before, after = (text.splitlines(keepends=True) for text in (document.text, edited))
    first = document.text_line - 1
    head, own = lines[:first], lines[first : first + len(before)]
    tail = lines[first + len(before) :]
    placed: list[tuple[str, str]] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        replaced = own[start:end]
        lines_end = zip_longest(after[new_start:new_end], (end for _, end in replaced))
        added = [(line[:-1], end or newline) for line, end in lines_end if line is not None]
        placed += replaced if kind == "equal" else added
    if own[0][0].startswith(_BOM) and not placed[0][0].startswith(_BOM):
        placed[0] = _BOM + placed[0][0], placed[0][1]
    placed = [(line, end or newline) for line, end in placed]
    # A file without a line end behind its last line gets none.
    if not tail and not own[-1][1]:
        placed[-1] = placed[-1][0], ""
    return "".join(line + end for line, end in (*head, *placed, *tail))


def _edit(document: Document, new: Json) -> str:
    text, tree = document.text, parse_once(document.text)
    root = tree.root if tree is not None else None
    # An empty or a scalar root has no entry whose place could be found.
    if not isinstance(root, Collection) or type(new) is not type(document.value) or not new:
        raise UneditableError(document.line, "the document is not a mapping with entries")
    if (line := find_disagreement(text, root)) is not None:
        reason = "YAML 1.2 reads it otherwise than YAML 1.1"
        raise UneditableError(document.text_line + line, reason)
    edits: list[_TextEdit] = []
    try:
        old = _edit_blocks(text, root, 0, (document.value, new), edits)
        edits.sort(key=itemgetter(0, 1))
        for start, end, written in reversed(edits):
            text = text[:start] + written + text[end:]
        editor = Editor.parse(text)
        _change(editor.root(), old, new)
    except splice.UncertainError:
        reason = "keys with `?`, or on several lines, can't be edited"
        raise UneditableError(document.line, reason) from None
    except YamlError as error:
        raise UneditableError(document.line, str(error)) from error
    return str(editor)


def _edit_blocks(
    text: str, node: YamlNode, start: int, pair: tuple[Json, Json], edits: list[_TextEdit]
) -> Json:
    """Add the edits that take entries out of blocks, and put new ones in.

    `pair` is the old and the new data of the node. Return the data that the node has after these
    edits. Values, and entries between brackets, are left to the library, but for the last entries
    on one line: the space before the bracket stays.
    """
    old, new = pair
    if not (isinstance(node, Collection) and _is_alike(old, new)) or is_same_entry(old, new):
        return old
    keys = list(node.children[::2]) if node.is_mapping else None
    steps = [
        step if step.index is None or not _is_replaced(node, step) else replace(step, index=None)
        for step in plan_entries(keys, old, new)
    ]
    staying = [step.index for step in steps if step.index is not None]
    if not staying:
        return old
    if node.flow:
        return _edit_flow(text, node, (old, steps), edits)
    entries = splice.block(text, start, node).entries
    before, data = -1, list[Json]()
    for step in steps:
        value = step.new
        if step.index is None:
            edits.append(_insert(text, (start, entries), before, step))
        else:
            before, kept = step.index, entries[step.index]
            pair = step.old, step.new
            value = _edit_blocks(text, kept.value, kept.value_start, pair, edits)
        data.append(value)
    for at, gone in enumerate(entries):
        # A merge key is an entry without data, and stays.
        if at not in staying and (keys is None or key_name(keys[at]) in old):
            floor = entries[at - 1].end if at else start
            edits.append((*_find_span(text, gone, floor, entries[at + 1 : at + 2]), ""))
    return data if keys is None else dict(zip((step.name for step in steps), data, strict=True))


def _edit_flow(
    text: str,
    node: Collection,
    plan: tuple[Json, Sequence[EntryStep]],
    edits: list[_TextEdit],
) -> Json:
    """Take the last entries between brackets out of a line."""
    old, steps = plan
    spans, names = node.spans(), range(len(old)) if isinstance(old, list) else list(old)
    changed = {step.index: step for step in steps if step.index is not None}
    data = {}
    for at, name in enumerate(names):
        value = old[name]
        if at in changed:
            pair = changed[at].old, changed[at].new
            value = _edit_blocks(text, spans[at][1], 0, pair, edits)
        elif at > max(changed) and "\n" not in text[node.start.index : node.end.index]:
            edits.append((spans[at - 1][1].end.index, spans[at][1].end.index, ""))
            continue
        data[name] = value
    return list(data.values()) if isinstance(old, list) else data


def _is_replaced(node: Collection, step: EntryStep) -> bool:
    """Tell whether a block becomes something else: the library takes comments behind it along."""
    value = node.spans()[step.index or 0][1]
    return isinstance(value, Collection) and not value.flow and not _is_alike(step.old, step.new)


def _insert(
    text: str, block: tuple[int, Sequence[splice.Entry]], before: int, step: EntryStep
) -> _TextEdit:
    """Put an entry behind the one at the index `before`, or in front of all."""
    start, entries = block
    indent = " " * entries[0].column
    written = f"-{after_dash(step.new, indent)}"
    if step.name is not None:
        written = entry(step.name, step.new, indent)
    if before >= 0:
        end = entries[before].end
        return end, end, f"\n{indent}{written}"
    begin = splice.own_lines(text, entries[0].start, start)
    if begin is None or begin < 0:
        return entries[0].start, entries[0].start, f"{written}\n{indent}"
    return begin, begin, f"\n{indent}{written}"


def _is_alike(old: Json, new: Json) -> bool:
    """Tell whether both are lists, or mappings, with entries."""
    return isinstance(new, dict | list) and type(old) is type(new) and bool(old and new)


def _find_span(
    text: str, entry: splice.Entry, floor: int, following: Sequence[splice.Entry]
) -> tuple[int, int]:
    """Return the span of an entry with its comments; an item keeps its dash for the next key."""
    begin = splice.own_lines(text, entry.start, floor)
    if begin is not None:
        return max(begin, 0), entry.end + (begin < 0)
    if following and not text[entry.end : following[0].start].strip():
        return entry.start, following[0].start
    return len(text[: entry.start].rstrip(" ")), entry.end


def _change(node: Node | None, old: Json, new: Json) -> None:
    """Change a collection of the editor, which has no entries that are to go but in brackets."""
    assert node is not None  # noqa: S101  (there are entries)
    if isinstance(new, dict):
        _change_mapping(node, old, new)
        return
    sequence, places = node.as_sequence(), align(old, new)
    assert sequence is not None  # noqa: S101  (the parser has seen one)
    for at in reversed(range(len(old))):
        if at not in places:
            del sequence[at]
    for at, (place, item) in enumerate(zip(places, new, strict=True)):
        if place is None:
            sequence.insert(at, _write(item))
        elif not is_same_entry(old[place], item):
            changed = _change_value(sequence[at], old[place], item)
            if changed is not _INSIDE:
                sequence[at] = changed


def _change_mapping(node: Node, old: dict[str, Any], new: dict[str, Any]) -> None:
    mapping, before = node.as_mapping(), None
    assert mapping is not None  # noqa: S101  (the parser has seen one)
    for name in [name for name in old if name not in new]:
        mapping.remove(_write(name))
    for name in order_keys(old, new):
        key = _write(name)
        if name not in old and before is None:
            mapping.insert_at_index(0, key, _write(new[name]))
        elif name not in old:
            mapping.insert_after(before, key, _write(new[name]))
        elif not is_same_entry(old[name], new[name]):
            changed = _change_value(mapping[key], old[name], new[name])
            if changed is not _INSIDE:
                mapping[key] = changed
        before = key


def _change_value(node: Node, old: Json, new: Json) -> Any:  # noqa: ANN401  (the editor's)
    """Return the new value of an entry, or `_INSIDE` if the node was changed inside."""
    if node.is_alias():
        raise YamlError("the value is an alias")
    if _is_alike(old, new):
        _change(node, old, new)
        return _INSIDE
    leaf = node.as_scalar()
    if isinstance(new, str) and leaf is not None and leaf.is_quoted() and "\n" not in new:
        return ScalarValue(new, leaf.style())
    return _write(new)


def _write(value: Json) -> Any:  # noqa: ANN401  (what the editor takes)
    """Return data for the editor: short lists in brackets, texts in quotes that may need them."""
    if isinstance(value, dict):
        return {_write(name): _write(item) for name, item in value.items()}
    if isinstance(value, list):
        items = [_write(item) for item in value]
        are_scalars = not any(isinstance(item, dict | list) for item in value)
        if not (are_scalars and items and len(flow(value)) <= _SHORT):
            return items
        short = EditorSequence(flow=True)
        short.extend(items)
        return short
    if isinstance(value, str) and "\n" in value:
        return ScalarValue(value, "literal")
    if isinstance(value, str):
        return ScalarValue(value, "plain" if scalar(value) == value else "double-quoted")
    return value


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
