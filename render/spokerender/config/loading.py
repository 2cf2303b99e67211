"""Loads fleet.yaml and placements: bytes to models, or all faults at once."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, TypeAlias

from msgspec import Struct

from spokerender import __version__
from spokerender.config.documents import (
    ConfigDocument,
    Written,
    document_name,
    duplicates,
    parsed,
    raise_results,
    read_documents,
)
from spokerender.config.fleet import AcknowledgedDeletion, FleetFile, allows_version
from spokerender.config.placement import Placement
from spokerender.findings.codes import project as codes
from spokerender.findings.results import Fault, Result
from spokerender.formats import yamlio
from spokerender.model import FieldPath, Origin, shown
from spokerender.model.shapes import JsonObject, as_list, as_mapping
from spokerender.model.sources import File

_FLEET_FILE = "fleet.yaml"

PlacementDocument: TypeAlias = Written[Placement]


class FleetDocument(Struct, frozen=True, eq=False):
    """fleet.yaml, or its defaults, and the document that it was read from."""

    model: FleetFile
    written: ConfigDocument | None = None

    @property
    def settings(self) -> JsonObject:
        """Return the spec as JSON, with the keys of YAML and without defaults."""
        return self.model.spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)

    def at(self, *path: str | int) -> Origin:
        """Return the line of a field: `at("spec", "deletions", 2)`, by the keys in YAML."""
        return self.written.at(*path) if self.written is not None else Origin(_FLEET_FILE)

    def entry(self, key: str, name: str) -> tuple[str, Origin | None]:
        """Return path and line of entry `name` in `spec.<key>`; empty and None without the key."""
        spec = as_mapping(as_mapping(self.written.value).get("spec")) if self.written else {}
        if key not in spec:
            return "", None
        entries = spec[key]
        steps: FieldPath = ("spec", key)
        if isinstance(entries, list) and name in entries:
            steps += (entries.index(name),)
        return shown(steps), self.at(*steps)


def read_fleet_document(file: File | None, model: type[FleetFile]) -> FleetDocument:
    """Return the fleet.yaml in a file; all defaults if there is no file.

    `model` has the fields of all wings.

    Raises `InputError` with all faults, but with only one if the file requires another version of
    the tool: the rest may be valid in that version.
    """
    if file is None:
        return FleetDocument(model())
    # One document; a second one is reported and not read.
    documents, results = read_documents([file], ["Fleet"])
    fleets: list[Written[FleetFile]] = []
    for document in documents[:1]:
        # Checked before validation: all fields of another version might look wrong.
        other_version = _other_version(document.value)
        if other_version is not None:
            results.append(document.result(other_version))
        else:
            fleets = parsed([document], model, results)
    results += (
        document.result(Fault(codes.WRONG_DOCUMENT, "a second document", "keep one of them"))
        for document in documents[1:]
    )
    raise_results(results)
    return FleetDocument(fleets[0].model, fleets[0].written)


def read_placements(
    files: Iterable[File],
) -> tuple[tuple[PlacementDocument, ...], list[Result]]:
    """Return the valid placements, in the order of their documents, and all faults."""
    documents, results = read_documents(files, ["Placement"])
    placements = parsed(documents, Placement, results)
    results += duplicates(document_name(item, "placement") for item in placements)
    return tuple(placements), results


def read_deletions(data: bytes) -> tuple[AcknowledgedDeletion, ...]:
    """Return the valid entries of `spec.deletions`, even if the rest of the file is invalid."""
    documents, _ = yamlio.read(data, "")
    specs = (as_mapping(as_mapping(document.value).get("spec")) for document in documents)
    entries = []
    for entry in (entry for spec in specs for entry in as_list(spec.get("deletions"))):
        # An invalid entry of an earlier commit acknowledges nothing.
        with suppress(ValueError):
            entries.append(AcknowledgedDeletion.model_validate(entry))
    return tuple(entries)


def _other_version(value: dict[str, Any]) -> Fault | None:
    requires = as_mapping(value.get("spec")).get("requires")
    if not isinstance(requires, str) or allows_version(requires, __version__):
        return None
    message = f"this is spokerender {__version__}, but the project requires {requires}"
    cure = "install a version in that range, or change the range"
    return Fault(codes.OTHER_VERSION, message, cure, ("spec", "requires"))
