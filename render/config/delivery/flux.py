"""The settings of Flux's delivery."""

from typing import Literal

from pydantic import Field

from render.config.base import Model
from render.config.delivery.shared import PATH
from render.config.names import DnsLabel, Duration, Subdomain, Text


class FluxSource(Model):
    """The Flux source that the trees come from."""

    kind: Literal["GitRepository", "OCIRepository", "Bucket"] = Field(
        default="GitRepository", description="Its kind."
    )
    name: Subdomain = Field(default="flux-system", description="Its name.")
    namespace: DnsLabel = Field(default="flux-system", description="Its namespace.")


class Flux(Model):
    """A Flux Kustomization per spoke."""

    source_ref: FluxSource = Field(
        default_factory=FluxSource, description="The source that holds the trees."
    )
    path: Text | None = Field(default=None, description=PATH)
    namespace: DnsLabel = Field(default="flux-system", description="The Kustomizations' namespace.")
    interval: Duration = Field(default="10m", description="How often Flux applies the tree anew.")
