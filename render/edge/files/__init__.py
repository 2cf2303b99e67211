"""The only door to the disk: a project's files, comparing its output, and writing it."""

from render.edge.files.apply import apply
from render.edge.files.compare import compare
from render.edge.files.findings import findings, hidden
from render.edge.files.folders import read_files, read_folder
from render.edge.files.lock import locked
from render.edge.files.overlaid import Overlaid
from render.edge.files.parallel import Progress
from render.edge.files.rewriting import keep, refuse_link, refuse_outside, rewrite
from render.edge.files.source import OnDisk

__all__ = [
    "OnDisk",
    "Overlaid",
    "Progress",
    "apply",
    "compare",
    "findings",
    "hidden",
    "keep",
    "locked",
    "read_files",
    "read_folder",
    "refuse_link",
    "refuse_outside",
    "rewrite",
]
