"""Our own files, fleet.yaml and the placement, as checked models: the only door to pydantic."""

from render.config.delivery import ArgoCD, Delivery, Flux
from render.config.fleet import (
    MOST_HUB_BYTES,
    AcknowledgedDeletion,
    ExternalObject,
    FleetFile,
    FleetSpec,
    SyncedKind,
)
from render.config.gateways import GatewayAs, GatewaySelection
from render.config.loading import (
    PLACEMENT,
    FleetDocument,
    MetapolicyDocument,
    PlacementDocument,
    PublishingDocument,
    load_metapolicies,
    load_publishings,
    read_fleet,
    read_placements,
)
from render.config.placement import (
    GatewayAPIInstalled,
    OverrideRule,
    OverrideTarget,
    Placement,
    PlacementRule,
    SpokeEntry,
)
from render.config.policies import PolicyKind
from render.config.publishing import Publishing, PublishingAgent, PublishingWorkspace
from render.config.schema import schema
from render.config.selectors import LabelSelector, SpokeSelection
from render.config.suppressions import Suppression

__all__ = [
    "MOST_HUB_BYTES",
    "PLACEMENT",
    "AcknowledgedDeletion",
    "ArgoCD",
    "Delivery",
    "ExternalObject",
    "FleetDocument",
    "FleetFile",
    "FleetSpec",
    "Flux",
    "GatewayAPIInstalled",
    "GatewayAs",
    "GatewaySelection",
    "LabelSelector",
    "MetapolicyDocument",
    "OverrideRule",
    "OverrideTarget",
    "Placement",
    "PlacementDocument",
    "PlacementRule",
    "PolicyKind",
    "Publishing",
    "PublishingAgent",
    "PublishingDocument",
    "PublishingWorkspace",
    "SpokeEntry",
    "SpokeSelection",
    "Suppression",
    "SyncedKind",
    "load_metapolicies",
    "load_publishings",
    "read_fleet",
    "read_placements",
    "schema",
]
