"""Compares the attachments of policies and routes on a spoke with those on the hub.

Only placed targets count. A missing attachment is an error; a further one is a warning, and for a
security kind an error. Users may accept either (`spec.suppressions`). `parents` reports the parents
that a route loses, as there are many ways to lose one.
"""

from collections.abc import Iterator

from spokerender.findings.codes.attachment import ATTACHES_LESS, ATTACHES_MORE, DANGLING, NO_GRANT
from spokerender.findings.results import ERROR, WARNING, Result
from spokerender.kinds.kind import Role
from spokerender.kinds.reference import Reference
from spokerender.kinds.references import DEFAULT_GATEWAYS
from spokerender.model import Ref, grouped, shown
from spokerender.rendering.checks.comparison import Comparison, OneSided
from spokerender.rendering.checks.context import SpokeContext
from spokerender.rendering.checks.parents import check_parents
from spokerender.rendering.checks.references import grant_for
from spokerender.topology.node import Node


def check_attachments(context: SpokeContext) -> Iterator[Result]:
    """Yield a finding for each attachment that exists only on the hub or only on the spoke."""
    comparison = Comparison(context)
    for node in context.shipped:
        if comparison.is_alike(node):
            continue
        kind = context.catalogue.kind(node.ref.group, node.ref.kind)
        yield from _losses(context, node, comparison.lost(node))
        yield from check_parents(context, comparison, node)
        severity = ERROR if kind.security else WARNING
        for (message, cure, field), names in _group_gains(comparison.gained(node)).items():
            targets = ", ".join(dict.fromkeys(names))
            yield context.result(
                ATTACHES_MORE, node, message.format(targets), cure, field, severity=severity
            )


def _losses(context: SpokeContext, node: Node, lost: Iterator[OneSided]) -> Iterator[Result]:
    links = {hub_link.path: link for link, hub_link in context.links(node)}
    selected: dict[Reference, list[Ref]] = {}
    for loss in lost:
        named = loss.link if loss.link is not None and loss.link.selector is None else None
        if named is not None and named.row.role is Role.PARENT:
            continue  # `check_parents` reports it
        link = links.get(loss.link.path) if loss.link is not None else None
        if loss.hub.by is not None:
            target = f"{loss.hub.thing}, which it guards," if link is not None else "it"
            yield context.result(
                ATTACHES_LESS,
                node,
                f"{loss.spoke.by} names {target} on the hub and does not on the spoke",
                "let the override keep what the route names, or accept it under spec.suppressions",
                shown(link.path) if link is not None else "",
            )
        elif link is None or link.selector is None:
            continue  # other checks report the namespace or the section of a named target
        elif link.row.role.moves and loss.spoke.thing.whole in context.spoke.targets(link):
            yield _no_grant(context, node, loss, link)
        else:
            selected.setdefault(link, []).append(loss.spoke.thing.whole)
    for link, refs in selected.items():
        names = ", ".join(map(str, dict.fromkeys(refs)))
        message = (
            f"it is not on {names}, a default Gateway, on the spoke, as it was on the hub"
            if link.row == DEFAULT_GATEWAYS
            else f"its selector does not select {names} on the spoke, as it did on the hub"
        )
        yield context.result(DANGLING, node, message, _selection_cure(link), shown(link.path))


def _selection_cure(link: Reference) -> str:
    if link.selector is not None and link.selector.gateway_class:
        return "give these gateways one class in the rules' `as.gatewayClassName`, or name them"
    if link.selector is not None and link.selector.names:
        return "give these gateways one name in the rules' `as.name`, or write a policy for each"
    if link.row == DEFAULT_GATEWAYS:
        return (
            "keep the gateway's `defaultScope`, and allow routes of other namespaces by the rule's "
            "`as.allowedRoutes`, or let them follow it by `routes: follow`"
        )
    if link.ref.kind == "Gateway":
        return (
            "keep the labels that it selects in the rule's `as.labels`, and the gateways in a "
            "namespace that it looks into"
        )
    return "keep the labels that it selects: an override took them"


def _no_grant(context: SpokeContext, node: Node, lost: OneSided, link: Reference) -> Result:
    target = lost.spoke.thing.whole
    return context.result(
        NO_GRANT,
        node,
        f"{target} is in another namespace than the policy is on the spoke ({node.ref.namespace}), "
        "and no ReferenceGrant lets it select that",
        "let them be in one namespace, or add to the hub:\n"
        + grant_for(context.sources[node.ref].ref, lost.hub.thing.whole),
        shown(link.path),
    )


def _group_gains(gained: Iterator[OneSided]) -> dict[tuple[str, str, str], list[str]]:
    """Return the names of gained targets, by a tuple of message, suggested fix and field."""
    return grouped(
        (
            (*_explain_gain(gain), shown(gain.link.path) if gain.link is not None else ""),
            # A target on the spoke that replaces several hub objects has no single name on the hub.
            str(gain.hub.by or gain.hub.thing),
        )
        for gain in gained
    )


_ACCEPT = "or accept it under spec.suppressions"


def _explain_gain(gained: OneSided) -> tuple[str, str]:
    """Return a message about a gain, in which `{}` stands for the targets, and a suggested fix."""
    link = gained.link
    if link is None or gained.hub.by is not None:
        return (
            "it attaches to {} on the spoke, which does not name it on the hub",
            f"let the override keep what the route names, {_ACCEPT}",
        )
    if link.row.role is Role.PARENT:
        return (
            "it is on {} on the spoke, which does not take it on the hub",
            "keep the gateway out of that namespace, let its listeners name the namespaces that "
            "they allow, " + _ACCEPT,
        )
    if link.selector is not None:
        return (
            "its selector selects {} on the spoke, which it does not on the hub",
            "place the gateways in different namespaces, keep the labels that tell them apart, "
            + _ACCEPT,
        )
    return (
        "its target on the spoke is {} as well, which it is not for on the hub",
        f"place the gateways apart, {_ACCEPT}",
    )
