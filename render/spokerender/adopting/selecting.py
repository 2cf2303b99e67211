"""Select the objects of files that belong to Gateways, and list their kinds."""

from collections.abc import Collection, Iterator, Sequence

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import EXPERIMENTAL, Role
from spokerender.kinds.needs import list_needed_objects
from spokerender.kinds.table import find_row
from spokerender.model import GATEWAY, GATEWAY_API, NAMESPACE, Manifest, Ref, kind_name
from spokerender.model.refs import GroupKind
from spokerender.topology.graph import Topology
from spokerender.topology.hub import lacks_namespace
from spokerender.topology.node import PARENTS
from spokerender.topology.objects import find_ref_fault, is_never_shipped
from spokerender.topology.reading import read_node

EVERY_KIND = "all"


class Selection:
    """The objects of some files that belong to Gateways, and the objects that these need."""

    def __init__(self, manifests: Sequence[Manifest], catalogue: Catalogue) -> None:
        """Read the references between the objects; their identities must be unique."""
        self._catalogue = catalogue
        self._objects = {manifest.ref: manifest.object for manifest in manifests}
        self._topology = Topology(read_node(m.ref, m.object, catalogue) for m in manifests)

    def select(self, kinds: Collection[str]) -> set[Ref]:
        """Return the objects of some kinds; without kinds, the objects that belong to Gateways.

        These are all objects of the Gateway API, all policies of known kinds, everything attached
        to a Gateway, the objects that these refer to and can't work without, and their Namespaces.
        """
        if kinds:
            names = {kind_name(ref.group, ref.kind): ref for ref in self._objects}
            chosen = {name for name in names if not {name, EVERY_KIND}.isdisjoint(kinds)}
            return {ref for ref in self._objects if kind_name(ref.group, ref.kind) in chosen}
        taken = {ref for ref in self._objects if self._belongs(ref)}
        ahead = [*taken]
        while ahead:
            more = {ref for ref in self._list_carried(ahead.pop()) if ref not in taken}
            taken |= more
            ahead += more
        namespaces = {Ref(*NAMESPACE, "", ref.namespace) for ref in taken}
        return taken | namespaces.intersection(self._objects)

    def _belongs(self, ref: Ref) -> bool:
        row = find_row(ref.group, ref.kind)
        return (
            ref.group in {GATEWAY_API, EXPERIMENTAL}
            or self._attaches(ref)
            or (row is not None and row.is_inventory)
        )

    def _attaches(self, ref: Ref) -> bool:
        """Return whether an object is attached to a Gateway, or is of a kind made to be attached.

        If it only selects pods by labels, it must select the pods of a Gateway.
        """
        return bool(_is_made_to_attach(ref) or self._topology.ships_with(ref))

    def _list_carried(self, ref: Ref) -> Iterator[Ref]:
        """Yield the existing objects that an object refers to and can't work without."""
        node = self._topology.nodes[ref]
        links = (link for link in node.references if link.row.role.carries)
        named = (other for link in links for other in self._topology.carried(node, link))
        kind, data = self._catalogue.kind(ref.group, ref.kind), self._objects[ref]
        needed = (item.ref for item in list_needed_objects(kind.needs, data, ref.namespace))
        yield from (other for other in (*named, *needed) if other in self._objects)

    def list_followers(self) -> tuple[list[GroupKind], list[GroupKind]]:
        """Return the kinds that ship with a Gateway, and the kinds that only these kinds need."""
        attached, needed = set[GroupKind](), set[GroupKind]()
        for ref in self._objects:
            identity = (ref.group, ref.kind)
            if identity == GATEWAY or is_never_shipped(ref) or not self._attaches(ref):
                continue
            is_carried = not _is_made_to_attach(ref) and self._topology.carrying(ref)
            (needed if is_carried else attached).add(identity)
        return sorted(attached - needed), sorted(needed)

    def list_missing(self) -> dict[Ref, tuple[str, ...]]:
        """Return the Gateways and routes that objects attach to and no file has, with the sections.

        An object without a namespace counts as the target of any reference with its kind and name.
        """
        sections: dict[Ref, set[str]] = {}
        nodes = self._topology.nodes
        unplaced = {(r.kind, r.name) for r, o in self._objects.items() if lacks_namespace(r, o)}
        for ref in filter(self._attaches, self._objects):
            for link in nodes[ref].attachments:
                target = link.ref.whole
                kind = (target.group, target.kind)
                is_meant = kind in PARENTS or self._catalogue.kind(*kind).is_route
                is_here = target in nodes or (target.kind, target.name) in unplaced
                is_named = not (link.selector or link.label or find_ref_fault(target))
                if is_meant and is_named and not is_here:
                    sections.setdefault(target, set()).update(link.sections)
        return {ref: tuple(sorted(names)) for ref, names in sorted(sections.items())}


def _is_made_to_attach(ref: Ref) -> bool:
    """Return whether objects of `ref`'s kind attach by references, other than to labels of pods."""
    row = find_row(ref.group, ref.kind)
    roles = {rule.role for rule in row.references if rule.role.ships} if row else set()
    return not roles <= {Role.LABEL, Role.PEER}
