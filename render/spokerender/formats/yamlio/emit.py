"""JSON data as canonical YAML in block style.

Items of a list stand under their key without further indentation, as kustomize writes them.
The pieces end without a line end, so that they also fit into a text that is there already.
"""

from __future__ import annotations

import re
from typing import Any

from spokerender.formats.yamlio.resolve import Json
from spokerender.formats.yamlio.scalars import scalar, unseen
from spokerender.formats.yamlio.template import mark
from spokerender.model.slots import has_slot

_STEP = "  "
_NO_BLOCK = re.compile(
    r"\A[ \t\n]|[ \t]$|\n\n\Z"  # needs an indentation indicator, or editors would trim it
    "|[\x00-\x08\x0b-\x1f\x7f]",
    re.MULTILINE,
)


def emit(value: Json) -> str:
    """A document that every reader understands alike; keys keep their order, slots are marked."""
    if isinstance(value, dict) and value:
        return _mapping(value, "") + "\n"
    if isinstance(value, list) and value:
        return _sequence(value, "") + "\n"
    return flow(value) + "\n"


def after_colon(value: Json, indent: str) -> str:
    """What follows the colon of a key that is indented by `indent`."""
    if isinstance(value, dict) and value:
        return "\n" + _mapping(value, indent + _STEP)
    if isinstance(value, list) and value:
        return "\n" + _sequence(value, indent)
    return _leaf(value, indent)


def after_dash(value: Json, indent: str) -> str:
    """What follows the dash of an item whose dash is indented by `indent`."""
    inner = indent + _STEP
    if isinstance(value, dict) and value:
        return " " + _mapping(value, inner).removeprefix(inner)
    if isinstance(value, list) and value:
        return " " + _sequence(value, inner).removeprefix(inner)
    return _leaf(value, indent)


def entry(name: str, value: Json, indent: str) -> str:
    """A key with its value, not indented itself."""
    return f"{key(name)}:{after_colon(value, indent)}"


def key(name: str) -> str:
    """A key, marked where it has slots."""
    return mark(name) if has_slot(name) else scalar(name)


def flow(value: Json) -> str:
    """The value on one line, to stand in flow style."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key(name)}: {flow(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return mark(value) if has_slot(value) else scalar(value)


def _mapping(value: dict[str, Any], indent: str) -> str:
    return "\n".join(indent + entry(name, item, indent) for name, item in value.items())


def _sequence(value: list[Any], indent: str) -> str:
    return "\n".join(f"{indent}-{after_dash(item, indent)}" for item in value)


def _leaf(value: Json, indent: str) -> str:
    if isinstance(value, str) and "\n" in value and not (_NO_BLOCK.search(value) or unseen(value)):
        return _literal(value, indent + _STEP)
    return " " + flow(value)


def _literal(text: str, indent: str) -> str:
    """A literal block; its header says whether the text ends with a line end."""
    chomping = "" if text.endswith("\n") else "-"
    lines = text.removesuffix("\n").split("\n")
    return f" |{chomping}" + "".join(f"\n{indent}{line}" if line else "\n" for line in lines)
