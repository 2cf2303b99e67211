"""The fields of fleet.yaml that switch metapolicies and assertions on."""

from typing import TYPE_CHECKING

from pydantic import Field

from spokerender.config.base import Items, Model, later
from spokerender.config.fleet import Folders
from spokerender.config.names import Text

if TYPE_CHECKING:
    from spokerender.wings.metapolicies.config import Assertion
else:
    Assertion = later("spokerender.wings.metapolicies.config", "Assertion")


class MetapolicySettings(Model):
    """The metapolicies to render, and the assertions that must hold on every spoke."""

    metapolicies: Folders = Field(
        default=(), description="Definitions of metapolicies: a file, files, or a folder."
    )
    kuadrant_version: Text | None = Field(
        default=None,
        description="The version of Kuadrant's operator, such as 1.5.2, whose PlanPolicies and "
        "OIDCPolicies are rendered. Without it they ship unchanged.",
    )
    assertions: Items[Assertion] = Field(
        default=(), description="Conditions that must hold on every spoke; `check` reports others."
    )
