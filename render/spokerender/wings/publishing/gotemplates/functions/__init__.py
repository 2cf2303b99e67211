"""The table of functions: Go's own, and those of sprig v3 that are repeatable; a row each.

A new function is one row in the module of its sort.
"""

from __future__ import annotations

from collections.abc import Mapping

from spokerender.wings.publishing.gotemplates.functions import (
    hashes,
    lists,
    logic,
    maps,
    numbers,
    texts,
    words,
)
from spokerender.wings.publishing.gotemplates.rows import Function

FUNCTIONS: Mapping[str, Function] = {
    function.name: function
    for table in (logic, texts, words, numbers, lists, maps, hashes)
    for function in table.FUNCTIONS
}
