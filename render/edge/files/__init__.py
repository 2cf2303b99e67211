"""The only door to the disk: reading a project, comparing its output, and writing it."""

from render.edge.files.apply import apply
from render.edge.files.compare import compare
from render.edge.files.findings import findings
from render.edge.files.folders import read_folder
from render.edge.files.lock import locked
from render.edge.files.parallel import Progress
from render.edge.files.reading import SourceFile, read_optional, read_sources
from render.edge.files.rewriting import rewrite
from render.edge.files.templates import read_templates

__all__ = [
    "Progress",
    "SourceFile",
    "apply",
    "compare",
    "findings",
    "locked",
    "read_folder",
    "read_optional",
    "read_sources",
    "read_templates",
    "rewrite",
]
