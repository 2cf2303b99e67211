"""YAML exactly as Kubernetes reads it: the only door to the YAML libraries."""

from spokerender.formats.yamlio.compose import UnprovenError, compose, prove, proven
from spokerender.formats.yamlio.emit import (
    TextTemplate,
    cut_at_marks,
    emit,
    mark,
    scalar,
    scalars,
    unsupported_key,
    write_item,
)
from spokerender.formats.yamlio.reading import (
    Document,
    Problem,
    first_alias,
    item_lines,
    locate,
    read,
)
from spokerender.formats.yamlio.simple import unsupported

__all__ = [
    "Document",
    "Problem",
    "TextTemplate",
    "UnprovenError",
    "compose",
    "cut_at_marks",
    "emit",
    "first_alias",
    "item_lines",
    "locate",
    "mark",
    "prove",
    "proven",
    "read",
    "scalar",
    "scalars",
    "unsupported",
    "unsupported_key",
    "write_item",
]
