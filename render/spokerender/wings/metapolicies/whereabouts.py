"""The topology of one spoke, as a metapolicy's function asks about it.

What hangs together is found once for all spokes that are alike, with slots; what is answered has
the spoke's own values. Which of them an answer depends on is recorded: spokes of which those are
equal share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from spokerender.formats.cel.declaring import GATEWAY, LISTENER, PATH, POLICY, ROUTE, TARGET
from spokerender.formats.cel.messages import message, type_of
from spokerender.model import Manifest, Ref, slots
from spokerender.model.budget import Budget
from spokerender.rendering.values.stages import GroupKind
from spokerender.topology import Listener
from spokerender.wings.metapolicies.seen import InForce, Seen
from spokerender.wings.metapolicies.touched import Touched, part_of
from spokerender.wings.metapolicies.views import head, path_data, policy_data, ref_of, target_of

_AUTH = "AuthPolicy.kuadrant.io"


class Here:
    """One metapolicy on one spoke (`model.Whereabouts`)."""

    def __init__(  # noqa: PLR0913, PLR0917  (where it is, what it is asked with, what it records)
        self,
        seen: Seen,
        manifest: Manifest,
        spoke: Mapping[str, Any],
        values: Touched,
        in_force: InForce,
        budget: Budget,
    ) -> None:
        """`values` are those of the spoke's slots."""
        self._seen, self._values, self._in_force = seen, values, in_force
        self.budget = budget
        self._found: dict[tuple[str, tuple[Ref, ...], str], list[Any]] = {}
        self._whole: dict[Ref, dict[str, Any]] = {}
        self.source = manifest.object
        self.spoke = spoke
        self.parts: dict[tuple[str, ...], None] = {}
        self.metapolicy: dict[str, Any] = slots.fill(manifest.object, values)
        self.ref = slots.fill_ref(manifest.ref, values)
        self._resolved: dict[Ref, Ref] = {self.ref: manifest.ref}

    def of_spoke(self, *path: str) -> Any:  # noqa: ANN401  (JSON of any shape)
        """A part of the spoke; that it was looked at is kept in `parts`."""
        return part_of(self.spoke, path, self.parts)

    def objects(self, kinds: frozenset[GroupKind]) -> list[dict[str, Any]]:
        """The spoke's objects of these kinds, sorted by their identities."""
        found = [
            (slots.fill_ref(each.ref, self._values), slots.fill(each.object, self._values))
            for each in self._seen.given.objects
            if (each.ref.group, each.ref.kind) in kinds
        ]
        return [data for _, data in sorted(found, key=lambda pair: pair[0])]

    def named(self, ref: Ref) -> Ref | None:
        """What stands for a name, with slots in it, if there is an object of it."""
        start = self._slotted(ref)
        return start if start in self._seen.by_ref else None

    def find(self, what: str, start: Any, named: str) -> list[Any]:  # noqa: ANN401  (messages)
        """What hangs together with a message, sorted."""
        if start is not None and type_of(start) == PATH:
            return self._policies({policy for _, policy in self._rules_on(start, named).values()})
        starts = tuple(self._starts(start))
        key = what, starts, named
        if key not in self._found:
            self._found[key] = self._QUESTIONS[what](self, starts, named)
        return self._found[key]

    def _gateways_above(self, starts: Sequence[Ref], _: str) -> list[Any]:
        return self._gateways(ref for each in starts for ref in self._seen.gateways(each))

    def _routes_below(self, starts: Sequence[Ref], _: str) -> list[Any]:
        return self._routes(ref for each in starts for ref in self._seen.routes(each))

    def _policies_on(self, starts: Sequence[Ref], named: str) -> list[Any]:
        wanted = _wanted(named)
        targets = [target for each in starts for target in self._replaced(each)]
        return self._policies(ref for each in targets for ref in self._seen.policies(each, wanted))

    def _policies_in_force(self, starts: Sequence[Ref], named: str) -> list[Any]:
        return self._policies(
            ref
            for start in starts
            for kind in self._kinds(named)
            for ref in self._in_force.contributing(self._seen.given, start, kind)
        )

    def _kinds(self, named: str) -> list[GroupKind]:
        wanted = _wanted(named)
        return [kind for kind in self._seen.kinds_here if wanted(Ref(*kind, "", ""))]

    def _paths(self, _: Sequence[Ref], __: str) -> list[Any]:
        found = enumerate(self._in_force.paths(self._seen.given))
        return [message(PATH, path_data(path, number)) for number, path in found]

    def _rules_on(
        self,
        path: Any,  # noqa: ANN401  (a message)
        named: str,
    ) -> dict[str, tuple[Any, Ref]]:
        paths = self._in_force.paths(self._seen.given)
        return {
            name: found
            for kind in self._kinds(named)
            for name, found in self._in_force.rules(
                self._seen.given, paths[path.number], kind
            ).items()
        }

    def rules(self, path: Any, named: str) -> dict[str, Any]:  # noqa: ANN401  (a message)
        """The rules in force on a path, of policies of a kind, by their names."""
        return {name: value for name, (value, _) in self._rules_on(path, named).items()}

    def _policies(self, found: Iterable[Ref]) -> list[Any]:
        return [message(POLICY, self._policy(ref)) for ref in self._sorted(found)]

    def _replaced(self, start: Ref) -> list[Ref]:
        """What a policy is for stands in its place."""
        if self._seen.kind(start.whole).is_policy:
            return self._seen.targets_of(start.whole)
        return [start]

    def whole(self, start: Any) -> dict[str, Any]:  # noqa: ANN401  (a message)
        """The object that a message stands for."""
        ref = ref_of(start)
        if ref == self.ref:
            return self.metapolicy
        index = self._seen.by_ref.get(self._slotted(ref)) if ref is not None else None
        if index is None:
            message = f"{ref} is not among the spoke's objects"
            raise ValueError(message)
        found = self._seen.given.objects[index]
        if found.ref not in self._whole:
            self._whole[found.ref] = slots.fill(found.object, self._values)
        return self._whole[found.ref]

    def _starts(self, start: Any) -> list[Ref]:  # noqa: ANN401  (a message)
        if start is None:
            return []
        kind = type_of(start)
        if kind == TARGET:
            return [self._slotted(target_of(start))]
        if kind == POLICY:
            return [self._slotted(target_of(each)) for each in start.targetRefs]
        ref = ref_of(start)
        return [self._slotted(ref)] if ref is not None else []

    def _slotted(self, ref: Ref) -> Ref:
        """What stands for a name of the spoke among the objects that spokes share."""
        whole = ref.whole
        if whole not in self._resolved:
            plain = self._values.values_of
            match = next(
                (each for each in self._seen.with_slots if slots.fill_ref(each, plain) == whole),
                None,
            )
            # An answer that nothing has the name is one about the names of all.
            for each in self._seen.with_slots if match is None else (match,):
                slots.fill_ref(each, self._values)
            self._resolved[whole] = match if match is not None else whole
        return self._resolved[whole].section(ref.section_name)

    def _sorted(self, found: Iterable[Ref]) -> list[Ref]:
        """Each once, by namespace and name on the spoke."""
        real = {slots.fill_ref(ref, self._values): ref for ref in dict.fromkeys(found)}
        self._resolved.update({name.whole: ref.whole for name, ref in real.items()})
        return [real[ref] for ref in sorted(real, key=lambda ref: (ref.namespace, ref.name, ref))]

    def _gateways(self, found: Iterable[Ref]) -> list[Any]:
        return [message(GATEWAY, self._gateway(ref)) for ref in self._sorted(found)]

    def _gateway(self, ref: Ref) -> dict[str, Any]:
        item = self._seen.topology.nodes[ref]
        listeners = [self._listener(each) for each in item.listeners]
        spec = {"gatewayClassName": self._text(item.gateway_class), "listeners": listeners}
        return {"metadata": self._place(ref), "spec": spec}

    def _listener(self, each: Listener) -> dict[str, Any]:
        port = slots.fill(each.port, self._values) if each.port else 0
        return {
            "name": self._text(each.name),
            "hostname": self._text(each.hostname),
            "port": port if isinstance(port, int) else 0,
            "protocol": self._text(each.protocol),
        }

    def _routes(self, found: Iterable[Ref]) -> list[Any]:
        return [message(ROUTE, self._route(ref)) for ref in self._sorted(found)]

    def _route(self, ref: Ref) -> dict[str, Any]:
        item = self._seen.topology.nodes[ref]
        return {
            "metadata": {"group": ref.group, "kind": ref.kind, **self._place(ref)},
            "hostnames": list(map(self._text, item.hostnames)),
            "ruleNames": list(map(self._text, item.sections or ())),
        }

    def _listeners(self, starts: Sequence[Ref], _: str) -> list[Any]:
        found = dict.fromkeys(pair for each in starts for pair in self._seen.listeners(each))
        made = [
            {"gateway": self._place(ref), **self._listener(listener)} for ref, listener in found
        ]
        made.sort(key=lambda each: (*each["gateway"].values(), each["name"]))
        return [message(LISTENER, each) for each in made]

    def _hostnames(self, starts: Sequence[Ref], _: str) -> list[str]:
        found: set[str] = set()
        for start in starts:
            item = self._seen.topology.nodes.get(start.whole)
            own = item.hostnames if item is not None and item.is_route else ()
            names = own or [each.hostname for _, each in self._seen.listeners(start)]
            found.update(self._text(name) for name in names if name)
        return sorted(found)

    def _policy(self, ref: Ref) -> dict[str, Any]:
        index = self._seen.by_ref.get(ref)
        data = self._seen.given.objects[index].object if index is not None else {}
        return policy_data(slots.fill_ref(ref, self._values), slots.fill(head(data), self._values))

    def _place(self, ref: Ref) -> dict[str, str]:
        """Name and namespace; of a Gateway the operator gives no more."""
        return {"name": self._text(ref.name), "namespace": self._text(ref.namespace)}

    def _text(self, text: str) -> str:
        return slots.fill_text(text, self._values)

    # Not kept in each, which would then hold itself and never be freed.
    _QUESTIONS: ClassVar[Mapping[str, Callable[[Here, Sequence[Ref], str], list[Any]]]] = {
        "findGateways": _gateways_above,
        "findRoutes": _routes_below,
        "findListeners": _listeners,
        "findHostnames": _hostnames,
        "findPolicies": _policies_on,
        "findAuthPolicies": lambda self, starts, _: self._policies_on(starts, _AUTH),
        "findInForce": _policies_in_force,
        "paths": _paths,
        "gateways": lambda self, *_: self._gateways(self._seen.topology.gateways),
        "routes": lambda self, *_: self._routes(self._seen.routes_here),
        "policies": lambda self, _, named: self._policies(
            filter(_wanted(named), self._seen.policies_here)
        ),
    }


def _wanted(named: str) -> Callable[[Ref], bool]:
    kind, _, group = named.partition(".")
    return lambda ref: ref.kind == kind and group in ("", ref.group)
