"""The settings by which the Placements of Open Cluster Management in a hub are decided."""

from typing import Literal

from pydantic import Field

from spokerender.config.base import Model


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
