"""YAML texts of objects as people write them: block or flow, with comments, all strings quoted.

Every scalar is in JSON's form, which YAML readers of all kinds agree on: what an object means is
then no question of this module, and still no two texts look alike.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

_PLAIN_KEY = re.compile(r"[A-Za-z]{4,}[-A-Za-z0-9/.]*[A-Za-z0-9]")
_PLAIN_VALUE = re.compile(r"[A-Z][A-Za-z]{6,}|[a-z]{3,}-[a-z]{2,}")
_UNSURE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")

TRICKY = (
    *("yes", "n", "ON", "null", "~", "", " ", "1e3", "0x1f", "012", "1:30", ".5", "-", "<<", "="),
    *("a: b", "a #b", "# a", "- a", "[a", "{a", "*a", "&a", "!a", "%a", "@a", "|", ">", "? a"),
    *("a\nb", "a\n", "\n a", "a \nb", "  a\nb\n", "\ta", "tab\tin", 'a"b', "a'b", "a\\b", "${x}"),
    *("é", "日本", "\U0001f600", "\u2028", "\ufeff", "\ue000", "--- a", "... ", "2020-01-01"),
)
"""Strings that one YAML reader or another takes for something else."""

strings = st.one_of(
    st.sampled_from(TRICKY),
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn"]), max_size=12),
)
"""Any string that kustomize can carry."""

scalars = st.one_of(
    strings,
    st.booleans(),
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
)

free = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(strings.filter(lambda key: key != "<<"), inner, max_size=3)
    ),
    max_leaves=6,
)
"""JSON of any shape, as what a policy says about its own business."""


class Style(Struct, frozen=True):
    """How a document is written."""

    flow: bool = False
    listed: bool = False
    bare: bool = False
    comments: bool = False
    indented_lists: bool = False


rarely = st.sampled_from([False] * 5 + [True])
styles = st.builds(Style, rarely, rarely, comments=st.booleans(), indented_lists=st.booleans())


def written(data: Mapping[str, Any], style: Style) -> str:
    """The text of one document.

    A list of one item is as `kubectl get -o yaml` has it; a bare object leaves out the
    namespace where that is `default`.
    """
    if style.bare and data["metadata"].get("namespace") == "default":
        metadata = {key: text for key, text in data["metadata"].items() if key != "namespace"}
        data = {**data, "metadata": metadata}
    if style.listed:
        data = {"apiVersion": "v1", "kind": "List", "items": [data]}
    if style.flow:
        return inline(data) + "\n"
    lines = list(_mapping(data, 0, style))
    return "".join(f"{line}\n" for line in (["# about it", *lines] if style.comments else lines))


def _mapping(data: Mapping[str, Any], depth: int, style: Style) -> Iterator[str]:
    for number, (key, value) in enumerate(data.items()):
        if style.comments and number % 3 == 2:
            yield f"{'  ' * depth}# {len(key)} letters"
        yield from _entry(f"{'  ' * depth}{_key(key)}:", value, depth, style)


def _entry(head: str, value: Any, depth: int, style: Style) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        yield head
        yield from _mapping(value, depth + 1, style)
    elif isinstance(value, list) and value:
        yield head
        yield from _items(value, depth + style.indented_lists, style)
    else:
        yield f"{head} {_scalar(value)}{'  # so' if style.comments and depth == 1 else ''}"


def _items(values: Sequence[Any], depth: int, style: Style) -> Iterator[str]:
    for value in values:
        if isinstance(value, Mapping) and value:
            first, *others = _mapping(value, depth + 1, replace(style, comments=False))
            yield f"{'  ' * depth}- {first.lstrip(' ')}"
            yield from others
        else:
            yield f"{'  ' * depth}- {_scalar(value)}"


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) and key.lower() != "false" else inline(key)


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN_VALUE.fullmatch(value):
        return value
    return inline(value)


def inline(value: Any) -> str:
    """JSON that a YAML reader takes alike: what it may fold or drop is escaped."""
    return _UNSURE.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False)
    )
