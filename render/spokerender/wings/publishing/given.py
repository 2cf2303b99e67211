"""What publishing is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:  # start-up counts: few projects publish
    from spokerender.wings.publishing.config.publishings import PublishingDocument

FOLDER = "published"
"""The folder beside fleet.yaml that has what kcp must never forget."""

Files = Sequence[tuple[str, bytes]]
"""Files by the path that messages name, and their bytes."""


class PublishingInput(Struct, frozen=True, eq=False):
    """What was read for publishing: its documents and files, with paths as messages name them."""

    documents: Sequence[PublishingDocument] = ()
    workspaces: Mapping[str, Files] = field(default_factory=dict)
    published: Files = ()
    crds: Files = ()
