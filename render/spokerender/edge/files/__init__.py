"""The only door to the disk: a project's files, comparing its output, and writing it."""

from spokerender.edge.files.apply import (
    apply,
    keep,
    locked,
    refuse_foreign,
    refuse_link,
    refuse_outside,
    rewrite,
    sweep,
)
from spokerender.edge.files.compare import compare
from spokerender.edge.files.findings import findings, hidden
from spokerender.edge.files.folders import read_files, read_folder
from spokerender.edge.files.source import OnDisk, Overlaid
from spokerender.model.plan import Progress

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
    "refuse_foreign",
    "refuse_link",
    "refuse_outside",
    "rewrite",
    "sweep",
]
