"""The first way to write a metapolicy: expressions, and templates of plain YAML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.results import Fault, Severity
from spokerender.formats.cel.costs import WEIGHTS
from spokerender.formats.cel.declaring import ANY, BOOL, LIST_OF, POLICY
from spokerender.formats.cel.library import Program, compiled
from spokerender.formats.cel.messages import message
from spokerender.kinds import Catalogue
from spokerender.model import GATEWAY_API
from spokerender.model.budget import Budget
from spokerender.model.slots import scalars_in
from spokerender.rendering.values.stages import GroupKind
from spokerender.wings.metapolicies.config.metapolicies import (
    Changed,
    Check,
    Declarative,
    Made,
    MetapolicyDefinitionSpec,
    Removed,
)
from spokerender.wings.metapolicies.expressions import TARGET, Compiler, Scope, Step
from spokerender.wings.metapolicies.model import Edit, Whereabouts
from spokerender.wings.metapolicies.parts import KINDS, Copies, Part, changed, created, gone, told
from spokerender.wings.metapolicies.templates import Loop, Reader
from spokerender.wings.metapolicies.views import policy_data

_COST_OF_EDIT = 4_000
"""What an edit costs besides what it writes."""
EditT = TypeVar("EditT", bound=Edit)
_NAMES: Mapping[str, str] = {"self": POLICY, "spec": ANY, "spoke": ANY}
ROUTES = tuple((GATEWAY_API, kind) for kind in ("GRPCRoute", "HTTPRoute", "TCPRoute", "TLSRoute"))
_READS: Mapping[str, tuple[GroupKind, ...]] = {
    "findGateways": ((GATEWAY_API, "Gateway"),),
    "findListeners": ((GATEWAY_API, "Gateway"),),
    "findHostnames": ((GATEWAY_API, "Gateway"), *ROUTES),
    "findRoutes": ROUTES,
    "gateways": ((GATEWAY_API, "Gateway"),),
    "routes": ROUTES,
    "findAuthPolicies": (("kuadrant.io", "AuthPolicy"),),
}
_NAMED = frozenset(["findPolicies", "findInForce", "policies"])


class Function(Struct, frozen=True, eq=False):
    """A declarative metapolicy's function (`model.Function`)."""

    reads: frozenset[GroupKind]
    writes: frozenset[GroupKind]
    spelled_out: frozenset[str | int | float]
    of_spoke: frozenset[tuple[str, ...]]
    variables: tuple[tuple[str, Program], ...]
    checks: tuple[Part, ...]
    made: tuple[Part, ...]
    changed: tuple[Part, ...]
    removed: tuple[Part, ...]
    places: Mapping[int, tuple[Step, ...]]
    varying: frozenset[int]

    def answer(self, where: Whereabouts) -> Sequence[Edit]:
        """The edits for one metapolicy on one spoke. Raises `FailedError`, `BudgetSpentError`."""
        values = {
            "self": message(POLICY, policy_data(where.ref, where.metapolicy)),
            "spec": where.metapolicy.get("spec") or {},
            "spoke": dict(where.spoke),
            "__KUADRANT_VERSION": "1_dev",
        }
        scope = Scope(values, where, self.places, self.varying)
        for name, program in self.variables:
            scope = scope.with_value(name, scope.value(program))
        findings = [edit for part in self.checks for edit in _paid(where.budget, told(part, scope))]
        if any(edit.severity is Severity.ERROR for edit in findings):
            return findings  # what it makes would be as wrong
        edits: tuple[Iterator[Edit], ...] = (
            *(created(part, scope) for part in self.made),
            *(changed(part, scope) for part in self.changed),
            *(gone(part, scope) for part in self.removed),
        )
        return [*findings, *_paid(where.budget, chain.from_iterable(edits))]


def _paid(budget: Budget, edits: Iterable[EditT]) -> Iterator[EditT]:
    """Yield edits, and spend what it costs to carry them out. Raises `BudgetSpentError`."""
    for edit in edits:
        written = getattr(edit, "object", None) or getattr(edit, "merge", None)
        budget.spend(_COST_OF_EDIT + WEIGHTS.of(written), "making edits")
        yield edit


def read(
    spec: MetapolicyDefinitionSpec, model: Declarative, catalogue: Catalogue
) -> tuple[Function, list[Fault]]:
    """Compile what a definition says; and everything that is wrong, from the definition's top."""
    function, faults = _Reading(catalogue).function(model)
    reads = frozenset((each.group, each.kind) for each in spec.reads)
    writes = frozenset((each.group, each.kind) for each in spec.writes)
    whole = replace(function, reads=function.reads | reads, writes=function.writes | writes)
    return whole, faults


class _Reading:
    """Compiles one definition."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._compiler = Compiler()
        self._reader = Reader(self._compiler)
        self._names: Mapping[str, str] = _NAMES
        self._kinds_of: dict[str, frozenset[GroupKind]] = {}

    def function(self, model: Declarative) -> tuple[Function, list[Fault]]:
        at = ("spec", "declarative")
        variables = tuple(self._variables(model, at))
        checks = [self._check(each, (*at, "checks", i)) for i, each in enumerate(model.checks)]
        made = [self._made(each, (*at, "make", i)) for i, each in enumerate(model.make)]
        changed = [self._changed(each, (*at, "change", i)) for i, each in enumerate(model.change)]
        removed = [self._removed(each, (*at, "remove", i)) for i, each in enumerate(model.remove)]
        writes = {kind for each in model.make if (kind := _kind_of(each.object)) is not None}
        writes |= {kind for each in model.change for kind in self._kinds(each.objects)}
        writes |= {kind for each in model.remove for kind in self._kinds(each.objects)}
        programs = self._compiler.programs
        paths = {path for each in programs for path in each.paths if path[0] == "spoke"}
        function = Function(
            reads=frozenset(kind for each in programs for kind in self._read_by(each)),
            writes=frozenset(writes),
            spelled_out=frozenset(_spelled_out(model.model_dump(by_alias=True))),
            of_spoke=frozenset(path[1:] for path in paths),
            variables=variables,
            checks=tuple(checks),
            made=tuple(made),
            changed=tuple(changed),
            removed=tuple(removed),
            places=self._compiler.places,
            varying=frozenset(self._compiler.varying),
        )
        return function, self._compiler.faults

    def _variables(self, model: Declarative, at: tuple[Step, ...]) -> Iterator[tuple[str, Program]]:
        for name, source in model.variables.items():
            place = (*at, "variables", name)
            if name in self._names or name == TARGET:
                self._compiler.refuse(f'"{name}" is a name already', place, "choose another")
                continue
            program = self._compiler.expression(source, place, self._names)
            self._names = {**self._names, name: program.returns if program else ANY}
            if program is not None:
                self._kinds_of[name] = self._kinds(source)
                self._compiler.follow(name, program)
                yield name, program

    def _check(self, model: Check, at: tuple[Step, ...]) -> Part:
        loop = self._reader.loop(model.for_each, (*at, "forEach"), self._names)
        if model.code is not None and model.code not in KINDS:
            self._compiler.refuse(f'"{model.code}" is no code', (*at, "code"), "leave it out")
        text = self._reader.text
        return Part(
            loop,
            self._truth(model.when, (*at, "when"), loop.names),
            text(model.message, (*at, "message"), loop.names),
            text(model.cure, (*at, "cure"), loop.names),
            check=model,
            field=text(model.field, (*at, "field"), loop.names),
        )

    def _made(self, model: Made, at: tuple[Step, ...]) -> Part:
        loop = self._reader.loop(model.for_each, (*at, "forEach"), self._names)
        if _kind_of(model.object) is None:
            message = "an object needs apiVersion and kind, without expressions"
            self._compiler.refuse(message, (*at, "object"), "write both out")
        return Part(
            loop,
            self._truth(model.when, (*at, "when"), loop.names),
            self._reader.text(model.reason, (*at, "reason"), loop.names),
            self._reader.template(model.object, (*at, "object"), loop.names),
        )

    def _targets(self, source: str, at: tuple[Step, ...]) -> tuple[Loop, Mapping[str, str]]:
        program = self._compiler.expression(
            source, (*at, "objects"), self._names, LIST_OF, "a list of objects"
        )
        names = {**self._names, TARGET: ANY}
        return Loop(TARGET, program, names), names

    def _changed(self, model: Changed, at: tuple[Step, ...]) -> Part:
        loop, names = self._targets(model.objects, at)
        return Part(
            loop,
            self._truth(model.when, (*at, "when"), names),
            self._reader.text(model.reason, (*at, "reason"), names),
            self._reader.template(model.merge, (*at, "merge"), names),
            copies=Copies(self._truth(model.copy_when, (*at, "copyWhen"), names))
            if model.where_they_differ == "copy"
            else None,
        )

    def _removed(self, model: Removed, at: tuple[Step, ...]) -> Part:
        loop, names = self._targets(model.objects, at)
        reason = self._reader.text(model.reason, (*at, "reason"), names)
        when = self._truth(model.when, (*at, "when"), names)
        return Part(loop, when, reason, reason)

    def _truth(self, source: str, at: tuple[Step, ...], names: Mapping[str, str]) -> Program | None:
        return self._compiler.expression(source, at, names, BOOL, "a truth value")

    def _kinds(self, source: str) -> frozenset[GroupKind]:
        """What the objects of an expression are: the kinds that it reads, or its variables do."""
        program = compiled(source, self._names)
        if not isinstance(program, Program):
            return frozenset()
        names = {path[0] for path in program.paths}
        return self._read_by(program).union(
            *(kinds for name, kinds in self._kinds_of.items() if name in names)
        )

    def _read_by(self, program: Program) -> frozenset[GroupKind]:
        found: set[GroupKind] = set()
        for call in program.calls:
            found.update(_READS.get(call.function, ()))
            if call.function in _NAMED:
                for text in call.texts:
                    found |= kinds_named(text, self._catalogue)
        return frozenset(found)


def kinds_named(text: str, catalogue: Catalogue) -> frozenset[GroupKind]:
    """The kinds that a name means: with its group (`AuthPolicy.kuadrant.io`) one, else any."""
    kind, dot, group = text.partition(".")
    if dot:
        return frozenset([(group, kind)])
    identities = frozenset(pair for pair in catalogue.all_kinds() if pair[1] == kind)
    return identities or frozenset([("", kind)])


def _kind_of(template: Mapping[str, Any]) -> GroupKind | None:
    version, kind = template.get("apiVersion"), template.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str) or "${" in version + kind:
        return None
    return version.rpartition("/")[0], kind


def _spelled_out(data: Any) -> Iterator[str | int | float]:  # noqa: ANN401  (JSON of any shape)
    for scalar in scalars_in(data):
        yield scalar
        if isinstance(scalar, str) and "\n" in scalar:
            yield from scalar.split("\n")
