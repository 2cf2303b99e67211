"""The function of a declarative definition: expressions, and templates of plain YAML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, Protocol

from msgspec import Struct

from spokerender.findings.codes import metapolicies as codes
from spokerender.findings.results import Fault, FindingKind, Severity
from spokerender.formats.cel.costs import WEIGHTS
from spokerender.formats.cel.declaring import ANY, BOOL, LIST_OF
from spokerender.formats.cel.library import LibraryProgram
from spokerender.formats.cel.messages import is_message
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import GATEWAY_API, Ref
from spokerender.model.budget import Budget
from spokerender.model.shapes import scalars_in
from spokerender.rendering.values.placement import GroupKind
from spokerender.wings.metapolicies.config import (
    Changed,
    Check,
    Declarative,
    Made,
    MetapolicyDefinitionSpec,
    Removed,
    pairs_of,
)
from spokerender.wings.metapolicies.expressions import (
    ALL_NAMES,
    TARGET,
    Compiler,
    Scope,
    Step,
    ref_of,
)
from spokerender.wings.metapolicies.functions import (
    ChangeObject,
    CreateObject,
    FailedError,
    MetapolicyView,
    RemoveObject,
    ReportFinding,
    RequestedEdit,
)
from spokerender.wings.metapolicies.templates import DataTemplate, Loop, TemplateCompiler

ROUTES = tuple((GATEWAY_API, kind) for kind in ("GRPCRoute", "HTTPRoute", "TCPRoute", "TLSRoute"))
_GATEWAY = (GATEWAY_API, "Gateway")
_KINDS_BY_QUESTION: Mapping[str, tuple[GroupKind, ...]] = {
    "findGateways": (_GATEWAY,),
    "findListeners": (_GATEWAY,),
    "findHostnames": (_GATEWAY, *ROUTES),
    "findRoutes": ROUTES,
    "gateways": (_GATEWAY,),
    "routes": ROUTES,
    "findAuthPolicies": (("kuadrant.io", "AuthPolicy"),),
}
"""The kinds that an expression reads by calling a function of the topology library."""
_EDIT_COST = 4_000
"""The work of an edit besides what it writes, in characters."""
_NAMING_QUESTIONS = frozenset(["findPolicies", "findInForce", "policies"])
"""The functions that take a kind as their argument."""


class _DefinitionPart(Protocol):
    """One entry under `checks`, `make`, `change` or `remove`."""

    def edits(self, scope: Scope) -> Iterator[RequestedEdit]:
        """Yield its edits for a metapolicy on a spoke."""


class DeclarativeFunction(Struct, frozen=True, eq=False):
    """The `MetapolicyFunction` of a declarative definition."""

    reads: frozenset[GroupKind]
    writes: frozenset[GroupKind]
    spelled_out: frozenset[str | int | float]
    of_spoke: frozenset[tuple[str, ...]]
    variables: tuple[tuple[str, LibraryProgram], ...]
    checks: tuple[_DefinitionPart, ...]
    parts: tuple[_DefinitionPart, ...]
    places: Mapping[int, tuple[Step, ...]]
    varying: frozenset[int]

    def render(self, view: MetapolicyView) -> Sequence[RequestedEdit]:
        """Return the edits for one metapolicy. Raises `FailedError`, `BudgetSpentError`."""
        values = {
            "self": view.metapolicy_message(),
            "spec": view.metapolicy.get("spec") or {},
            "spoke": dict(view.spoke),
            "__KUADRANT_VERSION": "1_dev",
        }
        scope = Scope(values, view, self.places, self.varying)
        for name, program in self.variables:
            scope = scope.with_value(name, scope.value(program))
        findings = self._run(self.checks, scope)
        if any(isinstance(e, ReportFinding) and e.severity is Severity.ERROR for e in findings):
            return findings  # the objects would be as wrong as the metapolicy
        return [*findings, *self._run(self.parts, scope)]

    @staticmethod
    def _run(parts: Sequence[_DefinitionPart], scope: Scope) -> list[RequestedEdit]:
        edits = chain.from_iterable(part.edits(scope) for part in parts)
        return list(_pay(scope.view.budget, edits))


class _CheckPart(Struct, frozen=True, eq=False):
    """A check: findings to report where its condition holds."""

    loop: Loop
    when: LibraryProgram | None
    message: DataTemplate
    cure: DataTemplate
    field: DataTemplate
    finding: FindingKind
    severity: Severity

    def edits(self, scope: Scope) -> Iterator[ReportFinding]:
        for inner in self.loop.scopes(scope):
            if inner.truth(self.when):
                message, cure = self.message.fill(inner), self.cure.fill(inner)
                field = self.field.fill(inner)
                yield ReportFinding(self.finding, message, cure, field, self.severity)


class _CreationPart(Struct, frozen=True, eq=False):
    """Objects to create."""

    loop: Loop
    when: LibraryProgram | None
    object: DataTemplate
    reason: DataTemplate

    def edits(self, scope: Scope) -> Iterator[CreateObject]:
        for inner in self.loop.scopes(scope):
            if inner.truth(self.when):
                yield CreateObject(self.object.fill(inner), self.reason.fill(inner))


class _TargetedPart(Struct, frozen=True, eq=False):
    """Objects to change, or to remove if there is no `merge`; `copy_when` is None for "always"."""

    objects: LibraryProgram | None
    when: LibraryProgram | None
    reason: DataTemplate
    merge: DataTemplate | None = None
    may_copy: bool = False
    copy_when: LibraryProgram | None = None

    def edits(self, scope: Scope) -> Iterator[RequestedEdit]:
        for ref, inner in self._targets(scope):
            if self.merge is None:
                yield RemoveObject(ref, self.reason.fill(inner))
            else:
                copies = self.may_copy and inner.truth(self.copy_when)
                patch = self.merge.fill(inner)
                yield ChangeObject(ref, patch, self.reason.fill(inner), copies)

    def _targets(self, scope: Scope) -> Iterator[tuple[Ref, Scope]]:
        """Yield the objects, each with the scope in which `target` is the object."""
        for item in scope.items(self.objects) if self.objects is not None else ():
            ref = ref_of(item) if is_message(item) else None
            if ref is None:
                message = "the list has an item that is no object"
                raise FailedError(codes.FAILED, message, "find policies, routes or gateways")
            shared_ref = scope.view.named(ref)
            target = scope.view.whole(item) if shared_ref is not None else {}
            inner = scope.with_value(TARGET, target)
            if inner.truth(self.when):
                yield shared_ref or ref, inner


def _pay(budget: Budget, edits: Iterable[RequestedEdit]) -> Iterator[RequestedEdit]:
    """Yield edits, and spend the work of carrying them out. Raises `BudgetSpentError`."""
    for edit in edits:
        written = getattr(edit, "object", None) or getattr(edit, "merge", None)
        budget.spend(_EDIT_COST + WEIGHTS.of(written), "making edits")
        yield edit


def compile_function(
    spec: MetapolicyDefinitionSpec, catalogue: Catalogue
) -> tuple[DeclarativeFunction, list[Fault]]:
    """Compile a definition; the faults name their fields from the definition's top."""
    assert spec.declarative is not None  # noqa: S101  (it was chosen by this key)
    compiler = _DefinitionCompiler(catalogue)
    compiler.reads |= pairs_of(spec.reads)
    compiler.writes |= pairs_of(spec.writes)
    return compiler.function(spec.declarative)


class _DefinitionCompiler:
    """Compiles one definition; `reads` and `writes` are its kinds so far."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.reads: set[GroupKind] = set()
        self.writes: set[GroupKind] = set()
        self._catalogue = catalogue
        self._compiler = Compiler()
        self._templates = TemplateCompiler(self._compiler)
        self._names: Mapping[str, str] = ALL_NAMES
        self._kinds_by_variable: dict[str, frozenset[GroupKind]] = {}

    def function(self, model: Declarative) -> tuple[DeclarativeFunction, list[Fault]]:
        at = ("spec", "declarative")
        variables = tuple(self._variables(model, (*at, "variables")))
        checks = [self._check(item, (*at, "checks", i)) for i, item in enumerate(model.checks)]
        parts: list[_DefinitionPart] = [
            *(self._creation(item, (*at, "make", i)) for i, item in enumerate(model.make)),
            *(self._change(item, (*at, "change", i)) for i, item in enumerate(model.change)),
            *(self._removal(item, (*at, "remove", i)) for i, item in enumerate(model.remove)),
        ]
        programs = self._compiler.programs
        paths = {path for program in programs for path in program.paths if path[0] == "spoke"}
        function = DeclarativeFunction(
            reads=frozenset(self.reads).union(*map(self._kinds_read, programs)),
            writes=frozenset(self.writes),
            spelled_out=frozenset(_spelled_out(model.model_dump(by_alias=True))),
            of_spoke=frozenset(path[1:] for path in paths),
            variables=variables,
            checks=tuple(checks),
            parts=tuple(parts),
            places=self._compiler.places,
            varying=frozenset(self._compiler.varying),
        )
        return function, self._compiler.faults

    def _variables(
        self, model: Declarative, at: tuple[Step, ...]
    ) -> Iterator[tuple[str, LibraryProgram]]:
        for name, source in model.variables.items():
            place = (*at, name)
            if name in self._names or name == TARGET:
                self._compiler.refuse(f'the name "{name}" is taken', place, "choose another")
                continue
            program = self._compiler.expression(source, place, self._names)
            self._names = {**self._names, name: program.returns if program else ANY}
            if program is not None:
                self._kinds_by_variable[name] = self._kinds_found(program)
                self._compiler.follow(name, program)
                yield name, program

    def _check(self, model: Check, at: tuple[Step, ...]) -> _DefinitionPart:
        loop = self._templates.loop(model.for_each, (*at, "forEach"), self._names)
        text = self._templates.text
        if model.code is not None and model.code not in _findings():
            message = f'"{model.code}" is no code of a finding about metapolicies'
            self._compiler.refuse(message, (*at, "code"), "leave it out")
        finding = _findings().get(model.code or "", codes.CHECKED)
        return _CheckPart(
            loop,
            self._condition(model.when, (*at, "when"), loop.names),
            text(model.message, (*at, "message"), loop.names),
            text(model.cure, (*at, "cure"), loop.names),
            text(model.field, (*at, "field"), loop.names),
            finding,
            Severity(model.severity) if model.severity is not None else finding.severity,
        )

    def _creation(self, model: Made, at: tuple[Step, ...]) -> _DefinitionPart:
        loop = self._templates.loop(model.for_each, (*at, "forEach"), self._names)
        kind = _kind_of_template(model.object)
        if kind is None:
            message = "apiVersion and kind are required, without expressions"
            self._compiler.refuse(message, (*at, "object"), "write both out")
        else:
            self.writes.add(kind)
        return _CreationPart(
            loop,
            self._condition(model.when, (*at, "when"), loop.names),
            self._templates.template(model.object, (*at, "object"), loop.names),
            self._templates.text(model.reason, (*at, "reason"), loop.names),
        )

    def _change(self, model: Changed, at: tuple[Step, ...]) -> _DefinitionPart:
        objects, names = self._objects(model.objects, at), {**self._names, TARGET: ANY}
        return _TargetedPart(
            objects,
            self._condition(model.when, (*at, "when"), names),
            self._templates.text(model.reason, (*at, "reason"), names),
            self._templates.template(model.merge, (*at, "merge"), names),
            may_copy=model.where_they_differ == "copy",
            copy_when=self._condition(model.copy_when, (*at, "copyWhen"), names),
        )

    def _removal(self, model: Removed, at: tuple[Step, ...]) -> _DefinitionPart:
        objects, names = self._objects(model.objects, at), {**self._names, TARGET: ANY}
        when = self._condition(model.when, (*at, "when"), names)
        return _TargetedPart(
            objects, when, self._templates.text(model.reason, (*at, "reason"), names)
        )

    def _objects(self, source: str, at: tuple[Step, ...]) -> LibraryProgram | None:
        """Compile the list of the objects to change or remove: their kinds are written."""
        place = (*at, "objects")
        program = self._compiler.expression(
            source, place, self._names, LIST_OF, "a list of objects"
        )
        if program is not None:
            self.writes |= self._kinds_found(program)
        return program

    def _condition(
        self, source: str, at: tuple[Step, ...], names: Mapping[str, str]
    ) -> LibraryProgram | None:
        return self._compiler.expression(source, at, names, BOOL, "a truth value")

    def _kinds_found(self, program: LibraryProgram) -> frozenset[GroupKind]:
        """Return the kinds that the objects in the value of a program may have."""
        names = {path[0] for path in program.paths}
        return self._kinds_read(program).union(
            *(kinds for name, kinds in self._kinds_by_variable.items() if name in names)
        )

    def _kinds_read(self, program: LibraryProgram) -> frozenset[GroupKind]:
        kinds: set[GroupKind] = set()
        for call in program.calls:
            kinds.update(_KINDS_BY_QUESTION.get(call.function, ()))
            if call.function in _NAMING_QUESTIONS:
                kinds.update(*(kinds_named(text, self._catalogue) for text in call.texts))
        return frozenset(kinds)


def kinds_named(text: str, catalogue: Catalogue) -> frozenset[GroupKind]:
    """Return the kinds that a name may mean: `AuthPolicy.kuadrant.io` one, `AuthPolicy` several."""
    kind, dot, group = text.partition(".")
    if dot:
        return frozenset([(group, kind)])
    kinds = frozenset(pair for pair in catalogue.all_kinds() if pair[1] == kind)
    return kinds or frozenset([("", kind)])


@cache
def _findings() -> Mapping[str, FindingKind]:
    """Return the findings that a check may report, by their codes."""
    return {kind.code: kind for kind in vars(codes).values() if isinstance(kind, FindingKind)}


def _kind_of_template(template: Mapping[str, Any]) -> GroupKind | None:
    version, kind = template.get("apiVersion"), template.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str) or "${" in version + kind:
        return None
    return version.rpartition("/")[0], kind


def _spelled_out(data: Any) -> Iterator[str | int | float]:  # noqa: ANN401  (JSON of any shape)
    for scalar in scalars_in(data):
        yield scalar
        if isinstance(scalar, str) and "\n" in scalar:
            yield from scalar.split("\n")
