"""The fields of fleet.yaml that switch publishing on."""

from __future__ import annotations

from pydantic import Field

from spokerender.config.base import Model
from spokerender.config.fleet import Folders

FOLDER = "published"
"""The folder beside fleet.yaml that holds what kcp must never forget."""


class PublishingSettings(Model):
    """Which kinds are published to consumers in kcp workspaces."""

    publishing: Folders = Field(
        default=(), description="Who publishes kinds to whom: a file, files, or a folder."
    )
