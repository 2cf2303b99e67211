"""Adding deletions to a fleet file that people own: every byte that they wrote stays.

ruamel.yaml finds the place in the text, and only the new lines are inserted there. Its own dumper
would change the spacing of the whole file, and would leave the comment that follows a list between
that list and what is appended to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from spokerender.findings.errors import RenderError
from spokerender.formats.yamlio.emit import scalars
from spokerender.formats.yamlio.reading import read

Entries = Sequence[Mapping[str, str | list[str]]]

_PATH = ("spec", "deletions")
_NEW_FILE = "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\n"
_NULL = "tag:yaml.org,2002:null"


def add_deletions(text: str, entries: Entries) -> str:
    """Add entries to `spec.deletions` of a fleet file, and the keys above where they are missing.

    Comments, quotes, indentation, order and line ends stay. An empty text is a file that does not
    exist yet. The result is read again: it has the old data and the entries, and nothing else.

    Raises:
        RenderError: the text is no fleet file, or is written in a way (with an alias, say) in which
            nothing can be inserted. The message has the lines to add by hand.

    """
    if not entries:
        return text
    try:
        result = _added(text, entries)
        if _data(result) == _expected(_data(text), entries):
            return result
    except (YAMLError, _UnfitError):
        pass
    by_hand = "\n".join(_lines(_PATH, entries, 0, _Style()))
    message = f"the entries can't be inserted into the fleet file; add by hand:\n{by_hand}"
    raise RenderError(message)


class _UnfitError(Exception):
    """The text is not a fleet file."""


def _data(text: str) -> dict[str, Any]:
    """Return the data of the file; an empty file counts as a new one."""
    documents, problems = read(text.encode(), "")
    data = documents[0].value if documents else _data(_NEW_FILE)
    if problems or len(documents) > 1 or not isinstance(data, dict):
        raise _UnfitError
    return data


def _expected(data: dict[str, Any], entries: Entries) -> dict[str, Any]:
    spec = data.get("spec") or {}
    deletions = (spec.get("deletions") or []) if isinstance(spec, dict) else None
    if not isinstance(deletions, list):
        raise _UnfitError
    spec = {**spec, "deletions": [*deletions, *map(dict, entries)]}
    return {**data, "spec": spec}


class _Style(Struct, frozen=True):
    """The number of spaces by which mappings and sequences are indented below their keys."""

    mapping: int = 2
    sequence: int = 2


class _Place(Struct, frozen=True):
    """The end of the path to the deletions: the value there, its key, and the missing keys."""

    node: Node
    key: Node | None
    missing: tuple[str, ...]
    in_flow: bool


def _added(text: str, entries: Entries) -> str:
    root = YAML(typ="rt", pure=True).compose(text)
    if root is None or _is_null(root):
        lines = [*_NEW_FILE.splitlines(), *_lines(_PATH, entries, 0, _Style())]
        return _with_lines(text, len(text), lines)
    place = _place(root)
    node, style = place.node, _style(text, root)
    if place.key is not None and _is_null(node):
        return _instead_of_null(text, place, place.key, entries, style)
    if not isinstance(node, MappingNode if place.missing else SequenceNode):
        raise _UnfitError
    if node.flow_style:
        return _in_flow(text, place, entries)
    column = _column(text, node)
    return _with_lines(text, _end(node), _lines(place.missing, entries, column, style))


def _place(root: Node) -> _Place:
    place = _Place(root, None, _PATH, in_flow=False)
    while place.missing and isinstance(place.node, MappingNode):
        name, *rest = place.missing
        child = next((pair for pair in place.node.value if pair[0].value == name), None)
        if child is None:
            break
        key, value = child
        place = _Place(value, key, tuple(rest), in_flow=bool(place.node.flow_style))
    return place


def _is_null(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.tag == _NULL


def _instead_of_null(text: str, place: _Place, key: Node, entries: Entries, style: _Style) -> str:
    start, end = place.node.start_mark.index, place.node.end_mark.index
    if place.in_flow:
        return text[:start].rstrip(" ") + " " + _flow(place.missing, entries) + text[end:]
    if start < end:  # it is written out
        text = text[:start].rstrip(" ") + text[end:]
    indent = style.mapping if place.missing else style.sequence
    lines = _lines(place.missing, entries, key.start_mark.column + indent, style)
    return _with_lines(text, key.end_mark.index, lines)


def _in_flow(text: str, place: _Place, entries: Entries) -> str:
    new = _flow(place.missing, entries)[1:-1]
    if not place.node.value:
        at = place.node.end_mark.index - 1
        return text[:at] + new + text[at:]
    last = place.node.value[-1]
    at = (last[1] if place.missing else last).end_mark.index
    return f"{text[:at]}, {new}{text[at:]}"


def _flow(keys: Sequence[str], entries: Entries) -> str:
    """Write the entries as a list in flow style, below the keys."""
    members = (
        ", ".join(f"{key}: {scalars(value)}" for key, value in one.items()) for one in entries
    )
    value = f"[{', '.join(f'{{{text}}}' for text in members)}]"
    for key in reversed(keys):
        value = f"{{{key}: {value}}}"
    return value


def _lines(keys: Sequence[str], entries: Entries, column: int, style: _Style) -> Iterator[str]:
    """Write the entries as a list in block style that begins at the column, below the keys."""
    for key in keys:
        yield " " * column + f"{key}:"
        column += style.sequence if key == keys[-1] else style.mapping
    for entry in entries:
        for place, (key, value) in enumerate(entry.items()):
            yield " " * column + ("  " if place else "- ") + f"{key}: {scalars(value)}"


def _with_lines(text: str, end: int, lines: Iterable[str]) -> str:
    """Insert lines after the line that the offset is on."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if end and text[end - 1] != "\n":
        end = text.find("\n", end) + 1
    if not end and text:
        text += newline
        end = len(text)
    return text[:end] + "".join(line + newline for line in lines) + text[end:]


def _end(node: Node) -> int:
    """Return the offset where the text of a node ends, without the comments after it."""
    if isinstance(node, ScalarNode) and node.start_mark.index == node.end_mark.index:
        return 0  # an absent value has the place of whatever comes next
    if not isinstance(node, CollectionNode) or node.flow_style:
        return int(node.end_mark.index)
    if isinstance(node, SequenceNode):
        return _end(node.value[-1])
    key, value = node.value[-1]
    return max(_end(key), _end(value))


def _column(text: str, node: Node) -> int:
    """Return the column of a block's keys or dashes; its own mark is that of its anchor."""
    if isinstance(node, MappingNode):
        return int(node.value[0][0].start_mark.column)
    first = node.value[0].start_mark.index
    dash = text.rindex("-", 0, first)
    return dash - text.rfind("\n", 0, dash) - 1


def _style(text: str, root: Node) -> _Style:
    """Return the indentation that the file uses first."""
    style = _Style()
    blocks = list(_blocks(root))
    for key, node in reversed(blocks):
        indent = _column(text, node) - key.start_mark.column
        is_mapping = isinstance(node, MappingNode)
        style = replace(style, **{"mapping" if is_mapping else "sequence": indent})
    return style


def _blocks(node: Node) -> Iterator[tuple[Node, Node]]:
    """Yield every collection in block style below a key, with the key; skip aliases."""
    for member in node.value if isinstance(node, CollectionNode) else ():
        key, value = member if isinstance(node, MappingNode) else (node, member)
        is_alias = value.start_mark.index < key.start_mark.index
        if isinstance(value, CollectionNode) and not (value.flow_style or is_alias):
            if key is not node:
                yield key, value
            yield from _blocks(value)
