"""Making a text that means given data, and proving that it does.

`compose` edits the hub's own text so that it means `new` where it meant `old`. Comments, quotes,
the order of keys and the style of blocks survive; the comments of a removed key go with it. The
edit is not trusted: the text is read again, and if it does not mean exactly `new`, or is written
in a way that is not edited, `new` is written afresh.
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
    """A text, its slots marked for `cut_at_marks`; proven if it was read back as it is."""

    text: str
    is_proven: bool


class UnprovenError(Exception):
    """A text of ours does not mean what it was made from: our own bug, and never written."""


def compose(text: str, old: Json, new: Json) -> Composed:
    """Write `new` as YAML, edited from the `text` that means `old`.

    An empty `text` means that there is nothing to keep. A text with slots is tried with example
    values, so that the result is the same whatever the slots stand for.
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
    """Return the edited text, not proven yet; None where it can't be edited."""
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
    """Prepare a text for edits, remembered for the variants of one object; None if it has to stay.

    Raises `UnreadableError`.
    """
    if _ODD.search(text):
        return None
    root = _root(text)
    if root is not None and find_invisible(text):
        text = _escape_comments(text, root)
        root = _root(text)
    return (_mark_restless(text, root), root) if root is not None else None


def _mark_restless(text: str, root: Collection) -> splice.EditedText:
    """Find scalars and keys that readers disagree on or can't see, and spaces at line ends."""
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
    """Escape the invisible characters of a text's comments; its values stay as they are."""
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
    """Return the root if it is a mapping in block style, and no part depends on another."""
    tree = parse_once(text)
    if tree is None or tree.entangled or not isinstance(tree.root, Collection) or tree.root.flow:
        return None
    return tree.root


def proven(value: Json) -> str:
    """Write a document as `emit` does and read it back. Raises `UnprovenError`."""
    text = emit(value)
    prove(text, value)
    return text


def prove(text: str, meaning: Json) -> None:
    """Read a document of ours back.

    Raises `UnprovenError` where it does not mean `meaning`, `InputError` where it is too deep.
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
    """Tell whether a value has more levels of collections than is read from a text."""
    level = [value]
    for _ in range(DEEPEST):
        mappings = (item.values() for item in level if isinstance(item, dict))
        level = [*chain(*mappings, *(item for item in level if isinstance(item, list)))]
    return any(isinstance(item, dict | list) for item in level)


def means(text: str, meaning: Json) -> bool:
    """Tell whether Kubernetes reads exactly `meaning` in the text, as its one document."""
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
    """Return the value with the numbers that Kubernetes keeps: an expression may give 1.0."""
    return json_number(value) if isinstance(value, float) else map_children(value, _normalized)
