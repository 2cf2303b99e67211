"""The second way to write a metapolicy: Python, with typed views in and edits out.

What its author sees is `authoring`; here the views are made of a spoke's topology, and what
the author answers is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from spokerender import authoring
from spokerender.findings.codes.metapolicies import CODE_FAILS, FUNCTION_TOLD, NOT_DECLARED
from spokerender.findings.phrasing import describe
from spokerender.findings.results import Fault, Severity
from spokerender.formats.cel.declaring import GATEWAY, LISTENER, POLICY, ROUTE
from spokerender.formats.cel.messages import message, type_of
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import GATEWAY_API, Ref, identity, shown
from spokerender.rendering.values.stages import GroupKind
from spokerender.wings.metapolicies.computed import computed, made_object
from spokerender.wings.metapolicies.declarative import ROUTES, kinds_named
from spokerender.wings.metapolicies.model import (
    SPOKE,
    Change,
    Code,
    Create,
    Edit,
    FailedError,
    Remove,
    Told,
    Whereabouts,
)
from spokerender.wings.metapolicies.views import policy_data

_GATEWAY: GroupKind = (GATEWAY_API, "Gateway")
_OF_GATEWAYS = frozenset(["findGateways", "findListeners", "findHostnames", "gateways"])
_OF_ROUTES = frozenset(["findRoutes", "routes"])
_SEVERITIES = {str(each): each for each in Severity}


class Function(Struct, frozen=True, eq=False):
    """Calls somebody's Python (`model.Function`)."""

    code: Code | Fault
    reads: frozenset[GroupKind]
    writes: frozenset[GroupKind]
    spelled_out: frozenset[str | int | float]
    reads_spoke: bool
    catalogue: Catalogue
    of_spoke: frozenset[tuple[str, ...]] = frozenset()

    @classmethod
    def of(
        cls,
        code: Code | Fault,
        reads: frozenset[GroupKind],
        writes: frozenset[GroupKind],
        catalogue: Catalogue,
    ) -> Self:
        """A function whose definition declares these; with a fault it is never called."""
        spelled_out = frozenset(text for kind in writes for text in kind)
        return cls(code, reads - {SPOKE}, writes, spelled_out, SPOKE in reads, catalogue)

    def answer(self, where: Whereabouts) -> Sequence[Edit]:
        """The edits for one metapolicy on one spoke. Raises `FailedError`."""
        assert not isinstance(self.code, Fault)  # noqa: S101  (the definition was refused)
        views = _Views(where, self)
        me = views.policy(message(POLICY, policy_data(where.ref, where.metapolicy)))
        spoke = authoring.Spoke(views.own_spoke, lambda what, named: views.find(what, None, named))
        return [_edit(each, where) for each in self.code(me, spoke)]


class _Views:
    """A spoke as the author sees it: no more of it than the definition declares."""

    def __init__(self, where: Whereabouts, function: Function) -> None:
        self._where, self._function = where, function
        self._declared = function.reads | function.writes

    def own_spoke(self, part: str) -> Any:  # noqa: ANN401  (a text, or what it declares)
        """Its name, labels or values."""
        if not self._function.reads_spoke:
            raise _undeclared(SPOKE)
        return self._where.of_spoke(part) if part == "name" else _Declared(self._where, part)

    def find(self, what: str, start: Any, named: str) -> Any:  # noqa: ANN401  (a message, views)
        """What hangs together with a message."""
        if what == "object":
            return deepcopy(self._where.whole(start))
        if what == "objects":
            return deepcopy(list(self._where.objects(self._kinds(named))))
        if what in _OF_GATEWAYS:
            self._ask_for(_GATEWAY)
        if what in _OF_ROUTES and self._declared.isdisjoint(ROUTES):
            raise _undeclared(ROUTES[1])
        if named:
            self._kinds(named)
        return [self._view(each) for each in self._where.find(what, start, named)
                if what not in _OF_ROUTES or self._is_declared(each)]  # fmt: skip

    def _kinds(self, named: str) -> frozenset[GroupKind]:
        found = kinds_named(named, self._function.catalogue)
        declared = found & self._declared
        if not declared or "." in named:
            for each in sorted(found):
                self._ask_for(each)
        return declared

    def _ask_for(self, kind: GroupKind) -> None:
        if kind not in self._declared:
            raise _undeclared(kind)

    def _is_declared(self, found: Any) -> bool:  # noqa: ANN401  (a message)
        return (found.metadata.group, found.metadata.kind) in self._declared

    def _view(self, found: Any) -> Any:  # noqa: ANN401  (a message or a text, a view)
        makers: Mapping[str, Callable[[Any], Any]] = {
            GATEWAY: self._gateway,
            ROUTE: self._route,
            POLICY: self.policy,
            LISTENER: lambda it: _listener(it, it.gateway.namespace, it.gateway.name),
        }
        return found if isinstance(found, str) else makers[type_of(found)](found)

    def _finder(self, start: Any) -> Callable[[str, str], Any]:  # noqa: ANN401  (a message)
        return lambda what, named: self.find(what, start, named)

    def policy(self, found: Any) -> authoring.Policy:  # noqa: ANN401  (a message)
        """A policy."""
        targets = (
            authoring.TargetRef(each.group, each.kind, each.namespace, each.name, each.sectionName)
            for each in found.targetRefs
        )
        at = found.metadata
        place = at.group, at.kind, at.namespace, at.name
        return authoring.Policy(*place, self._finder(found), tuple(targets))

    def _gateway(self, found: Any) -> authoring.Gateway:  # noqa: ANN401  (a message)
        at, spec = found.metadata, found.spec
        listeners = (_listener(each, at.namespace, at.name) for each in spec.listeners)
        place = *_GATEWAY, at.namespace, at.name
        find = self._finder(found)
        return authoring.Gateway(*place, find, spec.gatewayClassName, tuple(listeners))

    def _route(self, found: Any) -> authoring.Route:  # noqa: ANN401  (a message)
        at = found.metadata
        place = at.group, at.kind, at.namespace, at.name
        names, rules = tuple(found.hostnames), tuple(found.ruleNames)
        return authoring.Route(*place, self._finder(found), names, rules)


class _Declared(Mapping[str, Any]):
    """A spoke's labels or values; which of them are looked at is kept."""

    def __init__(self, where: Whereabouts, part: str) -> None:
        self._where, self._part = where, part

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401  (JSON of any shape)
        return deepcopy(self._where.of_spoke(self._part, key))

    def __iter__(self) -> Iterator[str]:
        return iter(self._where.of_spoke(self._part))

    def __len__(self) -> int:
        return len(self._where.of_spoke(self._part))

    def __repr__(self) -> str:
        return repr(dict(self))


def _listener(found: Any, namespace: str, name: str) -> authoring.Listener:  # noqa: ANN401
    said = found.name, found.hostname, found.port, found.protocol
    return authoring.Listener(namespace, name, *said)


def _undeclared(kind: GroupKind) -> FailedError:
    name = ".".join(part for part in reversed(kind) if part)
    message = f"it looks at {name}, and its definition does not declare the kind"
    cure = f"add {{group: {kind[0]}, kind: {kind[1]}}} to spec.reads"
    return FailedError(NOT_DECLARED, message, cure)


def _edit(said: Any, where: Whereabouts) -> Edit:  # noqa: ANN401  (whatever an author answers)
    match said:
        case authoring.Make(data, reason):
            return Create(made_object(_json(data)), computed(reason))
        case authoring.Change(target, merge, reason):
            return Change(_target(target, where), computed(_json(merge)), computed(reason))
        case authoring.Remove(target, reason):
            return Remove(_target(target, where), computed(reason))
        case authoring.Tell(text, severity, field, cure) if severity in _SEVERITIES:
            told = Told(FUNCTION_TOLD, computed(text), computed(cure), computed(field))
            return replace(told, severity=_SEVERITIES[severity])
    message = f"it answers with {said!r:.80}, which is no edit of spokerender.authoring"
    raise FailedError(CODE_FAILS, message)


def _target(said: Any, where: Whereabouts) -> Ref:  # noqa: ANN401  (whatever an author answers)
    if isinstance(said, Mapping):
        ref = identity(dict(said))
    elif isinstance(said, (authoring.Gateway, authoring.Route, authoring.Policy)):
        ref = Ref(said.group, said.kind, said.namespace, said.name)
    else:
        ref = None
    if ref is None:
        raise FailedError(CODE_FAILS, f"it changes or removes {said!r:.80}, which is no object")
    return where.named(ref) or ref


def _json(data: Any) -> Any:  # noqa: ANN401  (whatever an author answers)
    """The data as YAML and JSON have it."""
    wrong = next(_no_json(data, ()), "")
    if wrong:
        raise FailedError(CODE_FAILS, wrong)
    return _plain(data)


def _plain(data: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    if isinstance(data, Mapping):
        return {key: _plain(value) for key, value in data.items()}
    return [_plain(item) for item in data] if isinstance(data, (list, tuple)) else data


def _no_json(data: Any, path: tuple[str | int, ...]) -> Iterator[str]:  # noqa: ANN401
    if isinstance(data, Mapping):
        for key, value in data.items():
            if not isinstance(key, str):
                yield f"{shown(path) or 'an object'} that it makes has {describe(key)} as a key"
            yield from _no_json(value, (*path, key))
    elif isinstance(data, (list, tuple)):
        for number, item in enumerate(data):
            yield from _no_json(item, (*path, number))
    elif type(data) not in (str, int, float, bool, type(None)):
        name = type(data).__name__
        yield f"{shown(path) or 'what it makes'} is of the type {name}, which YAML does not have"
