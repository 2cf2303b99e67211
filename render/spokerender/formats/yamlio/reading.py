"""Reading YAML exactly as Kubernetes does, but refusing what it would silently get wrong."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct

from spokerender.formats.yamlio.chunks import Chunk, decode, split
from spokerender.formats.yamlio.construct import construct, key_name
from spokerender.formats.yamlio.jsontext import looks_like_json, read_json
from spokerender.formats.yamlio.nodes import Alias, Collection, Node, parse_once
from spokerender.formats.yamlio.problems import Problem, TextProblem, UnreadableError

_LINE_END = re.compile("\n")
_SECRET = re.compile(r"kind\W{0,8}secret|stringData", re.IGNORECASE)
"""What a Secret has in it, however badly it is written: nothing of its text is quoted then."""
_QUOTED = re.compile(r"`.*`|'.*'|\".*\"", re.DOTALL)
_CONFLICT = re.compile(r"^<{7}(?: |$)", re.MULTILINE)


class Document(Struct, frozen=True):
    """One document of a file.

    `index` counts from 0, empty documents not counted. `line` is where its content begins,
    `text_line` where `text` begins (both in the file, from 1); `text` is its own source with
    comments, LF ends and no `---`. `value` is JSON data. `spliceable` tells whether pieces of
    the text keep their meaning on their own: no anchors, aliases, merge keys, tags; not JSON.
    """

    index: int
    line: int
    text: str
    text_line: int
    value: Any
    spliceable: bool


def read(data: bytes, path: str) -> tuple[tuple[Document, ...], tuple[Problem, ...]]:
    """The documents of a file and everything that is wrong with it, by line; never raises.

    A document with a problem is not among the documents. `path` only tells JSON by its name.
    """
    text = decode(data)
    if isinstance(text, Problem):
        return (), (text,)
    chunks, problems = split(text)
    documents: list[Document] = []
    index = 0
    for chunk in chunks:
        parsed, wrong = _read_chunk(chunk, is_json=path.endswith(".json"))
        problems += _problems(wrong, chunk)
        documents += (_document(part, chunk, index + place) for place, part in enumerate(parsed))
        index += len(parsed) or bool(wrong)
    if problems and (conflict := _CONFLICT.search(text)):
        return (), (_unresolved(text, conflict.start()),)
    return tuple(documents), tuple(sorted(set(problems)))


def _unresolved(text: str, offset: int) -> Problem:
    """A file that a merge left so has one problem, whatever else its lines look like."""
    cure = "resolve the conflict: keep one side, and take the lines of <, = and > out"
    return Problem(text.count("\n", 0, offset) + 1, "Git's conflict markers are in it", cure)


def locate(document_text: str, path: tuple[str | int, ...]) -> int:
    """The line of the node at `path`, counted from 0 in the text; of its nearest parent if absent.

    A key's value is where the key is.
    """
    try:
        tree = parse_once(document_text)
    except UnreadableError:
        return 0
    if tree is None:
        return 0
    node, offset = tree.root, tree.root.start.index
    for step in path:
        child = _child(node, step)
        if child is None:
            break
        node, offset = child
    return document_text.count("\n", 0, offset)


def item_lines(document_text: str, key: str) -> list[int]:
    """The line of each item of the list at `key`, as `locate` has it, in one pass over the text.

    Fewer than there are items, or none, where the text has no such list.
    """
    try:
        tree = parse_once(document_text)
    except UnreadableError:
        return []
    child = _child(tree.root, key) if tree is not None else None
    items = child[0] if child is not None else None
    items = items.target if isinstance(items, Alias) else items
    if not isinstance(items, Collection) or items.is_mapping:
        return []
    lines, line, counted = [], 0, 0
    for item in items.children:
        line += document_text.count("\n", counted, item.start.index)
        counted = item.start.index
        lines.append(line)
    return lines


def first_alias(document_text: str) -> int | None:
    """The line of the first alias in a text that can be read, counted from 0; None without one."""
    tree = parse_once(document_text)
    open_nodes = [tree.root] if tree is not None and tree.entangled else []
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, Alias):
            return document_text.count("\n", 0, node.start.index)
        if isinstance(node, Collection):
            open_nodes.extend(reversed(node.children))
    return None


class _Part(Struct, frozen=True):
    """What was found in a chunk: nearly always one document, in a JSON stream several."""

    offset: int
    value: Any
    spliceable: bool


def _document(part: _Part, chunk: Chunk, index: int) -> Document:
    line = chunk.line + chunk.text.count("\n", 0, part.offset)
    return Document(index, line, chunk.text, chunk.line, part.value, part.spliceable)


def _problems(problems: list[TextProblem], chunk: Chunk) -> Iterator[Problem]:
    line_ends = [match.start() for match in _LINE_END.finditer(chunk.text)] if problems else []
    is_secret = bool(problems) and _SECRET.search(chunk.text) is not None
    for problem in problems:
        line = chunk.line + bisect_left(line_ends, problem.offset)
        column = problem.offset - chunk.text.rfind("\n", 0, problem.offset)
        message, cure = problem.message, problem.cure
        if is_secret:
            message, cure = (_QUOTED.sub("`…`", text) for text in (message, cure))
        if problem.earlier is not None:
            message += f", first in line {chunk.line + bisect_left(line_ends, problem.earlier)}"
        begun = chunk.line + bisect_left(line_ends, problem.begun or problem.offset)
        if begun < line:
            message += f" that begins in line {begun}"
        yield Problem(line, message, cure, column)


def _read_chunk(chunk: Chunk, *, is_json: bool) -> tuple[list[_Part], list[TextProblem]]:
    text = chunk.text
    try:
        if looks_like_json(text):
            try:
                return _read_json(text)
            except json.JSONDecodeError as error:
                if is_json:
                    return [], [TextProblem(error.pos, f"not JSON: {error.msg}", "mend the syntax")]
        return _read_yaml(text)
    except UnreadableError as error:
        return [], [error.problem]


def _read_yaml(text: str) -> tuple[list[_Part], list[TextProblem]]:
    tree = parse_once(text)
    if tree is None:
        return [], []
    made = construct(text, tree.root)
    if made.problems:
        return [], made.problems
    block = isinstance(tree.root, Collection) and not tree.root.flow
    spliceable = block and not tree.entangled and not made.merges
    return [_Part(tree.root.start.index, made.value, spliceable)], []


def _read_json(text: str) -> tuple[list[_Part], list[TextProblem]]:
    values, problems = read_json(text)
    if not problems:
        return [_Part(offset, value, spliceable=False) for offset, value in values], []
    try:
        _, with_lines = _read_yaml(text)
    except UnreadableError:
        with_lines = []
    return [], with_lines or problems


def _child(node: Node, step: str | int) -> tuple[Node, int] | None:
    """The node one step down and the offset that stands for it."""
    target = node.target if isinstance(node, Alias) else node
    if not isinstance(target, Collection):
        return None
    if isinstance(step, int):
        if target.is_mapping or not 0 <= step < len(target.children):
            return None
        child = target.children[step]
        return child, child.start.index
    return _by_name(target).get(step) if target.is_mapping else None


@lru_cache(maxsize=256)
def _by_name(mapping: Collection) -> dict[str | None, tuple[Node, int]]:
    """The values of a mapping, and where their keys are: thousands of findings ask for them."""
    pairs = reversed(tuple(mapping.pairs()))  # the first of equal keys counts
    return {key_name(key): (value, key.start.index) for key, value in pairs}
