"""The values that walk through the house. Frozen; nothing here decides anything."""

from __future__ import annotations

from render.model.manifests import Manifest
from render.model.object_names import ObjectName
from render.model.origins import FieldPath, Origin, Place, shown
from render.model.refs import GATEWAY_API, Ref, identity, kind_name
from render.model.spokes import PlacedGateway, Spoke

__all__ = [
    "GATEWAY_API",
    "FieldPath",
    "Manifest",
    "ObjectName",
    "Origin",
    "Place",
    "PlacedGateway",
    "Ref",
    "Spoke",
    "identity",
    "kind_name",
    "shown",
]
