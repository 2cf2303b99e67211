"""Namespaces, where the project asks for them: rendered, and protected from pruning.

A pruned namespace takes everything in it along, so both engines are told never to prune it
(Argo CD's `Prune=false`, Flux's `prune: disabled`).
"""

from __future__ import annotations

from typing import Any

PROTECTION = {
    "argocd.argoproj.io/sync-options": "Prune=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}


def namespace_object(name: str, hub: dict[str, Any] | None) -> dict[str, Any]:
    """A Namespace with the labels and annotations of the hub's own, if the hub has it."""
    metadata = (hub or {}).get("metadata", {})
    result: dict[str, Any] = {"name": name}
    if metadata.get("labels"):
        result["labels"] = metadata["labels"]
    result["annotations"] = {**(metadata.get("annotations") or {}), **PROTECTION}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": result}
