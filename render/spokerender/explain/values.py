"""The answers of `explain`, `effective` and `status`, as values that name their JSON keys.

A Struct is written with the names of `rename`, or as its `json_members`; `ABSENT` is omitted.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from spokerender.explain.near_misses import NearMiss, Unattached, Unpermitted
from spokerender.findings.results import Result
from spokerender.formats.comparing import ABSENT
from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.effective.outcomes import EffectiveRule, MadePart, Overruled
from spokerender.judging.routing.values import HolderStatus, ParentStatus
from spokerender.model import Origin, Ref, shown
from spokerender.rendering.values.decisions import PlacementFunnel
from spokerender.rendering.values.provenance import Traced
from spokerender.topology.node import Listener
from spokerender.topology.paths import RequestPath

_KEYS = {
    "ref": "resourceRef",
    "origin": "file",
    "placings": "gateways",
    "not_shipped": "notShipped",
    "hub_objects": "hubObjects",
    "needed_by": "neededBy",
    "near_misses": "nearMisses",
}


class Placing(Struct, frozen=True, rename=_KEYS):
    """A Gateway on a spoke (`ref`), its hub name, `create` or `existing`, and its rule's line."""

    hub: Ref
    ref: Ref
    mode: str
    rule: Origin
    placement: str = ""


class ReferenceStep(Struct, frozen=True):
    """One reference on the path to a Gateway: the field and line that refer to `ref`."""

    ref: Ref
    field: str
    origin: Origin

    @property
    def json_members(self) -> dict[str, Any]:
        """Return the JSON members; a field is an object, as in a KRM `Result`."""
        return {"resourceRef": self.ref, "field": {"path": self.field}, "file": self.origin}


class FieldChange(Struct, frozen=True):
    """A field whose value differs from its value on the hub, and the spokes that have the value."""

    traced: Traced
    spokes: tuple[str, ...]

    @property
    def json_members(self) -> dict[str, Any]:
        """Return the JSON members: both values, the hub's line, and the cause of the change."""
        source = self.traced.source
        return {
            "path": shown(self.traced.path),
            "old": self.traced.old,
            "new": self.traced.new,
            "file": source.hub,
            "how": source.how,
            "source": source.origin,
            "spokes": self.spokes,
        }


class Destination(Struct, frozen=True, rename=_KEYS):
    """Spokes that get an object with the same identity, path and Gateways.

    `fields` are sorted by path, then by the first spoke.
    """

    spokes: tuple[str, ...]
    ref: Ref
    path: str
    placings: tuple[Placing, ...]
    fields: tuple[FieldChange, ...]


class NotShipped(Struct, frozen=True, rename=_KEYS):
    """Spokes that lack an object; `near_misses` might bring it to the first of these spokes."""

    spokes: tuple[str, ...]
    reason: str
    placings: tuple[Placing, ...]
    near_misses: tuple[NearMiss, ...] = ()


class ObjectExplanation(Struct, frozen=True, rename=_KEYS):
    """An explanation of one hub object.

    `chains` lead from the object to each Gateway that it is attached to; a Gateway has none.
    """

    ref: Ref
    origin: Origin
    chains: tuple[tuple[ReferenceStep, ...], ...]
    destinations: tuple[Destination, ...]
    not_shipped: tuple[NotShipped, ...]
    results: tuple[Result, ...]
    unattached: tuple[Unattached, ...] = ()
    unpermitted: tuple[Unpermitted, ...] = ()


class ShippedObject(Struct, frozen=True, rename=_KEYS):
    """A hub object as one spoke gets it, with its file."""

    hub: Ref
    ref: Ref
    path: str


class NeededObject(Struct, frozen=True, rename=_KEYS):
    """An object that a spoke must have, or a selector that must match an object there.

    With a selector, the name of `ref` is empty; the syntax is that of `kubectl get -l`, and an
    empty selector matches any object. `note` says where the object is searched for, if not in its
    namespace.
    """

    ref: Ref
    selector: str
    note: str

    def __str__(self) -> str:
        """Return the needed object, or its kind and labels, as text for people."""
        if self.ref.name:
            return f"{self.ref}{f', {self.note}' if self.note else ''}"
        labels = f"with labels {self.selector}" if self.selector else "with any labels"
        return f"{self.ref.kind} {labels} {self.note or f'in {self.ref.namespace}'}"


class Required(NeededObject, frozen=True):
    """An object that one spoke must have, and the rendered objects that need it."""

    needed_by: tuple[Ref, ...]

    @property
    def json_members(self) -> dict[str, Any]:
        """Return the JSON members; an object with a name has no selector."""
        return {
            "resourceRef": self.ref,
            "selector": ABSENT if self.ref.name else self.selector,
            "note": self.note or ABSENT,
            "neededBy": self.needed_by,
        }


class NewNeed(NeededObject, frozen=True, rename=_KEYS, omit_defaults=True):
    """An object that spokes newly need, and the object of the hub that needs it, if any."""

    spokes: tuple[str, ...]
    needed_by: Ref | None = None
    origin: Origin | None = None


class RequiredGateway(Struct, frozen=True, rename=_KEYS):
    """A Gateway that only the spoke has, with the listeners that the placement declares.

    `labels` are its declared labels; the value None means that the Gateway has no such label.
    """

    ref: Ref
    listeners: tuple[str, ...]
    needed_by: tuple[Ref, ...]
    labels: dict[str, str | None] = {}


class Requirements(Struct, frozen=True):
    """The objects that one spoke must have besides its tree, sorted, without repetitions."""

    namespaces: tuple[str, ...]
    gateways: tuple[RequiredGateway, ...]
    objects: tuple[Required, ...]


class SpokeExplanation(Struct, frozen=True, rename=_KEYS):
    """An explanation of one spoke: its objects, and the objects that it must have besides."""

    spoke: str
    origin: Origin
    placings: tuple[Placing, ...]
    objects: tuple[ShippedObject, ...]
    requirements: Requirements
    results: tuple[Result, ...]


class SpokeSummary(Struct, frozen=True):
    """One spoke in numbers."""

    spoke: str
    gateways: int
    objects: int
    overridden: int


class UnshippedObject(Struct, frozen=True, rename=_KEYS):
    """A hub object that no spoke gets, and the reason."""

    ref: Ref
    reason: str


class FleetSummary(Struct, frozen=True, rename=_KEYS):
    """The fleet in numbers, and the hub objects that no spoke gets."""

    hub_objects: int
    spokes: tuple[SpokeSummary, ...]
    not_shipped: tuple[UnshippedObject, ...]


Explanation = ObjectExplanation | SpokeExplanation | FleetSummary | PlacementFunnel


class RuleInForce(Struct, frozen=True):
    """A rule, its line in the hub, and the placement's overrides that changed it."""

    rule: EffectiveRule
    origin: Origin
    changed_by: tuple[Origin, ...] = ()

    @property
    def json_members(self) -> dict[str, Any]:
        """Return the JSON members: the rule and where each part of it is written."""
        return {
            "key": self.rule.key,
            "value": self.rule.value,
            "policy": self.rule.policy,
            "file": self.origin,
            "changedBy": self.changed_by or ABSENT,
        }


class RuleNotInForce(Struct, frozen=True):
    """An overruled rule, with its line and the overruling rule's line in the hub."""

    overruled: Overruled
    origin: Origin
    by: Origin

    @property
    def json_members(self) -> dict[str, Any]:
        """Return the JSON members; without a key, all rules of the policy are overruled."""
        return {
            "policy": self.overruled.policy,
            "key": self.overruled.key or ABSENT,
            "overruledBy": self.overruled.by,
            "overruledByFile": self.by,
            "why": self.overruled.why,
            "file": self.origin,
        }


class EffectiveAnswer(Struct, frozen=True):
    """The effective policy of one kind on one path, on all spokes that share it.

    An empty kind means that the path is open to all, or that the listener has no policy. `others`
    are further possible outcomes, if files do not say which policy is older. `unknown` says why the
    outcome is unknown; `candidates` are then the possible rules. `failing` says why requests get
    500. `hostnames` are those of all the spokes; `path` has none. `results` are the errors and
    warnings of `check` about the policies and the route. `made` are the objects that the operator
    makes of the policies, if a user asks for them.
    """

    path: RequestPath
    group: str
    kind: str
    rules: tuple[RuleInForce, ...]
    overruled: tuple[RuleNotInForce, ...]
    others: tuple[tuple[RuleInForce, ...], ...]
    hostnames: tuple[str, ...]
    spokes: tuple[str, ...]
    unknown: str = ""
    failing: str = ""
    candidates: tuple[RuleInForce, ...] = ()
    results: tuple[Result, ...] = ()
    listener: Listener | None = None
    made: tuple[MadePart, ...] = ()

    @property
    def json_members(self) -> dict[str, Any]:
        """Return the JSON members; members that do not apply are absent."""
        path, has_route = self.path, self.path.route is not None
        return {
            "path": {
                "gatewayClass": path.gateway_class,
                "gateway": path.gateway,
                **({"listenerSet": path.listener_set} if path.listener_set is not None else {}),
                "listener": path.listener,
                **({"route": path.route, "rule": path.rule} if has_route else {}),
                **({"backend": path.backend} if path.backend is not None else {}),
                "hostnames": self.hostnames,
            },
            "policyKind": {"group": self.group, "kind": self.kind} if self.kind else ABSENT,
            "callers": ABSENT if self.kind or not has_route else "anybody",
            "spokes": self.spokes,
            "rules": self.rules,
            "notInForce": self.overruled,
            "otherOutcomes": self.others,
            "notKnown": self.unknown or ABSENT,
            "mayBeInForce": self.candidates if self.unknown else ABSENT,
            "answeredWith500": (not self.unknown and self.failing) or ABSENT,
            "made": self.made or ABSENT,
            "findings": self.results,
        }


class PathQuestion(Struct, frozen=True):
    """The paths that a user asks about; an empty field selects all.

    `route` is `[KIND/][NAMESPACE/]NAME`, `kind` a kind of policy, `hostname` that of a request.
    With `made`, the answer includes the objects that the operator makes of the policies.
    """

    spoke: str = ""
    route: str = ""
    kind: str = ""
    hostname: str = ""
    made: bool = False


class AncestorStatus(Struct, frozen=True):
    """The conditions for one ancestor; `is_written` is False if the controller writes none."""

    ancestor: Ref
    conditions: tuple[Condition, ...]
    is_written: bool = True


class RoutingStatus(Struct, frozen=True):
    """The status of a route (by parent), a Gateway or a ListenerSet, on spokes that share it.

    `ref` is its identity on the spokes, `hub` its identity on the hub. `results` are the errors and
    warnings of `check` about it. If the object is another target of policies, such as a Service,
    `affected` has the conditions of its policies.
    """

    ref: Ref
    version: str
    hub: Ref
    origin: Origin
    parents: tuple[ParentStatus, ...] = ()
    holder: HolderStatus | None = None
    affected: tuple[Condition, ...] = ()
    spokes: tuple[str, ...] = ()
    results: tuple[Result, ...] = ()

    @property
    def conditions(self) -> Iterator[Condition]:
        """Yield all conditions in the status."""
        for parent in self.parents:
            yield from parent.conditions
        if self.holder is not None:
            yield from self.holder.conditions
            for listener in self.holder.listeners:
                yield from listener.conditions
        yield from self.affected

    @property
    def labels(self) -> dict[str, str]:
        """Return the labels that replace conditions on kinds without conditions (GEP-2648)."""
        # Kinds of Kubernetes without `status.conditions`.
        has_none = not self.ref.group and self.ref.kind in ("ConfigMap", "Secret", "ServiceAccount")
        return {it.type: "true" for it in self.affected if has_none and it.status is Truth.TRUE}


class PolicyStatus(Struct, frozen=True):
    """The status of one policy, on all spokes that share it.

    `policy` is its identity on the spokes, `hub` its identity on the hub, and `version` its
    `apiVersion`. `spokes` is empty if no spoke gets the policy: the status is then that of the hub.
    `has_ancestors` is False if its controller writes conditions of the policy itself. `results` are
    the errors and warnings of `check` about it.
    """

    policy: Ref
    version: str
    hub: Ref
    origin: Origin
    targets: tuple[Ref, ...]
    ancestors: tuple[AncestorStatus, ...]
    spokes: tuple[str, ...] = ()
    has_ancestors: bool = True
    results: tuple[Result, ...] = ()
