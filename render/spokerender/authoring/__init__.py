"""For authors of metapolicies in Python: what a function is given, and what it answers.

    from spokerender.authoring import make

    def render(policy, spoke):
        for route in policy.routes():
            yield make({"apiVersion": ..., "kind": ..., "metadata": {"name": route.name}})

A function is pure: its answer depends on what it is shown and on nothing else. It is called for
each metapolicy, and again for spokes that differ in something that it looked at. What it is shown
is its own copy. The kinds that it looks at stand under `reads` of its definition, those that it
makes, changes or removes under `writes`. docs/metapolicies.md teaches it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

JSON = Any
Severity = Literal["error", "warning", "info"]

__all__ = [
    "Change",
    "Edit",
    "Gateway",
    "Listener",
    "Make",
    "Policy",
    "Remove",
    "Route",
    "Spoke",
    "TargetRef",
    "Tell",
    "change",
    "make",
    "remove",
    "tell",
]


@dataclass(frozen=True, slots=True)
class TargetRef:
    """What a policy names as its target; `section_name` is empty for all of it."""

    group: str
    kind: str
    namespace: str
    name: str
    section_name: str


@dataclass(frozen=True, slots=True)
class Listener:
    """A listener, and the Gateway or ListenerSet that has it."""

    gateway_namespace: str
    gateway_name: str
    name: str
    hostname: str
    port: int
    protocol: str


@dataclass(frozen=True, slots=True)
class _Object:
    """An object of the spoke. What hangs together with it is found sorted, each thing once."""

    group: str
    kind: str
    namespace: str
    name: str
    _find: Callable[[str, str], Any] = field(repr=False, compare=False)

    def object(self) -> dict[str, JSON]:
        """All of the object."""
        found: dict[str, JSON] = self._find("object", "")
        return found

    def gateways(self) -> list[Gateway]:
        """The Gateways above it; of a policy, above its targets."""
        return list(self._find("findGateways", ""))

    def routes(self) -> list[Route]:
        """The routes below it, of the kinds that the definition reads."""
        return list(self._find("findRoutes", ""))

    def listeners(self) -> list[Listener]:
        """Its listeners; of a route, those that it is for."""
        return list(self._find("findListeners", ""))

    def hostnames(self) -> list[str]:
        """Its hostnames; of a route without any, those of its listeners."""
        return list(self._find("findHostnames", ""))

    def policies(self, kind: str) -> list[Policy]:
        """The policies of a kind on it and above it; `AuthPolicy`, or `AuthPolicy.kuadrant.io`."""
        return list(self._find("findPolicies", kind))

    def policies_in_force(self, kind: str) -> list[Policy]:
        """The policies of a kind of which a rule is in force on one of its paths."""
        return list(self._find("findInForce", kind))


@dataclass(frozen=True, slots=True)
class Gateway(_Object):
    """A Gateway, as it is on the spoke."""

    gateway_class: str
    listeners_of: tuple[Listener, ...]


@dataclass(frozen=True, slots=True)
class Route(_Object):
    """A route of any kind."""

    own_hostnames: tuple[str, ...]
    rule_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy(_Object):
    """A policy: the metapolicy itself, or one that it hangs together with."""

    target_refs: tuple[TargetRef, ...]

    @property
    def spec(self) -> dict[str, JSON]:
        """What it says."""
        return dict(self.object().get("spec") or {})

    @property
    def labels(self) -> dict[str, str]:
        """Its labels."""
        return dict(self.object()["metadata"].get("labels") or {})


class Spoke:
    """The spoke that is rendered. All that it gets is found sorted."""

    def __init__(self, own: Callable[[str], Any], find: Callable[[str, str], Any]) -> None:
        """Made by spokerender."""
        self._own, self._find = own, find

    @property
    def name(self) -> str:
        """Its name; for this and the next two a definition reads Spoke of spokerender.io."""
        return str(self._own("name"))

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels, as the placement declares them."""
        found: Mapping[str, str] = self._own("labels")
        return found

    @property
    def values(self) -> Mapping[str, JSON]:
        """Its values, as the placement declares them."""
        found: Mapping[str, JSON] = self._own("values")
        return found

    def gateways(self) -> list[Gateway]:
        """All its Gateways."""
        return list(self._find("gateways", ""))

    def routes(self) -> list[Route]:
        """All its routes, of the kinds that the definition reads."""
        return list(self._find("routes", ""))

    def policies(self, kind: str) -> list[Policy]:
        """All its policies of a kind."""
        return list(self._find("policies", kind))

    def objects(self, kind: str) -> list[dict[str, JSON]]:
        """All its objects of a kind, whole: of `ConfigMap`, or `AuthPolicy.kuadrant.io`."""
        return list(self._find("objects", kind))


@dataclass(frozen=True, slots=True)
class Make:
    """An object to make; without a namespace it is in the metapolicy's, if its kind has any."""

    object: Mapping[str, JSON]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """An object to change, by a JSON merge patch (RFC 7386)."""

    target: Gateway | Route | Policy | Mapping[str, JSON]
    merge: Mapping[str, JSON]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Remove:
    """An object to take out."""

    target: Gateway | Route | Policy | Mapping[str, JSON]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Tell:
    """Something to tell about the metapolicy; an error refuses the build."""

    message: str
    severity: Severity = "error"
    field: str = ""
    cure: str = ""


Edit = Make | Change | Remove | Tell
make, change, remove, tell = Make, Change, Remove, Tell
Function = Callable[[Policy, Spoke], "Sequence[Edit]"]
"""What an author writes; a generator is as good as a list."""
