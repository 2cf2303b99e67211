"""Read a project's files, and compare and write its output; only this package changes the disk."""

from spokerender.edge.files.apply import (
    apply as apply,
    keep as keep,
    locked as locked,
    refuse_foreign as refuse_foreign,
    refuse_link as refuse_link,
    refuse_outside as refuse_outside,
    rewrite as rewrite,
    sweep as sweep,
)
from spokerender.edge.files.compare import compare as compare
from spokerender.edge.files.findings import (
    findings as findings,
    hidden as hidden,
)
from spokerender.edge.files.folders import (
    read_files as read_files,
    read_folder as read_folder,
)
from spokerender.edge.files.source import (
    OnDisk as OnDisk,
    Overlaid as Overlaid,
)
from spokerender.model.plan import Progress as Progress
