"""The function of a declarative definition: expressions, and templates of plain YAML."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from spokerender.findings.codes import metapolicies as codes
from spokerender.findings.results import FindingKind, Severity
from spokerender.formats.cel.costs import WEIGHTS
from spokerender.formats.cel.declaring import ANY, LIST_OF
from spokerender.formats.cel.library import LibraryProgram
from spokerender.formats.cel.messages import is_message
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import GATEWAY, GATEWAY_API, Ref
from spokerender.model.refs import FieldPath, GroupKind
from spokerender.model.shapes import Json, scalars_in
from spokerender.wings.metapolicies import config, expressions, functions
from spokerender.wings.metapolicies.templates import TemplateCompiler

ROUTES = tuple((GATEWAY_API, kind) for kind in ("GRPCRoute", "HTTPRoute", "TCPRoute", "TLSRoute"))
KINDS_BY_QUESTION: Mapping[str, tuple[GroupKind, ...]] = {
    "findGateways": (GATEWAY,),
    "findListeners": (GATEWAY,),
    "findHostnames": (GATEWAY, *ROUTES),
    "findRoutes": ROUTES,
    "gateways": (GATEWAY,),
    "routes": ROUTES,
    "findAuthPolicies": (("kuadrant.io", "AuthPolicy"),),
}
"""The kinds that an expression reads by calling a function of the topology library."""
_EDIT_COST = 4_000
"""The work of an edit in addition to the size of the written data, in characters."""
_NAMING_QUESTIONS = frozenset(["findPolicies", "findInForce", "policies"])
"""The functions of the library that take a kind as their argument."""


_ITSELF = re.compile(r"\bself\b(?!\s*\.)")
"""The metapolicy itself in an expression, such as `[self]`; not a field or question of `self`."""

_Part = Callable[[expressions.Scope], Iterator[functions.RequestedEdit]]
"""A compiled entry of `checks`, `make`, `change` or `remove`: its edits for a metapolicy."""


class DeclarativeFunction(functions.MetapolicyFunction, frozen=True, eq=False):
    """The function of a declarative definition."""

    variables: tuple[tuple[str, expressions.FieldExpression], ...]
    checks: tuple[_Part, ...]
    parts: tuple[_Part, ...]

    def render(self, view: functions.MetapolicyView) -> Sequence[functions.RequestedEdit]:
        """Return the edits for one metapolicy. Raises `FailedError`, `BudgetSpentError`."""
        scope = expressions.open_scope(view)
        # In order, as a variable may use those before it.
        for name, expression in self.variables:
            scope = scope.with_value(name, scope.value(expression))
        findings = self._run(self.checks, scope)
        if any(
            isinstance(e, functions.ReportFinding) and e.severity is Severity.ERROR
            for e in findings
        ):
            return findings  # the objects would be as wrong as the metapolicy
        return [*findings, *self._run(self.parts, scope)]

    @staticmethod
    def _run(parts: Sequence[_Part], scope: expressions.Scope) -> list[functions.RequestedEdit]:
        edits = []
        for edit in chain.from_iterable(part(scope) for part in parts):
            written = getattr(edit, "object", None) or getattr(edit, "merge", None)
            # Each edit costs something even if it writes nothing, as edits are compared and joined
            # later.
            scope.view.budget.spend(_EDIT_COST + WEIGHTS.of(written), "making edits")
            edits.append(edit)
        return edits


def compile_function(
    document: config.MetapolicyDocument, resources: functions.Resources
) -> functions.MetapolicyFunction:
    """Compile a definition. Raises `RefusedError` with faults, each at a path in the document."""
    compiler = _DefinitionCompiler(document.model.spec, resources.catalogue)
    function = compiler.function()
    if compiler.faults:
        raise functions.RefusedError(tuple(compiler.faults))
    return function


class _DefinitionCompiler:
    """Compiles one definition; `reads` and `writes` collect the kinds that it reads and writes."""

    def __init__(self, spec: config.MetapolicyDefinitionSpec, catalogue: Catalogue) -> None:
        self.reads, self.writes = {*config.pairs_of(spec.reads)}, {*config.pairs_of(spec.writes)}
        self._spec, self._catalogue = spec, catalogue
        self._compiler = TemplateCompiler()
        self.faults = self._compiler.faults
        self._names: Mapping[str, str] = expressions.ALL_NAMES
        self._kinds_by_variable: dict[str, frozenset[GroupKind]] = {}

    def function(self) -> DeclarativeFunction:
        model, at = self._spec.declarative, ("spec", "declarative")
        assert model is not None  # noqa: S101  (it was chosen by this key)
        variables = tuple(self._variables(model, (*at, "variables")))
        checks = [self._check(item, (*at, "checks", i)) for i, item in enumerate(model.checks)]
        parts = [
            *(self._creation(item, (*at, "make", i)) for i, item in enumerate(model.make)),
            *(self._change(item, (*at, "change", i)) for i, item in enumerate(model.change)),
            *(self._removal(item, (*at, "remove", i)) for i, item in enumerate(model.remove)),
        ]
        programs = self._compiler.programs
        paths = {path for program in programs for path in program.paths if path[0] == "spoke"}
        return DeclarativeFunction(
            reads=frozenset(self.reads).union(*map(self._kinds_read, programs)),
            writes=frozenset(self.writes),
            spelled_out=frozenset(_spelled_out(model.model_dump(by_alias=True))),
            of_spoke=frozenset(path[1:] for path in paths),
            variables=variables,
            checks=tuple(checks),
            parts=tuple(parts),
        )

    def _variables(
        self, model: config.Declarative, at: FieldPath
    ) -> Iterator[tuple[str, expressions.FieldExpression]]:
        for name, source in model.variables.items():
            place = (*at, name)
            if name in self._names or name == expressions.TARGET:
                self._compiler.refuse(f'the name "{name}" is taken', place, "choose another")
                continue
            expression = self._compiler.expression(source, place, self._names)
            # A broken variable is of any type, so that it causes one fault and not one for each
            # use.
            returns = expression.program.returns if expression is not None else ANY
            self._names = {**self._names, name: returns}
            if expression is not None:
                self._kinds_by_variable[name] = self._kinds_found(expression.program)
                self._compiler.follow(name, expression)
                yield name, expression

    def _check(self, model: config.Check, at: FieldPath) -> _Part:
        loop = self._compiler.loop(model.for_each, (*at, "forEach"), self._names)
        if model.code is not None and model.code not in _findings():
            refusal = f'"{model.code}" is no code of a finding about metapolicies'
            self._compiler.refuse(refusal, (*at, "code"), "leave it out")
        finding = _findings().get(model.code or "", codes.CHECKED)
        severity = Severity(model.severity) if model.severity is not None else finding.severity
        when = self._compiler.condition(model.when, (*at, "when"), loop.names)
        message = self._compiler.text(model.message, (*at, "message"), loop.names)
        cure = self._compiler.text(model.cure, (*at, "cure"), loop.names)
        field = self._compiler.text(model.field, (*at, "field"), loop.names)

        def edits(scope: expressions.Scope) -> Iterator[functions.ReportFinding]:
            for inner in loop.scopes(scope):
                if inner.truth(when):
                    texts = message(inner), cure(inner), field(inner)
                    yield functions.ReportFinding(finding, *texts, severity)

        return edits

    def _creation(self, model: config.Made, at: FieldPath) -> _Part:
        loop = self._compiler.loop(model.for_each, (*at, "forEach"), self._names)
        kind = _kind_of_template(model.object)
        # Without a kind nobody could say what the definition writes.
        if kind is None:
            message = "apiVersion and kind are required, without expressions"
            self._compiler.refuse(message, (*at, "object"), "write both out")
        else:
            self.writes.add(kind)
        when = self._compiler.condition(model.when, (*at, "when"), loop.names)
        template = self._compiler.template(model.object, (*at, "object"), loop.names)
        reason = self._compiler.text(model.reason, (*at, "reason"), loop.names)

        def edits(scope: expressions.Scope) -> Iterator[functions.CreateObject]:
            for inner in loop.scopes(scope):
                if inner.truth(when):
                    yield functions.CreateObject(template(inner), reason(inner))

        return edits

    def _change(self, model: config.Changed, at: FieldPath) -> _Part:
        targets, names = self._targets(model, at), {**self._names, expressions.TARGET: ANY}
        reason = self._compiler.text(model.reason, (*at, "reason"), names)
        merge = self._compiler.template(model.merge, (*at, "merge"), names)
        copy_when = self._compiler.condition(model.copy_when, (*at, "copyWhen"), names)

        def edits(scope: expressions.Scope) -> Iterator[functions.ChangeObject]:
            for ref, inner in targets(scope):
                # Evaluated only where copies are wanted at all.
                copies = model.where_they_differ == "copy" and inner.truth(copy_when)
                patch = merge(inner)
                yield functions.ChangeObject(ref, patch, reason(inner), copies)

        return edits

    def _removal(self, model: config.Removed, at: FieldPath) -> _Part:
        targets, names = self._targets(model, at), {**self._names, expressions.TARGET: ANY}
        reason = self._compiler.text(model.reason, (*at, "reason"), names)
        return lambda scope: (
            functions.RemoveObject(ref, reason(inner)) for ref, inner in targets(scope)
        )

    def _targets(
        self, model: config.Changed | config.Removed, at: FieldPath
    ) -> Callable[[expressions.Scope], Iterator[tuple[Ref, expressions.Scope]]]:
        """Return a function that yields the objects to edit, each with a scope that has `target`.

        The kinds that these objects may have are added to `writes`.
        """
        objects = self._compiler.expression(
            model.objects, (*at, "objects"), self._names, LIST_OF, "a list of objects"
        )
        if objects is not None:
            self.writes |= self._kinds_found(objects.program)
            # A definition that edits its own metapolicy writes its kind.
            if _ITSELF.search(objects.program.source):
                self.writes.add((self._spec.for_.group, self._spec.for_.kind))
        names = {**self._names, expressions.TARGET: ANY}
        when = self._compiler.condition(model.when, (*at, "when"), names)

        def targets(scope: expressions.Scope) -> Iterator[tuple[Ref, expressions.Scope]]:
            for item in scope.items(objects) if objects is not None else ():
                ref = expressions.ref_of(item) if is_message(item) else None
                if ref is None:
                    message = "the list has an item that is no object"
                    raise functions.FailedError(
                        codes.FAILED, message, "find policies, routes or gateways"
                    )
                shared_ref = scope.view.named(ref)
                # An object that the stage does not have has no data to ask for.
                target = scope.view.whole(item) if shared_ref is not None else {}
                inner = scope.with_value(expressions.TARGET, target)
                if inner.truth(when):
                    yield shared_ref or ref, inner

        return targets

    def _kinds_found(self, program: LibraryProgram) -> frozenset[GroupKind]:
        """Return the kinds that objects in the value of `program` may have."""
        return self._kinds_read(program).union(
            *(kinds for name, kinds in self._kinds_by_variable.items() if name in program.names)
        )

    def _kinds_read(self, program: LibraryProgram) -> frozenset[GroupKind]:
        kinds: set[GroupKind] = set()
        for call in program.calls:
            kinds.update(KINDS_BY_QUESTION.get(call.function, ()))
            if call.function in _NAMING_QUESTIONS:
                # The kind is in a text of the expression; what is computed cannot be foreseen.
                kinds.update(*(kinds_named(text, self._catalogue) for text in call.texts))
        return frozenset(kinds)


def kinds_named(text: str, catalogue: Catalogue) -> frozenset[GroupKind]:
    """Return the kinds that the name `text` may mean: several, if it does not name the group."""
    kind, dot, group = text.partition(".")
    if dot:
        return frozenset([(group, kind)])
    kinds = frozenset(pair for pair in catalogue.all_kinds() if pair[1] == kind)
    # An unknown kind is taken at its word, in the core group.
    return kinds or frozenset([("", kind)])


@cache
def _findings() -> Mapping[str, FindingKind]:
    return {kind.code: kind for kind in vars(codes).values() if isinstance(kind, FindingKind)}


def _kind_of_template(template: Mapping[str, Any]) -> GroupKind | None:
    version, kind = template.get("apiVersion"), template.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str) or "${" in version + kind:
        return None
    return version.rpartition("/")[0], kind


def _spelled_out(data: Json) -> Iterator[str | int | float]:
    for scalar in scalars_in(data):
        yield scalar
        # A slot stands in a line of its own text, so each line that the author wrote counts.
        if isinstance(scalar, str) and "\n" in scalar:
            yield from scalar.split("\n")
