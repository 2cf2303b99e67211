"""Paths into JSON as upstream's sync agent has them: gjson's to read, sjson's to write.

Written from the documented syntax, on plain data instead of JSON text: numbers stay exact and
text is not HTML-escaped. What hides mistakes there is refused here: writing through `#` or a
wildcard, which puts one text into every item or does nothing at all.
"""

from __future__ import annotations

from spokerender.wings.publishing.jsonpaths.parsing import PathProblem
from spokerender.wings.publishing.jsonpaths.reading import Found, as_items, as_text, get
from spokerender.wings.publishing.jsonpaths.writing import delete, put

__all__ = ["Found", "PathProblem", "as_items", "as_text", "delete", "get", "put"]
