"""Lists as `kubectl get -o yaml` prints them, read in pieces: equal pieces are parsed once.

A cut can't change the meaning unnoticed: in block style, what is nested is indented deeper, and a
quoted text or a flow collection that a cut goes through is not closed in its piece. Where a piece
is not readable on its own, or has anything unusual, the whole text is read in the common way.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from spokerender.formats.yamlio.reading import Document, Problem, read, split_documents
from spokerender.formats.yamlio.simple import construct_simple

_LIST = re.compile(r"((?:[^\s#-].*\n)*?items:\n)((?:[ -].*\n|\n)*+)", re.ASCII)
_ITEM = re.compile(r"^- (?=[^\s#-])", re.MULTILINE)
_FIELD = re.compile(r"^  (?=[^\s#-])", re.MULTILINE)
_REMEMBERED = 4096
_OWN = re.compile(
    r""": (?:"[A-Za-z0-9:.-]*"|'[A-Za-z0-9:.-]*'|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n"""
)
"""Texts in which objects of clusters differ that are equal else: identifiers, versions, times.

Such a text is its own characters wherever it is, in a scalar and in a block of text.
"""
_MARK = "\ue000"
_IN_KEY = re.compile(r'\ue000[^"]*":')
_USUAL = bytes((9, 10, *range(32, 127)))


class _UncertainError(Exception):
    """The text can't be read in pieces."""


def read_lists(data: bytes, path: str) -> tuple[tuple[Document, ...], tuple[Problem, ...]]:
    """Return the documents of a file as `reading.read` does; each item of a List is a document.

    Equal parts of items are one value, which must not be changed.
    """
    try:
        return tuple(_items(data.decode())), ()
    except (UnicodeDecodeError, _UncertainError):
        return read(data, path)


def _items(text: str) -> Iterator[Document]:
    match = _LIST.match(text)
    if match is None or not _is_one_document(text):
        raise _UncertainError
    head, body = match.groups()
    frame = _mapping(head + text[match.end() :])
    is_list = frame.get("kind") == "List" and frame.get("apiVersion") == "v1"
    if not is_list or _mapping(head).get("items", head) is not None or frame["items"] is not None:
        raise _UncertainError
    line = 1 + head.count("\n")
    before, *pieces = _ITEM.split(body)
    if before:
        raise _UncertainError
    for piece in pieces:
        yield Document(0, line, "", line, _read_item(f"  {piece}"), spliceable=False)
        line += piece.count("\n")


def _is_one_document(text: str) -> bool:
    """Tell whether the text is one readable document, with LF line ends and no markers."""
    if not text.encode().translate(None, _USUAL):
        return not text.startswith("%") and "\n---" not in text and "\n..." not in text
    chunks, problems = split_documents(text)
    return not problems and len(chunks) == 1 and chunks[0].text == text and "\r" not in text


def _read_item(text: str) -> dict[str, Any]:
    item: dict[str, Any] = {}
    for part in _FIELD.split(text)[1:]:
        fields = _read_fields(f"  {part}")
        if not item.keys().isdisjoint(fields):
            raise _UncertainError
        item |= fields
    return item


def _read_fields(text: str) -> dict[str, Any]:
    """Read a part of an item; parts that differ in nothing but `_OWN` texts are parsed once."""
    if _MARK in text:
        return _mapping(text)
    own: list[str] = []

    def mark(match: re.Match[str]) -> str:
        quote = match[0][2] if match[0][2] in "\"'" else ""
        own.append(match[0][2:-1].strip("\"'"))
        return f": {quote}{_MARK}{quote}\n"

    template = _OWN.sub(mark, text)
    if not own:
        return _mapping(text)
    first, *others = _template(template)
    if len(others) != len(own):  # one is in a comment
        raise _UncertainError
    pieces = (piece for pair in zip(own, others, strict=True) for piece in pair)
    fields: dict[str, Any] = json.loads(first + "".join(pieces))
    return fields


@lru_cache(maxsize=_REMEMBERED)
def _template(text: str) -> list[str]:
    """Return the JSON of a part around its marks, which must be no keys."""
    data = json.dumps(_mapping(text), ensure_ascii=False)
    if _IN_KEY.search(data):
        raise _UncertainError
    return data.split(_MARK)


@lru_cache(maxsize=_REMEMBERED)
def _mapping(text: str) -> dict[str, Any]:
    simple = construct_simple(text)
    if simple is None or not simple.is_block or not isinstance(simple.value, dict):
        raise _UncertainError
    return simple.value
