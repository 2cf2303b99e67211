"""The input of the rules of policy attachment: a policy, its targets, and their cluster."""

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.judging.attachment.crd_rules import PolicyDefinition
from spokerender.judging.attachment.statuses import (
    Elsewhere,
    HoldsRule,
    Subject,
    Truth,
    is_known_from_files,
)
from spokerender.kinds.fields import find_opened, split_pattern
from spokerender.kinds.kind import Controller, Kind, NamespaceRule, Role, Sections, Targetless
from spokerender.kinds.reference import Reference
from spokerender.kinds.references import WHOLE_NAMESPACE, read_other_labels, read_references
from spokerender.model import GATEWAY_CLASS, NAMESPACE, SERVICE, FieldPath, Ref
from spokerender.model.selectors import ExternalPattern
from spokerender.model.shapes import as_mapping, as_mappings
from spokerender.topology import graph
from spokerender.topology.node import Node
from spokerender.topology.paths import walk_chain

_LOCAL = (NamespaceRule.NONE, NamespaceRule.EMPTY, NamespaceRule.OWN)


class Surroundings(Struct, frozen=True, eq=False):
    """The facts about a cluster that decide how its policies attach.

    `reach` has the Gateways through which requests come to each target. `objects` are the Services
    (for their ports) and the ConfigMaps. `unseen` contains the objects that may exist though they
    are not in the topology. `defined` has the known CRDs of policies. `holds` evaluates CEL rules.
    """

    topology: graph.Topology
    reach: Mapping[Ref, frozenset[Ref]]
    objects: Mapping[Ref, Mapping[str, Any]]
    unseen: Container[Ref]
    defined: Mapping[tuple[str, str], PolicyDefinition]
    holds: HoldsRule
    _why_foreign: dict[tuple[str, str, Ref], str] = field(default_factory=dict)

    def controller(self, gateway: Ref) -> Controller:
        """Return the controller of a Gateway; an unknown controller if no file names its class."""
        return graph.find_class_controller(self.topology, self._find_class(gateway))

    def looks_at(self, kind: Kind, gateway: Ref) -> bool:
        """Return whether the controller of a policy kind configures a Gateway, or may do so."""
        if gateway in self.topology.dead:
            return False
        gateway_class = self._find_class(gateway)
        return graph.has_effect_on(kind.controller, self.topology, gateway_class)

    def explain_doubt(self, kind: Kind, gateway: Ref) -> str:
        """Return why the kind's controller may or may not configure a Gateway; empty if known."""
        return graph.explain_unknown_class(
            self.topology, kind.controller, self._find_class(gateway)
        )

    def _find_class(self, gateway: Ref) -> str:
        node = self.topology.nodes.get(gateway)
        return node.gateway_class if node is not None else ""

    def reached(self, ref: Ref) -> frozenset[Ref]:
        """Return the Gateways through which requests reach `ref`; empty if none are known."""
        gateways = self.reach.get(ref, self.reach.get(ref.whole))
        if gateways is not None:
            return gateways
        declared = (name for entry in self.declared(ref) for name in entry.gateways)
        return frozenset(name for name in declared if name in self.topology.nodes)

    def foreign(self, kind: Kind, ref: Ref) -> str:
        """Return why the controller of a kind certainly ignores the target `ref`; else empty."""
        key = kind.group, kind.kind, ref
        if key not in self._why_foreign:
            self._why_foreign[key] = self._explain_foreign(kind, ref)
        return self._why_foreign[key]

    def _explain_foreign(self, kind: Kind, ref: Ref) -> str:
        gateways = sorted(self.reached(ref))
        if not gateways or any(self.looks_at(kind, gateway) for gateway in gateways):
            return ""
        gateway, controller = gateways[0], kind.controller.id
        if fault := self.topology.dead.get(gateway):
            return f"{gateway} is not processed: {fault.why}"
        owner = self.controller(gateway).id
        return f"{gateway} is {owner}'s, and {controller} looks at its own alone"

    def lacks_tcp(self, service: Ref, port: int) -> bool:
        """Return whether the Service has `port`, and only for protocols other than TCP."""
        spec = as_mapping(self.objects.get(service, {}).get("spec"))
        on_port = [item for item in as_mappings(spec.get("ports")) if item.get("port") == port]
        return bool(on_port) and all(item.get("protocol", "TCP") != "TCP" for item in on_port)

    @property
    def unlabelled(self) -> frozenset[Ref]:
        """The objects of `Elsewhere.external` that are not in the topology, with unknown labels."""
        external = self.unseen.external if isinstance(self.unseen, Elsewhere) else frozenset()
        return external - self.topology.nodes.keys()

    def declared(self, ref: Ref) -> tuple[ExternalPattern, ...]:
        """Return the declarations of an external object in fleet.yaml; empty if there are none."""
        return self.unseen.entries_of(ref) if isinstance(self.unseen, Elsewhere) else ()


class Target(Struct, frozen=True):
    """A target, or a section of a target, that the reference `link` of a policy names or selects.

    `state` is UNKNOWN if only the spoke can tell whether the target exists. `why` says what is
    wrong if the state is FALSE, and what the spoke must have if it is UNKNOWN. `is_granted` is
    False if the target is in another namespace and no ReferenceGrant there allows the reference.
    `is_foreign` is True if the target exists, but only other controllers configure its Gateways.
    """

    link: Reference
    ref: Ref
    state: Truth = Truth.TRUE
    why: str = ""
    is_granted: bool = True
    is_foreign: bool = False


class Case(Struct, frozen=True, eq=False):
    """A policy with its targets and its cluster: the input of the rules about policies."""

    subject: Subject
    targets: tuple[Target, ...]
    around: Surroundings

    @property
    def spec(self) -> Mapping[str, Any]:
        """The policy's `spec`; empty if the object has none that is a mapping."""
        return as_mapping(self.subject.object.get("spec"))

    @property
    def definition(self) -> PolicyDefinition | None:
        """The facts about the CRD of the policy's kind; None if the CRD is not known."""
        return self.around.defined.get((self.subject.kind.group, self.subject.kind.kind))

    @property
    def attached(self) -> tuple[Target, ...]:
        """The targets that the policy can attach to: those that exist or may exist."""
        return tuple(target for target in self.targets if target.state is not Truth.FALSE)

    def leaves_out(self, faults: Iterable[FieldPath]) -> bool:
        """Return whether the controller skips the fields `faults` and lets requests pass."""
        opens = self.subject.kind.merged.opens
        return all(find_opened(opens, self.spec, path[1:]) for path in faults)

    @property
    def gateways(self) -> frozenset[Ref]:
        """The Gateways that requests to the targets pass, if the controller configures them."""
        reached = {ref for target in self.attached for ref in self.around.reached(target.ref)}
        return frozenset(ref for ref in reached if self.around.looks_at(self.subject.kind, ref))


def make_case(subject: Subject, around: Surroundings) -> Case:
    """Return a policy with its cluster and the targets that it references or that reference it."""
    links = read_references(subject.kind, subject.object, subject.ref.namespace)
    targets = [target for link in links for target in _find_targets(link, subject, around)]
    targets += _find_naming(subject, around)
    return Case(subject, tuple(dict.fromkeys(targets)), around)


def _find_naming(subject: Subject, around: Surroundings) -> Iterator[Target]:
    """Yield the targets that reference the policy, as a filter or as parameters."""
    topology = around.topology
    if subject.kind.targetless is Targetless.FILTER:
        for named in walk_chain(subject.ref, topology.carriers):
            # A route that names the policy as a filter makes the policy its own target.
            links = (link for _, link in topology.carrying(named) if link.row.role is Role.FILTER)
            yield from (Target(link, subject.ref) for link in links)
    elif subject.kind.targetless is Targetless.PARAMETERS:
        # A spoke's GatewayClasses are those of the hub, which stand in the topology around it.
        for place in dict.fromkeys((topology, topology.around)):
            for ref, link in place.carrying(subject.ref):
                if ref in topology.nodes or (ref.group, ref.kind) == GATEWAY_CLASS:
                    yield _make_target(link, ref, "", subject, around, is_granted=True)


def _find_targets(link: Reference, subject: Subject, around: Surroundings) -> Iterator[Target]:
    if link.row == WHOLE_NAMESPACE:
        yield Target(link, Ref(*NAMESPACE, "", subject.ref.namespace))
        return
    match link.row.role:
        case Role.TARGET:
            yield from _find_named(link, subject, around)
        case Role.SELECTOR:
            yield from _find_selected(link, subject, around)
        case Role.LABEL if link.selector is not None:
            yield from _find_selected(link, subject, around)
        case Role.LABEL:
            gateway = around.topology.nodes.get(link.ref)
            why = "" if gateway else f"the spoke has to have {link.ref}"
            # Controllers give a Gateway's labels to its pods, and others that no file has.
            others = read_other_labels(subject.object, link.path)
            if gateway and not others.judge(dict(gateway.labels)):
                why = f"the pods of {link.ref} have to have the labels {others}, too"
            yield Target(link, link.ref, Truth.UNKNOWN if why else Truth.TRUE, why)


def _find_named(link: Reference, subject: Subject, around: Surroundings) -> Iterator[Target]:
    whole = link.ref.whole
    is_local = link.row.namespace in _LOCAL
    is_granted = is_local or around.topology.permits(subject.ref, whole)
    node = around.topology.nodes.get(whole)
    if node is None and whole in around.unseen:
        # The spoke has to have the hub's Services, say, but no Gateway or route.
        on_hub = around.topology.around.nodes.get(whole)
        if on_hub and not (on_hub.is_route or on_hub.listeners or on_hub.is_gateway):
            node = on_hub
    for section in _list_sections(link):
        ref = replace(whole, section_name=section)
        if node is not None:
            missing = _explain_missing_section(node, section, link, subject, around)
            missing = missing or _explain_unmerged(ref, subject, around)
            yield _make_target(link, ref, missing, subject, around, is_granted=is_granted)
        elif around.declared(whole):
            yield _make_declared_target(link, ref, subject, around, is_granted=is_granted)
        elif whole in around.unseen:
            yield Target(link, ref, Truth.UNKNOWN, f"the spoke has to have {whole}", is_granted)
        else:
            yield Target(link, ref, Truth.FALSE, f"{whole} is not there", is_granted)


def _make_target(  # noqa: PLR0913  (as many parts as a target has)
    link: Reference, ref: Ref, why: str, subject: Subject, around: Surroundings, *, is_granted: bool
) -> Target:
    """Return a target that exists; FALSE if `why` is set or only other controllers configure it."""
    foreign = "" if why else around.foreign(subject.kind, ref)
    state = Truth.FALSE if why or foreign else Truth.TRUE
    return Target(link, ref, state, why or foreign, is_granted, bool(foreign))


def _make_declared_target(
    link: Reference, ref: Ref, subject: Subject, around: Surroundings, *, is_granted: bool
) -> Target:
    """Return a target declared in `external`; UNKNOWN if section or controller is not declared."""
    entries, controller = around.declared(ref), subject.kind.controller
    section = ref.section_name
    if section and not any(section in entry.listeners for entry in entries):
        why = f'{ref.whole} has to have "{section}" on the spoke'
        return Target(link, ref, Truth.UNKNOWN, why, is_granted)
    has_controller = is_known_from_files(ref) and controller.names
    if has_controller and not any(entry.gateways for entry in entries):
        why = f"no file says whether the controller of {ref.whole} is {controller.id}"
        return Target(link, ref, Truth.UNKNOWN, why, is_granted)
    foreign = around.foreign(subject.kind, ref)
    state = Truth.FALSE if foreign else Truth.TRUE
    return Target(link, ref, state, foreign, is_granted, bool(foreign))


def _explain_unmerged(ref: Ref, subject: Subject, around: Surroundings) -> str:
    """Return why a GatewayClass can't be a target as it merges no Gateways; empty if it can be."""
    if not subject.kind.reach.class_if_merged or (ref.group, ref.kind) != GATEWAY_CLASS:
        return ""
    if any(graph.is_merged(around.topology, gateway) for gateway in around.reached(ref)):
        return ""
    return f"{ref} does not merge its Gateways into one, so {subject.kind.kind} is for these"


def _list_sections(link: Reference) -> tuple[str, ...]:
    """Return the section names or the port (as text) in a reference; "" is the whole object."""
    return link.sections or ("" if link.port is None else str(link.port),)


def _explain_missing_section(
    node: Node, section: str, link: Reference, subject: Subject, around: Surroundings
) -> str:
    """Return the problem if an object lacks a section or port; "" if it has it or may have it."""
    names, noun = list_section_names(node, subject, around)
    if link.port is not None and node.listeners:
        ports = {listener.port for listener in node.listeners}
        return "" if link.port in ports else f"{node.ref} has no listener on port {link.port}"
    if not section or link.port is not None or names is None or section in names:
        return ""
    if node.is_route and subject.kind.controller.sections is Sections.IGNORED:
        return f"{subject.kind.controller.id} ignores a target with a section name"
    existing = ", ".join(f'"{name}"' for name in dict.fromkeys(names)) or "none"
    return f'{node.ref} has no {noun} "{section}" (it has {existing})'


def list_section_names(
    node: Node, subject: Subject, around: Surroundings
) -> tuple[tuple[str, ...] | None, str]:
    """Return an object's section names (None: unknown), and the noun for them in messages."""
    if (node.ref.group, node.ref.kind) == SERVICE and not node.ports:
        return () if node.ref in around.objects else None, "port"
    return node.named_sections(subject.kind.controller.sections), _name_section(node)


def _name_section(node: Node) -> str:
    if node.ports:
        return "port"
    if node.is_route:
        return "rule"
    return "part" if node.rules else "listener"


def _find_selected(link: Reference, subject: Subject, around: Surroundings) -> Iterator[Target]:
    kinds = subject.kind.targets if link.row.role is Role.SELECTOR else ()
    if kinds and link.ref.kind not in kinds:
        why = f"{subject.kind.kind} selects no {link.ref.kind}"
        yield Target(link, link.ref, Truth.FALSE, why)
        return
    refs = sorted(around.topology.targets(link))
    for ref in refs:
        is_granted = link.row.role is Role.LABEL or around.topology.permits(subject.ref, ref)
        node = around.topology.nodes[ref]
        for section in _list_sections(link):
            why = f"no ReferenceGrant in {ref.namespace} lets it select {ref}"
            if is_granted:
                why = _explain_missing_section(node, section, link, subject, around)
            target = replace(ref, section_name=section)
            yield _make_target(link, target, why, subject, around, is_granted=is_granted)
    labels = str(link.selector.labels) if link.selector is not None else ""
    unknown = around.topology.undetermined(link)
    for ref in unknown:
        why = f"not all labels of {ref} are declared, by which it is selected ({labels})"
        for section in _list_sections(link):
            yield Target(link, replace(ref, section_name=section), Truth.UNKNOWN, why)
    if not refs and not unknown:
        named = " or ".join(link.selector.names) if link.selector is not None else ""
        what = f"name {named}" if named else f"labels that it selects ({labels or 'any'})"
        kind = f"{link.ref.kind} has the {what}"
        if _may_be_labelled(link, around):
            yield Target(link, link.ref, Truth.UNKNOWN, f"the spoke has to know which {kind}")
        else:
            yield Target(link, link.ref, Truth.FALSE, f"no {kind}")


def _may_be_labelled(link: Reference, around: Surroundings) -> bool:
    """Return whether a selector may select an object that is in no file."""
    kind, selector = link.ref, link.selector
    # No file has the labels of objects that only the spoke has, such as a route that the hub does
    # not ship.
    declared = around.unseen.declared.entries if isinstance(around.unseen, Elsewhere) else ()
    is_declared = any(around.topology.may_select_of(link, entry) for entry in declared)
    return (
        is_declared
        or kind in around.unseen
        or any(
            selector is not None
            and selector.admits_namespace(
                kind.namespace,
                ref.namespace,
                around.topology.labels_of_namespace(ref.namespace).values,
            )
            for ref in around.unlabelled
            if (ref.group, ref.kind) == (kind.group, kind.kind)
        )
    )


def strip_targets(case: Case) -> Mapping[str, Any]:
    """Return a policy's spec without its targets: equal results have equal effects on a target."""
    target_fields = {
        split_pattern(rule.path)[:2][-1]
        for rule in case.subject.kind.references
        if rule.role in (Role.TARGET, Role.SELECTOR, Role.LABEL)
    }
    return {key: value for key, value in case.spec.items() if key not in target_fields}


def find_layer(case: Case, ref: Ref) -> int:
    """Return the layer of a target: 0 class, 1 Gateway or ListenerSet, 2 route, 3 backend."""
    if (ref.group, ref.kind) == GATEWAY_CLASS:
        return 0
    node = case.around.topology.nodes.get(ref.whole)
    if node is not None and (node.is_gateway or node.listeners):
        return 1
    return 2 if node is not None and node.is_route else 3
