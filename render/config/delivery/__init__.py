"""How trees are delivered: the part of the fleet file about engines, one module each.

The model of an engine is made where a file has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from render.config.base import Model
from render.config.later import later

if TYPE_CHECKING:
    from render.config.delivery.argocd import ArgoCD
    from render.config.delivery.flux import Flux
    from render.config.delivery.karmada import Karmada
    from render.config.delivery.ocm import OCM
else:
    ArgoCD = later("render.config.delivery.argocd", "ArgoCD")
    Flux = later("render.config.delivery.flux", "Flux")
    Karmada = later("render.config.delivery.karmada", "Karmada")
    OCM = later("render.config.delivery.ocm", "OCM")


class Delivery(Model):
    """Which delivery files are rendered into the output's _fleet folder."""

    argocd: ArgoCD | None = Field(default=None, description="For Argo CD.")
    flux: Flux | None = Field(default=None, description="For Flux.")
    ocm: OCM | None = Field(default=None, description="For Open Cluster Management.")
    karmada: Karmada | None = Field(default=None, description="For Karmada.")
