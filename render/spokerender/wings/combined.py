"""The settings, kinds of files, engines and contributions of all wings together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, partial, reduce
from operator import attrgetter, or_
from typing import TYPE_CHECKING, Any

from spokerender.config import loading
from spokerender.config.base import Model
from spokerender.config.fleet import FleetFile, with_fields
from spokerender.config.loading import FleetDocument
from spokerender.model.sources import File
from spokerender.rendering.placement import sources
from spokerender.rendering.values.engines import EngineFacts
from spokerender.rendering.values.rendered import Contribution
from spokerender.wings import WINGS, Wing
from spokerender.wings.part import Part, ProjectFiles

if TYPE_CHECKING:  # most projects ask no hub
    from spokerender.rendering.placement.asking import HubAnswer, HubQuestion, HubSource


@cache
def fleet_model() -> type[FleetFile]:
    """Return the model of fleet.yaml, with the fields of all wings."""
    return with_fields(wing.load(wing.settings) for wing in WINGS if wing.settings)


def read_fleet(file: File | None) -> FleetDocument:
    """Read the fleet file, or return all defaults if the file is None. Raises `InputError`."""
    return loading.read_fleet_document(file, fleet_model())


def document_models() -> Mapping[str, type[Model]]:
    """Return the models of all kinds of files that the tool reads, by kind."""
    from spokerender.config.requests import RequestTests  # noqa: PLC0415  (start-up counts)

    documents: dict[str, type[Model]] = {"Fleet": fleet_model(), **sources.models()}
    documents["RequestTests"] = RequestTests
    for wing in sorted(WINGS, key=attrgetter("name")):
        documents |= {kind: wing.load(place) for kind, place in wing.documents.items()}
    return documents


@cache
def build_schema() -> dict[str, Any]:
    """Return the JSON Schema of all kinds of files that the tool reads."""
    from spokerender.config.base import json_schema  # noqa: PLC0415  (start-up counts)

    return json_schema(document_models())


def settings_paths(document: FleetDocument) -> Mapping[str, tuple[str, ...]]:
    """Return the files and folders that wings' fields of `spec` name, by the field's name."""
    spec = document.model.spec
    return {name: tuple(getattr(spec, name)) for wing in WINGS for name in wing.paths}


def read_parts(project: ProjectFiles) -> tuple[Part, ...]:
    """Return the parts of the wings that the project has switched on. Raises `InputError`."""
    spec = project.document.model.spec
    switched_on = (wing for wing in WINGS if any(getattr(spec, name) for name in wing.fields))
    parts = (wing.load(wing.part)(project) for wing in switched_on)
    return tuple(part for part in parts if part is not None)


def hub_sources() -> tuple[HubSource, ...]:
    """Return the sources of placement decisions; a source's module is imported at its first use."""
    from spokerender.rendering.placement.asking import HubSource  # noqa: PLC0415  (start-up counts)

    def ask(question: HubQuestion, wing: Wing, place: str) -> HubAnswer:
        answer: HubAnswer = wing.load(place)(question)
        return answer

    return tuple(
        HubSource(group, kind, partial(ask, wing=wing, place=place))
        for wing in WINGS
        for group, kind, place in wing.hub_sources
    )


@cache
def all_engines() -> EngineFacts:
    """Return the effects of delivery engines on objects and folders, joined from all wings."""
    facts = (wing.load(wing.engines)() for wing in WINGS if wing.engines)
    return reduce(or_, facts, EngineFacts())


def without(parts: Iterable[Part]) -> tuple[Contribution, ...]:
    """Return the contributions of wings without a part in `parts`, which are switched off."""
    switched_on = {part.wing for part in parts}
    absent = (wing for wing in WINGS if wing.name not in switched_on)
    return tuple(wing.load(wing.without)() for wing in absent if wing.without)
