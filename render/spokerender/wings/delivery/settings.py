"""The fields of fleet.yaml that switch delivery on.

The model of an engine's settings is loaded only for a file that has the engine's field.
"""

from typing import TYPE_CHECKING

from pydantic import Field

from spokerender.config.base import Model, later

if TYPE_CHECKING:
    from spokerender.wings.delivery.config import OCM, ArgoCD, Flux
else:
    ArgoCD = later("spokerender.wings.delivery.config", "ArgoCD")
    Flux = later("spokerender.wings.delivery.config", "Flux")
    OCM = later("spokerender.wings.delivery.config", "OCM")


class Delivery(Model):
    """Settings of the delivery files that are rendered into the output's _fleet folder."""

    argocd: ArgoCD | None = Field(default=None, description="For Argo CD.")
    flux: Flux | None = Field(default=None, description="For Flux.")
    ocm: OCM | None = Field(default=None, description="For Open Cluster Management.")


class DeliverySettings(Model):
    """The GitOps engines that deliver the rendered trees."""

    delivery: Delivery = Field(
        default_factory=Delivery, description="Which delivery files are rendered."
    )
