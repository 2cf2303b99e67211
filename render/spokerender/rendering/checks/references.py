"""Checks that targets of a spoke's references exist there, and that naming them is permitted."""

from collections.abc import Iterator

from spokerender.findings.codes import attachment as codes
from spokerender.findings.codes.placement import CLASS_UNCHANGED
from spokerender.findings.codes.shipping import TARGET_ON_SPOKE
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.kinds.kind import Role, Sections
from spokerender.kinds.reference import Reference, make_grant
from spokerender.model import SERVICE, Ref, shown
from spokerender.rendering.checks.context import SpokeContext
from spokerender.topology.node import Node


def check_targets(context: SpokeContext) -> Iterator[Result]:
    """Yield a finding for every attaching reference whose target is not rendered."""
    for node in context.shipped:
        for link in node.attachments:
            # A selector may select nothing; `attached` reports it if it selected something on the
            # hub.
            is_here = link.ref.whole in context.spoke.nodes or context.spoke.targets(link)
            if link.selector is None and not is_here:
                yield context.result(
                    TARGET_ON_SPOKE,
                    node,
                    f"{link.ref.whole} is not rendered; the spoke has to have it",
                    "",
                    shown(link.path),
                )


def check_sections(context: SpokeContext) -> Iterator[Result]:
    """Yield a finding for every section name that the target lacks (GEP-713, GEP-2648)."""
    for node in context.shipped:
        for link in node.attachments:
            target = _find_target(context, link) if link.sections else None
            sections = target.named_sections(node.naming) if target else None
            if target is None or sections is None:
                continue
            for section in (section for section in link.sections if section not in sections):
                names = ", ".join(f'"{name}"' for name in sections) or "none"
                message = f'"{section}" is not in {target.ref} on the spoke (it has {names})'
                cure = f"correct the section name, or {_cure_section(target)}"
                if target.is_route and node.naming is Sections.IGNORED:
                    message = "its controller ignores a target with a section name"
                    cure = "remove sectionName"
                yield context.result(
                    codes.MISSING_SECTION,
                    node,
                    message,
                    cure,
                    f"{shown(link.path)}.{link.row.section}",
                )


def _find_target(context: SpokeContext, link: Reference) -> Node | None:
    """Return the rendered target, or the hub's Service if the spoke has the Service already."""
    target = context.spoke.nodes.get(link.ref.whole)
    on_hub = context.hub.nodes.get(link.ref.whole) if target is None else None
    return on_hub if on_hub is not None and on_hub.ports else target


def _cure_section(target: Node) -> str:
    if target.ports:
        return "give the port that name in the Service"
    if target.listeners or target.is_gateway:
        return "declare the listener in the rule's `as.listeners`"
    return "give the rule that name in the route" if target.is_route else "give a part that name"


def check_duplicates(context: SpokeContext) -> Iterator[Result]:
    """Yield a finding for every reference that repeats another one in its list.

    Sources: the CEL rules of the Gateway API (BackendTLSPolicy, parentRefs) and of policy kinds
    with such rules. The hub's API server refused such objects already; retargeting can make two
    references equal that are different on the hub.
    """
    for node in context.shipped:
        links_by_target: dict[tuple[object, ...], list[Reference]] = {}
        for link in node.attachments:
            # A selector has no name to repeat, and only entries of one list can repeat each other.
            if link.selector is None and isinstance(link.path[-1], int):
                key = (link.path[:-1], link.ref.whole)
                links_by_target.setdefault(key, []).append(link)
        for links in links_by_target.values():
            for index, link in enumerate(links[1:], start=1):
                faults = (_duplicate_fault(other, link) for other in links[:index])
                if fault := next(filter(None, faults), ""):
                    yield context.result(
                        codes.DUPLICATE_TARGET,
                        node,
                        f"{fault} {link.ref.whole} on the spoke",
                        "give the entries different section names, or place the gateways apart",
                        shown(link.path),
                    )


def _duplicate_fault(first: Reference, second: Reference) -> str:
    """Return what is wrong with two references to one target, or an empty text."""
    # Different ports make references different, as sections do (`ParentReference.port`).
    if first.port != second.port:
        return ""
    if not first.sections and not second.sections:
        return "two entries name"
    # The Gateway API's CEL: "sectionName must be specified when targetRefs includes 2 or more
    # references to the same target".
    if second.row.unique and not (first.sections and second.sections):
        return "one entry names the whole and another a section of"
    return "two entries name one section of" if set(first.sections) & set(second.sections) else ""


def check_backends(context: SpokeContext) -> Iterator[Result]:
    """Yield a finding for every backend of a moved policy that is another object on the spoke.

    If a policy names a backend without a namespace, the policy's own namespace is meant. The spoke
    may not have the backend there. A backend that ships with the policy is still the same object.
    """
    for node in context.shipped:
        moved_from = context.hub_node(node).ref.namespace
        kind = context.catalogue.kind(node.ref.group, node.ref.kind)
        # If a route moves, the namespaces of its backends are written out (`ship`).
        if node.ref.namespace == moved_from or not kind.is_policy:
            continue
        for link in filter(_is_backend, (*node.references, *node.needs)):
            backend = link.ref.whole
            is_own = backend.namespace == node.ref.namespace and not link.explicit_namespace
            source = context.sources.get(backend)
            before = Ref(backend.group, backend.kind, moved_from, backend.name)
            if is_own and (source is None or source.ref != before):
                yield context.result(
                    codes.OTHER_BACKEND,
                    node,
                    f"it names {before} on the hub and {backend} on the spoke, where the policy "
                    f"is in {node.ref.namespace}",
                    f"write `namespace: {moved_from}` beside the name, with a ReferenceGrant "
                    f"there, list {backend.kind} to sync if the hub has it, or keep the gateway in "
                    "the hub's namespace",
                    shown(link.path),
                )


def _is_backend(link: Reference) -> bool:
    is_service = (link.ref.group, link.ref.kind) == SERVICE
    is_called = not {"backendRef", "backendRefs"}.isdisjoint(link.path)
    is_named = is_service or is_called or link.row.role is Role.BACKEND
    return is_named and link.selector is None and link.row.role.carries


def check_classes(context: SpokeContext) -> Iterator[Result]:
    """Yield a finding for every Gateway of a class with sync parameters.

    Such a class exists only for the hub: spokes have no controller for it.
    """
    for node in context.shipped:
        if node.is_gateway and node.gateway_class in context.own_classes:
            yield context.result(
                CLASS_UNCHANGED,
                node,
                f'class "{node.gateway_class}" lists the kinds to sync, so it is the hub\'s own; '
                "the gateway would have it on the spoke too",
                "set `downstreamClass` in the class's parameters, or `gatewayClassName` in the "
                "rule's `as`",
                "spec.gatewayClassName",
            )


def check_grants(context: SpokeContext) -> Iterator[Result]:
    """Yield a finding, with the ReferenceGrant to add, for every reference that no grant permits.

    A reference to another namespace needs a grant there (GEP-709). No grant is generated, since the
    owner of a namespace has to decide who may refer to it. For policies and routes, only references
    that are permitted on the hub count: a move can make these lead to another namespace.
    """
    for node in context.shipped:
        for referent, field in node.crossing:
            is_closed = not context.spoke.permits(node.ref, referent)
            # A gateway needs its certificates, whatever the hub permitted.
            if is_closed and (node.is_gateway or _is_allowed_on_hub(context, node, field)):
                yield context.result(
                    codes.NO_GRANT,
                    node,
                    f"{referent} is in another namespace than {_noun(node)} is on the spoke "
                    f"({node.ref.namespace}), and no ReferenceGrant allows it",
                    "drop the reference's namespace, declare the grant under `spec.external` of "
                    "fleet.yaml if the spokes have one, or add to the hub:\n"
                    + grant_for(context.sources[node.ref].ref, referent),
                    field,
                )


def check_shared_grants(context: SpokeContext) -> Iterator[Result]:
    """Yield a finding for every reference that a grant permits on the spoke and none on the hub.

    A grant is for all objects of a namespace (GEP-709), so objects that come to one namespace get
    what was granted to one of them. A grant that names the namespace on the spoke is meant for it.
    """
    for node in context.shipped:
        # A stage that creates an object for the spoke may count on the spoke's grants.
        crossing = () if context.hub_node(node) is node else node.crossing
        for referent, field in crossing:
            is_meant = context.hub.permits(node.ref, referent)
            is_new = not (is_meant or _is_allowed_on_hub(context, node, field))
            if is_new and context.spoke.permits(node.ref, referent):
                yield context.result(
                    codes.SHARED_GRANT,
                    node,
                    f"no ReferenceGrant on the hub lets it name {referent}, and one for other "
                    f"objects that come to namespace {node.ref.namespace} lets it on the spoke",
                    "give them another namespace in the placement, or drop the reference",
                    field,
                )


def _is_allowed_on_hub(context: SpokeContext, node: Node, field: str) -> bool:
    """Return whether grants on the hub permit every cross-namespace reference of the field."""
    hub_node = context.hub_node(node)
    referents = [referent for referent, path in hub_node.crossing if path == field]
    return all(context.hub.permits(hub_node.ref, referent) for referent in referents)


def _noun(node: Node) -> str:
    if node.is_gateway:
        return "the gateway"
    return "the route" if node.is_route else "the policy"


def grant_for(referrer: Ref, referent: Ref) -> str:
    """Return the YAML of a ReferenceGrant for the hub that lets `referrer` name `referent`."""
    return yamlio.emit(make_grant(referrer, referent))
