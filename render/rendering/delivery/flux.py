"""Flux: one Kustomization per spoke, applied from the hub through the spoke's kubeconfig."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from render.config.delivery import Flux
from render.rendering.delivery.problems import DeliveryProblem


def context(settings: Flux, spokes: Sequence[str], folder: PurePosixPath) -> dict[str, Any]:
    """The values of `flux/kustomizations.yaml.j2`.

    A Kustomization has its spoke's name, a DNS label: Flux puts it in a label's value, which
    holds 63 characters. Raises `DeliveryProblem` if that is the name of Flux's own, which
    `flux bootstrap` names like its namespace: it would be replaced, and Flux prune itself.
    """
    if settings.namespace in spokes:
        message = f'spoke "{settings.namespace}" has the name of Flux\'s own Kustomization'
        raise DeliveryProblem(message, "rename the spoke, or set another `namespace`")
    source = settings.source_ref
    return {
        "namespace": settings.namespace,
        "interval": settings.interval,
        "source_ref": {"kind": source.kind, "name": source.name, "namespace": source.namespace},
        "spokes": [{"name": spoke, "path": f"./{folder / spoke}"} for spoke in spokes],
    }
