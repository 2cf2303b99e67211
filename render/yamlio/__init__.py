"""YAML exactly as Kubernetes reads it: the only door to the YAML libraries."""

from render.yamlio.characters import unsupported
from render.yamlio.emit import emit
from render.yamlio.problems import Problem
from render.yamlio.reading import Document, locate, read
from render.yamlio.scalars import scalar, unsupported_key
from render.yamlio.splice import compose
from render.yamlio.template import TextTemplate, compile_text

__all__ = [
    "Document",
    "Problem",
    "TextTemplate",
    "compile_text",
    "compose",
    "emit",
    "locate",
    "read",
    "scalar",
    "unsupported",
    "unsupported_key",
]
