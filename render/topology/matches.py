"""What requests a route's rule is for, in one form: two rules with one of these are for the same.

The defaults are those of the Gateway API (HTTPRouteRule, `matches`): without any, the path `/`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_HTTP = "HTTPRoute"


@dataclass(frozen=True, slots=True)
class Match:
    """One of a rule's `matches`: its path's value, and all that it asks for as one text."""

    path: str
    text: str


def matches_of(kind: str, rule: Mapping[str, Any]) -> tuple[Match, ...]:
    """The matches of a rule, in order, with what is left out filled in; odd data is kept odd."""
    entries = [each for each in _list(rule.get("matches")) if isinstance(each, Mapping)]
    return tuple(_match(kind, entry) for entry in entries or [{}])


def _match(kind: str, entry: Mapping[str, Any]) -> Match:
    whole = {key: value for key, value in entry.items() if value not in (None, [], {})}
    if kind == _HTTP:
        path = {"type": "PathPrefix", "value": "/"} | _mapping(entry.get("path"))
        whole["path"] = path
    for key in ("headers", "queryParams"):
        if entries := _list(whole.get(key)):
            whole[key] = sorted(_typed(entries, is_header=key == "headers"), key=_name)
    named = _mapping(whole.get("path")).get("value", "")
    return Match(named if isinstance(named, str) else "", _text(whole))


def _typed(entries: list[Any], *, is_header: bool) -> Iterator[dict[str, Any]]:
    """Headers and parameters; their type is Exact by default, and a header's name in any case."""
    for entry in entries:
        name = str(_mapping(entry).get("name"))
        yield {"type": "Exact"} | _mapping(entry) | {"name": name.casefold() if is_header else name}


def _name(entry: dict[str, Any]) -> str:
    return str(entry["name"])


def _text(value: Any) -> str:  # noqa: ANN401  (JSON of any shape)
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _list(value: Any) -> list[Any]:  # noqa: ANN401
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> dict[str, Any]:  # noqa: ANN401
    return dict(value) if isinstance(value, Mapping) else {}
