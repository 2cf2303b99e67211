"""The frozen values that all packages share; nothing here decides anything."""

from spokerender.model.manifests import Edit, Manifest, Original
from spokerender.model.refs import (
    GATEWAY_API,
    FieldPath,
    ObjectName,
    Origin,
    Place,
    Ref,
    identity,
    join_fields,
    kind_name,
    shown,
)
from spokerender.model.shapes import grouped
from spokerender.model.spokes import JsonValue, PlacedGateway, Spoke

__all__ = [
    "GATEWAY_API",
    "Edit",
    "FieldPath",
    "JsonValue",
    "Manifest",
    "ObjectName",
    "Origin",
    "Original",
    "Place",
    "PlacedGateway",
    "Ref",
    "Spoke",
    "grouped",
    "identity",
    "join_fields",
    "kind_name",
    "shown",
]
