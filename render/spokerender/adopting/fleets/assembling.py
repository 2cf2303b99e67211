"""Make the objects of the hub: with the content on most clusters, and the hub's Gateway names."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.adopting.fleets.gathering import AssembledObject, Form, GatheredCluster
from spokerender.findings.phrasing import joined
from spokerender.formats.comparing import fingerprint
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.fields import Edits, apply_edits
from spokerender.kinds.reference import GRANT
from spokerender.model import GATEWAY, Ref, grouped
from spokerender.model.memo import remembered
from spokerender.model.slots import NAME, fill
from spokerender.rendering.fleet_file import make_stand_in
from spokerender.topology.graph import Topology
from spokerender.topology.node import Node
from spokerender.topology.reading import read_node

_ENOUGH = 0.5
_GatewaysOf = Callable[[Form], frozenset[Ref]]


class _NamedGateway(Struct, eq=False):
    """A Gateway: `names` are its identities by cluster, `present` those where it really exists."""

    names: dict[str, Ref]
    present: list[Ref]
    attached: set[tuple[str, str]]

    def most(self) -> Ref:
        """Return the most common identity on clusters that have it; if none has it, on all."""
        (ref, _), *_ = Counter(self.present or self.names.values()).most_common(1)
        return ref

    def __str__(self) -> str:
        return str(self.most()).replace(NAME, "<cluster>")


def pair_gateways(
    clusters: Iterable[GatheredCluster], gateways_of: _GatewaysOf
) -> tuple[list[AssembledObject], list[str], list[str]]:
    """Join Gateways with one name, then Gateways that clusters name differently, one to one.

    Gateways of different clusters are joined if most objects attached to the one are attached to
    the other. If two fit equally well, the Gateway is not joined. Returns the Gateways, and
    messages about those that are joined and those that are not.
    """
    groups: list[_NamedGateway] = []
    paired, unpaired = list[str](), list[str]()
    for item in _list_candidates(clusters, gateways_of):
        partners = _find_partners(item, groups)
        who = f"{item} on {joined(sorted(item.names), 1)}"
        if len(partners) == 1:
            (into,) = partners
            paired.append(f"{who} is {into}: the same hangs on it")
            into.names |= item.names
            into.present += item.present
            into.attached |= item.attached
            continue
        if partners:
            unpaired.append(f"{who} may be {' or '.join(map(str, partners))}: it stays apart")
        groups.append(item)
    return list(_name_groups(groups)), paired, unpaired


def _list_candidates(
    clusters: Iterable[GatheredCluster], gateways_of: _GatewaysOf
) -> list[_NamedGateway]:
    """Return the clusters' Gateways, joined by name; names on most clusters come first."""
    by_ref: dict[Ref, _NamedGateway] = {}
    for cluster in clusters:
        for form in cluster.forms.values():
            for ref in gateways_of(form):
                item = by_ref.setdefault(ref, _NamedGateway({}, [], set()))
                item.names[cluster.name] = ref
                if ref == form.ref:
                    item.present.append(ref)
                else:
                    item.attached.add((form.ref.kind, form.ref.name))
    return sorted(by_ref.values(), key=lambda item: (-len(item.names), item.most()))


def _find_partners(item: _NamedGateway, groups: Sequence[_NamedGateway]) -> list[_NamedGateway]:
    """Return groups on other clusters whose attached objects are most like those of a Gateway."""
    apart = [group for group in groups if item.names.keys().isdisjoint(group.names)]
    shares = [
        len(item.attached & group.attached) / (min(len(item.attached), len(group.attached)) or 1)
        for group in apart
    ]
    best = max((_ENOUGH, *shares))
    return [group for group, share in zip(apart, shares, strict=True) if share == best]


def _name_groups(groups: Iterable[_NamedGateway]) -> Iterator[AssembledObject]:
    """Yield Gateways of the hub, each with a unique name, made from its most common name."""
    taken: set[Ref] = set()
    for item in groups:
        most = item.most()
        namespace, name = (
            text.replace(NAME, "").strip("-.").replace("--", "-") or "gateway"
            for text in (most.namespace, most.name)
        )
        suffixes = ("", *(f"-{number}" for number in range(2, 1000)))
        refs = (Ref(*GATEWAY, namespace, f"{name}{suffix}") for suffix in suffixes)
        ref = next(ref for ref in refs if ref not in taken)
        taken.add(ref)
        yield AssembledObject(ref, item.names)


class Assembly:
    """The hub of some clusters; `objects` has everything that belongs to a Gateway, by identity.

    `paired` and `unpaired` are messages about Gateways that were joined, and that could not be.
    `left` counts the objects that belong to no Gateway, by kind.
    """

    def __init__(self, clusters: Sequence[GatheredCluster], catalogue: Catalogue) -> None:
        """Join the clusters' objects to objects of the hub, and choose the content of each."""
        self.read: Callable[[Form], Node] = remembered(
            lambda form: read_node(form.ref, form.object, catalogue)
        )
        self.gateways_of = remembered(self._list_gateways)
        self.gateways, self.paired, self.unpaired = pair_gateways(clusters, self.gateways_of)
        self._text = remembered(lambda form: fingerprint(form.object))
        self._here: dict[str, Mapping[Ref, Ref]] = {}
        """For each cluster: the hub's Gateways by their identity on the cluster."""
        objects = {item.ref: item for item in self.gateways}
        for cluster in clusters:
            name = cluster.name
            here = {item.names[name]: item.ref for item in self.gateways if name in item.names}
            self._here[name] = here
            # What is in the namespace of a Gateway moves with it.
            moved = {fill(own.namespace, {NAME: name}): ref.namespace for own, ref in here.items()}
            for exact, form in cluster.forms.items():
                followed = replace(exact, namespace=moved.get(exact.namespace, exact.namespace))
                ref = here.get(form.ref, exact if followed in cluster.forms else followed)
                objects.setdefault(ref, AssembledObject(ref)).forms.setdefault(name, form)
        for item in objects.values():
            if item.forms:
                self._choose(item)
        nodes = [read_node(ref, it.content, catalogue) for ref, it in objects.items() if it.forms]
        for item in self.gateways:
            if not item.forms:
                links = (link for node in nodes for link in node.attachments)
                named = (link.sections for link in links if link.ref.whole == item.ref)
                item.content = make_stand_in(item.ref, sorted({s for each in named for s in each}))
                nodes.append(read_node(item.ref, item.content, catalogue))
        ships = Topology(nodes).ships_with
        self.objects = {
            ref: item
            for ref, item in sorted(objects.items())
            if ships(ref) or (ref.group, ref.kind) == GRANT
        }
        self.left = Counter(ref.kind for ref in objects if ref not in self.objects)

    def _list_gateways(self, form: Form) -> frozenset[Ref]:
        """Return the Gateways that an object refers to; a Gateway refers to itself."""
        if (form.ref.group, form.ref.kind) == GATEWAY:
            return frozenset({form.ref})
        links = (link for link in self.read(form).attachments if link.selector is None)
        named = (link.ref.whole for link in links)
        return frozenset(ref for ref in named if (ref.group, ref.kind) == GATEWAY and ref.name)

    def _choose(self, item: AssembledObject) -> None:
        """Choose the form of `item` for the hub: one that fits most clusters, or the most frequent.

        A form fits a cluster if, of the Gateways there, it refers to the same ones as the cluster's
        own form. Forms from clusters that have all of their Gateways come first, as only they have
        the names of the hub's listeners.
        """
        own = {
            name: frozenset(self._here[name][gateway] for gateway in self.gateways_of(form))
            for name, form in item.forms.items()
        }
        fitting = {
            hub: sum(hub.intersection(self._here[name].values()) == it for name, it in own.items())
            for hub in set(own.values())
        }
        whole = {
            name: all(name in it.forms or not it.forms for it in self.gateways if it.ref in named)
            for name, named in own.items()
        }
        texts = (((self._text(form), whole[name]), name) for name, form in item.forms.items())
        alike = sorted(
            grouped(texts).values(),
            key=lambda names: (not whole[names[0]], -fitting[own[names[0]]], -len(names)),
        )
        best = alike[0][0]
        item.source = item.forms[best]
        item.content = self._rewrite(item.source, item.ref, self._here[best])

    def _rewrite(self, form: Form, ref: Ref, here: Mapping[Ref, Ref]) -> dict[str, Any]:
        """Return a cluster's object as `ref`, with references to Gateways named as on the hub."""
        edits: Edits = {}
        if ref.namespace != form.ref.namespace:
            edits["metadata", "namespace"] = ref.namespace
        if ref.name != form.ref.name:
            edits["metadata", "name"] = ref.name
        for link in self.read(form).attachments:
            hub = here.get(link.ref.whole)
            if hub is None or (form.ref.group, form.ref.kind) == GATEWAY:
                continue
            if hub.name != link.ref.name and link.name_path is not None:
                edits[link.name_path] = hub.name
            own = link.ref.namespace if link.explicit_namespace else ref.namespace
            if hub.namespace != own and link.namespace_path is not None:
                edits[link.namespace_path] = hub.namespace
        content: dict[str, Any] = apply_edits(form.object, edits)
        return content
