"""Editing the hub's own text: what does not change stays as people wrote it.

The text of a document is edited so that it means `new` where it meant `old`. Comments, quotes,
the order of keys and the style of blocks survive; the comments of a removed key go with it.
Nothing is trusted: the edited text is read again, and where it does not mean exactly `new`,
or where the text is written in a way that is not edited, `new` is written afresh.
"""

from __future__ import annotations

import re

from msgspec import Struct

from spokerender.formats.yamlio.blocks import edit_document
from spokerender.formats.yamlio.emit import emit
from spokerender.formats.yamlio.extents import UncertainError
from spokerender.formats.yamlio.nodes import Collection, parse_once
from spokerender.formats.yamlio.problems import UnreadableError
from spokerender.formats.yamlio.proof import means
from spokerender.formats.yamlio.resolve import Json
from spokerender.formats.yamlio.scalars import unseen
from spokerender.formats.yamlio.source import survey, with_seen_comments
from spokerender.formats.yamlio.template import compile_text
from spokerender.model.slots import examples, fill

# Line ends to some readers, or invisible: no text to be cut into pieces.
_ODD = re.compile("[\x85\u2028\u2029\ufeff]")


class Composed(Struct, frozen=True):
    """A text, its slots marked for `compile_text`; proven if it was read back as it is."""

    text: str
    is_proven: bool


def compose(text: str, old: Json, new: Json) -> Composed:
    """`new` as YAML, made from the `text` that means `old`.

    `text` may be empty: then there is nothing to keep. With slots in it a text is tried with other
    values, so that what becomes of it is the same whatever they stand for.
    """
    edited = _edit(text, old, new)
    if edited is None:
        return Composed(emit(new), is_proven=False)
    values = examples(new)
    tried = compile_text(edited).fill(values, {}).decode() if values else edited
    if means(tried, fill(new, values)):
        return Composed(edited, is_proven=not values)
    return Composed(emit(new), is_proven=False)


def _edit(text: str, old: Json, new: Json) -> str | None:
    """The edited text, not proven yet; None where it can't be edited."""
    if not (text and isinstance(old, dict) and isinstance(new, dict) and new) or _ODD.search(text):
        return None
    try:
        root = _root(text)
        if root is not None and unseen(text):
            text = with_seen_comments(text, root)
            root = _root(text)
        return edit_document(survey(text, root), root, old, new) if root is not None else None
    except (UncertainError, UnreadableError):
        return None


def _root(text: str) -> Collection | None:
    """The mapping in block style that the text is, if nothing in it hangs on something else."""
    tree = parse_once(text)
    if tree is None or tree.entangled or not isinstance(tree.root, Collection) or tree.root.flow:
        return None
    return tree.root
