"""What an engine obeys in an object must not part the tree from what is on the spoke.

The marks are rows of what reads the tree (`kinds.marks`): refused is what keeps an object
off its spoke or gives it another name, told what else is done to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.findings.codes.shipping import MARKED, NOT_APPLIED
from spokerender.findings.results import Result
from spokerender.kinds.marks import Marked, Marks
from spokerender.model import Manifest, shown
from spokerender.model.asking import ask
from spokerender.rendering.values.placement import Override
from spokerender.topology.hub import Hub


def marks_of(data: Mapping[str, Any], marks: Marks) -> frozenset[Marked]:
    """The marks that an object has and that do something."""
    metadata = data.get("metadata")
    return (
        frozenset(marks.obeyed_in(metadata, ask)) if isinstance(metadata, Mapping) else frozenset()
    )


def marked(manifest: Manifest, marks: Mapping[Marked, Override | None]) -> tuple[Result, ...]:
    """What is told of an object's marks, each with the override that set it.

    None stands for the hub, a rule or a stage; an object that a stage made is told by its own name.
    """
    in_order = sorted(marks, key=lambda each: (each.field, each.key, each.mark.effect))
    return tuple(_told(manifest, each, marks[each]) for each in in_order)


def _told(manifest: Manifest, each: Marked, override: Override | None) -> Result:
    if each.mark.is_refused:
        kind, cure = NOT_APPLIED, "take it out, or the object out of the hub"
    else:
        cure = "take it out; or accept it under spec.suppressions of fleet.yaml, if it is meant"
        kind = MARKED
    place = shown(("metadata", each.field, each.key))
    return kind.result(
        each.mark.effect if override is None else f"{place}: {each.mark.effect}",
        cure=cure,
        resource=manifest.ref,
        field=place if override is None else override.field,
        origin=manifest.origin if override is None else override.origin,
    )


def marked_namespaces(hub: Hub) -> Iterator[Result]:
    """What is told of the hub's Namespaces, of which rendered ones have the annotations."""
    for manifest in hub.manifests:
        if (manifest.ref.group, manifest.ref.kind) == ("", "Namespace"):
            marks = marks_of(manifest.object, hub.catalogue.marks)
            refused = (each for each in marks if each.mark.is_refused)
            yield from marked(manifest, dict.fromkeys(refused))
