"""YAML exactly as Kubernetes reads it: the only door to the YAML libraries."""

from render.formats.yamlio.characters import unsupported
from render.formats.yamlio.emit import emit
from render.formats.yamlio.problems import Problem
from render.formats.yamlio.proof import UnprovenError, prove, proven
from render.formats.yamlio.reading import Document, first_alias, item_lines, locate, read
from render.formats.yamlio.scalars import scalar, unsupported_key
from render.formats.yamlio.splice import compose
from render.formats.yamlio.template import TextTemplate, compile_text, indented, mark

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
