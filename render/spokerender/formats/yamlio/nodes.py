"""The node tree of one document, built from parse events without recursion.

PyYAML's own composer recurses in C, so a hostile text can overflow the stack; the composer here
counts its depth. Nodes keep their marks, so that a text can be edited at exact places.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import yaml
from msgspec import Struct

from spokerender.formats.yamlio.simple import DEEPEST, Event, open_loader

MOST_ALIASED = 100_000


_COLON_REFUSED = "found unexpected ':'"
_LAST_COLON = r"""(?<=[^\s"'\]}]):(?=[,\[\]{}])"""
BETWEEN = r"(?:[ \t\n]|(?<![^ \t\n])#[^\n]*)*"
"""The text that may stand between two tokens: spaces, line ends and comments."""
_PROPERTIES = rf"(?:[&!][^\s,\[\]{{}}]*{BETWEEN})+"
# Private characters stand for nothing, so they are free in nearly every text.
_PRIVATE = range(0xE000, 0xF900)


class TextProblem(Struct, frozen=True):
    """A problem in a document's text, at a character offset.

    `earlier` is the offset of another place that the message is about, if any. `begun` is the
    offset at which the unreadable part begins, if it is known.
    """

    offset: int
    message: str
    cure: str
    earlier: int | None = None
    begun: int | None = None


class UnreadableError(Exception):
    """The rest of a document can't be read; `problem` says why."""

    def __init__(self, offset: int, message: str, cure: str, begun: int | None = None) -> None:
        super().__init__(message)
        self.problem = TextProblem(offset, message, cure, begun=begun)


class Scalar:
    """A scalar of the tree: its text after unquoting and unfolding, its tag and its style."""

    # No dict for each of them: a hub has as many as values.
    __slots__ = ("end", "plain", "start", "style", "tag", "text")

    def __init__(self, event: Event, colon: str = ":") -> None:
        self.text: str = event.value if colon == ":" else event.value.replace(colon, ":")
        self.tag: str | None = event.tag
        self.style: str = event.style
        self.plain: bool = not event.style and event.tag is None
        self.start = event.start_mark
        self.end = event.end_mark


class Collection:
    """A sequence or a mapping; the children of a mapping are its keys and values in turn."""

    __slots__ = ("children", "end", "flow", "is_mapping", "start", "tag")

    def __init__(self, event: Event, *, is_mapping: bool) -> None:
        """Make an open collection without children; `end` is None until it is closed."""
        self.children: list[YamlNode] = []
        self.is_mapping = is_mapping
        self.tag: str | None = event.tag
        self.flow: bool = event.flow_style
        self.start = event.start_mark
        self.end: Any = None

    def pairs(self) -> "Iterator[tuple[YamlNode, YamlNode]]":
        """Return pairs of a key and its value."""
        children = iter(self.children)
        return zip(children, children, strict=True)

    def spans(self) -> "list[tuple[YamlNode, YamlNode]]":
        """Return the first and last node of each entry: key and value, or twice the list item."""
        return list(self.pairs()) if self.is_mapping else [(item, item) for item in self.children]


class Alias:
    """An alias (`*name`): its target node, and the weight and depth of the target."""

    __slots__ = ("depth", "end", "start", "target", "weight")

    def __init__(self, event: Event, target: Scalar | Collection) -> None:
        self.target = target
        self.start = event.start_mark
        self.end = event.end_mark
        self.weight, self.depth = _extent(target)


YamlNode = Scalar | Collection | Alias


def list_nodes(root: YamlNode) -> list[YamlNode]:
    """Return all nodes, keys included, in the order of the text, without the targets of aliases."""
    nodes, ahead = [], [root]
    while ahead:
        nodes.append(node := ahead.pop())
        if isinstance(node, Collection):
            ahead += reversed(node.children)
    return nodes


def content_start(text: str, node: YamlNode) -> int:
    """Return the offset behind the anchor and the tag of a node."""
    start = int(node.start.index)
    if isinstance(node, Alias) or text[start : start + 1] not in ("&", "!"):
        return start
    match = re.compile(_PROPERTIES).match(text, start)
    return min(match.end(), int(node.end.index)) if match else start


class NodeTree:
    """A document's root, and whether its text can only be edited as a whole.

    `entangled` is True if the text has anchors, aliases or tags: then no piece of the text can be
    moved or replaced alone.
    """

    __slots__ = ("entangled", "root")

    def __init__(self, root: YamlNode, *, entangled: bool) -> None:
        self.root = root
        self.entangled = entangled


def parse(text: str) -> NodeTree | None:
    """Parse the only document in `text`; return None if there is no document.

    Raises `UnreadableError` for a syntax error, a second document, nesting deeper than `DEEPEST`,
    and aliases that stand for more than `MOST_ALIASED` nodes in all.
    """
    try:
        return _composed(text)
    except yaml.YAMLError as error:
        # Only after the refusal, since hardly any text has such a colon.
        tree = _with_last_colons(text) if _COLON_REFUSED in str(error) else None
        if tree is None:
            raise _syntax_error(error) from error
        return tree


def _composed(text: str, colon: str = ":") -> NodeTree | None:
    loader = open_loader(text)
    try:
        return _Composer(colon).compose(loader)
    finally:
        loader.dispose()


def _with_last_colons(text: str) -> NodeTree | None:
    """Parse a text in which plain scalars of a flow collection end with colons (`[fe80::]`).

    kubectl and kustomize accept them, but libyaml does not, so it gets another character in place
    of each such colon. Return None if libyaml refuses the changed text, too.
    """
    # A stand-in must not occur in the text, or it would come back as a colon.
    other = next((chr(code) for code in _PRIVATE if chr(code) not in text), "")
    try:
        tree = _composed(re.sub(_LAST_COLON, other, text), other) if other else None
    except yaml.YAMLError:
        return None
    if tree is not None:
        # Marks are right, but pieces of this text could not be parsed alone.
        tree.entangled = True
    return tree


@lru_cache(maxsize=256)
def parse_once(text: str) -> NodeTree | None:
    """Return the tree of a text; recent trees are remembered, for edits and look-ups of lines."""
    return parse(text)


class _Composer:
    def __init__(self, colon: str) -> None:
        self.colon = colon
        self.anchors: dict[str, Scalar | Collection] = {}
        self.roots: list[YamlNode] = []
        self.open: list[Collection] = []
        self.aliased = 0
        self.entangled = False

    def compose(self, loader: Event) -> NodeTree | None:
        # A local name: the loop runs once for each token of a file.
        next_event = loader.get_event
        children = self.roots
        while True:
            event = next_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                scalar = Scalar(event, self.colon)
                if event.anchor or event.tag:
                    self.mark(event, scalar)
                children.append(scalar)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                opened = Collection(event, is_mapping=kind is yaml.MappingStartEvent)
                if event.anchor or event.tag:
                    self.mark(event, opened)
                children.append(opened)
                self.open.append(opened)
                self.check_depth(event, 0)
                children = opened.children
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self.open.pop().end = event.end_mark
                children = self.open[-1].children if self.open else self.roots
            elif kind is yaml.AliasEvent:
                children.append(self.alias(event))
            elif kind is yaml.DocumentStartEvent and self.roots:
                message = "a second document begins without a `---` line before it"
                cure = "put `---` on a line of its own between documents"
                raise UnreadableError(event.start_mark.index, message, cure)
            elif kind is yaml.StreamEndEvent:
                root = self.roots[0] if self.roots else None
                return NodeTree(root, entangled=self.entangled) if root is not None else None

    def mark(self, event: Event, node: Scalar | Collection) -> None:
        self.entangled = True
        if event.anchor:
            self.anchors[event.anchor] = node

    def alias(self, event: Event) -> Alias:
        """Return an alias. Raises `UnreadableError` if it is unknown, recursive or exploding."""
        self.entangled = True
        offset = event.start_mark.index
        target = self.anchors.get(event.anchor)
        if target is None:
            # Its name may be a password that lacks its quotes.
            cure = "write the anchor before it; if it is a text that begins with `*`, quote it"
            raise UnreadableError(offset, "an alias has no anchor", cure)
        # An alias inside its own anchor would be an endless value.
        if any(target is one for one in self.open):
            message = f"alias `*{event.anchor}` is inside its own anchor"
            raise UnreadableError(offset, message, "write the value out")
        # The target is closed by now, so its weight is final.
        alias = Alias(event, target)
        # The sum over all aliases: many small bombs are one large bomb.
        self.aliased += alias.weight
        if self.aliased > MOST_ALIASED:
            message = f"aliases stand for more than {MOST_ALIASED:,} values, or for as much text"
            raise UnreadableError(offset, message, "write the values out")
        self.check_depth(event, alias.depth)
        return alias

    def check_depth(self, event: Event, more: int) -> None:
        """Raise `UnreadableError` if the nesting is so deep that recursion could fail."""
        if len(self.open) + more > DEEPEST:
            message = f"nested deeper than {DEEPEST} levels"
            raise UnreadableError(event.start_mark.index, message, "flatten the document")


def _extent(node: YamlNode) -> tuple[int, int]:
    """Return the weight and depth of a tree, with aliases counted as their targets.

    A node weighs 1, and a text 1 more for each 100 characters.
    """
    if isinstance(node, Alias):
        return node.weight, node.depth
    if isinstance(node, Scalar):
        return 1 + len(node.text) // 100, 0
    weights, depths = zip((0, 0), *map(_extent, node.children), strict=True)
    return 1 + sum(weights), 1 + max(depths)


_SYNTAX = "correct the syntax"
_INDENTATION = (
    "correct the indentation: the keys of a mapping, or items of a list, begin in one column"
)
_CURES = {
    "stream while scanning a quoted scalar": "close the quote",
    "parsing a flow": "a bracket is not closed, or a comma is missing",
    "expected '-' indicator": _INDENTATION,
    "expected key while parsing a block": _INDENTATION,
    "mapping values are not allowed": f"{_INDENTATION}; a text with `: ` in it needs quotes",
    "tab character": "indent with spaces, not with tabs",
    "cannot start any token": "indent with spaces, not with tabs; quote a text that begins so",
}
"""The suggested fix for a syntax error, by a part of libyaml's message."""


def _syntax_error(error: yaml.YAMLError) -> UnreadableError:
    if not isinstance(error, yaml.MarkedYAMLError):
        return UnreadableError(0, f"not YAML: {error}", _SYNTAX)
    mark = error.problem_mark or error.context_mark
    message = " ".join(part for part in (error.problem, error.context) if part)
    begun = error.context_mark.index if error.context_mark and mark else None
    # The order of the table counts: the first part that occurs is the most special one.
    cure = next((cure for sign, cure in _CURES.items() if sign in message), _SYNTAX)
    return UnreadableError(mark.index if mark else 0, f"not YAML: {message}", cure, begun)
