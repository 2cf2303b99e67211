"""The settings of Karmada's delivery."""

from typing import Literal

from pydantic import Field

from spokerender.config.base import Model


class Karmada(Model):
    """For Karmada's API server: each object once, who gets it, and what differs there."""

    deletion: Literal["prune", "orphan"] = Field(
        default="prune",
        description="prune: what leaves a tree is deleted on the spoke; orphan: it stays there.",
    )
    conflict_resolution: Literal["Abort", "Overwrite"] = Field(
        default="Abort",
        description="What becomes of an object that a spoke already has from somebody else: Abort "
        "leaves it as it is, Overwrite takes it over.",
    )
