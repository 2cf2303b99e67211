"""Reading back what was written: nothing goes out in which something else is read."""

from __future__ import annotations

import json
from typing import Any

from spokerender.formats.yamlio.chunks import split
from spokerender.formats.yamlio.construct import construct
from spokerender.formats.yamlio.emit import emit
from spokerender.formats.yamlio.nodes import parse
from spokerender.formats.yamlio.problems import UnreadableError
from spokerender.formats.yamlio.resolve import Json, json_number


class UnprovenError(Exception):
    """A text of ours does not mean what it was made from: a fault of ours, and never written."""


def proven(value: Json) -> str:
    """A document as `emit` writes it, read back. Raises `UnprovenError`."""
    text = emit(value)
    prove(text, value)
    return text


def prove(text: str, meaning: Json) -> None:
    """Read a document of ours back. Raises `UnprovenError` where it does not mean that."""
    if not means(text, meaning):
        start = text[:200]
        message = f"what was written does not mean what it was made from; it begins: {start}"
        raise UnprovenError(message)


def means(text: str, meaning: Json) -> bool:
    """Whether Kubernetes reads exactly that in the text, as its one document."""
    chunks, problems = split(text)
    if problems or len(chunks) != 1:
        return False
    try:
        tree = parse(text)
    except UnreadableError:
        return False
    if tree is None:
        return False
    made = construct(text, tree.root)
    if made.problems:
        return False
    found = _canonical(made.value)
    return found == _canonical(meaning) or found == _canonical(_kept(meaning))


def _canonical(value: Json) -> str:
    """The value as JSON: to Python, 1 is `True`."""
    return json.dumps(value, sort_keys=True)


def _kept(value: Json) -> Any:  # noqa: ANN401  (JSON of any shape)
    """The value with its numbers as Kubernetes keeps them: an expression may give 1.0."""
    if isinstance(value, dict):
        return {key: _kept(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_kept(item) for item in value]
    return json_number(value) if isinstance(value, float) else value
