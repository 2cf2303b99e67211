"""Our two files from bytes to models, or every problem in them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from render import __version__
from render.config.base import API_VERSION, Model
from render.config.fleet import Fleet, allows_version
from render.config.placement import Placement
from render.config.problems import explain
from render.config.publishing import Publishing
from render.findings.codes import project as codes
from render.findings.errors import InputError
from render.findings.faults import Fault
from render.findings.results import Result
from render.findings.suggest import describe
from render.formats import yamlio
from render.model import FieldPath, Origin

_FLEET_FILE = "fleet.yaml"

Source = tuple[str, bytes]
"""A file's path, as messages name it, and its bytes."""

Kind = TypeVar("Kind", bound=Model)


@dataclass(frozen=True, slots=True)
class Written:
    """A document as it stands in its file."""

    path: str
    document: yamlio.Document

    @property
    def value(self) -> Any:  # noqa: ANN401  (whatever the YAML holds)
        """Its content as JSON data."""
        return self.document.value

    def at(self, *path: str | int) -> Origin:
        """The line of a field, or of its nearest parent that is there; parses the text."""
        if not path:
            return Origin(self.path, self.document.index, self.document.line)
        line = self.document.text_line + yamlio.locate(self.document.text, path)
        return Origin(self.path, self.document.index, line)

    def result(self, fault: Fault) -> Result:
        """The finding about a field of this document."""
        return fault.result(None, self.at(*fault.field))


@dataclass(frozen=True, slots=True, eq=False)
class FleetDocument:
    """A fleet file and where it was written, if there is one; `at` gives the line of a field."""

    model: Fleet
    written: Written | None = None

    def at(self, *path: str | int) -> Origin:
        """Where a field is written: `at("spec", "deletions", 2)`, in YAML's own keys."""
        return self.written.at(*path) if self.written is not None else Origin(_FLEET_FILE)


@dataclass(frozen=True, slots=True, eq=False)
class PlacementDocument:
    """A placement and where it was written; `at` gives the line of a field below it."""

    model: Placement
    written: Written

    @property
    def origin(self) -> Origin:
        """Where the document begins."""
        return self.written.at()

    def at(self, *path: str | int) -> Origin:
        """Where a field is written: `at("spec", "rules", 2)`, in YAML's own keys."""
        return self.written.at(*path)


@dataclass(frozen=True, slots=True, eq=False)
class PublishingDocument:
    """A publishing and where it was written; `at` gives the line of a field below it."""

    model: Publishing
    written: Written

    def at(self, *path: str | int) -> Origin:
        """Where a field is written: `at("spec", "agents", 2)`, in YAML's own keys."""
        return self.written.at(*path)


def read_fleet(source: Source | None) -> FleetDocument:
    """The fleet file, or all defaults where there is none.

    Raises `InputError` with every problem, but with one alone if the file asks for another
    version of the tool: what else seems wrong may be right in that one.
    """
    if source is None:
        return FleetDocument(Fleet())
    written, results = _read([source], Fleet)
    fleets = _validated(written[:1], Fleet, results)
    results += (
        document.result(Fault(codes.WRONG_DOCUMENT, "a second document", "keep one of them"))
        for document in written[1:]
    )
    _raise(results)
    return FleetDocument(*fleets[0])


def load_placements(sources: Sequence[Source]) -> tuple[PlacementDocument, ...]:
    """All placements of all files, sorted by name. Raises `InputError` with every problem."""
    written, results = _read(sources, Placement)
    placements = _validated(written, Placement, results)
    documents = [PlacementDocument(model, document) for model, document in placements]
    results += _duplicates(_names(documents))
    _raise(results)
    return tuple(sorted(documents, key=lambda document: document.model.metadata.name))


def load_publishings(sources: Sequence[Source]) -> tuple[PublishingDocument, ...]:
    """All publishings of all files, sorted by name. Raises `InputError` with every problem."""
    written, results = _read(sources, Publishing)
    found = _validated(written, Publishing, results)
    documents = [PublishingDocument(model, document) for model, document in found]
    results += _duplicates(_publishing_names(documents))
    _raise(results)
    return tuple(sorted(documents, key=lambda document: document.model.metadata.name))


def _raise(results: list[Result]) -> None:
    if results:
        raise InputError(tuple(sorted(results, key=_place)))


def _place(result: Result) -> tuple[Origin, str]:
    return result.origin or Origin(""), result.field


def _read(sources: Iterable[Source], model: type[Model]) -> tuple[list[Written], list[Result]]:
    """The documents in the order of their paths, and what is unreadable."""
    written: list[Written] = []
    results: list[Result] = []
    for path, data in sorted(sources):
        documents, problems = yamlio.read(data, path)
        written += (Written(path, document) for document in documents)
        results += (
            codes.UNREADABLE_FILE.result(
                problem.message, cure=problem.cure, origin=Origin(path, line=problem.line)
            )
            for problem in problems
        )
        if not documents and not problems:
            cure = f"begin with apiVersion: {API_VERSION} and kind: {model.__name__}"
            results.append(
                codes.WRONG_DOCUMENT.result("the file is empty", cure=cure, origin=Origin(path))
            )
    return written, results


def _validated(
    written: Iterable[Written], model: type[Kind], results: list[Result]
) -> list[tuple[Kind, Written]]:
    """The documents that are right; what is wrong with the others goes to `results`."""
    valid = []
    for document in written:
        problems = list(_header_problems(document.value, model.__name__))
        if not problems:
            problems = list(_version_problem(document.value))
        if not problems:
            try:
                valid.append((model.model_validate(document.value), document))
            except ValidationError as error:
                problems = list(explain(error, model))
        results += map(document.result, problems)
    return valid


def _header_problems(value: Any, kind: str) -> Iterator[Fault]:  # noqa: ANN401  (JSON data)
    """Whether it is our document at all; if not, nothing else is worth a word."""
    if not isinstance(value, dict):
        message = f"must be a {kind}, but is {describe(value)}"
        yield Fault(codes.WRONG_DOCUMENT, message, f"begin with kind: {kind}")
        return
    for key, wanted in (("apiVersion", API_VERSION), ("kind", kind)):
        if key not in value:
            message = f'the key "{key}" is missing'
            yield Fault(codes.MISSING_KEY, message, f"add {key}: {wanted}", (key,))
        elif value[key] != wanted:
            message = f"must be {wanted}, but is {describe(value[key])}"
            yield Fault(codes.WRONG_DOCUMENT, message, f"write {key}: {wanted}", (key,))


def _version_problem(value: dict[str, Any]) -> Iterator[Fault]:
    spec = value.get("spec")
    requires = spec.get("requires") if isinstance(spec, dict) else None
    if isinstance(requires, str) and not allows_version(requires, __version__):
        message = f"this is spokerender {__version__}, but the project requires {requires}"
        cure = "install a version in that range, or change the range"
        yield Fault(codes.OTHER_VERSION, message, cure, ("spec", "requires"))


_Name = tuple[Written, FieldPath, str, str]


def _duplicates(names: Iterable[_Name]) -> Iterator[Result]:
    """Names that stand twice, told at the second place."""
    first: dict[tuple[str, str], tuple[Written, FieldPath]] = {}
    for document, path, what, name in names:
        if (what, name) not in first:
            first[what, name] = (document, path)
            continue
        other, place = first[what, name]
        message = f'the {what} "{name}" is also in {other.at(*place)}'
        cure = f"rename or remove one of the two {what}s"
        problem = Fault(codes.DUPLICATE_NAME, message, cure, path)
        yield document.result(problem)


def _names(documents: Iterable[PlacementDocument]) -> Iterator[_Name]:
    """Everything in placements that must have a name of its own, in the order of the files."""
    for document in documents:
        written, model = document.written, document.model
        yield written, ("metadata", "name"), "placement", model.metadata.name
        for index, spoke in enumerate(model.spec.spokes):
            yield written, ("spec", "spokes", index, "name"), "spoke", spoke.name


def _publishing_names(documents: Iterable[PublishingDocument]) -> Iterator[_Name]:
    """Everything in publishings that must have a name of its own, in the order of the files."""
    for document in documents:
        written, spec = document.written, document.model.spec
        yield written, ("metadata", "name"), "publishing", document.model.metadata.name
        for index, agent in enumerate(spec.agents):
            at = ("spec", "agents", index)
            yield written, (*at, "name"), "agent", agent.name
            if agent.export:
                yield written, (*at, "export"), "export", f"{agent.workspace}/{agent.export}"
        for index, workspace in enumerate(spec.workspaces):
            at = ("spec", "workspaces", index)
            yield written, (*at, "name"), "workspace", workspace.name
            yield written, (*at, "cluster"), "logical cluster", workspace.cluster_name
