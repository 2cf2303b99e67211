"""The configuration of the controllers on the spokes, as far as it decides about policies."""

from typing import Any

from pydantic import Field

from spokerender.config.base import Model
from spokerender.config.names import Text


class ControllerSettings(Model):
    """The configuration of a controller on all spokes.

    What it does not say has the default of the release that spokerender describes. Without an entry
    nothing is known, and what depends on it is Unknown.
    """

    name: Text = Field(description="Its name: `controllerName` of its GatewayClasses.")
    settings: dict[str, Any] = Field(
        default_factory=dict,
        description="What its own configuration says, under its own names.",
    )
