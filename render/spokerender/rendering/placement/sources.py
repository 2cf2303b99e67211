"""The table of placement sources: rules of one source may name spokes of another.

To add a source, write a module beside `static` and add its row to `SOURCES`: no other module names
the sources.
"""

from collections.abc import Iterable
from operator import attrgetter

from msgspec.structs import replace

from spokerender.config.base import Model
from spokerender.config.documents import duplicates, raise_results
from spokerender.model import Manifest
from spokerender.model.refs import PLACEMENT_LABEL
from spokerender.model.selectors import LABELLED
from spokerender.model.sources import File
from spokerender.rendering.placement import static
from spokerender.rendering.placement.source import PlacementSource
from spokerender.rendering.values.placement import Declarations, PlacementEntry

SOURCES: tuple[PlacementSource, ...] = (static.SOURCE,)


def follows_hub(declared: Declarations, manifests: Iterable[Manifest]) -> bool:
    """Return whether a rule, an override or a Gateway's label refers to a hub's Placement."""
    entries: tuple[PlacementEntry, ...] = (*declared.rules, *declared.overrides)
    # Most projects do neither, and never load the modules that decide Placements.
    return any(one.spokes.placement or one.spokes is LABELLED for one in entries) or any(
        PLACEMENT_LABEL in (manifest.object["metadata"].get("labels") or ())
        for manifest in manifests
        if manifest.ref.kind == "Gateway"
    )


def source_of(path: str) -> PlacementSource:
    """Return the source that reads a file: the first source if none has its suffix."""
    return next((source for source in SOURCES if path.endswith(source.suffixes)), SOURCES[0])


def list_suffixes() -> tuple[str, ...]:
    """Return the suffixes of all files that any source reads."""
    return tuple(suffix for source in SOURCES for suffix in source.suffixes)


def models() -> dict[str, type[Model]]:
    """Return the models of all YAML documents that any source reads, by kind."""
    return {kind: model for source in SOURCES for kind, model in source.models().items()}


def read_declarations(files: Iterable[File]) -> Declarations:
    """Return the joined declarations in the files of the placement, each read by its source.

    Raises `InputError` with all faults in any of the files.
    """
    files_of: dict[PlacementSource, list[File]] = {source: [] for source in SOURCES}
    for file in files:
        files_of[source_of(file[0])].append(file)
    declarations = [source.declare(own) for source, own in files_of.items()]
    results = [result for declaration in declarations for result in declaration.results]
    names = (name for declaration in declarations for name in declaration.names)
    raise_results((*results, *duplicates(names)))
    rules = (rule for declaration in declarations for rule in declaration.rules)
    overrides = (override for declaration in declarations for override in declaration.overrides)
    spokes = (spoke for declaration in declarations for spoke in declaration.spokes)
    return Declarations(
        spokes=tuple(sorted(spokes, key=attrgetter("name"))),
        rules=tuple(replace(rule, number=number) for number, rule in enumerate(rules)),
        overrides=tuple(
            replace(override, number=number) for number, override in enumerate(overrides)
        ),
    )
