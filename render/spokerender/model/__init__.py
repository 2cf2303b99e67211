"""The frozen values that all packages share; nothing here decides anything."""

from spokerender.model.manifests import Edit as Edit, Manifest as Manifest, Original as Original
from spokerender.model.refs import (
    CONFIG_MAP as CONFIG_MAP,
    GATEWAY as GATEWAY,
    GATEWAY_API as GATEWAY_API,
    GATEWAY_CLASS as GATEWAY_CLASS,
    NAMESPACE as NAMESPACE,
    SECRET as SECRET,
    SERVICE as SERVICE,
    SERVICE_IMPORT as SERVICE_IMPORT,
    FieldPath as FieldPath,
    ObjectName as ObjectName,
    Origin as Origin,
    Place as Place,
    Ref as Ref,
    identity as identity,
    join_fields as join_fields,
    kind_name as kind_name,
    shown as shown,
)
from spokerender.model.shapes import grouped as grouped
from spokerender.model.spokes import (
    JsonValue as JsonValue,
    PlacedGateway as PlacedGateway,
    Spoke as Spoke,
)
