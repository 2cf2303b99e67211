"""The definitions of metapolicies: compiled, checked together, and put in the order of their runs.

To add a way to write functions, add a row to `WAYS`: the key in a definition's spec, and a function
that reads it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.metapolicies import (
    BAD_DEFINITION,
    CYCLE,
    NOT_ALLOWED,
    NOT_MADE,
)
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault, Result
from spokerender.formats.patching import difference
from spokerender.model import Ref, identity
from spokerender.model.refs import GroupKind
from spokerender.wings.metapolicies import functions
from spokerender.wings.metapolicies.config import MetapolicyDocument, pairs_of
from spokerender.wings.metapolicies.declarative import compile_function
from spokerender.wings.metapolicies.expressions import (
    ALL_NAMES,
    NAMES_WITHOUT_SPOKE,
    evaluate_source,
)
from spokerender.wings.metapolicies.functions import (
    SPOKE,
    MetapolicyFunction,
    RefusedError,
    Resources,
)
from spokerender.wings.metapolicies.python_functions import AuthoredFunction


class ExternalFunction(functions.MetapolicyFunction, frozen=True, eq=False):
    """A function that a runner executes; `at` is the field that names the program."""

    runner: functions.Runner
    definition: str
    at: tuple[str, ...]

    def render(self, view: functions.MetapolicyView) -> Sequence[functions.RequestedEdit]:
        """Return the edits for one metapolicy on one spoke. Raises `FailedError`."""
        items = view.objects(self.reads | self.writes)
        names = ALL_NAMES if self.of_spoke else NAMES_WITHOUT_SPOKE
        request = functions.FunctionInput(
            view.metapolicy,
            items,
            view.spoke if self.of_spoke else {},
            self.definition,
            partial(evaluate_source, view=view, names=names),
        )
        output = self.runner.run(request)
        if isinstance(output, Fault):
            raise functions.FailedError(output.finding, output.message, at=self.at)
        return [*output.findings, *self._edits(items, output.items, view)]

    def _edits(
        self,
        items: Sequence[dict[str, Any]],
        answer: Sequence[dict[str, Any]],
        view: functions.MetapolicyView,
    ) -> Iterator[functions.RequestedEdit]:
        before = {ref: item for item in items if (ref := identity(item)) is not None}
        after = _index_items(answer)
        for ref, item in after.items():
            old = before.get(ref)
            # Unchanged items are the hub's own, and need no check.
            problem = next(functions.find_answer_problems(item), "") if old != item else ""
            if problem:
                raise functions.FailedError(NOT_MADE, problem, at=self.at)
            if old is None:
                yield functions.CreateObject(functions.compute_object(item))
            elif old != item:
                patch = functions.compute(difference(old, item))
                yield functions.ChangeObject(view.named(ref) or ref, patch)
        for ref in sorted(before.keys() - after.keys()):
            yield functions.RemoveObject(view.named(ref) or ref)


def _index_items(items: Sequence[dict[str, Any]]) -> dict[Ref, dict[str, Any]]:
    item_by_ref: dict[Ref, dict[str, Any]] = {}
    for item in items:
        ref = identity(item)
        if ref is None or not ref.kind or not ref.name:
            message = "the function returns an item without apiVersion, kind or metadata.name"
            raise functions.FailedError(NOT_MADE, message)
        if ref in item_by_ref:
            message = f"the function returns {ref} twice"
            raise functions.FailedError(NOT_MADE, message)
        item_by_ref[ref] = item
    return item_by_ref


_Way = Callable[[MetapolicyDocument, Resources], MetapolicyFunction]
"""Makes the function of a definition. Raises `RefusedError`."""


class CompiledDefinition(Struct, frozen=True, eq=False):
    """A kind of metapolicy, and the function that turns metapolicies into edits."""

    document: MetapolicyDocument
    way: str
    function: MetapolicyFunction

    @property
    def name(self) -> str:
        """The name of the definition."""
        return self.document.name

    def kinds_from(self, other: "CompiledDefinition") -> list[str]:
        """Return the names of the kinds that this definition reads and `other` writes."""
        reads = self.function.reads | {self.document.kind}
        return sorted(kind for _, kind in reads & other.function.writes)


def compile_definitions(
    documents: Sequence[MetapolicyDocument], resources: Resources
) -> tuple[CompiledDefinition, ...]:
    """Compile the definitions, and sort them so that each follows all definitions it waits for.

    Definitions that do not wait for each other are sorted by name. Raises `InputError` with every
    problem, such as definitions that wait for each other in a circle.
    """
    by_name = {item.name: item for item in _compile(documents, resources)}
    waits = find_waits(by_name.values())
    done: list[str] = []
    while len(done) < len(by_name):
        waiting = [name for name in by_name if name not in done]
        # By name, so that the order does not depend on the order of files.
        ready = next((name for name in waiting if waits[name] <= {*done}), None)
        if ready is None:
            raise InputError((_describe_circle(waits, waiting, by_name),))
        done.append(ready)
    return tuple(by_name[name] for name in done)


def find_waits(definitions: Collection[CompiledDefinition]) -> dict[str, set[str]]:
    """Return the names of the definitions that each definition waits for.

    A definition waits for all that write a kind it reads, and for all that its `spec.after` names.
    """
    # `spec.after` wins over the kinds that are read and written: a definition that goes after
    # another never makes the other wait, so that authors can break a circle.
    return {
        item.name: {
            other.name
            for other in definitions
            if other is not item
            and (
                other.name in item.document.model.spec.after
                or (item.kinds_from(other) and item.name not in other.document.model.spec.after)
            )
        }
        for item in definitions
    }


def _compile(
    documents: Sequence[MetapolicyDocument], resources: Resources
) -> list[CompiledDefinition]:
    definitions: list[CompiledDefinition] = []
    results: list[Result] = []
    for document in documents:
        spec = document.model.spec
        way = next(name for name in WAYS if getattr(spec, name) is not None)
        try:
            function = WAYS[way](document, resources)
            definitions.append(CompiledDefinition(document, way, function))
        except RefusedError as error:
            results += map(document.written.result, error.faults)
    results += _check_kinds(documents)
    results += _check_names(documents)
    if results:
        raise InputError(tuple(dict.fromkeys(results)))
    return sorted(definitions, key=lambda item: item.name)


def _check_kinds(documents: Iterable[MetapolicyDocument]) -> Iterator[Result]:
    document_by_kind: dict[GroupKind, MetapolicyDocument] = {}
    for document in documents:
        kind = document.kind
        other = document_by_kind.setdefault(kind, document)
        if other is not document:
            message = f"{kind[1]} already has a definition, in {other.at()}"
            fault = Fault(BAD_DEFINITION, message, "keep one of the two", ("spec", "for"))
            yield document.written.result(fault)


def _check_names(documents: Sequence[MetapolicyDocument]) -> Iterator[Result]:
    names = {document.name for document in documents}
    for document in documents:
        for index, name in enumerate(document.model.spec.after):
            if name not in names:
                message, at = f'there is no definition "{name}"', ("spec", "after", index)
                cure = did_you_mean(name, names, "there are") or "take it out"
                yield document.written.result(Fault(BAD_DEFINITION, message, cure, at))


def _describe_circle(
    waits: Mapping[str, set[str]], stuck: Sequence[str], by_name: Mapping[str, CompiledDefinition]
) -> Result:
    path = [stuck[0]]
    while (following := min(name for name in waits[path[-1]] if name in stuck)) not in path:
        path.append(following)
    circle = [by_name[name] for name in path[path.index(following) :]]
    steps = []
    for item, other in zip(circle, [*circle[1:], circle[0]], strict=True):
        kinds = ", ".join(item.kinds_from(other))
        reason = (
            f"reads {kinds}, which {other.name} writes" if kinds else f"goes after {other.name}"
        )
        steps.append(f"{item.name} {reason}")
    return CYCLE.result(
        "; ".join(steps),
        cure="name in spec.after of one of them the definition that it goes after",
        field="spec.after",
        origin=circle[0].document.at("spec"),
    )


def _read_python(document: MetapolicyDocument, resources: Resources) -> MetapolicyFunction:
    spec = document.model.spec
    assert spec.python is not None  # noqa: S101  (it was chosen by this key)
    code = resources.code.get(document.name)
    if code is None:
        at = ("spec", "python", "file")
        raise RefusedError((_refuse_code("code in", spec.python.file or "", at),))
    if isinstance(code, Fault):
        raise RefusedError((code,))
    reads, writes = pairs_of(spec.reads), pairs_of(spec.writes)
    return AuthoredFunction(
        reads=reads - {SPOKE},
        writes=writes,
        spelled_out=frozenset(chain.from_iterable(writes)),
        of_spoke=frozenset(),
        code=code,
        reads_spoke=SPOKE in reads,
        catalogue=resources.catalogue,
    )


def _read_program(
    noun: str, at: tuple[str, ...], document: MetapolicyDocument, resources: Resources
) -> MetapolicyFunction:
    """Return a function that a runner executes; `at` is the field of the program, called `noun`."""
    spec, runner = document.model.spec, resources.runners.get(at[1])
    if runner is None:
        raise RefusedError((_refuse_code(noun, attrgetter(".".join(at))(document.model), at),))
    reads, writes = pairs_of(spec.reads), pairs_of(spec.writes)
    return ExternalFunction(
        reads=reads - {SPOKE},
        writes=writes,
        spelled_out=frozenset(chain.from_iterable(writes)),
        of_spoke=frozenset([()] if SPOKE in reads else []),
        runner=runner,
        definition=document.name,
        at=at,
    )


def _refuse_code(noun: str, name: str, at: tuple[str, ...]) -> Fault:
    message = f"the {noun} {name} belongs to the project and is not allowed to run"
    cure = "review it and, if you trust the project, pass --allow-project-code"
    return Fault(NOT_ALLOWED, message, cure, at)


WAYS: Mapping[str, _Way] = {
    "declarative": compile_function,
    "python": _read_python,
    "exec": partial(_read_program, "program", ("spec", "exec", "path")),
    "extension": partial(_read_program, "extension", ("spec", "extension")),
}
"""The ways to write a function, by their key in a definition's spec."""
