"""Editing what stands within lines: scalars, keys and collections in flow style."""

from __future__ import annotations

from typing import Any

from spokerender.formats.yamlio.align import align, order, same
from spokerender.formats.yamlio.construct import key_name
from spokerender.formats.yamlio.emit import flow, key
from spokerender.formats.yamlio.extents import UncertainError, content_end, trim
from spokerender.formats.yamlio.nodes import Alias, Collection, Node, Scalar
from spokerender.formats.yamlio.resolve import Json
from spokerender.formats.yamlio.scalars import scalar, stays_block, stays_plain, unseen

Plan = list[tuple[int | None, str]]
"""The new entries in order: the place that each had before, None if it had none, and its text."""


def edit_inline(text: str, node: Node, old: Json, new: Json) -> str | None:
    """The node's new text; None where the new value needs another form than the old one had."""
    if isinstance(node, Alias):
        raise UncertainError
    if isinstance(node, Scalar):
        return _kept(text, node, old) if same(old, new) else _changed(node, new)
    if type(old) is not type(new) or not new:
        return text[node.start.index : node.end.index] if same(old, new) else None
    return _edit_flow(text, node, old, new) if old else None


def edit_key(text: str, node: Node, name: str) -> str:
    """A key as it is written, unless readers disagree on what it is."""
    source = text[node.start.index : node.end.index]
    if isinstance(node, Scalar) and node.plain:
        return source if source == name and stays_plain(source, name) else key(name)
    return key(name) if unseen(source) else source


def _kept(text: str, node: Scalar, value: Json) -> str | None:
    if not stays_block(node.style, node.text):
        return None
    source = text[node.start.index : content_end(text, node)]
    if unseen(source):
        return None
    return scalar(value) if node.plain and not stays_plain(source, value) else source


def _changed(node: Scalar, new: Json) -> str | None:
    wants_block = isinstance(new, str) and "\n" in new
    unfit = wants_block or node.style in ("|", ">") or (isinstance(new, dict | list) and new)
    return None if unfit else flow(new)


def _edit_flow(text: str, node: Collection, old: Json, new: Json) -> str:
    """Within the brackets; a separator stays where the two entries that it separates do."""
    start, end = node.start.index, node.end.index
    if text[start] not in "{[":  # `[a: 1]` is a list with a mapping in it that has no brackets
        return flow(new)
    if node.is_mapping:
        spans = [(one.start.index, value.end.index) for one, value in node.pairs()]
        plan = _flow_mapping(text, node, old, new)
    else:
        spans = [(item.start.index, item.end.index) for item in node.children]
        plan = _flow_sequence(text, node, old, new)
    result = text[start : spans[0][0]]
    before: int | None = None
    for position, (index, body) in enumerate(plan):
        if position and before is not None and index == before + 1:
            result += text[spans[before][1] : spans[index][0]]
        elif position:
            result += ", "
        result += body
        before = index
    return trim(result + text[spans[-1][1] : end])


def _flow_mapping(text: str, node: Collection, old: dict[str, Any], new: dict[str, Any]) -> Plan:
    places = {key_name(one) or "": at for at, (one, _) in enumerate(node.pairs())}
    plan: Plan = []
    for name in order(places, new):
        index = places.get(name)
        if index is None:
            plan.append((None, f"{key(name)}: {flow(new[name])}"))
            continue
        key_node, value = node.children[2 * index : 2 * index + 2]
        empty = value.start.index == value.end.index
        colon = ": " if empty else text[key_node.end.index : value.start.index]
        body = edit_inline(text, value, old[name], new[name]) or flow(new[name])
        plan.append((index, edit_key(text, key_node, name) + colon + body))
    return plan


def _flow_sequence(text: str, node: Collection, old: list[Any], new: list[Any]) -> Plan:
    plan: Plan = []
    for index, item in zip(align(old, new), new, strict=True):
        body = None if index is None else edit_inline(text, node.children[index], old[index], item)
        plan.append((index, body or flow(item)))
    return plan
