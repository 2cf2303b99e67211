"""The topology of one spoke, as the function of a metapolicy may look at it.

Relations come from the `SharedTopology`, where texts have slots; answers have the values of the
spoke. A view records the values that an answer depends on, so that spokes with equal values can
share the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from spokerender.formats.cel.declaring import GATEWAY, LISTENER, PATH, POLICY, ROUTE, TARGET
from spokerender.formats.cel.messages import message, select_fields, type_of
from spokerender.model import Manifest, Ref, slots
from spokerender.model.budget import Budget
from spokerender.model.memo import memoised
from spokerender.model.refs import GroupKind
from spokerender.model.shapes import Json, as_mapping
from spokerender.topology.node import Listener
from spokerender.topology.paths import RequestPath
from spokerender.wings.metapolicies.expressions import ref_of
from spokerender.wings.metapolicies.shared_topology import SharedTopology

_AUTH_POLICY = "AuthPolicy.kuadrant.io"


class TrackedValues(Mapping[str, Any]):
    """The values of a spoke's placeholders (slots); `used` has the slots that were read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.untracked = values
        self.used: dict[str, None] = {}

    def __getitem__(self, slot: str) -> Json:
        self.used[slot] = None
        return self.untracked[slot]

    def __iter__(self) -> Iterator[str]:
        return iter(self.untracked)

    def __len__(self) -> int:
        return len(self.untracked)


class TopologyView:
    """One metapolicy on one spoke, and the topology around it (`functions.MetapolicyView`)."""

    def __init__(
        self,
        shared: SharedTopology,
        manifest: Manifest,
        spoke: Mapping[str, Any],
        values: TrackedValues,
        budget: Budget,
    ) -> None:
        """Start a view; `values` has the spoke's slots, `spoke` its name, labels and values."""
        self._shared, self._values = shared, values
        self.budget = budget
        self.spoke = spoke
        self.used_fields: dict[tuple[str, ...], None] = {}
        self.metapolicy: dict[str, Any] = slots.fill(manifest.object, values)
        self.ref = slots.fill_ref(manifest.ref, values)
        self._shared_refs: dict[Ref, Ref] = {self.ref: manifest.ref}

    def metapolicy_message(self) -> Any:  # noqa: ANN401  (a message)
        """Return the metapolicy as expressions see it."""
        return message(POLICY, _policy_data(self.ref, self.metapolicy))

    def spoke_field(self, *path: str) -> Any:  # noqa: ANN401  (a message)
        """Return a field of the spoke, and record the access. Raises `KeyError` if it is absent."""
        self.used_fields[path] = None
        value: Any = self.spoke
        for step in path:
            value = value[step]
        return value

    def objects(self, kinds: frozenset[GroupKind]) -> list[dict[str, Any]]:
        """Return the spoke's objects of these kinds, sorted by group, kind, namespace and name."""
        pairs = [
            (slots.fill_ref(item.ref, self._values), slots.fill(item.object, self._values))
            for item in self._shared.given.objects
            if (item.ref.group, item.ref.kind) in kinds
        ]
        return [data for _, data in sorted(pairs, key=lambda pair: pair[0])]

    def named(self, ref: Ref) -> Ref | None:
        """Return the reference, with slots, of an object; None if the spoke does not have it."""
        shared_ref = self._share(ref)
        return shared_ref if shared_ref in self._shared.by_ref else None

    def whole(self, start: Any) -> dict[str, Any]:  # noqa: ANN401  (a message)
        """Return the object that a message stands for. Raises `ValueError` if it is absent."""
        ref = ref_of(start)
        if ref == self.ref:
            return self.metapolicy
        index = self._shared.by_ref.get(self._share(ref)) if ref is not None else None
        if index is None:
            text = f"{ref} is not among the spoke's objects"
            if ref is not None and not ref.name:
                text = f"a {ref.kind} without a name is no object of the spoke"
            raise ValueError(text)
        return self._object(index)

    @memoised
    def _object(self, index: int) -> dict[str, Any]:
        data: dict[str, Any] = slots.fill(self._shared.given.objects[index].object, self._values)
        return data

    def find(self, what: str, start: Any, named: str) -> list[Any]:  # noqa: ANN401  (a message)
        """Return what the library's function `what` finds for `start`; `named` is a kind or ""."""
        if start is not None and type_of(start) == PATH:
            return self._policies({policy for _, policy in self._rules_on(start, named).values()})
        return self._answer(what, tuple(self._starts(start)), named)

    @memoised
    def _answer(self, what: str, starts: tuple[Ref, ...], named: str) -> list[Any]:
        return self._QUESTIONS[what](self, starts, named)

    def rules(self, path: Any, named: str) -> dict[str, Any]:  # noqa: ANN401  (a message)
        """Return the effective rules on a path, by name; `named` is the kind of their policies."""
        return {name: value for name, (value, _) in self._rules_on(path, named).items()}

    def _starts(self, start: Any) -> list[Ref]:  # noqa: ANN401  (a message)
        if start is None:
            return []
        kind = type_of(start)
        if kind == TARGET:
            return [self._share(_target_of(start))]
        if kind == POLICY:
            return [self._share(_target_of(target)) for target in start.targetRefs]
        ref = ref_of(start)
        return [self._share(ref)] if ref is not None else []

    def _share(self, ref: Ref) -> Ref:
        """Return the reference with slots that becomes `ref` with the spoke's values."""
        whole = ref.whole
        if whole not in self._shared_refs:
            candidates = self._shared.refs_with_slots
            values = self._values.untracked
            match = next(
                (item for item in candidates if slots.fill_ref(item, values) == whole), None
            )
            # If nothing has the name, the answer depends on the names of all candidates: filling
            # them again with the tracked values records that.
            for candidate in candidates if match is None else (match,):
                slots.fill_ref(candidate, self._values)
            self._shared_refs[whole] = match if match is not None else whole
        return self._shared_refs[whole].section(ref.section_name)

    def _sort(self, refs: Iterable[Ref]) -> list[Ref]:
        """Sort references by namespace and name on the spoke, and drop duplicates."""
        by_name = {slots.fill_ref(ref, self._values): ref for ref in dict.fromkeys(refs)}
        self._shared_refs.update({name.whole: ref.whole for name, ref in by_name.items()})
        names = sorted(by_name, key=lambda ref: (ref.namespace, ref.name, ref))
        return [by_name[name] for name in names]

    def _gateways_above(self, starts: Sequence[Ref], _: str) -> list[Any]:
        return self._gateways(ref for start in starts for ref in self._shared.gateways(start))

    def _routes_below(self, starts: Sequence[Ref], _: str) -> list[Any]:
        return self._routes(ref for start in starts for ref in self._shared.routes(start))

    def _policies_on(self, starts: Sequence[Ref], named: str) -> list[Any]:
        is_of_kind = _kind_matcher(named)
        targets = [target for start in starts for target in self._follow_policy(start)]
        return self._policies(
            ref for target in targets for ref in self._shared.policies(target, is_of_kind)
        )

    def _follow_policy(self, start: Ref) -> list[Ref]:
        """Return the targets of `start` if it is a policy, otherwise a list of `start` alone."""
        if self._shared.kind(start.whole).is_policy:
            return self._shared.targets_of(start.whole)
        return [start]

    def _policies_in_force(self, starts: Sequence[Ref], named: str) -> list[Any]:
        return self._policies(
            ref
            for start in starts
            for kind in self._kinds(named)
            for ref in self._shared.contributing(start, kind)
        )

    def _kinds(self, named: str) -> list[GroupKind]:
        is_of_kind = _kind_matcher(named)
        return [kind for kind in self._shared.all_kinds if is_of_kind(Ref(*kind, "", ""))]

    def _paths(self, _: Sequence[Ref], __: str) -> list[Any]:
        paths = enumerate(self._shared.paths())
        return [message(PATH, _path_data(path, number)) for number, path in paths]

    def _rules_on(self, path: Any, named: str) -> dict[str, tuple[Any, Ref]]:  # noqa: ANN401  (a message)
        request_path = self._shared.paths()[path.number]
        return {
            name: rule
            for kind in self._kinds(named)
            for name, rule in self._shared.rules(request_path, kind).items()
        }

    def _listeners(self, starts: Sequence[Ref], _: str) -> list[Any]:
        pairs = dict.fromkeys(pair for start in starts for pair in self._shared.listeners(start))
        listeners = [
            {"gateway": self._place(ref), **self._listener_data(listener)}
            for ref, listener in pairs
        ]
        listeners.sort(key=lambda data: (*data["gateway"].values(), data["name"]))
        return [message(LISTENER, data) for data in listeners]

    def _hostnames(self, starts: Sequence[Ref], _: str) -> list[str]:
        hostnames: set[str] = set()
        for start in starts:
            item = self._shared.topology.nodes.get(start.whole)
            of_route = item.hostnames if item is not None and item.is_route else ()
            names = of_route or [each.hostname for _, each in self._shared.listeners(start)]
            hostnames.update(self._text(name) for name in names if name)
        return sorted(hostnames)

    def _policies(self, refs: Iterable[Ref]) -> list[Any]:
        return [message(POLICY, self._policy_data(ref)) for ref in self._sort(refs)]

    def _gateways(self, refs: Iterable[Ref]) -> list[Any]:
        return [message(GATEWAY, self._gateway_data(ref)) for ref in self._sort(refs)]

    def _routes(self, refs: Iterable[Ref]) -> list[Any]:
        return [message(ROUTE, self._route_data(ref)) for ref in self._sort(refs)]

    def _gateway_data(self, ref: Ref) -> dict[str, Any]:
        item = self._shared.topology.nodes[ref]
        listeners = [self._listener_data(listener) for listener in item.listeners]
        spec = {"gatewayClassName": self._text(item.gateway_class), "listeners": listeners}
        return {"metadata": self._place(ref), "spec": spec}

    def _listener_data(self, listener: Listener) -> dict[str, Any]:
        port = slots.fill(listener.port, self._values) if listener.port else 0
        return {
            "name": self._text(listener.name),
            "hostname": self._text(listener.hostname),
            "port": port if isinstance(port, int) else 0,
            "protocol": self._text(listener.protocol),
        }

    def _route_data(self, ref: Ref) -> dict[str, Any]:
        item = self._shared.topology.nodes[ref]
        return {
            "metadata": {"group": ref.group, "kind": ref.kind, **self._place(ref)},
            "hostnames": list(map(self._text, item.hostnames)),
            "ruleNames": list(map(self._text, item.sections or ())),
            # Its parents have functions of their own.
            "spec": select_fields("RouteSpec", self._fill_fields(ref, ("hostnames", "rules"))),
        }

    def _policy_data(self, ref: Ref) -> dict[str, Any]:
        targets = {"spec": self._fill_fields(ref, ("targetRef", "targetRefs"))}
        return _policy_data(slots.fill_ref(ref, self._values), targets)

    def _fill_fields(self, ref: Ref, names: Iterable[str]) -> dict[str, Json]:
        """Return the fields `names` of an object's `spec`, with the values of the spoke filled in.

        Filling all fields would record values of the spoke that the answer does not depend on.
        """
        index = self._shared.by_ref.get(ref)
        data = self._shared.given.objects[index].object if index is not None else {}
        spec = as_mapping(data.get("spec"))
        return slots.fill({name: spec[name] for name in names if name in spec}, self._values)

    def _place(self, ref: Ref) -> dict[str, str]:
        # Kuadrant's operator gives no more of a Gateway's metadata than these two.
        return {"name": self._text(ref.name), "namespace": self._text(ref.namespace)}

    def _text(self, text: str) -> str:
        return slots.fill_text(text, self._values)

    # On the class, not in each view: a view that held its own methods would be freed by the cycle
    # collector only, which a run switches off.
    _QUESTIONS: ClassVar[Mapping[str, Callable[[TopologyView, Sequence[Ref], str], list[Any]]]] = {
        "findGateways": _gateways_above,
        "findRoutes": _routes_below,
        "findListeners": _listeners,
        "findHostnames": _hostnames,
        "findPolicies": _policies_on,
        "findAuthPolicies": lambda self, starts, _: self._policies_on(starts, _AUTH_POLICY),
        "findInForce": _policies_in_force,
        "paths": _paths,
        "gateways": lambda self, *_: self._gateways(self._shared.topology.gateways),
        "routes": lambda self, *_: self._routes(
            ref for ref, item in self._shared.topology.nodes.items() if item.is_route
        ),
        "policies": lambda self, _, named: self._policies(
            ref
            for ref in filter(_kind_matcher(named), self._shared.topology.nodes)
            if self._shared.kind(ref).is_policy
        ),
    }


def _kind_matcher(named: str) -> Callable[[Ref], bool]:
    kind, _, group = named.partition(".")
    return lambda ref: ref.kind == kind and group in ("", ref.group)


def _policy_data(ref: Ref, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a policy as expressions see it; targets have the policy's namespace by default."""
    spec = as_mapping(data.get("spec"))
    targets = [spec.get("targetRef"), *(spec.get("targetRefs") or ())]
    return {
        "metadata": _ref_data(ref),
        "targetRefs": [_target_data(item, ref) for item in targets if isinstance(item, Mapping)],
    }


def _target_data(target: Mapping[str, Any], policy: Ref) -> dict[str, str]:
    keys = ("group", "kind", "name", "sectionName")
    texts = {key: target[key] for key in keys if isinstance(target.get(key), str)}
    namespace = target.get("namespace")
    is_set = isinstance(namespace, str) and namespace
    return {**texts, "namespace": str(namespace) if is_set else policy.namespace}


def _target_of(target: Any) -> Ref:  # noqa: ANN401  (a message)
    return Ref(target.group, target.kind, target.namespace, target.name, target.sectionName)


def _path_data(path: RequestPath, number: int) -> dict[str, Any]:
    """Return a path as expressions see it; `number` is its index among all paths."""
    route = path.route
    steps = [f"Gateway {path.gateway.full_name}", f"listener {path.listener}"]
    steps += [str(route), f"rule {path.rule}"] if route is not None else []
    gateway = {"namespace": path.gateway.namespace, "name": path.gateway.name}
    return {
        "gateway": gateway,
        "listener": {"gateway": gateway, "name": path.listener},
        "route": {} if route is None else _ref_data(route),
        "rule": path.rule,
        "hostnames": list(path.hostnames),
        "name": " > ".join(steps),
        "number": number,
    }


def _ref_data(ref: Ref) -> dict[str, str]:
    return {"group": ref.group, "kind": ref.kind, "namespace": ref.namespace, "name": ref.name}
