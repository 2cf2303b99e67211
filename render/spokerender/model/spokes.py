"""Spokes, and hub Gateways as they are placed on spokes."""

import json
from collections import ChainMap
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

from msgspec import Struct, field

from spokerender.model.refs import Origin, Place, Ref
from spokerender.model.shapes import Json

LabelsByNamespace = Mapping[str, Mapping[str, str]]
"""Labels of namespaces, by the namespace's name."""
NO_LABELS: LabelsByNamespace = MappingProxyType({})


def make_labels_key(labels: LabelsByNamespace) -> tuple[object, ...]:
    """Return a key that is equal for equal labels.

    Labels declared for all spokes are one mapping, which all spokes share; the key has its id.
    """
    # A spoke's own labels come first in the chain.
    spoke_labels, *shared = labels.maps if isinstance(labels, ChainMap) else (labels,)
    text = json.dumps({name: dict(values) for name, values in spoke_labels.items()}, sort_keys=True)
    return text, *map(id, shared)


class Spoke(Struct, frozen=True, eq=False):
    """A cluster that policies are placed on, with its labels and values.

    `bundle` and `channel` are those of its Gateway API CRDs (`v1.4.1`, `standard`), empty if they
    are not declared. `namespaces` has the known labels of its namespaces; nothing that is rendered
    depends on these labels, `bundle` or `channel`. `claims` are its cluster claims in a hub's
    inventory.
    """

    name: str
    labels: Mapping[str, str]
    values: Mapping[str, Any]
    place: Place
    bundle: str = ""
    channel: str = ""
    namespaces: LabelsByNamespace = field(default_factory=dict)
    claims: Mapping[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> Origin:
        """Return where the spoke is declared."""
        return self.place()

    @property
    def context(self) -> dict[str, Any]:
        """Return the value of the variable `spoke` in expressions."""
        return {
            "name": self.name,
            "labels": self.labels,
            "values": self.values,
            "claims": self.claims,
        }


class DecisionGroup(Struct, frozen=True):
    """A named group of clusters, as a Placement decides or fleet.yaml lists it.

    Several groups may have the same name; the name of a group without a name is "".
    """

    name: str
    index: int
    clusters: tuple[str, ...]


class JsonValue(Struct, frozen=True, eq=False):
    """A value that is compared by its text: unlike in Python, 1 and true differ.

    `of` creates it with the text in JSON.
    """

    data: Any = None
    text: str = "null"

    def __eq__(self, other: object) -> bool:
        # The text tells 1, 1.0 and true apart, which Python's `==` does not.
        return isinstance(other, JsonValue) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    @classmethod
    def of(cls, data: Json) -> Self:
        """Return a `JsonValue` of `data`, which must not change afterwards."""
        return cls(data, json.dumps(data))


NO_VALUE = JsonValue()


NO_LISTENERS = JsonValue((), "[]")


class PlacedGateway(Struct, frozen=True):
    """A placed gateway: a hub Gateway (or Service) on one spoke, with its rule and settings.

    It is compared by value and has only fields that matter for the tree: two spokes on which a
    gateway is placed in the same way have equal values. Texts may contain slots (`model.slots`). If
    `existing`, the spoke has the gateway already, and only objects that attach to it are rendered.
    `listeners` are the listeners that the placement declares, merged by name into the hub's; for an
    existing gateway they are all its listeners, and `labels` are labels that it is known to have or
    (None) to lack. `sections` maps listeners of the hub to listeners of the existing gateway that
    replace them. `allowed_routes` replaces `allowedRoutes` of the hub's listeners, if set. If
    `routes_follow`, the routes in the namespace of the hub gateway move with it.
    """

    hub: Ref
    ref: Ref
    rule: int
    existing: bool = False
    gateway_class: str = ""
    # Pairs instead of mappings, since placements are dictionary keys.
    hostnames: tuple[tuple[str, str], ...] = ()
    labels: tuple[tuple[str, str | None], ...] = ()
    annotations: tuple[tuple[str, str | None], ...] = ()
    listeners: JsonValue = NO_LISTENERS
    allowed_routes: JsonValue = NO_VALUE
    routes_follow: bool = False
    sections: tuple[tuple[str, str], ...] = ()

    @property
    def is_gateway(self) -> bool:
        """Return whether the placed object is a Gateway; if not, it is a Service of a mesh."""
        return self.hub.kind == "Gateway"

    @property
    def listener_names(self) -> tuple[str, ...]:
        """Return the names of the declared listeners, in order."""
        return tuple(entry["name"] for entry in self.listeners.data)

    def section(self, name: str) -> str:
        """Return the name on the spoke of the hub's listener `name`."""
        return dict(self.sections).get(name, name)

    def hub_sections(self, name: str) -> tuple[str, ...]:
        """Return the hub's listeners that the spoke's listener `name` stands for."""
        return tuple(hub for hub, own in self.sections if own == name) or (name,)

    @property
    def moved(self) -> bool:
        """Return whether the name or namespace on the spoke differs from the hub's."""
        return self.hub != self.ref
