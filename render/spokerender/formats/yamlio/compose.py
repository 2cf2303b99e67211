"""Make a text that means given data, and prove it by reading the text back.

`compose` edits the hub's own text so that it means `new` instead of `old`. Comments, quotes, the
order of keys and the style of blocks are unchanged; the comments of a removed key are removed. If
the edited text does not mean exactly `new`, or can't be edited, `new` is written from scratch.
"""

import re
from functools import lru_cache
from itertools import chain

from msgspec import Struct

from spokerender.findings.codes.project import UNREADABLE_FILE
from spokerender.findings.errors import InputError
from spokerender.formats.yamlio import splice
from spokerender.formats.yamlio.construct import construct
from spokerender.formats.yamlio.emit import (
    cut_at_marks,
    emit,
    find_invisible,
    is_firm_plain,
    show_invisible,
    stays_block,
)
from spokerender.formats.yamlio.nodes import (
    Alias,
    Collection,
    Scalar,
    UnreadableError,
    YamlNode,
    list_nodes,
    parse,
    parse_once,
)
from spokerender.formats.yamlio.reading import split_documents
from spokerender.formats.yamlio.simple import DEEPEST, construct_simple, json_number, resolve
from spokerender.model.shapes import Json, exact_text, map_children
from spokerender.model.slots import examples, fill

_TRAILING_SPACE = re.compile(r"[ \t]\n")
# Line ends to some readers, or invisible: a text with them is not cut into pieces.
_ODD = re.compile("[\x85\u2028\u2029\ufeff]")


class Composed(Struct, frozen=True):
    """A text with its slots marked for `cut_at_marks`; `is_proven` only if it has no slots."""

    text: str
    is_proven: bool


class UnprovenError(Exception):
    """A text of ours does not mean the data that it was made from: our bug, never written."""


def compose(text: str, old: Json, new: Json) -> Composed:
    """Return `new` as YAML, edited from the `text` that means `old`.

    If `text` is empty, `new` is written from scratch. A text with placeholders (slots) is proven
    with example values, so that the result does not depend on the values of spokes.
    """
    edited = _edit(text, old, new)
    if edited is None:
        return Composed(emit(new), is_proven=False)
    # Example values prove the text for all spokes; each spoke's own would cost a parse each.
    values = examples(new)
    filled = cut_at_marks(edited).fill(values, {}).decode() if values else edited
    if means(filled, fill(new, values) if values else new):
        return Composed(edited, is_proven=not values)
    return Composed(emit(new), is_proven=False)


def _edit(text: str, old: Json, new: Json) -> str | None:
    """Return the edited text, not proven yet; None if it can't be edited."""
    if not (text and isinstance(old, dict) and isinstance(new, dict) and new):
        return None
    try:
        surveyed = _survey(text)
        return None if surveyed is None else splice.edit_document(*surveyed, old, new)
    except (splice.UncertainError, UnreadableError):
        return None


# Few, since texts and trees are large.
@lru_cache(maxsize=64)
def _survey(text: str) -> tuple[splice.EditedText, Collection] | None:
    """Return a text prepared for edits, and its root; None if the text can't be edited.

    Remembered for the variants of one object. Raises `UnreadableError`.
    """
    if _ODD.search(text):
        return None
    root = _root(text)
    if root is not None and find_invisible(text):
        text = _escape_comments(text, root)
        root = _root(text)
    return (_mark_restless(text, root), root) if root is not None else None


def _mark_restless(text: str, root: Collection) -> splice.EditedText:
    """Return the text; as `restless`, the offsets of all that readers may misread or not see."""
    restless = [match.start() for match in _TRAILING_SPACE.finditer(text)] + find_invisible(text)
    restless += (node.start.index for node in list_nodes(root) if not _is_firm(node))
    return splice.EditedText(text, sorted(restless))


def _is_firm_key(node: YamlNode) -> bool:
    return isinstance(node, Scalar) and (
        # A key such as `on` is a boolean to some readers.
        not node.plain or isinstance(resolve(node.text), str)
    )


def _is_firm(node: YamlNode) -> bool:
    if isinstance(node, Scalar):
        return is_firm_plain(node.text) if node.plain else stays_block(node.style, node.text)
    if isinstance(node, Alias):
        return True
    if node.is_mapping and not all(map(_is_firm_key, node.children[::2])):
        return False
    # An empty value between brackets is read in different ways.
    return not (node.flow and any(one.start.index == one.end.index for one in node.children))


def _escape_comments(text: str, root: Collection) -> str:
    """Return a text with the invisible characters of its comments escaped; values are unchanged."""
    pieces: list[str] = []
    end = 0
    for leaf in list_nodes(root):
        if isinstance(leaf, Collection):
            continue
        start, last = leaf.start.index, leaf.end.index
        # Between the leaves stand only comments, punctuation and spaces.
        pieces += show_invisible(text[end:start]), text[start:last]
        end = last
    return "".join((*pieces, show_invisible(text[end:])))


def _root(text: str) -> Collection | None:
    """Return the root if it is a block mapping and the text has no anchors, aliases or tags."""
    tree = parse_once(text)
    if tree is None or tree.entangled or not isinstance(tree.root, Collection) or tree.root.flow:
        return None
    return tree.root


def proven(value: Json) -> str:
    """Return a document as `emit` writes it, after reading it back. Raises `UnprovenError`."""
    text = emit(value)
    prove(text, value)
    return text


def prove(text: str, meaning: Json) -> None:
    """Check that a text of ours means `meaning`, by reading the text back.

    Raises `UnprovenError` if it does not, `InputError` if `meaning` is nested too deeply.
    """
    if not means(text, meaning):
        start = text[:200]
        # Our own reader refuses that depth, so it is a fault of the input and not of ours.
        if _is_too_deep(meaning):
            message = (
                f"a rendered document is nested deeper than {DEEPEST} levels; it begins: {start}"
            )
            raise InputError((UNREADABLE_FILE.result(message, cure="flatten the object"),))
        message = f"a rendered document does not mean what it was made from; it begins: {start}"
        raise UnprovenError(message)


def _is_too_deep(value: Json) -> bool:
    """Return whether a value is nested more deeply than a text may be to be read."""
    level = [value]
    for _ in range(DEEPEST):
        mappings = (item.values() for item in level if isinstance(item, dict))
        level = [*chain(*mappings, *(item for item in level if isinstance(item, list)))]
    return any(isinstance(item, dict | list) for item in level)


def means(text: str, meaning: Json) -> bool:
    """Return whether Kubernetes reads exactly `meaning` in the text, as its only document."""
    # As a file is split: a text that would be two documents means something else.
    chunks, problems = split_documents(text)
    if problems or len(chunks) != 1:
        return False
    simple = construct_simple(text)
    if simple is not None:
        value = simple.value
    else:
        try:
            tree = parse(text)
        except UnreadableError:
            return False
        if tree is None:
            return False
        value, wrong, _ = construct(text, tree.root)
        if wrong:
            return False
    exact = exact_text(value)
    # Exactly first: normalising is needed for few documents.
    return exact == exact_text(meaning) or exact == exact_text(_normalized(meaning))


def _normalized(value: Json) -> Json:
    """Return the value with numbers as Kubernetes stores them, such as 1 for 1.0."""
    return json_number(value) if isinstance(value, float) else map_children(value, _normalized)
