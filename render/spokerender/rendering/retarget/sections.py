"""Sections of gateways that a spoke has of its own, and references that become one there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from spokerender.kinds.fields import Edits
from spokerender.kinds.kind import SECTIONS, Role
from spokerender.kinds.reference import Reference
from spokerender.model import FieldPath, PlacedGateway, Ref
from spokerender.rendering.retarget.links import Link, Placed
from spokerender.topology.node import GATEWAY

Key = tuple[FieldPath, Ref]


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


def find_folded(references: Iterable[Reference], placed: Placed) -> Mapping[FieldPath, FieldPath]:
    """Return the paths of list entries that repeat others on a spoke, and those of the others.

    They name different gateways of the hub that are one there. A parent without a section, or a
    port, has those with one in it: the API server refuses it beside them.
    """
    folded: dict[FieldPath, FieldPath] = {}
    kept: dict[Key, list[Reference]] = {}
    for reference in references:
        place = placed.get(reference.ref.whole)
        if place is None or not place.existing or type(reference.path[-1]) is not int:
            continue
        others = kept.setdefault((reference.path[:-1], place.ref), [])
        over = next((item for item in others if _covers(item, reference, placed)), None)
        if over is not None:
            folded[reference.path] = over.path
            continue
        under = [item for item in others if _covers(reference, item, placed)]
        folded.update((item.path, reference.path) for item in under)
        others[:] = [item for item in others if item not in under] + [reference]
    return {path: _last(folded, path) for path in folded}


def _last(folded: Mapping[FieldPath, FieldPath], path: FieldPath) -> FieldPath:
    while path in folded:
        path = folded[path]
    return path


def _covers(one: Reference, other: Reference, placed: Placed) -> bool:
    if one.ref.whole == other.ref.whole:
        return False
    mine, yours = _spoke_sections(one, placed), _spoke_sections(other, placed)
    if one.row.role is Role.PARENT:
        return mine in (frozenset(), yours) and one.port in (None, other.port)
    return mine == yours and one.port == other.port


def _spoke_sections(reference: Reference, placed: Placed) -> frozenset[str]:
    return frozenset(map(placed[reference.ref.whole].section, reference.sections))


def pair_folded(
    links: Iterable[Reference], hub_links: Iterable[Reference], placed: Placed
) -> Iterator[tuple[Reference, Reference]]:
    """Pair the references of a spoke with those on the hub; one may have become of several."""
    hub_links = tuple(hub_links)
    folded = find_folded(hub_links, placed)
    left = (link for link in hub_links if link.path not in folded)
    pairs = {hub.path: (link, hub) for link, hub in zip(links, left, strict=False)}
    yield from pairs.values()
    for hub_link in hub_links if folded else ():
        if folded.get(hub_link.path) in pairs:
            yield pairs[folded[hub_link.path]][0], hub_link
