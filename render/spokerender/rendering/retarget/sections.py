"""Sections of the gateways that a spoke has of its own."""

from collections.abc import Iterable

from spokerender.kinds.fields import Edits
from spokerender.kinds.kind import SECTIONS
from spokerender.kinds.reference import Reference
from spokerender.model import PlacedGateway
from spokerender.rendering.retarget.links import Link
from spokerender.topology.node import GATEWAY


def section_edits(links: Iterable[Link]) -> tuple[Edits, tuple[tuple[Reference, str], ...]]:
    """Return the edits that name the spoke's listeners, and each reference that can't do so.

    Beside such a reference is the section: one that no listener of the spoke stands for, or that
    several gateways of a selector call differently.
    """
    changes: Edits = {}
    faults: list[tuple[Reference, str]] = []
    for link in links:
        reference = link.reference
        if not link.on or (reference.ref.group, reference.ref.kind) != GATEWAY:
            continue
        faults += ((reference, name) for name in reference.sections if _has_no_one_name(name, link))
        sections = tuple(map(link.on[0].section, reference.sections))
        if sections != reference.sections:
            key = reference.row.section
            value = list(dict.fromkeys(sections)) if key == SECTIONS else sections[0]
            changes[(*reference.path, key)] = value
    return changes, tuple(faults)


def _has_no_one_name(section: str, link: Link) -> bool:
    names = {place.section(section) for place in link.on}
    return len(names) > 1 or any(is_taken(place, section) for place in link.on)


def is_taken(place: PlacedGateway, section: str) -> bool:
    """Return whether the listener of that name on the spoke stands only for others of the hub."""
    return section not in place.hub_sections(place.section(section))
