"""What requests a route's rule is for, in one form: two rules with one of these are for the same.

The defaults are those of the Gateway API (HTTPRouteRule, `matches`): without any, the path `/`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.model.shapes import as_list, as_mapping, as_mappings, as_text

_HTTP = "HTTPRoute"


class Match(Struct, frozen=True):
    """One of a rule's `matches`: its path's value, and all that it asks for as one text."""

    path: str
    text: str


def matches_of(kind: str, rule: Mapping[str, Any]) -> tuple[Match, ...]:
    """The matches of a rule, in order, with what is left out filled in; odd data is kept odd."""
    entries = as_mappings(rule.get("matches"))
    return tuple(_match(kind, entry) for entry in entries or [{}])


def _match(kind: str, entry: Mapping[str, Any]) -> Match:
    whole = {key: value for key, value in entry.items() if value not in (None, [], {})}
    if kind == _HTTP:
        whole["path"] = {"type": "PathPrefix", "value": "/", **as_mapping(entry.get("path"))}
    for key in ("headers", "queryParams"):
        if entries := as_list(whole.get(key)):
            whole[key] = sorted(_typed(entries, is_header=key == "headers"), key=_name)
    named = as_mapping(whole.get("path")).get("value", "")
    return Match(as_text(named), _text(whole))


def _typed(entries: list[Any], *, is_header: bool) -> Iterator[dict[str, Any]]:
    """Headers and parameters; their type is Exact by default, and a header's name in any case."""
    for entry in entries:
        given = as_mapping(entry)
        name = str(given.get("name"))
        yield {"type": "Exact", **given, "name": name.casefold() if is_header else name}


def _name(entry: dict[str, Any]) -> str:
    return str(entry["name"])


def _text(value: Any) -> str:  # noqa: ANN401  (JSON of any shape)
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
