"""The fields of fleet.yaml that switch publishing on."""

from pydantic import Field

from spokerender.config.base import Model
from spokerender.config.fleet import Folders

FOLDER = "published"
"""The folder beside fleet.yaml with all schemas that were ever published to kcp."""


class PublishingSettings(Model):
    """The publishing of kinds to consumers in kcp workspaces."""

    publishing: Folders = Field(
        default=(), description="The publishing files, as a file, files, or a folder."
    )
