"""The only door to the disk: reading a project, comparing its output, and writing it."""

from render.files.apply import apply
from render.files.compare import compare
from render.files.findings import findings
from render.files.folders import read_folder
from render.files.lock import locked
from render.files.parallel import Progress
from render.files.reading import SourceFile, read_optional, read_sources
from render.files.rewriting import rewrite
from render.files.templates import read_templates

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
