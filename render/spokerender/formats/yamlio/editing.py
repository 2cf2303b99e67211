"""Edit the YAML of files that people own: all bytes that a change does not concern are unchanged.

A change is the difference between the old and the new data of a document. `splice` makes it, as in
rendered files, but rewrites nothing else. The result is read back before it is returned. PyYAML
reads YAML 1.1, ruamel.yaml YAML 1.2. They disagree about line ends, tabs, colons and quotes in rare
cases. People and programs use either version, so a text is edited only if both libraries find the
same nodes in it.
"""

import re
from difflib import SequenceMatcher
from itertools import zip_longest

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from spokerender.formats.yamlio import splice
from spokerender.formats.yamlio.align import is_same_entry
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


class UneditableError(Exception):
    """A change can't be made in a text without changing other parts of the text."""

    def __init__(self, line: int, reason: str) -> None:
        """Make an error about `line`, which counts from 1 in the file."""
        super().__init__(reason)
        self.line = line
        self.reason = reason


def edit_in_place(data: bytes, index: int, new: Json) -> bytes:
    """Return a file whose document at `index` has the data `new`; all other bytes are unchanged.

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
    """Return the file with the edited text of a document; its line ends and BOM are unchanged."""
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
    source = splice.EditedText(text, [], is_owned=True)
    try:
        return "".join(splice.edit_root(source, root, document.value, new))
    except splice.UncertainError as error:
        raise UneditableError(document.line, str(error)) from error


def find_disagreement(text: str, root: YamlNode) -> int | None:
    """Return the line, from 0, of the first node that YAML 1.2 reads differently, or None."""
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
