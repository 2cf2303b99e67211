"""Our own files from bytes to models, or every problem in them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from render import __version__
from render.config.base import API_VERSION, Model
from render.config.documents import Document, DocumentKind, File, Named, duplicates, read_documents
from render.config.documents import refuse as refuse_all
from render.config.fleet import FleetFile, allows_version
from render.config.metapolicies import MetapolicyDefinition
from render.config.placement import Placement
from render.config.problems import explain
from render.config.publishing import Publishing
from render.findings.codes import project as codes
from render.findings.faults import Fault
from render.findings.results import Result
from render.model import Origin

_FLEET_FILE = "fleet.yaml"
FLEET = DocumentKind(API_VERSION, "Fleet")
PLACEMENT = DocumentKind(API_VERSION, "Placement")
METAPOLICY = DocumentKind(API_VERSION, "MetapolicyDefinition")
PUBLISHING = DocumentKind(API_VERSION, "Publishing")

Kind = TypeVar("Kind", bound=Model)


@dataclass(frozen=True, slots=True, eq=False)
class FleetDocument:
    """A fleet file and where it was written, if there is one; `at` gives the line of a field."""

    model: FleetFile
    written: Document | None = None

    def at(self, *path: str | int) -> Origin:
        """Where a field is written: `at("spec", "deletions", 2)`, in YAML's own keys."""
        return self.written.at(*path) if self.written is not None else Origin(_FLEET_FILE)


@dataclass(frozen=True, slots=True, eq=False)
class PlacementDocument:
    """A placement and where it was written; `at` gives the line of a field below it."""

    model: Placement
    written: Document

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
    written: Document

    def at(self, *path: str | int) -> Origin:
        """Where a field is written: `at("spec", "agents", 2)`, in YAML's own keys."""
        return self.written.at(*path)


@dataclass(frozen=True, slots=True, eq=False)
class MetapolicyDocument:
    """A metapolicy's definition and where it was written; `at` gives the line of a field."""

    model: MetapolicyDefinition
    written: Document

    def at(self, *path: str | int) -> Origin:
        """Where a field is written: `at("spec", "declarative", "make", 2)`, in YAML's own keys."""
        return self.written.at(*path)


def load_metapolicies(files: Sequence[File]) -> tuple[MetapolicyDocument, ...]:
    """All definitions of all files, in their order. Raises `InputError` with every problem."""
    documents, results = read_documents(files, [METAPOLICY])
    found = [
        MetapolicyDocument(*pair) for pair in _parsed(documents, MetapolicyDefinition, results)
    ]
    results += duplicates(
        Named("definition", item.model.metadata.name, ("metadata", "name"), item.written)
        for item in found
    )
    refuse_all(results)
    return tuple(found)


def read_fleet(file: File | None) -> FleetDocument:
    """The fleet file, or all defaults where there is none.

    Raises `InputError` with every problem, but with one alone if the file asks for another
    version of the tool: what else seems wrong may be right in that one.
    """
    if file is None:
        return FleetDocument(FleetFile())
    documents, results = read_documents([file], [FLEET])
    fleets: list[tuple[FleetFile, Document]] = []
    for document in documents[:1]:
        other_version = _other_version(document.value)
        if other_version is not None:
            results.append(document.result(other_version))
        else:
            fleets = _parsed([document], FleetFile, results)
    results += (
        document.result(Fault(codes.WRONG_DOCUMENT, "a second document", "keep one of them"))
        for document in documents[1:]
    )
    refuse_all(results)
    return FleetDocument(*fleets[0])


def read_placements(
    documents: Sequence[Document],
) -> tuple[tuple[PlacementDocument, ...], list[Result]]:
    """The placements that are right, in the order of their documents, and all that is wrong."""
    results: list[Result] = []
    placements = [PlacementDocument(*pair) for pair in _parsed(documents, Placement, results)]
    results += duplicates(
        Named("placement", item.model.metadata.name, ("metadata", "name"), item.written)
        for item in placements
    )
    return tuple(placements), results


def load_publishings(files: Sequence[File]) -> tuple[PublishingDocument, ...]:
    """All publishings of all files, sorted by name. Raises `InputError` with every problem."""
    documents, results = read_documents(files, [PUBLISHING])
    publishings = [PublishingDocument(*pair) for pair in _parsed(documents, Publishing, results)]
    results += duplicates(_publishing_names(publishings))
    refuse_all(results)
    return tuple(sorted(publishings, key=lambda item: item.model.metadata.name))


def _parsed(
    documents: Iterable[Document], model: type[Kind], results: list[Result]
) -> list[tuple[Kind, Document]]:
    """The documents that are right; what is wrong with the others goes to `results`."""
    right = []
    for document in documents:
        try:
            right.append((model.model_validate(document.value), document))
        except ValidationError as error:
            results += map(document.result, explain(error, model))
    return right


def _other_version(value: dict[str, Any]) -> Fault | None:
    spec = value.get("spec")
    requires = spec.get("requires") if isinstance(spec, dict) else None
    if not isinstance(requires, str) or allows_version(requires, __version__):
        return None
    message = f"this is spokerender {__version__}, but the project requires {requires}"
    cure = "install a version in that range, or change the range"
    return Fault(codes.OTHER_VERSION, message, cure, ("spec", "requires"))


def _publishing_names(documents: Iterable[PublishingDocument]) -> Iterator[Named]:
    """Everything in publishings that must have a name of its own, in the order of the files."""
    for item in documents:
        written, spec = item.written, item.model.spec
        yield Named("publishing", item.model.metadata.name, ("metadata", "name"), written)
        for index, agent in enumerate(spec.agents):
            at = ("spec", "agents", index)
            yield Named("agent", agent.name, (*at, "name"), written)
            if agent.export:
                name = f"{agent.workspace}/{agent.export}"
                yield Named("export", name, (*at, "export"), written)
        for index, workspace in enumerate(spec.workspaces):
            at = ("spec", "workspaces", index)
            yield Named("workspace", workspace.name, (*at, "name"), written)
            yield Named("logical cluster", workspace.cluster_name, (*at, "cluster"), written)
