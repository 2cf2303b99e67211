"""Read YAML exactly as Kubernetes does, but refuse what Kubernetes would silently get wrong."""

import codecs
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats.yamlio.construct import construct, key_name
from spokerender.formats.yamlio.jsontext import read_json
from spokerender.formats.yamlio.nodes import (
    Alias,
    Collection,
    NodeTree,
    TextProblem,
    UnreadableError,
    YamlNode,
    list_nodes,
    parse,
    parse_once,
)
from spokerender.formats.yamlio.simple import construct_simple, name_character

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BOM = "\ufeff"
_SEPARATOR = re.compile(r"^---(.*)\n?", re.MULTILINE)
_END_MARKER = re.compile(r"^\.\.\.(?=\s|\Z)[^\n]*\n?", re.MULTILINE)
_DIRECTIVE = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*%")
_CONTENT = re.compile(r"^[ \t]*[^\s#]", re.MULTILINE)
# A byte order mark is a character like others, except where a line begins: there it is dropped.
_UNREADABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]|^\ufeff", re.MULTILINE
)
# These are needed where something is wrong, and compiled then.
_SENSITIVE = r"(?i:kind\W{0,8}secret|stringData)"
"""A sign of a Secret, even of a malformed one: then messages don't quote any of its text."""
_QUOTED = r"(?s:`.*`|'.*'|\".*\")"
_CONFLICT = r"(?m:^<{7}(?: |$))"


class Problem(Struct, frozen=True, order=True):
    """A problem in a file: its line (from 1), a message, and a suggested fix.

    It is no `Fault`: only the caller knows the kind of finding, and a text has no fields.
    """

    line: int
    message: str
    cure: str
    column: int = 0
    """From 1; 0 if the problem concerns the whole line or file."""


class Document(Struct, frozen=True):
    """One document of a file.

    `index` counts from 0, without empty documents. `line` is the line where its content begins,
    `text_line` the line where `text` begins (both from 1 in the file). `text` is its source with
    comments, LF line ends and no `---`. `value` is JSON data. `spliceable` is True if pieces of the
    text can be edited alone: it is no JSON, and has no anchors, aliases, merge keys or tags.
    """

    index: int
    line: int
    text: str
    text_line: int
    value: Any
    spliceable: bool


class Chunk(Struct, frozen=True):
    """The text between two separators, and the line of the file (from 1) on which it begins."""

    text: str
    line: int


class _Part(Struct, frozen=True):
    """A value in a chunk; nearly all chunks have a single value, but a JSON stream has several."""

    offset: int
    value: Any
    spliceable: bool


def read(data: bytes, path: str) -> tuple[tuple[Document, ...], tuple[Problem, ...]]:
    """Return the documents of a file and all problems, sorted by line; nothing is raised.

    A document with a problem is left out. Of `path`, only the ending `.json` counts.
    """
    text = _decode(data)
    if isinstance(text, Problem):
        return (), (text,)
    # Split as text, as kubectl does: a `---` in a block scalar is a separator to it as well.
    chunks, problems = split_documents(text)
    documents: list[Document] = []
    index = 0
    for chunk in chunks:
        parts, chunk_problems = _read_chunk(chunk, is_json=path.endswith(".json"))
        problems += _problems(chunk_problems, chunk)
        for place, part in enumerate(parts, index):
            line = chunk.line + chunk.text.count("\n", 0, part.offset)
            documents.append(
                Document(place, line, chunk.text, chunk.line, part.value, part.spliceable)
            )
        # A document that can't be read still counts, so that later ones keep their index.
        index += len(parts) or bool(chunk_problems)
    if problems and (conflict := re.search(_CONFLICT, text)):
        # A file with an unfinished merge has one problem, whatever else its lines look like.
        cure = "resolve the conflict: keep one side, and delete the lines of <, = and >"
        line = text.count("\n", 0, conflict.start()) + 1
        return (), (Problem(line, "Git's conflict markers are in it", cure),)
    if problems and re.search(_SENSITIVE, text):
        # In any document: a line of a private key that lost its indentation is a separator.
        problems = [
            replace(
                problem,
                message=re.sub(_QUOTED, "`…`", problem.message),
                cure=re.sub(_QUOTED, "`…`", problem.cure),
            )
            for problem in problems
        ]
    # One problem a line is enough where the same thing is wrong in several columns.
    distinct = {(each.line, each.message, each.cure): each for each in reversed(problems)}
    return tuple(documents), tuple(sorted(distinct.values()))


def _decode(data: bytes) -> str | Problem:
    """Return the text with LF line ends, or a problem if the bytes are no text.

    Like kubectl, it adds a missing last line end, and drops a byte order mark.
    """
    if data.startswith(_UTF16):
        return Problem(1, "the file is UTF-16", "save it as UTF-8")
    try:
        text = data.decode().removeprefix(_BOM)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{data[error.start]:02X} is not UTF-8"
        return Problem(line, message, "save the file as UTF-8")
    if "\r" in text:
        # YAML takes a lone CR for a line end, too.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.endswith("\n") else text + "\n"


def split_documents(text: str) -> tuple[list[Chunk], list[Problem]]:
    """Return the texts of all documents, even empty ones, and the separators that kubectl refuses.

    To kubectl, every line that begins with `---` is a separator. It refuses the file if anything
    but a comment follows on that line, and silently drops what follows a `...`.
    """
    chunks: list[Chunk] = []
    problems: list[Problem] = []
    start, line = 0, 1
    for match in _SEPARATOR.finditer(text):
        chunks.append(Chunk(text[start : match.start()], line))
        line += text.count("\n", start, match.start())
        rest = match[1].strip()
        if rest and not rest.startswith("#"):
            cure = "put it on the next line, or in quotes if it is not a separator"
            problems.append(Problem(line, "text follows `---` on its line", cure))
        line += 1
        start = match.end()
    chunks.append(Chunk(text[start:], line))
    return [_clean(chunk, problems) for chunk in chunks], problems


def _clean(chunk: Chunk, problems: list[Problem]) -> Chunk:
    """Return a chunk without byte order mark and end marker; empty if it can't be read."""
    text = chunk.text.removeprefix(_BOM)
    end = _END_MARKER.search(text)
    refusal = _refusal(text, end.end() if end else len(text))
    if refusal is None:
        return Chunk(text[: end.start()] if end else text, chunk.line)
    offset, message, cure = refusal
    problems.append(Problem(chunk.line + text.count("\n", 0, offset), message, cure))
    return Chunk("", chunk.line)


def _refusal(text: str, end: int) -> tuple[int, str, str] | None:
    """Return the offset, message and suggested fix of the fault that makes a document unreadable.

    The document ends at `end`. Return None if there is no such fault.
    """
    if match := _UNREADABLE.search(text):
        character = name_character(match[0])
        message = f"the character {character} is not allowed in a YAML file"
        return match.start(), message, "remove it"
    if directive := _DIRECTIVE.match(text):
        return directive.end(), "kubectl reads no `%` directives", "delete the line"
    if lost := _CONTENT.search(text, end):
        cure = "put `---` on a line of its own before it"
        return lost.start(), "kubectl drops what follows `...`", cure
    return None


def _read_chunk(chunk: Chunk, *, is_json: bool) -> tuple[list[_Part], list[TextProblem]]:
    text = chunk.text
    try:
        if text.lstrip().startswith(("{", "[")):  # as kubectl guesses that it is JSON
            try:
                return _read_json(text)
            except json.JSONDecodeError as error:
                # Without the name, text in brackets is YAML as well.
                if is_json:
                    message = f"not JSON: {error.msg}"
                    return [], [TextProblem(error.pos, message, "correct the syntax")]
        return _read_yaml(text)
    except UnreadableError as error:
        return [], [error.problem]


def _read_yaml(text: str) -> tuple[list[_Part], list[TextProblem]]:
    simple = construct_simple(text)
    # Nearly all documents end here, without a node tree.
    if simple is not None:
        return [_Part(simple.start, simple.value, simple.is_block)], []
    tree = parse_once(text)
    if tree is None:
        return [], []
    value, problems, merges = construct(text, tree.root)
    if problems:
        return [], problems
    is_block = isinstance(tree.root, Collection) and not tree.root.flow
    spliceable = is_block and not tree.entangled and not merges
    return [_Part(tree.root.start.index, value, spliceable)], []


def _read_json(text: str) -> tuple[list[_Part], list[TextProblem]]:
    values, problems = read_json(text)
    if not problems:
        return [_Part(offset, value, spliceable=False) for offset, value in values], []
    try:
        # JSON is YAML as well, and the YAML reader says at which line something is wrong.
        _, problems_by_line = _read_yaml(text)
    except UnreadableError:
        problems_by_line = []
    return [], problems_by_line or problems


def _problems(problems: list[TextProblem], chunk: Chunk) -> Iterator[Problem]:
    """Yield the problems of a chunk with their lines and columns in the file."""
    if not problems:
        return
    # Once for all problems: counting lines for each would be quadratic.
    line_ends = [match.start() for match in re.finditer("\n", chunk.text)]
    for problem in problems:
        line = chunk.line + bisect_left(line_ends, problem.offset)
        column = problem.offset - chunk.text.rfind("\n", 0, problem.offset)
        message = problem.message
        if problem.earlier is not None:
            message += f", first in line {chunk.line + bisect_left(line_ends, problem.earlier)}"
        begun = chunk.line + bisect_left(line_ends, problem.begun or problem.offset)
        if begun < line:
            message += f" that begins in line {begun}"
        yield Problem(line, message, problem.cure, column)


def locate(document_text: str, path: tuple[str | int, ...]) -> int:
    """Return the line, from 0, of the node at `path`, or of its nearest existing parent.

    The value of a key is on the line of the key. The line is 0 if the text can't be read.
    """
    tree = _try_parse(document_text)
    if tree is None:
        return 0
    node, offset = tree, tree.start.index
    for step in path:
        child = _child(node, step)
        if child is None:
            break
        node, offset = child
    return document_text.count("\n", 0, offset)


def item_lines(document_text: str, number: int) -> list[int]:
    """Return the line of each item of `items` in a List, as `locate` would, in one pass.

    There are fewer than `number` lines, or none, if the text has no such list.
    """
    # So kubectl begins each item of a List, in YAML and in JSON. These texts are large, and are not
    # parsed once more; other texts have another number of such lines. An item that begins with a
    # comment is on a later line.
    lines = [
        place
        for place, line in enumerate(document_text.split("\n"))
        if line == "        {" or (line.startswith("- ") and not line.startswith("- #"))
    ]
    if len(lines) == number:
        return lines
    # The tree of an export is large and asked for once: nothing may remember it.
    root = _try_parse(document_text, parse)
    if not isinstance(root, Collection) or not root.is_mapping:
        return []
    items = next((value for key, value in root.pairs() if key_name(key) == "items"), None)
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
    """Return the line, from 0, of the first alias in a readable text; None if there is no alias."""
    tree = parse_once(document_text)
    nodes = list_nodes(tree.root) if tree is not None and tree.entangled else ()
    offset = next((node.start.index for node in nodes if isinstance(node, Alias)), None)
    return None if offset is None else document_text.count("\n", 0, offset)


def _try_parse(text: str, parse: Callable[[str], NodeTree | None] = parse_once) -> YamlNode | None:
    try:
        tree = parse(text)
    except UnreadableError:
        return None
    return tree.root if tree is not None else None


def _child(node: YamlNode, step: str | int) -> tuple[YamlNode, int] | None:
    """Return the child of a node at `step`, and the offset of its key or item; None if absent."""
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
def _by_name(mapping: Collection) -> dict[str | None, tuple[YamlNode, int]]:
    """Return the values of a mapping, each with the offset of its key, by name; remembered."""
    pairs = reversed(tuple(mapping.pairs()))  # the first of equal keys counts
    return {key_name(key): (value, key.start.index) for key, value in pairs}
