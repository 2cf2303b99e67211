"""What a rule looks at: one policy, what its references lead to, and all that is around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.attachment.definitions import Definition
from spokerender.judging.attachment.model import Subject, Truth
from spokerender.judging.attachment.surroundings import Surroundings
from spokerender.kinds import (
    NamespaceRule,
    Reference,
    Role,
    Sections,
    Targetless,
    found,
    read,
    references,
)
from spokerender.kinds.paths import segments
from spokerender.kinds.references import WHOLE_NAMESPACE
from spokerender.model import GATEWAY_API, Ref
from spokerender.model.shapes import as_mapping
from spokerender.topology.graph import Topology
from spokerender.topology.node import Node

GATEWAY_CLASS = (GATEWAY_API, "GatewayClass")
_SERVICE = ("", "Service")
_LOCAL = (NamespaceRule.NONE, NamespaceRule.EMPTY, NamespaceRule.OWN)


class Target(Struct, frozen=True):
    """One target that a policy's reference leads to, with its section.

    `state` is UNKNOWN where only the spoke can tell whether it is there. `why` says what is wrong
    with one that is FALSE, or what has to be for one that is UNKNOWN. `is_granted` is not set where
    it is in another namespace, and no ReferenceGrant there says that it may be named. `is_foreign`
    is set where it is there, and its gateways are those of another controller.
    """

    link: Reference
    ref: Ref
    state: Truth = Truth.TRUE
    why: str = ""
    is_granted: bool = True
    is_foreign: bool = False


class Case(Struct, frozen=True, eq=False):
    """One policy with its targets."""

    subject: Subject
    targets: tuple[Target, ...]
    around: Surroundings

    @property
    def spec(self) -> Mapping[str, Any]:
        """The policy's `spec`; empty where it is not a mapping."""
        return as_mapping(self.subject.object.get("spec"))

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
        """The Gateways that it reaches by its targets, of those that its controller looks at."""
        nothing, around = frozenset[Ref](), self.around
        reached = nothing.union(*(around.reached(target.ref) for target in self.attached))
        return frozenset(ref for ref in reached if around.looks_at(self.subject.kind, ref))


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
            foreign = "" if why else around.foreign(subject.kind, ref)
            state = Truth.FALSE if why or foreign else Truth.TRUE
            yield Target(link, ref, state, why or foreign, is_granted, bool(foreign))
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
    if link.port is not None and node.listeners:
        ports = {each.port for each in node.listeners}
        return "" if link.port in ports else f"{node.ref} has no listener on port {link.port}"
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
    if node.ports:
        return tuple(str(each) for port in node.ports for each in port if each), "port"
    by_place = subject.kind.controller.sections is Sections.POSITIONAL
    return node.named_sections(by_place=by_place), "rule" if node.is_route else "listener"


def _selected(link: Reference, subject: Subject, around: Surroundings) -> Iterator[Target]:
    refs = sorted(around.topology.targets(link))
    for ref in refs:
        is_granted = around.topology.permits(subject.ref, ref)
        ungranted = f"no ReferenceGrant in {ref.namespace} lets it select {ref}"
        node = around.topology.nodes[ref]
        for section in _sections(link):
            missing = _missing_section(node, section, link, subject, around)
            why = missing if is_granted else ungranted
            foreign = "" if why else around.foreign(subject.kind, ref)
            state = Truth.FALSE if why or foreign else Truth.TRUE
            target = replace(ref, section_name=section)
            yield Target(link, target, state, why or foreign, is_granted, bool(foreign))
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
            kind.namespace, ref.namespace, around.topology.labels_of_namespace(ref.namespace).values
        )
        for ref in around.unlabelled
        if (ref.group, ref.kind) == (kind.group, kind.kind)
    )


def said(case: Case) -> object:
    """What a policy says, without whom it says it to: equal where it does not matter who wins."""
    naming = {
        segments(rule.path)[:2][-1]
        for rule in case.subject.kind.references
        if rule.role in (Role.TARGET, Role.SELECTOR, Role.LABEL)
    }
    return {key: value for key, value in case.spec.items() if key not in naming}


def layer(case: Case, ref: Ref) -> int:
    """Which layer of the hierarchy a target is in, from the class (0) down to backends (3)."""
    if (ref.group, ref.kind) == GATEWAY_CLASS:
        return 0
    node = case.around.topology.nodes.get(ref.whole)
    if node is not None and (node.is_gateway or node.listeners):
        return 1
    return 2 if node is not None and node.is_route else 3
