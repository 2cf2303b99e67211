"""The CRDs that the real programs go by: carried ones, the examples', and kcp's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spokerender.formats import yamlio
from tests.conftest import DATA
from tests.live.trees import EXAMPLES, NAMES
from tests.support.carried import ENVOY_GATEWAY, KUADRANT, LATEST, carried

Crd = dict[str, Any]
KCP = DATA / "api-syncagent/kcp"


def gateway_api(channel: str) -> list[Crd]:
    """The CRDs of the Gateway API and of Kuadrant."""
    return carried(f"{LATEST}/{channel}", KUADRANT)


def of_examples() -> list[Crd]:
    """A CRD for every kind that the examples have, but for Kubernetes' own.

    Where an example carries a CRD that is made small, the real one counts.
    """
    own = [crd for name in NAMES for crd in crds(EXAMPLES / name)]
    kcp = (crd for crd in crds(KCP) if crd["spec"]["group"] == "apis.kcp.io")
    real = [*kcp, *carried(ENVOY_GATEWAY), *gateway_api("experimental")]
    found = [*own, *real]
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
