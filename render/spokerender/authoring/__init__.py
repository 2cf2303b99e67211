"""The API for functions of metapolicies in Python: their arguments and their edits.

    from spokerender.authoring import make

    def render(policy, spoke):
        for route in policy.routes():
            yield make({"apiVersion": ..., "kind": ..., "metadata": {"name": route.name}})

A function is called for each metapolicy, and again for each spoke with other values for the fields
that the function has read. It must be pure: its edits depend on its arguments and on nothing else.
The arguments are copies, which the function may change. Its definition declares the kinds that the
function reads under `reads`, and the kinds that it creates, changes or removes under `writes`. See
docs/metapolicies.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

JSON = Any
TellSeverity = Literal["error", "warning", "info"]

__all__ = [
    "AuthoredEdit",
    "ChangeEdit",
    "Gateway",
    "ListenerView",
    "MakeEdit",
    "MetapolicyCode",
    "Policy",
    "RemoveEdit",
    "Route",
    "SpokeTopology",
    "TargetRef",
    "TellEdit",
    "change",
    "make",
    "remove",
    "tell",
]


@dataclass(frozen=True, slots=True)
class TargetRef:
    """A target that a policy names; `section_name` is empty for the whole object."""

    group: str
    kind: str
    namespace: str
    name: str
    section_name: str


@dataclass(frozen=True, slots=True)
class ListenerView:
    """A listener, and the Gateway or ListenerSet that it belongs to."""

    gateway_namespace: str
    gateway_name: str
    name: str
    hostname: str
    port: int
    protocol: str


@dataclass(frozen=True, slots=True)
class _SpokeObject:
    """An object on the spoke. The lists that its methods return are sorted and have no repeats."""

    group: str
    kind: str
    namespace: str
    name: str
    _find: Callable[[str, str], Any] = field(repr=False, compare=False)

    def object(self) -> dict[str, JSON]:
        """Return the whole object."""
        data: dict[str, JSON] = self._find("object", "")
        return data

    def gateways(self) -> list[Gateway]:
        """Return the Gateways above the object; for a policy, the Gateways above its targets."""
        return list(self._find("findGateways", ""))

    def routes(self) -> list[Route]:
        """Return the routes below the object, of the kinds that the definition declares."""
        return list(self._find("findRoutes", ""))

    def listeners(self) -> list[ListenerView]:
        """Return the object's listeners; for a route, the listeners that it attaches to."""
        return list(self._find("findListeners", ""))

    def hostnames(self) -> list[str]:
        """Return the object's hostnames; for a route without any, the listeners' hostnames."""
        return list(self._find("findHostnames", ""))

    def policies(self, kind: str) -> list[Policy]:
        """Return the policies of a kind on the object and on the objects above it.

        The kind is a name such as `AuthPolicy`, or has a group: `AuthPolicy.kuadrant.io`.
        """
        return list(self._find("findPolicies", kind))

    def policies_in_force(self, kind: str) -> list[Policy]:
        """Return the policies of a kind that have a rule in force on a path of the object."""
        return list(self._find("findInForce", kind))


@dataclass(frozen=True, slots=True)
class Gateway(_SpokeObject):
    """A Gateway on the spoke; `listeners_of` are the listeners in the Gateway's own spec."""

    gateway_class: str
    listeners_of: tuple[ListenerView, ...]


@dataclass(frozen=True, slots=True)
class Route(_SpokeObject):
    """A route on the spoke, of any kind; `own_hostnames` are the hostnames in its spec."""

    own_hostnames: tuple[str, ...]
    rule_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy(_SpokeObject):
    """A policy on the spoke: the metapolicy itself, or another policy."""

    target_refs: tuple[TargetRef, ...]

    @property
    def spec(self) -> dict[str, JSON]:
        """The policy's spec."""
        return dict(self.object().get("spec") or {})

    @property
    def labels(self) -> dict[str, str]:
        """The policy's labels."""
        return dict(self.object()["metadata"].get("labels") or {})


class SpokeTopology:
    """The spoke that is rendered, and all objects of the spoke.

    A definition that uses `name`, `labels`, `values` or `claims` must declare the kind Spoke of
    spokerender.io under `reads`: its answers can't be shared by all spokes.
    """

    def __init__(self, own: Callable[[str], Any], find: Callable[[str, str], Any]) -> None:
        """Prepare the argument of a function; spokerender does that."""
        self._own, self._find = own, find

    @property
    def name(self) -> str:
        """The spoke's name."""
        return str(self._own("name"))

    @property
    def labels(self) -> Mapping[str, str]:
        """The spoke's labels in the placement."""
        labels: Mapping[str, str] = self._own("labels")
        return labels

    @property
    def values(self) -> Mapping[str, JSON]:
        """The spoke's values in the placement."""
        values: Mapping[str, JSON] = self._own("values")
        return values

    @property
    def claims(self) -> Mapping[str, str]:
        """The claims of the cluster, if a hub has the cluster in its inventory."""
        claims: Mapping[str, str] = self._own("claims")
        return claims

    def gateways(self) -> list[Gateway]:
        """Return the Gateways of the spoke."""
        return list(self._find("gateways", ""))

    def routes(self) -> list[Route]:
        """Return the routes of the spoke, of the kinds that the definition declares."""
        return list(self._find("routes", ""))

    def policies(self, kind: str) -> list[Policy]:
        """Return the policies of a kind, such as `AuthPolicy` or `AuthPolicy.kuadrant.io`."""
        return list(self._find("policies", kind))

    def objects(self, kind: str) -> list[dict[str, JSON]]:
        """Return the whole objects of a kind, such as `ConfigMap` or `AuthPolicy.kuadrant.io`."""
        return list(self._find("objects", kind))


@dataclass(frozen=True, slots=True)
class MakeEdit:
    """An object to create; an object without a namespace gets the metapolicy's namespace.

    `spokerender explain` shows `reason` as the origin of the object.
    """

    object: Mapping[str, JSON]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ChangeEdit:
    """A JSON merge patch (RFC 7386) for an object: a null in it removes the field."""

    target: Gateway | Route | Policy | Mapping[str, JSON]
    merge: Mapping[str, JSON]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RemoveEdit:
    """An object to remove."""

    target: Gateway | Route | Policy | Mapping[str, JSON]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TellEdit:
    """A finding about the metapolicy: a message, the field in question, and a cure.

    A finding of the severity `error` refuses the build.
    """

    message: str
    severity: TellSeverity = "error"
    field: str = ""
    cure: str = ""


AuthoredEdit = MakeEdit | ChangeEdit | RemoveEdit | TellEdit
make, change, remove, tell = MakeEdit, ChangeEdit, RemoveEdit, TellEdit
MetapolicyCode = Callable[[Policy, SpokeTopology], "Sequence[AuthoredEdit]"]
"""The type of a function; a generator will do as well."""
