"""Settings read from the fleet file's model, which nothing behind this knows."""

from __future__ import annotations

from spokerender.config.fleet import FleetSpec
from spokerender.model import Ref
from spokerender.rendering.values.settings import Settings


def settings(spec: FleetSpec) -> Settings:
    """What a fleet file says to those who look at what is rendered."""
    return Settings(
        one_file=spec.layout == "spoke",
        creates_namespaces=spec.namespaces == "create",
        external={Ref(e.group, e.kind, e.namespace, e.name): e.listeners for e in spec.external},
        suppressions=spec.suppressions,
    )
