"""The values of adopting: clusters, the objects of their hub, what differs, and how it is told."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from spokerender.findings.results import Result
from spokerender.formats.comparing import fingerprint
from spokerender.model import FieldPath, Manifest, Ref
from spokerender.model.shapes import Json
from spokerender.model.slots import NAME, fill
from spokerender.rendering.values.rendered import Rendered


class Form(Struct, frozen=True, eq=False):
    """The content of an object on one or more clusters, without what these own.

    Texts have `NAME` in the place of the cluster's name. `manifest` is the first that was read,
    with the texts of the cluster that it is on.
    """

    ref: Ref
    object: dict[str, Any]
    manifest: Manifest
    cluster: str


class GatheredCluster(Struct, frozen=True, eq=False):
    """A cluster with the forms of its objects, and the file of each, by identity."""

    name: str
    forms: Mapping[Ref, Form]
    files: Mapping[Ref, str]


class HubGateway(Struct, frozen=True, eq=False):
    """A Gateway of the hub, and which one it is on each cluster, with `NAME` in the identity.

    Clusters in `absent` have it from somewhere else: their objects only name it.
    """

    ref: Ref
    members: Mapping[str, Ref]
    absent: frozenset[str]


class GatewayPairing(Struct, frozen=True, eq=False):
    """The Gateways of the hub, and what was decided about names, to be told."""

    gateways: tuple[HubGateway, ...]
    paired: tuple[str, ...] = ()
    unpaired: tuple[str, ...] = ()


class AssembledObject(Struct, eq=False):
    """An object of the hub: its form on each cluster, and which of them the hub has.

    `content` is that with the names of the hub; `source` is None for a Gateway in no file.
    """

    ref: Ref
    forms: dict[str, Form] = field(default_factory=dict)
    contents: dict[str, Json] = field(default_factory=dict)
    content: dict[str, Any] = field(default_factory=dict)
    source: Form | None = None

    def content_on_hub(self) -> dict[str, Any]:
        """Return what the hub has, with the name of the cluster that it is from."""
        return fill(self.content, {NAME: self.source.cluster}) if self.source else self.content


class Assembly(Struct, frozen=True, eq=False):
    """The objects of the hub by identity; `left` hang on no Gateway, by kind."""

    objects: Mapping[Ref, AssembledObject]
    left: Mapping[str, int]


class Operation(Struct, frozen=True, eq=False):
    """An operation: `add`, `replace` or `remove`, and the value that is there afterwards."""

    op: str
    path: FieldPath
    value: Json = None

    @property
    def pointer(self) -> str:
        """Return the place as a JSON pointer (RFC 6901)."""
        return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in self.path)


class Column(Struct, eq=False):
    """One operation that makes clusters' objects of what is rendered, with the value on each."""

    ref: Ref
    operation: Operation
    values: dict[str, Json] = field(default_factory=dict)


class Mismatches(Struct, eq=False):
    """The objects that are rendered otherwise than they are, by hub object, with the clusters.

    `surplus` is rendered and not there, `missing` there and not rendered; what is `apart` hangs on
    something else, which no override may change. `bases` is what is rendered for each cluster.
    Texts have `NAME` in the place of a cluster's.
    """

    columns: dict[tuple[Ref, str, FieldPath], Column] = field(default_factory=dict)
    surplus: dict[Ref, list[str]] = field(default_factory=dict)
    missing: dict[Ref, list[str]] = field(default_factory=dict)
    apart: dict[Ref, list[str]] = field(default_factory=dict)
    bases: dict[Ref, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    equal: int = 0

    def count_others(self) -> int:
        """Count the objects of clusters that are rendered otherwise, or not at all."""
        differing = {
            (column.ref, name) for column in self.columns.values() for name in column.values
        }
        return len(differing) + sum(map(len, (*self.missing.values(), *self.apart.values())))


class AdoptedOverride(Struct, frozen=True, eq=False):
    """An override of the placement, which changes these clusters; no operation removes the object.

    Without a name, the target is every object of its kind.
    """

    ref: Ref
    spokes: Mapping[str, Any]
    clusters: frozenset[str]
    operations: tuple[Operation, ...] = ()

    def is_for(self, ref: Ref) -> bool:
        """Tell whether it changes an object."""
        names = (self.ref.namespace, self.ref.name)
        alike = (self.ref.group, self.ref.kind) == (ref.group, ref.kind)
        return alike and names in (("", ""), (ref.namespace, ref.name))

    @property
    def key(self) -> str:
        """Return a text that is equal for equal changes of objects of one kind."""
        operations = [[item.op, item.pointer, item.value] for item in self.operations]
        return fingerprint([self.ref.group, self.ref.kind, self.spokes, operations])


class Departure(Struct, frozen=True, eq=False):
    """A field, or a whole object, that is otherwise on some clusters.

    `values` has each value, or ABSENT, with its clusters, the most common first. `label` is what
    selects the others, empty where nothing does: they are drift if they are few.
    """

    ref: Ref
    path: FieldPath
    values: tuple[tuple[Json, tuple[str, ...]], ...]
    label: str = ""
    is_drift: bool = False


class Adopted(Struct, frozen=True, eq=False):
    """A project made of clusters, and what is to be told of it."""

    files: Mapping[str, bytes]
    clusters: tuple[GatheredCluster, ...]
    pairing: GatewayPairing
    assembly: Assembly
    values: Mapping[str, tuple[int, int]]
    """The number of different values of each, and of the places where it is used."""
    departures: tuple[Departure, ...]
    lines: Mapping[Ref, int]
    """The line of the placement with the first override of an object."""
    left: Mismatches
    """Objects that are otherwise than on the clusters, in spite of all."""
    accepted: tuple[Result, ...]
    not_taken: Mapping[str, int]
    rendered: Rendered
