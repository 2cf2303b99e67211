"""Objects of the hub that become one object on a spoke."""

from collections.abc import Iterator

from spokerender.findings.codes.shipping import GATEWAYS_COLLAPSE, IDENTITY_TWICE
from spokerender.findings.results import Result
from spokerender.kinds.kind import Role
from spokerender.model import PlacedGateway, Ref, grouped
from spokerender.rendering.checks.context import SpokeContext
from spokerender.rendering.values import layout
from spokerender.topology.node import Node


def check_identities(context: SpokeContext) -> Iterator[Result]:
    """Yield a finding for every identity that more than one rendered object has.

    One of the objects would be lost. The paths of their files are compared without case: kinds are
    in lower case in paths, and some file systems ignore the case of names, which RBAC objects may
    have in any case.
    """
    paths: set[str] = set()
    for node in context.shipped:
        path = layout.one_place(layout.path_of(node.ref))
        if path in paths:
            yield context.result(
                IDENTITY_TWICE,
                node,
                f"two hub objects become {node.ref} on the spoke",
                "give them different names or namespaces on the hub, or place their gateways apart",
                "metadata.name",
            )
        paths.add(path)


def check_gateways(context: SpokeContext) -> Iterator[Result]:
    """Yield findings for gateways that must not become one on the spoke.

    Only one of several rendered gateways with one name can exist. An existing gateway of the spoke
    may stand for two hub gateways and get the policies of both, but two policies of one kind on one
    target would conflict (GEP-713, conflict resolution).
    """
    for target, places in grouped([(place.ref, place) for place in context.placed]).items():
        if len(places) == 1:
            continue
        # A rendered gateway would overwrite one that exists already.
        if all(place.existing for place in places):
            yield from _contradictions(context, target, places)
            yield from _equal_targets(context, target)
        else:
            rendered = context.sources[target]
            yield GATEWAYS_COLLAPSE.result(
                f"{' and '.join(str(place.hub) for place in places)} become {target}",
                cure="give one of them another name or namespace in its rule's `as`",
                resource=rendered.ref,
                field="metadata.name",
                origin=rendered.origin,
            )


def _contradictions(
    context: SpokeContext, target: Ref, places: list[PlacedGateway]
) -> Iterator[Result]:
    """Yield findings for listeners and labels of one gateway that two rules declare differently."""
    declared: dict[str, tuple[PlacedGateway, object]] = {}
    for place in places:
        facts = {f'listener "{item["name"]}"': item for item in place.listeners.data}
        for name, fact in (facts | {f'label "{key}"': text for key, text in place.labels}).items():
            first, other = declared.setdefault(name, (place, fact))
            if other != fact:
                yield GATEWAYS_COLLAPSE.result(
                    f"{first.hub} and {place.hub} become {target}, and their rules declare its "
                    f"{name} differently",
                    cure="declare it equally in both rules' `as`, or place the gateways apart",
                    resource=place.hub,
                    origin=context.origins[place.hub],
                )


def _equal_targets(context: SpokeContext, target: Ref) -> Iterator[Result]:
    """Yield findings for policies with one target because different hub gateways became one."""
    first_by_target: dict[tuple[str, str, tuple[str, ...]], tuple[Node, frozenset[Ref]]] = {}
    for node in context.shipped:
        hub_gateways = context.hub.ships_with(context.sources[node.ref].ref)
        for link in node.references:
            if link.row.role is not Role.TARGET or link.ref.whole != target:
                continue
            key = (node.ref.group, node.ref.kind, link.sections)
            first, first_gateways = first_by_target.setdefault(key, (node, hub_gateways))
            # Two policies of one hub gateway conflict however it is placed: `check` reports that.
            if first is not node and first_gateways != hub_gateways:
                yield context.result(
                    GATEWAYS_COLLAPSE,
                    node,
                    f"has the same target on the spoke as {first.ref}: two hub gateways became "
                    f"{target}",
                    "let one of the two policies target a section, or place the gateways apart",
                )
