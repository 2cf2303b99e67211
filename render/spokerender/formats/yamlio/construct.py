"""Convert a node tree to JSON data, as Kubernetes does, and find everything that is wrong in it.

Only texts with something unusual need it: `simple` reads nearly all texts without a node tree.
"""

import re
from math import isfinite
from typing import Any

from spokerender.formats.yamlio.emit import unsupported_key
from spokerender.formats.yamlio.nodes import Alias, Collection, Scalar, TextProblem, YamlNode
from spokerender.formats.yamlio.simple import complaint, key_text, parse_number, plain_key, resolve
from spokerender.model.shapes import Json

_PREFIX = "tag:yaml.org,2002:"
_SCALAR_TAGS = {f"{_PREFIX}{name}": name for name in ("str", "int", "float", "bool", "null")}
_COLLECTION_TAGS = {f"{_PREFIX}map": True, f"{_PREFIX}seq": False}
_TAGS = frozenset(
    {
        "binary", "bool", "float", "int", "map", "merge", "null", "omap", "pairs", "seq", "set",
        "str", "timestamp", "value", "yaml",
    }
)  # fmt: skip
"""The tags of YAML 1.1 (yaml.org/type)."""
_MERGE = "<<"
_ESCAPED_SLASH = r'"[^\\]*(?:\\[^/][^\\]*)*\\/'
"""The one escape of JSON that libyaml reads and go-yaml refuses, in a text in double quotes."""


def construct(text: str, root: YamlNode) -> tuple[Json, list[TextProblem], bool]:
    """Return the data of a node tree, its problems, and whether it has merge keys.

    `text` is the text from which the nodes were parsed.
    """
    builder = _Builder(text)
    return builder.value(root), builder.problems, builder.merges


def key_name(node: YamlNode) -> str | None:
    """Return the JSON key that a key node becomes; None if Kubernetes refuses the key."""
    scalar = node.target if isinstance(node, Alias) else node
    if not isinstance(scalar, Scalar):
        return None
    if scalar.plain or _SCALAR_TAGS.get(scalar.tag or "", "str") != "str":
        return key_text(scalar.text)
    return scalar.text


class _Builder:
    """Builds the data from nodes; a wrong node adds a problem, and becomes some harmless value."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[TextProblem] = []
        self.merges = False

    def value(self, node: YamlNode) -> Json:
        if isinstance(node, Scalar):
            return self.scalar(node)
        if isinstance(node, Alias):
            return self.value(node.target)
        if node.tag and _COLLECTION_TAGS.get(node.tag) is not node.is_mapping:
            self.find_tag(node)
        if node.is_mapping:
            return self.mapping(node)
        return [self.value(child) for child in node.children]

    def mapping(self, node: Collection) -> dict[str, Any]:
        result: dict[str, Any] = {}
        merged: set[str] = set()
        doubled: list[tuple[YamlNode, str]] = []
        for key, value in node.pairs():
            # A quoted "<<" is a key like others.
            if isinstance(key, Scalar) and key.plain and key.text == _MERGE:
                additions = self.merge(value)
                merged.update(additions)
                result.update(additions)
                continue
            name = self.key(key)
            if name is None:
                continue
            # A key of the mapping itself replaces a merged one without being a double.
            if name in result and name not in merged:
                doubled.append((key, name))
            merged.discard(name)
            result[name] = self.value(value)
        if doubled:
            self.find_doubled(node, doubled)
        return result

    def merge(self, node: YamlNode) -> dict[str, Any]:
        """Return the entries that a merge key adds; of several values for a key, the first counts.

        In go-yaml v2 a merged key replaces the same key before it; in YAML 1.1 it would not.
        """
        self.merges = True
        source = node.target if isinstance(node, Alias) else node
        listed = isinstance(node, Collection) and not node.is_mapping
        items = node.children if isinstance(node, Collection) and listed else [source]
        result: dict[str, Any] = {}
        # From the last to the first, so that the first one wins.
        for item in reversed(items):
            target = item.target if isinstance(item, Alias) else item
            if isinstance(target, Collection) and target.is_mapping:
                result.update(self.mapping(target))
            else:
                cure = "give it a mapping, an alias of one, or a list of these"
                self.find(node, "merge key `<<` has no mapping to merge", cure)
        return result

    def key(self, node: YamlNode) -> str | None:
        if isinstance(node, Scalar) and node.plain:
            plain = plain_key(node.text)
            if plain is not None:
                return plain
        name = key_name(node)
        target = node.target if isinstance(node, Alias) else node
        if name is None and isinstance(target, Scalar):
            self.find(node, f"key `{target.text or 'null'}` has no JSON form", "quote it")
        elif name is None:
            # `{{ name }}` of a template is a mapping with a mapping as its key.
            is_template = self.text.startswith("{", node.start.index - 1)
            cure = "render the template first" if is_template else "make it a string"
            self.find(node, "a key is a list or a mapping", cure)
        else:
            if not isinstance(target, Scalar) or not target.plain:
                # Read for its problems alone.
                self.value(node)
            if reason := unsupported_key(name):
                self.find(node, f"key `{name[:40]}`: {reason}", "use another key")
        return name

    def scalar(self, node: Scalar) -> Json:
        if node.plain:
            value: Json = resolve(node.text)
        # The tag ! alone means a string.
        elif node.tag and node.tag != "!":
            value = self.tagged(node)
        else:
            value = node.text
            source = self.text[node.start.index : node.end.index] if "/" in value else ""
            if node.style == '"' and re.match(_ESCAPED_SLASH, source):
                self.find(node, "kubectl knows no escape `\\/` in YAML", "write `/`")
        if isinstance(value, str):
            if message := complaint(value):
                self.find(node, message, "remove it")
        elif isinstance(value, float) and not isfinite(value):
            self.find(node, f"`{node.text}` is not a number in JSON", "quote it, or give a number")
        return value

    def tagged(self, node: Scalar) -> Json:
        """Return the value of a scalar with a YAML tag; as in go-yaml, its quotes don't count."""
        kind = _SCALAR_TAGS.get(node.tag or "")
        if kind is None:
            self.find_tag(node)
            return node.text
        if kind == "str":
            return node.text
        value = resolve(node.text)
        # An empty text would have no first character.
        number = parse_number(node.text) if node.text else None
        fits = {
            "int": isinstance(number, int),
            "float": isinstance(value, int | float) and not isinstance(value, bool),
            "bool": isinstance(value, bool),
            "null": value is None,
        }
        if not fits[kind]:
            self.find(node, f"the value is not a !!{kind}", "correct the value or drop the tag")
        return value

    def find_tag(self, node: Scalar | Collection) -> None:
        """Add a problem for a tag. An unknown tag is not shown: it may be an unquoted password."""
        tag = (node.tag or "").removeprefix(_PREFIX)
        if tag in _TAGS:
            self.find(node, f"tag `!!{tag}` means nothing to Kubernetes", "drop the tag")
        else:
            cure = "drop the tag; if it is a text that begins with `!`, quote it"
            self.find(node, "a tag means nothing to Kubernetes", cure)

    def find_doubled(self, node: Collection, doubled: list[tuple[YamlNode, str]]) -> None:
        firsts: dict[str | None, int] = {}
        for key, _ in node.pairs():
            firsts.setdefault(key_name(key), key.start.index)
        for key, name in doubled:
            message = f"key `{name}` is in this mapping twice"
            problem = TextProblem(key.start.index, message, "keep one of the two", firsts[name])
            self.problems.append(problem)

    def find(self, node: YamlNode, message: str, cure: str) -> None:
        self.problems.append(TextProblem(node.start.index, message, cure))
