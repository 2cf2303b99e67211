"""Editing collections in block style, entry by entry, each with the comments that belong to it."""

from __future__ import annotations

from typing import Any

from spokerender.formats.yamlio.align import align, order, same
from spokerender.formats.yamlio.construct import key_name
from spokerender.formats.yamlio.emit import after_colon, after_dash, entry
from spokerender.formats.yamlio.extents import Block, Entry, block, content_end, trim
from spokerender.formats.yamlio.inline import Plan, edit_inline, edit_key
from spokerender.formats.yamlio.nodes import Collection
from spokerender.formats.yamlio.resolve import Json
from spokerender.formats.yamlio.source import Source


def edit_document(source: Source, root: Collection, old: Json, new: Json) -> str:
    """A whole document; blank lines before and behind it go, and spaces at the ends of lines."""
    whole = block(source.text, 0, root)
    behind = trim(source.text[whole.end :] + "\n").rstrip()
    return _edit_block(source, whole, old, new).lstrip("\n") + behind + "\n"


def _edit_block(source: Source, within: Block, old: Json, new: Json) -> str:
    """From the start of the block, which is before its first entry, to the end of the last."""
    plan = (_mapping if isinstance(new, dict) else _sequence)(source, within, old, new)
    return _join(plan, within.gaps(source.text), " " * within.column)


def _join(plan: Plan, gaps: list[tuple[str, str]], indent: str) -> str:
    """Put the entries behind each other; comments that belong to no entry stay."""
    text, tail = gaps[0][0], ""
    own_line = not text or text.endswith("\n")
    tails = [between for between, _ in gaps[1:]] + ["\n"]
    passed = 0
    for index, body in plan:
        lead = indent
        if index is not None:
            loose = (lost.lstrip("\n") for lost in tails[passed:index] if "#" in lost)
            lead = "".join(loose) + gaps[index][1]
            passed = index + 1
        text += tail + (lead if own_line else "") + body
        tail = "\n" if index is None else tails[index]
        own_line = True
    return text + tail.rstrip()


def _mapping(source: Source, within: Block, old: dict[str, Any], new: dict[str, Any]) -> Plan:
    places = {key_name(one.key) or "": at for at, one in enumerate(within.entries) if one.key}
    indent = " " * within.column
    plan: Plan = []
    for name in order(places, new):
        index = places.get(name)
        if index is None:
            plan.append((None, entry(name, new[name], indent)))
        else:
            before_value = _key_and_colon(source.text, within.entries[index], name)
            value = _edit_value(source, within.entries[index], old[name], new[name])
            plan.append((index, before_value + value))
    return plan


def _sequence(source: Source, within: Block, old: list[Any], new: list[Any]) -> Plan:
    plan: Plan = []
    for index, item in zip(align(old, new), new, strict=True):
        if index is None:
            value = after_dash(item, " " * within.column)
        else:
            value = _edit_value(source, within.entries[index], old[index], item)
        plan.append((index, "-" + value))
    return plan


def _key_and_colon(text: str, one: Entry, name: str) -> str:
    if one.key is None:
        return ""
    return edit_key(text, one.key, name) + text[one.key.end.index : one.value_start]


def _edit_value(source: Source, one: Entry, old: Json, new: Json) -> str:
    """From behind the colon or dash to the end of the entry."""
    text, node = source.text, one.value
    if same(old, new) and source.is_settled(one.value_start, one.end):
        return text[one.value_start : one.end]
    if isinstance(node, Collection) and not node.flow and type(old) is type(new) and new:
        within = block(text, one.value_start, node)
        return _edit_block(source, within, old, new) + trim(text[within.end : one.end])
    afresh = (after_colon if one.key else after_dash)(new, " " * one.column)
    if isinstance(node, Collection) and not node.flow:
        return afresh
    behind = trim(text[content_end(text, node) : one.end] + "\n").removesuffix("\n")
    written = edit_inline(text, node, old, new)
    if written is None:
        return afresh if "\n" in afresh else afresh + behind
    before = trim(text[one.value_start : node.start.index])
    return before + (" " if written and not before else "") + written + behind
