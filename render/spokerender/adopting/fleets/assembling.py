"""The objects of the hub: each as it is on most clusters, with the Gateways' names on the hub."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.adopting.fleets.values import (
    AssembledObject,
    Assembly,
    Form,
    GatewayPairing,
    GatheredCluster,
    HubGateway,
)
from spokerender.adopting.imports import edit_text
from spokerender.findings.phrasing import joined
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.fields import Edits, apply_edits, find_values
from spokerender.kinds.reference import GRANT
from spokerender.model import Ref, grouped
from spokerender.model.memo import remembered
from spokerender.model.refs import GATEWAY_API
from spokerender.model.slots import NAME, fill_ref
from spokerender.rendering.fleet_file import make_stand_in
from spokerender.topology.graph import Topology
from spokerender.topology.node import GATEWAY, Node
from spokerender.topology.reading import read_node

_ENOUGH = 0.5


class Nodes:
    """The facts about forms that decide what they hang on; two clusters may share a form."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.of: Callable[[Form], Node] = remembered(
            lambda form: read_node(form.ref, form.object, catalogue)
        )
        self.gateways_of = remembered(self._list_gateways)

    def _list_gateways(self, form: Form) -> frozenset[Ref]:
        """Return the Gateways that an object names; a Gateway names itself."""
        if (form.ref.group, form.ref.kind) == GATEWAY:
            return frozenset({form.ref})
        links = (link for link in self.of(form).attachments if link.selector is None)
        named = (link.ref.whole for link in links)
        return frozenset(ref for ref in named if (ref.group, ref.kind) == GATEWAY and ref.name)


class GatewayNames:
    """The names of Gateways: with a slot, where that is their name on more clusters."""

    def __init__(self, clusters: Sequence[GatheredCluster], nodes: Nodes) -> None:
        self._clusters = Counter[Ref]()
        for cluster in clusters:
            slotted = {ref for form in cluster.forms.values() for ref in nodes.gateways_of(form)}
            self._clusters.update(
                {*slotted, *(fill_ref(ref, {NAME: cluster.name}) for ref in slotted)}
            )

    def of(self, ref: Ref, cluster: str) -> Ref:
        """Return what a Gateway is called that an object of a cluster names."""
        filled = fill_ref(ref, {NAME: cluster})
        return ref if self._clusters[ref] > self._clusters[filled] else filled


class _NamedGateway(Struct, eq=False):
    """A Gateway, by which objects it is named, and whether it is there."""

    members: dict[str, Ref]
    attached: set[tuple[str, str]]
    absent: set[str]


def pair_gateways(
    clusters: Sequence[GatheredCluster], nodes: Nodes, names: GatewayNames
) -> GatewayPairing:
    """Join Gateways of one name, then those that clusters call otherwise, one to one.

    A Gateway of other clusters is the same where most objects that hang on the one hang on the
    other. Where two are as good, the Gateway stays apart.
    """
    groups: list[_NamedGateway] = []
    paired, unpaired = list[str](), list[str]()
    for item in _list_candidates(clusters, nodes, names):
        what = f"{_show(_most(item))} on {joined(sorted(item.members), 1)}"
        partners = _find_partners(item, groups)
        if len(partners) == 1:
            into = partners[0]
            paired.append(f"{what} is {_show(_most(into))}: the same hangs on it")
            into.members |= item.members
            into.absent |= item.absent
            into.attached |= item.attached
            continue
        if partners:
            choice = " or ".join(_show(_most(partner)) for partner in partners)
            unpaired.append(f"{what} may be {choice}: it stays apart")
        groups.append(item)
    return GatewayPairing(tuple(_name_groups(groups)), tuple(paired), tuple(unpaired))


def _list_candidates(
    clusters: Sequence[GatheredCluster], nodes: Nodes, names: GatewayNames
) -> list[_NamedGateway]:
    """Return the Gateways by name, those of most clusters first."""
    by_ref: dict[Ref, _NamedGateway] = {}
    for cluster in clusters:
        for form in cluster.forms.values():
            for slotted in nodes.gateways_of(form):
                ref = names.of(slotted, cluster.name)
                item = by_ref.setdefault(ref, _NamedGateway({}, set(), set()))
                item.members[cluster.name] = ref
                if slotted != form.ref:
                    item.attached.add((form.ref.kind, form.ref.name))
    for cluster in clusters:
        for item in by_ref.values():
            own = item.members.get(cluster.name)
            if own is not None and fill_ref(own, {NAME: cluster.name}) not in cluster.forms:
                item.absent.add(cluster.name)
    return sorted(
        by_ref.values(), key=lambda item: (-len(item.members), len(item.absent), _most(item))
    )


def _find_partners(item: _NamedGateway, groups: Sequence[_NamedGateway]) -> list[_NamedGateway]:
    """Return the groups that a Gateway may be of, on clusters that have none of these: the best."""
    apart = [group for group in groups if item.members.keys().isdisjoint(group.members)]
    shares = [
        len(item.attached & group.attached) / (min(len(item.attached), len(group.attached)) or 1)
        for group in apart
    ]
    best = max((_ENOUGH, *shares))
    return [group for group, share in zip(apart, shares, strict=True) if share == best]


def _most(item: _NamedGateway) -> Ref:
    """Return what most clusters call a Gateway that is there."""
    present = [ref for name, ref in item.members.items() if name not in item.absent]
    (ref, _), *_ = Counter(present or item.members.values()).most_common(1)
    return ref


def _name_groups(groups: Iterable[_NamedGateway]) -> Iterator[HubGateway]:
    """Yield the Gateways with names on the hub: those of most clusters, without the clusters'."""
    taken: set[Ref] = set()
    for item in groups:
        most = _most(item)
        namespace, name = (
            text.replace(NAME, "").strip("-.").replace("--", "-") or "gateway"
            for text in (most.namespace, most.name)
        )
        refs = (
            Ref(GATEWAY_API, "Gateway", namespace, f"{name}{suffix}")
            for suffix in ("", *(f"-{number}" for number in range(2, 1000)))
        )
        ref = next(ref for ref in refs if ref not in taken)
        taken.add(ref)
        yield HubGateway(ref, item.members, frozenset(item.absent))


def _show(ref: Ref) -> str:
    return str(ref).replace(NAME, "<cluster>")


class Assembler:
    """Finds out which objects of clusters are one of the hub, and what that says."""

    def __init__(
        self,
        gateways: Sequence[HubGateway],
        nodes: Nodes,
        names: GatewayNames,
        catalogue: Catalogue,
    ) -> None:
        self._gateways = gateways
        self._nodes = nodes
        self._names = names
        self._catalogue = catalogue
        self._known: dict[object, dict[str, Any]] = {}
        self._here: dict[str, frozenset[Ref]] = {}
        self._clusters_of = Counter[Ref]()

    def assemble(self, clusters: Sequence[GatheredCluster]) -> Assembly:
        """Return the hub of some clusters."""
        objects = {item.ref: AssembledObject(item.ref) for item in self._gateways}
        self._clusters_of = Counter(ref for cluster in clusters for ref in cluster.forms)
        for cluster in clusters:
            members = [item for item in self._gateways if cluster.name in item.members]
            here = {item.members[cluster.name]: item.ref for item in members}
            self._here[cluster.name] = frozenset(here.values())
            followers = self._find_followers(cluster, here)
            for exact, form in cluster.forms.items():
                ref = replace(exact, namespace=followers.get(exact, exact.namespace))
                if (exact.group, exact.kind) == GATEWAY:
                    ref = here[self._names.of(form.ref, cluster.name)]
                item = objects.setdefault(ref, AssembledObject(ref))
                if cluster.name not in item.forms:
                    item.forms[cluster.name] = form
                    item.contents[cluster.name] = self._rewrite(form, ref, cluster.name, here)
        for item in objects.values():
            if item.forms:
                self._choose(item)
        nodes = [read_node(ref, item.content, self._catalogue) for ref, item in objects.items()]
        for gateway in self._gateways:
            if not objects[gateway.ref].forms:
                links = (link for node in nodes for link in node.attachments)
                named = (link.sections for link in links if link.ref.whole == gateway.ref)
                sections = sorted({section for each in named for section in each})
                objects[gateway.ref].content = make_stand_in(gateway.ref, sections)
        topology = Topology(
            read_node(ref, item.content, self._catalogue) for ref, item in objects.items()
        )
        taken = {
            ref: item
            for ref, item in sorted(objects.items())
            if topology.ships_with(ref) or (ref.group, ref.kind) == GRANT
        }
        return Assembly(taken, Counter(ref.kind for ref in objects if ref not in taken))

    def _find_followers(
        self, cluster: GatheredCluster, here: Mapping[Ref, Ref]
    ) -> Mapping[Ref, str]:
        """Return the objects that move with a Gateway, and their namespaces on the hub."""
        moved = {
            fill_ref(own, {NAME: cluster.name}): hub.namespace
            for own, hub in here.items()
            if own.namespace != hub.namespace
        }
        following: dict[Ref, str] = dict(moved)
        added = bool(moved)
        while added:
            added = False
            for exact, form in cluster.forms.items():
                if exact in following:
                    continue
                links = (
                    fill_ref(link.ref.whole, {NAME: cluster.name})
                    for link in self._nodes.of(form).attachments
                )
                target = next(
                    (r for r in links if r in following and r.namespace == exact.namespace), None
                )
                if target is None or self._stays(exact, following[target]):
                    continue
                following[exact] = following[target]
                added = True
        return following

    def _stays(self, exact: Ref, namespace: str) -> bool:
        """Tell whether a route is where it is on other clusters, too, and not in a namespace."""
        is_route = self._catalogue.kind(exact.group, exact.kind).is_route
        there = self._clusters_of[replace(exact, namespace=namespace)]
        return is_route and self._clusters_of[exact] > 1 and not there

    def _rewrite(
        self, form: Form, ref: Ref, cluster: str, here: Mapping[Ref, Ref]
    ) -> dict[str, Any]:
        """Return an object of a cluster with its own identity, and Gateways', on the hub."""
        named = {own: here[self._names.of(own, cluster)] for own in self._nodes.gateways_of(form)}
        moved = here if (ref.group, ref.kind) == GRANT else named
        key = (id(form), ref, tuple(moved.items()))
        if key not in self._known:
            edits: Edits = {}
            if ref.namespace != form.ref.namespace:
                edits["metadata", "namespace"] = ref.namespace
            if ref.name != form.ref.name:
                edits["metadata", "name"] = ref.name
            for link in self._nodes.of(form).attachments:
                hub = named.get(link.ref.whole)
                if hub is None or (form.ref.group, form.ref.kind) == GATEWAY:
                    continue
                if hub.name != link.ref.name and link.name_path is not None:
                    edits[link.name_path] = hub.name
                own = link.ref.namespace if link.explicit_namespace else ref.namespace
                if hub.namespace != own and link.namespace_path is not None:
                    edits[link.namespace_path] = hub.namespace
            if (ref.group, ref.kind) == GRANT:
                edits |= _grant_edits(form.object, here)
            self._known[key] = apply_edits(form.object, edits)
        return self._known[key]

    def _choose(self, item: AssembledObject) -> None:
        """Let the hub have the form that fits most clusters, and that most have.

        A form fits a cluster whose own form names the same of the Gateways that are there.
        """
        alike = grouped((id(content), name) for name, content in item.contents.items()).values()
        texts = ((json.dumps(item.contents[names[0]], sort_keys=True), names) for names in alike)
        shared = [[name for names in each for name in names] for each in grouped(texts).values()]
        own = {name: self._list_gateways(form, name) for name, form in item.forms.items()}
        whole = {name for name, named in own.items() if not self._is_absent(name, named)}
        pairs = Counter((self._here[name], named) for name, named in own.items())

        def count_fitting(hub: frozenset[Ref]) -> int:
            return sum(number for (here, named), number in pairs.items() if hub & here == named)

        fitting = {hub: count_fitting(hub) for hub in set(own.values())}
        for names in shared:  # sections are those of the listeners that the hub has
            names.sort(key=lambda name: name not in whole)
        shared.sort(key=lambda n: (n[0] not in whole, -fitting[own[n[0]]], -len(n)))
        best = shared[0][0]
        item.content, item.source = item.contents[best], item.forms[best]

    def _is_absent(self, cluster: str, named: frozenset[Ref]) -> bool:
        """Tell whether a cluster has one of these Gateways from elsewhere, and others do not."""
        return any(
            cluster in item.absent and item.absent != item.members.keys()
            for item in self._gateways
            if item.ref in named
        )

    def _list_gateways(self, form: Form, cluster: str) -> frozenset[Ref]:
        """Return the Gateways of the hub that a form on a cluster names."""
        own = {self._names.of(ref, cluster) for ref in self._nodes.gateways_of(form)}
        return frozenset(item.ref for item in self._gateways if item.members.get(cluster) in own)


def write_object(item: AssembledObject) -> bytes:
    """Return an object's file, in the words of the cluster that it is from as far as they hold."""
    assert item.source is not None  # noqa: S101  (else no file is written)
    return edit_text(item.source.manifest, item.content_on_hub())


def _grant_edits(data: Mapping[str, Any], here: Mapping[Ref, Ref]) -> Edits:
    """Return the edits of the namespaces from which a ReferenceGrant lets Gateways name objects."""
    namespaces = {own.namespace: hub.namespace for own, hub in here.items()}
    return {
        (*path, "namespace"): namespaces[entry["namespace"]]
        for path, entry in find_values(data, "spec.from[]")
        if isinstance(entry, Mapping)
        and entry.get("kind") == "Gateway"
        and entry.get("namespace") in namespaces
    }
