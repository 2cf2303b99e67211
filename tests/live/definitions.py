"""The CRDs that the real programs go by: carried ones, the examples', and stand-ins for others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spokerender.formats import yamlio
from tests.live.trees import EXAMPLES, NAMES
from tests.support.carried import KUADRANT, LATEST, carried

Crd = dict[str, Any]
STANDING_IN = {
    ("apis.kcp.io", "v1alpha1", "APIResourceSchema", "apiresourceschemas", "Cluster"),
    ("apis.kcp.io", "v1alpha2", "APIExport", "apiexports", "Cluster"),
    ("gateway.envoyproxy.io", "v1alpha1", "BackendTrafficPolicy", "backendtrafficpolicies", ""),
    ("gateway.envoyproxy.io", "v1alpha1", "ClientTrafficPolicy", "clienttrafficpolicies", ""),
    ("gateway.envoyproxy.io", "v1alpha1", "EnvoyProxy", "envoyproxies", ""),
    ("gateway.envoyproxy.io", "v1alpha1", "SecurityPolicy", "securitypolicies", ""),
}
"""Kinds of the examples of which the API server takes any object."""


def gateway_api(channel: str) -> list[Crd]:
    """The CRDs of the Gateway API and of Kuadrant."""
    return carried(f"{LATEST}/{channel}", KUADRANT)


def of_examples() -> list[Crd]:
    """A CRD for every kind that the examples have, but for Kubernetes' own.

    Where an example carries a CRD that is made small, the real one counts.
    """
    own = [crd for name in NAMES for crd in crds(EXAMPLES / name)]
    stand_ins = map(standing_in, sorted(STANDING_IN))
    found = [*own, *stand_ins, *gateway_api("experimental")]
    return list({crd["metadata"]["name"]: crd for crd in found}.values())


def crds(folder: Path) -> Iterator[Crd]:
    """The CRDs of a folder, however deep."""
    for file in sorted(folder.rglob("*.yaml")):
        if "clusters" in file.relative_to(folder).parts:
            continue
        for document in yamlio.read(file.read_bytes(), file.name)[0]:
            value = document.value
            if isinstance(value, dict) and value.get("kind") == "CustomResourceDefinition":
                yield value


def standing_in(names: tuple[str, str, str, str, str]) -> Crd:
    """A CRD that takes any object of a kind; `names` are a row of `STANDING_IN`."""
    group, version, kind, plural, scope = names
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "scope": scope or "Namespaced",
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }
