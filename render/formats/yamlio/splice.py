"""Editing the hub's own text: what does not change stays as people wrote it.

The text of a document is edited so that it means `new` where it meant `old`. Comments, quotes,
the order of keys and the style of blocks survive; the comments of a removed key go with it.
Nothing is trusted: the edited text is read again, and where it does not mean exactly `new`,
or where the text is written in a way that is not edited, `new` is written afresh.
"""

from __future__ import annotations

import json
import re

from render.formats.yamlio.blocks import edit_document
from render.formats.yamlio.construct import construct
from render.formats.yamlio.emit import emit
from render.formats.yamlio.extents import UncertainError
from render.formats.yamlio.nodes import Collection, parse, parse_once
from render.formats.yamlio.problems import UnreadableError
from render.formats.yamlio.resolve import Json
from render.formats.yamlio.source import survey
from render.formats.yamlio.template import without_marks

# Line ends to some readers, invisible, or taken for slots: no text to be cut into pieces.
_ODD = re.compile("[\x85\u2028\u2029\ufeff\U00100000-\U0010ffff]")


def compose(text: str, old: Json, new: Json) -> str:
    """`new` as YAML, made from the `text` that means `old`; slots are marked for `compile_text`.

    `text` may be empty: then there is nothing to keep.
    """
    edited = _edit(text, old, new)
    return edited if edited is not None and _means(edited, new) else emit(new)


def _edit(text: str, old: Json, new: Json) -> str | None:
    """The edited text, not proven yet; None where it can't be edited."""
    if not (text and isinstance(old, dict) and isinstance(new, dict) and new) or _ODD.search(text):
        return None
    try:
        tree = parse_once(text)
        if tree is None or tree.entangled:
            return None
        root = tree.root
        if not isinstance(root, Collection) or root.flow:
            return None
        return edit_document(survey(text, root), root, old, new)
    except (UncertainError, UnreadableError):
        return None


def _means(text: str, meaning: Json) -> bool:
    """Whether Kubernetes reads exactly `meaning` in the text."""
    text = without_marks(text)
    try:
        tree = parse(text)
    except UnreadableError:
        return False
    if tree is None:
        return False
    made = construct(text, tree.root)
    same = json.dumps(made.value, sort_keys=True) == json.dumps(meaning, sort_keys=True)
    return same and not made.problems
