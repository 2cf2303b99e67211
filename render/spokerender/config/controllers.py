"""The configuration of controllers, as far as it decides about policies and placements."""

from typing import Any, Literal

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


class OcmSettings(Model):
    """Settings for Placements of Open Cluster Management."""

    decide: Literal["missing", "always"] = Field(
        default="missing",
        description="missing takes the PlacementDecisions of the hub as they are, and decides "
        "Placements without any; always decides all, and check tells where the hub did otherwise.",
    )
    liveness_taints: Literal["ignore", "honour"] = Field(
        default="ignore",
        description="honour counts the taints unreachable and unavailable, too, which a hub sets "
        "and lifts by itself: a cluster that is out of reach loses its policies then.",
    )
