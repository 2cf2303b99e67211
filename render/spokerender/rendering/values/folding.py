"""References to several hub gateways that become one gateway on a spoke, and so one reference."""

from collections.abc import Iterable, Iterator, Mapping

from spokerender.kinds.kind import Role
from spokerender.kinds.reference import Reference
from spokerender.model import FieldPath, PlacedGateway, Ref

Places = Mapping[Ref, PlacedGateway]
"""The gateways of a spoke by their identities on the hub."""


def find_folded(references: Iterable[Reference], placed: Places) -> Mapping[FieldPath, FieldPath]:
    """Return the list entries that repeat another entry on the spoke, each with that entry.

    Entries are given by their paths. Two entries repeat each other if they name different gateways
    of the hub that are one gateway on the spoke. A parent without a section or port covers an entry
    with a section or port: the API server refuses both together.
    """
    folded: dict[FieldPath, FieldPath] = {}
    by_place: dict[tuple[FieldPath, Ref], list[Reference]] = {}
    for reference in references:
        place = placed.get(reference.ref.whole)
        # Rendered gateways can't become one (`checks.collisions`), and only entries of a list can
        # repeat each other.
        if place is None or not place.existing or type(reference.path[-1]) is not int:
            continue
        others = by_place.setdefault((reference.path[:-1], place.ref), [])
        over = next((item for item in others if _covers(item, reference, placed)), None)
        if over is not None:
            folded[reference.path] = over.path
            continue
        under = [item for item in others if _covers(reference, item, placed)]
        folded.update((item.path, reference.path) for item in under)
        others[:] = [item for item in others if item not in under] + [reference]
    return {path: _last(folded, path) for path in folded}


def _last(folded: Mapping[FieldPath, FieldPath], path: FieldPath) -> FieldPath:
    # An entry that covers another may be covered itself, by a later and wider one.
    while path in folded:
        path = folded[path]
    return path


def _covers(one: Reference, other: Reference, placed: Places) -> bool:
    # Two entries for one gateway are also two on the hub.
    if one.ref.whole == other.ref.whole:
        return False
    mine, yours = _spoke_sections(one, placed), _spoke_sections(other, placed)
    if one.row.role is Role.PARENT:
        return mine in (frozenset(), yours) and one.port in (None, other.port)
    return mine == yours and one.port == other.port


def _spoke_sections(reference: Reference, placed: Places) -> frozenset[str]:
    return frozenset(map(placed[reference.ref.whole].section, reference.sections))


def pair_folded(
    links: Iterable[Reference], hub_links: Iterable[Reference], placed: Places
) -> Iterator[tuple[Reference, Reference]]:
    """Yield each reference on a spoke with every reference on the hub that it replaces."""
    hub_links = tuple(hub_links)
    folded = find_folded(hub_links, placed)
    left = (link for link in hub_links if link.path not in folded)
    pairs = {hub.path: (link, hub) for link, hub in zip(links, left, strict=False)}
    yield from pairs.values()
    for hub_link in hub_links if folded else ():
        if folded.get(hub_link.path) in pairs:
            yield pairs[folded[hub_link.path]][0], hub_link
