"""Upstream's cases and CRDs, and PublishedResources made of their specs."""

from pathlib import Path
from typing import Any

from spokerender.wings.publishing.config.published import PublishedSpec, read_published
from tests.support import cyaml


def documents(fixtures: Path, path: str) -> list[Any]:
    """The documents of a fixture; its authors wrote them for YAML 1.1 with `y` as a text."""
    text = (fixtures / "api-syncagent" / path).read_text(encoding="utf-8")
    return [document for document in cyaml.safe_load_all(text) if document is not None]


def published(spec: dict[str, Any]) -> PublishedSpec:
    """What a PublishedResource with this spec says."""
    data = {"apiVersion": "syncagent.kcp.io/v1alpha1", "spec": spec}
    read, faults = read_published(data)
    assert read is not None, faults
    return read
