"""Functions on texts and URLs for expressions that make objects, each with bounds.

They are called by their full names, since Kuadrant's library has no member functions of texts.
URLs are put together as Go does it (net/url, `Values.Encode`, `path.Join`).
"""

import json
import posixpath
import re

from spokerender.formats.cel.costs import BUDGET
from spokerender.formats.cel.functions import (
    Function,
    charge_text,
    global_function,
    join_texts,
    replace_text,
    split_text,
)
from spokerender.formats.cel.urls import unescape

_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
_SPACE = ord(" ")
_BASE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*")
_PAIR = re.compile(r"%([0-9A-Fa-f]{2})")


def _escape(text: str) -> str:
    """Escape like Go's `url.QueryEscape`."""
    BUDGET.spend(3 * len(text), "escape()")
    data = text.encode()
    return "".join(
        chr(byte) if byte in _SAFE else "+" if byte == _SPACE else f"%{byte:02X}" for byte in data
    )


def _query(names: dict[str, str]) -> str:
    return "&".join(f"{_escape(name)}={_escape(names[name])}" for name in sorted(names))


def _with_query(url: str, names: dict[str, str]) -> str:
    """Add parameters that the URL does not have yet, and sort all of them."""
    BUDGET.spend(len(url), "withQuery()")
    base, fragment, rest = url.partition("#")
    base, _, query = base.partition("?")
    named: dict[str, list[str]] = {}
    for pair in filter(None, query.split("&")):
        name, _, value = pair.partition("=")
        if ";" not in pair and "%" not in _PAIR.sub("", pair):
            named.setdefault(unescape(name), []).append(unescape(value))
    for name, value in names.items():
        if not (named.get(name) or [""])[0]:
            named[name] = [value]
    pairs = (f"{_escape(name)}={_escape(one)}" for name in sorted(named) for one in named[name])
    return f"{base}?{'&'.join(pairs)}{fragment}{rest}"


def _with_path(url: str, more: str) -> str:
    """Join a path to the path of a URL, without double slashes."""
    BUDGET.spend(len(url) + len(more), "withPath()")
    match = re.fullmatch(r"([a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*)?([^?#]*)(.*)", url, re.DOTALL)
    head, path, tail = match.groups(default="") if match else ("", url, "")
    return f"{head}{_clean(f'{path}/{more}')}{tail}"


def _base(url: str) -> str:
    """Return scheme and host."""
    match = _BASE.match(charge_text(url))
    return match[0] if match else ""


def _clean(path: str) -> str:
    cleaned = posixpath.normpath(path)
    return f"/{cleaned.lstrip('/')}" if path.startswith("/") else cleaned


def _append_path(url: str, more: str) -> str:
    """Append a text to the path of a URL, without a slash between."""
    BUDGET.spend(len(url) + len(more), "appendPath()")
    cut = min((url.find(mark) for mark in "?#" if mark in url), default=len(url))
    return url[:cut] + more + url[cut:]


FUNCTIONS: tuple[Function, ...] = (
    global_function("strings.join", "list(string) string", "string", join_texts),
    global_function("strings.replace", "string string string", "string", replace_text),
    global_function("strings.split", "string string", "list(string)", split_text),
    global_function("strings.lower", "string", "string", lambda text: charge_text(text).lower()),
    global_function("strings.trim", "string", "string", lambda text: charge_text(text).strip()),
    global_function(
        "strings.quote", "string", "string", lambda text: json.dumps(charge_text(text))
    ),
    global_function("url.base", "string", "string", _base),
    global_function("url.escape", "string", "string", _escape),
    Function("url.query", ("map(string, string)",), "string", _query, is_member=False),
    Function(
        "url.withQuery", ("string", "map(string, string)"), "string", _with_query, is_member=False
    ),
    global_function("url.withPath", "string string", "string", _with_path),
    global_function("url.appendPath", "string string", "string", _append_path),
)
