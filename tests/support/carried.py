"""The CRDs that the package carries, for tests that need real ones."""

import json
from typing import Any

from spokerender.judging.validation.bundled import read_release
from spokerender.model.releases import find_releases

LATEST = "gateway-api@v1.7.0"
KUADRANT = "kuadrant@v1.5.2"
ENVOY_GATEWAY = "envoy-gateway@v1.9.1"
ISTIO = "istio@v1.31.4"


def carried(*entries: str) -> list[dict[str, Any]]:
    """All CRDs of these releases, as `crds` in a fleet file names them; without channel, both."""
    releases = [release for entry in entries for release in find_releases(entry)]
    return [crd for release in releases for crd in read_release(release)]


def carried_files(*entries: str) -> list[tuple[str, bytes]]:
    """All CRDs of these releases as files of a project."""
    return [(crd["metadata"]["name"], json.dumps(crd).encode()) for crd in carried(*entries)]
