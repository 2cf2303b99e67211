"""Our own files, fleet.yaml and the placement, as checked models: the only door to pydantic."""

from render.config.delivery import ArgoCD, Delivery, Flux
from render.config.fleet import AcknowledgedDeletion, ExternalObject, Fleet, FleetSpec, SyncedKind
from render.config.loading import PlacementDocument, Source, load_fleet, load_placements
from render.config.placement import (
    GatewayAs,
    GatewaySelection,
    OverrideRule,
    OverrideTarget,
    Placement,
    PlacementRule,
    SpokeEntry,
)
from render.config.schema import schema
from render.config.selectors import LabelSelector, SpokeSelection

__all__ = [
    "AcknowledgedDeletion",
    "ArgoCD",
    "Delivery",
    "ExternalObject",
    "Fleet",
    "FleetSpec",
    "Flux",
    "GatewayAs",
    "GatewaySelection",
    "LabelSelector",
    "OverrideRule",
    "OverrideTarget",
    "Placement",
    "PlacementDocument",
    "PlacementRule",
    "Source",
    "SpokeEntry",
    "SpokeSelection",
    "SyncedKind",
    "load_fleet",
    "load_placements",
    "schema",
]
