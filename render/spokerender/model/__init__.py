"""The frozen values that all packages share; nothing here decides anything."""

from __future__ import annotations

from spokerender.model.manifests import Edit, Manifest, Original
from spokerender.model.object_names import ObjectName
from spokerender.model.origins import FieldPath, Origin, Place, shown
from spokerender.model.refs import GATEWAY_API, Ref, identity, kind_name
from spokerender.model.spokes import DeclaredListeners, PlacedGateway, Spoke

__all__ = [
    "GATEWAY_API",
    "DeclaredListeners",
    "Edit",
    "FieldPath",
    "Manifest",
    "ObjectName",
    "Origin",
    "Original",
    "Place",
    "PlacedGateway",
    "Ref",
    "Spoke",
    "identity",
    "kind_name",
    "shown",
]
