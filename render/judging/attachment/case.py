"""What a rule looks at: one policy, what its references lead to, and all that is around it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from render.judging.attachment.definitions import Definition
from render.judging.attachment.model import Subject, Truth
from render.kinds import (
    Controller,
    NamespaceRule,
    Reference,
    Role,
    Sections,
    Targetless,
    found,
    read,
    references,
)
from render.kinds.references import ROOT_NAMESPACE, WHOLE_NAMESPACE
from render.kinds.table import TABLE
from render.model import GATEWAY_API, Ref
from render.topology import (
    PARENTS,
    Node,
    Topology,
    backend_paths,
    controller_of,
    filters_of,
    listener_paths,
    rule_paths,
)

GATEWAY_CLASS = (GATEWAY_API, "GatewayClass")
_SERVICE = ("", "Service")
_LOCAL = (NamespaceRule.NONE, NamespaceRule.EMPTY, NamespaceRule.OWN)
_OURS = PARENTS | {(kind.group, kind.kind) for kind in TABLE if kind.is_route}


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What a cluster may have though no file tells of it: everything but gateways and routes.

    Gateways, ListenerSets and routes that are not among the objects are not there, unless they
    are declared to be (`external`). Labels of external ones are in no file either.
    """

    external: frozenset[Ref] = frozenset()

    def __contains__(self, ref: object) -> bool:
        """Whether an object that is not among the files may be there all the same."""
        if not isinstance(ref, Ref):
            return False
        return ref.whole in self.external or (ref.group, ref.kind) not in _OURS


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """All that is around the policies of one topology.

    `reach` tells which gateways requests to a target come through. `objects` are those whose
    content is looked at: Services, for their ports, and ConfigMaps. `unseen` has what may be there
    though it is not in the topology. `defined` are the CRDs that are known. `namespaces` is the
    topology that has the Namespaces, and perhaps GatewayClasses, if it is another one. `existing`
    are the gateways that the cluster has of its own: their labels are in no file.
    """

    topology: Topology
    reach: Mapping[Ref, frozenset[Ref]]
    objects: Mapping[Ref, Mapping[str, Any]]
    unseen: Container[Ref]
    defined: Mapping[tuple[str, str], Definition]
    namespaces: Topology | None = None
    existing: frozenset[Ref] = frozenset()

    def controller(self, gateway: Ref) -> Controller:
        """The controller of a Gateway, as far as files tell."""
        node = self.topology.nodes.get(gateway)
        gateway_class = node.gateway_class if node is not None else ""
        return controller_of(self.topology, gateway_class, self.namespaces)

    @property
    def unlabelled(self) -> frozenset[Ref]:
        """What is or may be there with labels that nobody can tell of."""
        external = self.unseen.external if isinstance(self.unseen, Elsewhere) else frozenset()
        return self.existing | (external - self.topology.nodes.keys())


@dataclass(frozen=True, slots=True)
class Target:
    """One target that a policy's reference leads to, with its section.

    `state` is UNKNOWN where only the spoke can tell whether it is there. `why` says what is wrong
    with one that is FALSE, or what has to be for one that is UNKNOWN. `is_granted` is not set where
    it is in another namespace, and no ReferenceGrant there says that it may be named.
    """

    link: Reference
    ref: Ref
    state: Truth = Truth.TRUE
    why: str = ""
    is_granted: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One policy with its targets."""

    subject: Subject
    targets: tuple[Target, ...]
    around: Surroundings

    @property
    def spec(self) -> Mapping[str, Any]:
        """The policy's `spec`; empty where it is not a mapping."""
        spec = self.subject.object.get("spec")
        return spec if isinstance(spec, Mapping) else {}

    @property
    def definition(self) -> Definition | None:
        """The CRD of its kind, if it is known."""
        return self.around.defined.get((self.subject.kind.group, self.subject.kind.kind))

    @property
    def attached(self) -> tuple[Target, ...]:
        """The targets that are there, or may be."""
        return tuple(target for target in self.targets if target.state is not Truth.FALSE)

    @property
    def gateways(self) -> frozenset[Ref]:
        """The Gateways that it reaches by its targets; by the whole where a section is a port."""
        reach, refs = self.around.reach, [target.ref for target in self.attached]
        nothing = frozenset[Ref]()
        return nothing.union(*(reach.get(ref, reach.get(ref.whole, nothing)) for ref in refs))


def reach(topology: Topology, namespaces: Topology | None) -> dict[Ref, frozenset[Ref]]:
    """For everything that a policy may hang on, the Gateways that requests to it come through.

    Only what is admitted counts: `allowedRoutes`, `allowedListeners` and hostnames decide
    (`render.topology.rule_paths`). A Gateway reaches itself though it has no listener.
    """
    gateways: dict[Ref, set[Ref]] = {ref: {ref} for ref in topology.gateways}
    for ref in topology.gateways:
        for name in (ref.namespace, ROOT_NAMESPACE):
            gateways.setdefault(Ref("", "Namespace", "", name), set()).add(ref)
    for path in (
        *listener_paths(topology, namespaces),
        *rule_paths(topology, namespaces),
        *backend_paths(topology, namespaces),
    ):
        for level in (*path.levels, *filters_of(topology, path)):
            gateways.setdefault(level, set()).add(path.gateway)
    return {ref: frozenset(gateways_of) for ref, gateways_of in gateways.items()}


def case(subject: Subject, around: Surroundings) -> Case:
    """Follow a policy's references."""
    links = references(subject.kind, subject.object, subject.ref.namespace)
    targets = [target for link in links for target in _targets(link, subject, around)]
    if subject.kind.targetless is Targetless.FILTER:
        targets += [Target(link, subject.ref) for link in _filtered(subject.ref, around.topology)]
    return Case(subject, tuple(dict.fromkeys(targets)), around)


def _filtered(policy: Ref, topology: Topology) -> Iterator[Reference]:
    """The references of routes that name a policy as a filter: there it is its own target."""
    for route in topology.carriers(policy):
        for link in topology.nodes[route].references:
            if link.row.role is Role.FILTER and link.ref.whole == policy:
                yield link


def _targets(link: Reference, subject: Subject, around: Surroundings) -> Iterator[Target]:
    if link.row == WHOLE_NAMESPACE:
        yield Target(link, Ref("", "Namespace", "", subject.ref.namespace))
        return
    match link.row.role:
        case Role.TARGET:
            yield from _named(link, subject, around)
        case Role.SELECTOR:
            yield from _selected(link, subject, around)
        case Role.LABEL if link.selector is not None:
            yield from _selected(link, subject, around)
        case Role.LABEL:
            is_there = link.ref in around.topology.nodes
            why = "" if is_there else f"the spoke has to have {link.ref}"
            yield Target(link, link.ref, Truth.TRUE if is_there else Truth.UNKNOWN, why)


def _named(link: Reference, subject: Subject, around: Surroundings) -> Iterator[Target]:
    whole = link.ref.whole
    is_local = link.row.namespace in _LOCAL
    is_granted = is_local or around.topology.permits(subject.ref, whole)
    node = around.topology.nodes.get(whole)
    for section in _sections(link):
        ref = replace(whole, section_name=section)
        if node is not None:
            why = _missing_section(node, section, link, subject, around)
            yield Target(link, ref, Truth.FALSE if why else Truth.TRUE, why, is_granted)
        elif whole in around.unseen:
            yield Target(link, ref, Truth.UNKNOWN, f"the spoke has to have {whole}", is_granted)
        else:
            yield Target(link, ref, Truth.FALSE, f"{whole} is not there", is_granted)


def _sections(link: Reference) -> tuple[str, ...]:
    """The sections that a reference is for; a port counts as one. The whole is the empty name."""
    return link.sections or ("" if link.port is None else str(link.port),)


def _missing_section(
    node: Node, section: str, link: Reference, subject: Subject, around: Surroundings
) -> str:
    """What is wrong with a section name, or nothing; where sections are unknown, all is well."""
    known, noun = sections_of(node, subject, around)
    if not section or link.port is not None or known is None or section in known:
        return ""
    has = ", ".join(f'"{name}"' for name in dict.fromkeys(known)) or "none"
    return f'{node.ref} has no {noun} "{section}" (it has {has})'


def sections_of(
    node: Node, subject: Subject, around: Surroundings
) -> tuple[tuple[str, ...] | None, str]:
    """The names that a section of it may have, None if unknown, and what its sections are called.

    Those of a Service are its ports' names (GEP-2648); agentgateway takes their numbers too.
    """
    if (node.ref.group, node.ref.kind) == _SERVICE:
        data = around.objects.get(node.ref)
        if data is None:
            return None, "port"
        ports = [port for _, port in found(data, "spec.ports[]")]
        names = (read(port, (key,)) for port in ports for key in ("name", "port"))
        return tuple(str(name) for name in names if name is not None), "port"
    by_place = subject.kind.controller.sections is Sections.POSITIONAL
    return node.named_sections(by_place=by_place), "rule" if node.is_route else "listener"


def _selected(link: Reference, subject: Subject, around: Surroundings) -> Iterator[Target]:
    refs = sorted(around.topology.targets(link))
    for ref in refs:
        is_granted = around.topology.permits(subject.ref, ref)
        why = "" if is_granted else f"no ReferenceGrant in {ref.namespace} lets it select {ref}"
        for section in _sections(link):
            state = Truth.TRUE if is_granted else Truth.FALSE
            yield Target(link, replace(ref, section_name=section), state, why, is_granted)
    if not refs:
        labels = str(link.selector.labels) if link.selector is not None else ""
        kind = f"{link.ref.kind} has the labels that it selects ({labels or 'any'})"
        if _may_be_labelled(link, around):
            yield Target(link, link.ref, Truth.UNKNOWN, f"the spoke has to know which {kind}")
        else:
            yield Target(link, link.ref, Truth.FALSE, f"no {kind}")


def _may_be_labelled(link: Reference, around: Surroundings) -> bool:
    """Whether there may be something with these labels all the same.

    Labels are in no file of what only the spoke has: a gateway of its own, say, or a route of the
    hub that is not shipped.
    """
    kind, selector = link.ref, link.selector
    return kind in around.unseen or any(
        selector is not None
        and selector.admits_namespace(
            kind.namespace, ref.namespace, around.topology.labels_of_namespace(ref.namespace)
        )
        for ref in around.unlabelled
        if (ref.group, ref.kind) == (kind.group, kind.kind)
    )
