"""YAML exactly as Kubernetes reads it: the only door to the YAML libraries."""

from spokerender.formats.yamlio.characters import unsupported
from spokerender.formats.yamlio.emit import emit
from spokerender.formats.yamlio.problems import Problem
from spokerender.formats.yamlio.proof import UnprovenError, prove, proven
from spokerender.formats.yamlio.reading import Document, first_alias, item_lines, locate, read
from spokerender.formats.yamlio.scalars import scalar, unsupported_key
from spokerender.formats.yamlio.splice import compose
from spokerender.formats.yamlio.template import TextTemplate, compile_text, indented, mark

__all__ = [
    "Document",
    "Problem",
    "TextTemplate",
    "UnprovenError",
    "compile_text",
    "compose",
    "emit",
    "first_alias",
    "indented",
    "item_lines",
    "locate",
    "mark",
    "prove",
    "proven",
    "read",
    "scalar",
    "unsupported",
    "unsupported_key",
]
