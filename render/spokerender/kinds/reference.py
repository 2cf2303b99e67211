"""A reference: what an object names, and where it says so."""

from __future__ import annotations

from msgspec import Struct

from spokerender.kinds.kind import ReferencePath
from spokerender.kinds.selectors import TargetSelector
from spokerender.model import FieldPath, Ref


class Reference(Struct, frozen=True):
    """One reference of an object.

    `ref` is what it names, with the CRD's defaults applied and the namespace resolved; for a
    `selector` its name is empty and its namespace is the object's own. `path` leads to the
    mapping that it stands in, or to one of the `values` of a label selector's expression.
    `name_path` leads to the name (a selector has none), `namespace_path` to where the namespace
    is written or may be; None where none can be said. `label` is the key of the label whose
    value is the name.
    """

    path: FieldPath
    row: ReferencePath
    ref: Ref
    sections: tuple[str, ...] = ()
    explicit_namespace: bool = False
    selector: TargetSelector | None = None
    label: str = ""
    port: int | None = None
    name_path: FieldPath | None = None
    namespace_path: FieldPath | None = None
