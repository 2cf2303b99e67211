"""The values that walk through the house. Frozen; nothing here decides anything."""

from __future__ import annotations

from render.model.manifests import Edit, Manifest, Original
from render.model.object_names import ObjectName
from render.model.origins import FieldPath, Origin, Place, shown
from render.model.refs import GATEWAY_API, Ref, identity, kind_name
from render.model.spokes import DeclaredListeners, PlacedGateway, Spoke

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
