"""How trees are delivered: the part of the fleet file about engines, one module each."""

from pydantic import Field

from render.config.base import Model
from render.config.delivery.argocd import (
    ArgoAutomated,
    ArgoCD,
    ArgoDestination,
    ArgoSyncPolicy,
    ArgoWave,
)
from render.config.delivery.flux import Flux, FluxRef, FluxRepository, FluxSource, FluxWave
from render.config.delivery.karmada import Karmada
from render.config.delivery.ocm import OCM, OcmReplicaSet

__all__ = [
    "OCM",
    "ArgoAutomated",
    "ArgoCD",
    "ArgoDestination",
    "ArgoSyncPolicy",
    "ArgoWave",
    "Delivery",
    "Flux",
    "FluxRef",
    "FluxRepository",
    "FluxSource",
    "FluxWave",
    "Karmada",
    "OcmReplicaSet",
]


class Delivery(Model):
    """Which delivery files are rendered into the output's _fleet folder."""

    argocd: ArgoCD | None = Field(default=None, description="For Argo CD.")
    flux: Flux | None = Field(default=None, description="For Flux.")
    ocm: OCM | None = Field(default=None, description="For Open Cluster Management.")
    karmada: Karmada | None = Field(default=None, description="For Karmada.")
