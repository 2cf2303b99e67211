"""What publishing is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # start-up counts: few projects publish
    from spokerender.wings.publishing.config.publishings import PublishingDocument

FOLDER = "published"
"""The folder beside fleet.yaml that has what kcp must never forget."""

Files = Sequence[tuple[str, bytes]]
"""Files by the path that messages name, and their bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class PublishingInput:
    """What was read for publishing: its documents and files, with paths as messages name them."""

    documents: Sequence[PublishingDocument] = ()
    workspaces: Mapping[str, Files] = field(default_factory=dict)
    published: Files = ()
    crds: Files = ()
