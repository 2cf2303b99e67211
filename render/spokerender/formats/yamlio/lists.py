"""Lists as `kubectl get` prints them, in YAML or JSON: items that are alike are parsed once.

Items of clusters differ in identifiers, versions, times and numbers, and in texts of the clusters'
own. These are cut out of an item's text; what is left is the text of a template.

A cut can't change the meaning unnoticed. A template is parsed as the only item of a list: where an
item was cut through, in a quoted text, a flow collection or a block, it is not readable, or more
than one item. A text that was cut out is a scalar of its own, or a part of a longer text, in which
it is its own characters. Where anything else is the case, the whole text is read in the common way.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from spokerender.formats.yamlio.jsontext import read_json
from spokerender.formats.yamlio.nodes import UnreadableError
from spokerender.formats.yamlio.reading import Document, Problem, read, split_documents
from spokerender.formats.yamlio.simple import construct_simple, resolve
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import Json
from spokerender.model.slots import fill

_REMEMBERED = 8_000_000
"""Characters of templates."""
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NUMBER = "[1-9][0-9]{0,14}"
_SHORT = tuple(
    re.compile(
        rf""": (["'])?((?(1)(?:{_UUID}|[0-9][0-9:.TZ-]*)|(?:{plain})))(?(1)\1)(?=,?$)""",
        re.MULTILINE,
    )
    for plain in (f"{_UUID}|0|{_NUMBER}", f"{_UUID}|(?<=eneration: ){_NUMBER}")
)
"""A short value at the end of a line, with its quote; the second leaves most numbers in place.

A number can't be cut out of a longer text, such as that of a configuration.
"""
_OWN = re.compile(r"(?=[^g-zG-Z]*[g-zG-Z])(?=\w+[.-])[A-Za-z0-9.-]*[A-Za-z0-9]", re.ASCII)
"""Texts that are no number, boolean or null in YAML, nor is a plain scalar that they are a part of.

None of these has a letter after f, and a dot or hyphen after a letter or digit.
"""
_MARK = "\uf8ff"
_MARKS = [chr(code) for code in range(1, 32) if code not in b"\t\n\r"]
"""What stands for own texts: no readable file has such a character."""
_READABLE = {ord(mark): chr(0xE000 + number) for number, mark in enumerate(_MARKS)}
"""What stands for these where a template is parsed."""
_RESERVED = re.compile(rf"[{_MARK}{''.join(_READABLE.values())}]|\\u(?:[eE]0|[fF]8)|\\U")
"""These characters, or what may be an escape of one."""
_QUOTE = '"'


class _Form(Struct, frozen=True):
    """A way to write a List: the text before, between and after items, and around one item."""

    head: str
    between: str
    tail: str
    opening: str
    closing: str


_Key = tuple[str, tuple[str | None, ...]]
_FORMS = (
    _Form("apiVersion: v1\nitems:\n- ", "\n- ", "\nkind: List\n", "items:\n- ", "\n"),
    _Form(
        '{\n    "apiVersion": "v1",\n    "items": [\n        {\n',
        "\n        },\n        {\n",
        '\n        }\n    ],\n    "kind": "List",\n',
        '{"items": [{\n',
        "\n}]}\n",
    ),
)


class _UncertainError(Exception):
    """The text can't be read in pieces."""


class ItemTemplate(Struct, frozen=True, eq=False):
    """Items that are equal but for short texts; `paths` has the place of each of these texts.

    Other texts may have slots for texts of a cluster's own.
    """

    paths: tuple[FieldPath, ...]
    parts: tuple[str, ...]
    plain: frozenset[int]

    def fill(self, texts: Sequence[str], own: Mapping[str, str] = {}) -> dict[str, Any]:
        """Return an item with its texts; those that are `plain` are what YAML resolves them to.

        The texts of the cluster's own are put in the place of their slots; else these stay.
        """
        written = [
            json.dumps(resolve(text)) if number in self.plain else text
            for number, text in enumerate(texts)
        ]
        pieces = (piece for pair in zip(self.parts, (*written, ""), strict=True) for piece in pair)
        item: dict[str, Any] = json.loads("".join(pieces))
        return fill(item, own)


FilledItem = tuple[ItemTemplate, Sequence[str]]
"""An item as its template, and the texts that fill it."""


class ListReader:
    """Reads Lists. What it has parsed it remembers, up to a bound."""

    def __init__(self) -> None:
        self._templates: dict[_Key, ItemTemplate | None] = {}
        self._size = 0
        self._marks: dict[str, str] = {}

    def select_own(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return those texts of a cluster, by slot, that `read` can tell from everything else."""
        texts = {
            slot: value
            for slot, value in values.items()
            if isinstance(value, str) and _OWN.fullmatch(value)
        }
        for slot in texts:
            if slot not in self._marks and len(self._marks) < len(_MARKS):
                self._marks[slot] = _MARKS[len(self._marks)]
        return {slot: text for slot, text in texts.items() if slot in self._marks}

    def read(self, data: bytes, own: Mapping[str, str]) -> list[FilledItem] | None:
        """Return the items of a List; None if it is not as usual.

        `own` are texts of the cluster, selected before; items have their slots in their place.
        """
        try:
            form, text = _cut(data)
            pieces = self._cut_own(text, own).split(form.between)
            return [self._read_item(piece, form) for piece in pieces]
        except _UncertainError:
            return None

    def read_documents(
        self, data: bytes, path: str
    ) -> tuple[tuple[Document, ...], tuple[Problem, ...]]:
        """Return the documents of a file as `reading.read` does; each item of a List is one."""
        try:
            form, text = _cut(data)
            pieces = text.split(form.between)
            items = [self._read_item(piece, form) for piece in pieces]
        except _UncertainError:
            return read(data, path)
        documents: list[Document] = []
        line = 1 + form.head.rstrip().count("\n")
        for piece, (template, texts) in zip(pieces, items, strict=True):
            documents.append(Document(0, line, "", line, template.fill(texts), spliceable=False))
            line += (piece + form.between).count("\n")
        return tuple(documents), ()

    def _cut_own(self, text: str, own: Mapping[str, str]) -> str:
        for slot, value in sorted(own.items(), key=lambda item: -len(item[1])):
            mark = self._marks[slot]
            if mark in text:
                raise _UncertainError
            text = text.replace(value, mark)
        return text

    def _read_item(self, text: str, form: _Form) -> FilledItem:
        for short in _SHORT:
            parts = short.split(text)
            texts = parts[2::3]
            del parts[2::3]
            template = self._find(form, tuple(parts))
            if template is not None:
                return template, texts
        template = self._find(form, (text,))
        if template is None:
            raise _UncertainError
        return template, ()

    def _find(self, form: _Form, parts: tuple[str | None, ...]) -> ItemTemplate | None:
        key = form.between, parts
        if key not in self._templates:
            self._size += sum(len(part) for part in parts if part is not None)
            if self._size > _REMEMBERED:
                self._templates.clear()
                self._size = 0
            slots = {ord(mark.translate(_READABLE)): slot for slot, mark in self._marks.items()}
            try:
                self._templates[key] = _make_template(parts, form, slots)
            except _UncertainError:
                self._templates[key] = None
        return self._templates[key]


def _cut(data: bytes) -> tuple[_Form, str]:
    """Return the form of a List, and the text of its items."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _UncertainError from error
    form = next((form for form in _FORMS if text.startswith(form.head)), None)
    end = text.rfind(form.tail) if form is not None else -1
    if form is None or end < len(form.head) or "\r" in text:
        raise _UncertainError
    _check_frame(form, text[end:])
    return form, text[len(form.head) : end]


@lru_cache(maxsize=64)
def _check_frame(form: _Form, tail: str) -> None:
    """Refuse a text that is no List, or has anything in it but one item."""
    frame = _parse(form, form.head + tail)
    is_list = frame.get("kind") == "List" and frame.get("apiVersion") == "v1"
    if not is_list or frame.get("items") not in ([None], [{}]):
        raise _UncertainError


def _parse(form: _Form, text: str) -> dict[str, Any]:
    """Return the mapping that is the one document of a text, as `reading.read` does."""
    chunks, problems = split_documents(text)
    if problems or len(chunks) != 1 or chunks[0].text != text:
        raise _UncertainError
    if form.opening.startswith("{"):
        try:
            values, wrong = read_json(text)
        except (json.JSONDecodeError, UnreadableError) as error:
            raise _UncertainError from error
        value = values[0][1] if len(values) == 1 and not wrong else None
    else:
        simple = construct_simple(text)
        value = simple.value if simple is not None else None
    if not isinstance(value, dict):
        raise _UncertainError
    return value


def _make_template(
    parts: Sequence[str | None], form: _Form, slots: Mapping[int, str]
) -> ItemTemplate:
    """Parse a template; `parts` are its texts, with the quotes of what was cut out between them."""
    written = [f"{part}" for part in parts[::2]]
    quotes = parts[1::2]
    if any(map(_RESERVED.search, written)):
        raise _UncertainError
    text = written[0]
    for quote, part in zip((quote or _QUOTE for quote in quotes), written[1:], strict=True):
        text += f": {quote}{_MARK}{quote}{part}"
    items = _parse(form, (form.opening + text + form.closing).translate(_READABLE))
    match items:
        case {"items": [dict() as item], **others} if not others:
            places = tuple(_find_marks(item, ()))
        case _:
            raise _UncertainError
    plain = {number for number, quote in enumerate(quotes) if quote is None}
    if len(places) != len(quotes) or not all(places[number][1] for number in plain):
        raise _UncertainError  # one is in a comment, or in a longer text
    texts = json.dumps(item, ensure_ascii=False).translate(slots).split(_MARK)
    for number in plain:
        texts[number] = texts[number][:-1]
        texts[number + 1] = texts[number + 1][1:]
    return ItemTemplate(tuple(path for path, _ in places), tuple(texts), frozenset(plain))


def _find_marks(value: Json, path: FieldPath) -> Iterator[tuple[FieldPath, bool]]:
    """Yield the path of each mark, and whether it is the whole text there."""
    if isinstance(value, str):
        yield from ((path, value == _MARK) for _ in range(value.count(_MARK)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _find_marks(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            if _RESERVED.search(key):
                raise _UncertainError
            yield from _find_marks(item, (*path, key))
