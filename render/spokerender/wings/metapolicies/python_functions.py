"""Functions in Python: views of a spoke for authors, and checks of the edits that they return.

Authors see `spokerender.authoring`. Its values are built here from a `MetapolicyView`, for the
kinds that the definition declares.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from spokerender import authoring
from spokerender.findings.codes.metapolicies import CODE_FAILS, FUNCTION_TOLD, NOT_DECLARED
from spokerender.findings.results import Severity
from spokerender.formats.cel.declaring import GATEWAY, LISTENER, POLICY, ROUTE
from spokerender.formats.cel.messages import type_of
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import GATEWAY as GATEWAY_KIND, Ref, identity
from spokerender.model.refs import GroupKind
from spokerender.model.shapes import Json, plain_json
from spokerender.wings.metapolicies import declarative, functions


class AuthoredFunction(functions.MetapolicyFunction, frozen=True, eq=False):
    """A function in Python, written by the author of a metapolicy."""

    code: functions.AuthoredCode
    reads_spoke: bool
    catalogue: Catalogue

    def render(self, view: functions.MetapolicyView) -> Sequence[functions.RequestedEdit]:
        """Return the edits for one metapolicy on one spoke. Raises `FailedError`."""
        views = _AuthorViews(view, self)
        spoke = authoring.SpokeTopology(views.spoke_part, views.finder(None))
        # Checked one by one, since the author's code may return anything.
        return [_check_edit(edit, view) for edit in self.code(views.metapolicy(), spoke)]


class _AuthorViews:
    """A spoke as an author's code sees it; reading an undeclared kind raises `FailedError`."""

    def __init__(self, view: functions.MetapolicyView, function: AuthoredFunction) -> None:
        self._view, self._function = view, function
        self._declared = function.reads | function.writes

    def metapolicy(self) -> authoring.Policy:
        """Return the metapolicy itself."""
        return self._policy(self._view.metapolicy_message())

    def spoke_part(self, part: str) -> Json:
        """Return the spoke's name, labels, values or claims."""
        if not self._function.reads_spoke:
            raise _undeclared(functions.SPOKE)
        # The name is a plain text; the mappings record which of their values are used.
        return self._view.spoke_field(part) if part == "name" else _SpokePart(self._view, part)

    def finder(self, start: Any) -> Callable[[str, str], Any]:  # noqa: ANN401  (a message)
        """Return the function that answers an author's questions at `start` (None: the spoke)."""
        return lambda what, named: self._find(what, start, named)

    def _find(self, what: str, start: Any, named: str) -> Any:  # noqa: ANN401  (a message)
        """Return copies of all that function `what` finds at `start` (None: on the spoke)."""
        # Copies: an author may change the data, and other answers share the originals.
        if what == "object":
            return deepcopy(self._view.whole(start))
        if what == "objects":
            return deepcopy(self._view.objects(self._declared_kinds(named)))
        kinds = declarative.KINDS_BY_QUESTION.get(what, ())
        is_about_routes = kinds == declarative.ROUTES
        if GATEWAY_KIND in kinds:
            self._require(GATEWAY_KIND)
        # One declared kind of route is enough to ask for routes; the others are left out below.
        if is_about_routes and self._declared.isdisjoint(declarative.ROUTES):
            raise _undeclared(declarative.ROUTES[1])
        if named:
            self._declared_kinds(named)
        return [
            self._wrap(message)
            for message in self._view.find(what, start, named)
            if not is_about_routes
            or (message.metadata.group, message.metadata.kind) in self._declared
        ]

    def _declared_kinds(self, named: str) -> frozenset[GroupKind]:
        """Return the declared kinds that are called `named`. Raises `FailedError` if none are."""
        kinds = declarative.kinds_named(named, self._function.catalogue)
        declared = kinds & self._declared
        # A name with a group means one kind, so that kind has to be declared.
        if not declared or "." in named:
            for kind in sorted(kinds):
                self._require(kind)
        return declared

    def _require(self, kind: GroupKind) -> None:
        if kind not in self._declared:
            raise _undeclared(kind)

    def _wrap(self, message: Any) -> Any:  # noqa: ANN401  (a message)
        if isinstance(message, str):
            return message
        kind = type_of(message)
        if kind == LISTENER:
            return _listener(message, message.gateway.namespace, message.gateway.name)
        return {GATEWAY: self._gateway, ROUTE: self._route, POLICY: self._policy}[kind](message)

    def _policy(self, message: Any) -> authoring.Policy:  # noqa: ANN401  (a message)
        targets = (
            authoring.TargetRef(ref.group, ref.kind, ref.namespace, ref.name, ref.sectionName)
            for ref in message.targetRefs
        )
        at = message.metadata
        identifiers = at.group, at.kind, at.namespace, at.name
        return authoring.Policy(*identifiers, self.finder(message), tuple(targets))

    def _gateway(self, message: Any) -> authoring.Gateway:  # noqa: ANN401  (a message)
        at, spec = message.metadata, message.spec
        listeners = (_listener(item, at.namespace, at.name) for item in spec.listeners)
        identifiers = *GATEWAY_KIND, at.namespace, at.name
        find = self.finder(message)
        return authoring.Gateway(*identifiers, find, spec.gatewayClassName, tuple(listeners))

    def _route(self, message: Any) -> authoring.Route:  # noqa: ANN401  (a message)
        at = message.metadata
        identifiers = at.group, at.kind, at.namespace, at.name
        hostnames, rules = tuple(message.hostnames), tuple(message.ruleNames)
        return authoring.Route(*identifiers, self.finder(message), hostnames, rules)


class _SpokePart(Mapping[str, Any]):
    """A spoke's labels or values; each access records that the answer depends on the value."""

    def __init__(self, view: functions.MetapolicyView, part: str) -> None:
        self._view, self._part = view, part

    def __getitem__(self, key: str) -> Json:
        return deepcopy(self._view.spoke_field(self._part, key))

    def __iter__(self) -> Iterator[str]:
        return iter(self._view.spoke_field(self._part))

    def __len__(self) -> int:
        return len(self._view.spoke_field(self._part))

    def __repr__(self) -> str:
        return repr(dict(self))


def _listener(message: Any, namespace: str, name: str) -> authoring.ListenerView:  # noqa: ANN401  (a message)
    fields = message.name, message.hostname, message.port, message.protocol
    return authoring.ListenerView(namespace, name, *fields)


def _undeclared(kind: GroupKind) -> functions.FailedError:
    name = ".".join(part for part in reversed(kind) if part)
    message = f"the function looks at {name}, a kind that its definition does not declare"
    cure = f"add {{group: {kind[0]}, kind: {kind[1]}}} to spec.reads"
    return functions.FailedError(NOT_DECLARED, message, cure)


def _check_edit(edit: Any, view: functions.MetapolicyView) -> functions.RequestedEdit:  # noqa: ANN401  (whatever an author returns)
    match edit:
        case authoring.MakeEdit(data, reason):
            return functions.CreateObject(
                functions.compute_object(_check_json(data)), functions.compute(reason)
            )
        case authoring.ChangeEdit(target, merge, reason):
            patch = functions.compute(_check_json(merge))
            return functions.ChangeObject(
                _find_target(target, view), patch, functions.compute(reason)
            )
        case authoring.RemoveEdit(target, reason):
            return functions.RemoveObject(_find_target(target, view), functions.compute(reason))
        case authoring.TellEdit(text, severity, field, cure) if severity in list(Severity):
            message, level = functions.compute(text), Severity(severity)
            return functions.ReportFinding(
                FUNCTION_TOLD, message, functions.compute(cure), functions.compute(field), level
            )
    message = f"the function returns {edit!r:.80}, which is no edit of spokerender.authoring"
    raise functions.FailedError(CODE_FAILS, message)


def _find_target(target: Any, view: functions.MetapolicyView) -> Ref:  # noqa: ANN401  (whatever an author returns)
    if isinstance(target, Mapping):
        ref = identity(dict(target))
    elif isinstance(target, (authoring.Gateway, authoring.Route, authoring.Policy)):
        ref = Ref(target.group, target.kind, target.namespace, target.name)
    else:
        ref = None
    if ref is None:
        message = f"the function changes or removes {target!r:.80}, which is no object"
        raise functions.FailedError(CODE_FAILS, message)
    return view.named(ref) or ref


def _check_json(data: Any) -> Any:  # noqa: ANN401  (whatever an author returns)
    """Return data with the types of JSON only. Raises `FailedError` for any other type."""
    problem = next(functions.find_answer_problems(data), "")
    if problem:
        raise functions.FailedError(CODE_FAILS, problem)
    return plain_json(data)
