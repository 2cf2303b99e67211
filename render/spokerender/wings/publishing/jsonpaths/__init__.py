"""Paths into JSON as upstream's sync agent has them: gjson's to read, sjson's to write.

Written from the documented syntax, on plain data instead of JSON text, so that numbers stay exact
and text is not HTML-escaped. Writing through `#` or a wildcard is refused: sjson then puts one text
into every item, or does nothing.
"""

from __future__ import annotations

from spokerender.wings.publishing.jsonpaths.access import (
    FoundValue,
    delete_path,
    format_result,
    get_path,
    list_result,
    put_path,
)
from spokerender.wings.publishing.jsonpaths.paths import JsonPathError

__all__ = [
    "FoundValue",
    "JsonPathError",
    "delete_path",
    "format_result",
    "get_path",
    "list_result",
    "put_path",
]
