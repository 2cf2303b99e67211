"""What a policy or route attaches to on a spoke is what it attaches to on the hub.

As far as that is placed: less is an error, more is a warning, and an error for a security kind.
Either may be accepted (`spec.suppressions`). What is lost of a route's parents is told by
`parents`, since there are so many ways to lose it.
"""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes.spoke import ATTACHES_LESS, ATTACHES_MORE, DANGLING, NO_GRANT
from spokerender.findings.results import ERROR, WARNING, Result
from spokerender.kinds import Reference, Role
from spokerender.kinds.references import DEFAULT_GATEWAYS
from spokerender.model import Ref, shown
from spokerender.rendering.checks.comparison import Comparison, Gained, Lost
from spokerender.rendering.checks.context import SpokeContext
from spokerender.rendering.checks.grants import grant_for
from spokerender.rendering.checks.parents import parent_results
from spokerender.topology import Node


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result for everything that an object attaches to on one side only."""
    comparison = Comparison(context)
    for node in context.shipped:
        if comparison.is_alike(node):
            continue
        kind = context.catalogue.kind(node.ref.group, node.ref.kind)
        lost = [each for each in comparison.lost(node) if not _is_of_parent(each.link)]
        yield from _less(context, node, lost)
        yield from parent_results(context, comparison, node)
        severity = ERROR if kind.security else WARNING
        for (message, cure, field), gained in _grouped(comparison.gained(node)).items():
            things = ", ".join(dict.fromkeys(gained))
            yield context.result(
                ATTACHES_MORE, node, message.format(things), cure, field, severity=severity
            )


def _is_of_parent(link: Reference | None) -> bool:
    """Whether a parent is named, of which `parents` tells."""
    return link is not None and link.row.role is Role.PARENT and link.selector is None


def _less(context: SpokeContext, node: Node, lost: list[Lost]) -> Iterator[Result]:
    links = {hub_link.path: link for link, hub_link in context.links(node)}
    selected: dict[Reference, list[Ref]] = {}
    for each in lost:
        link = links.get(each.link.path) if each.link is not None else None
        if each.hub.by is not None:
            yield _no_carrier(context, node, each, link)
        elif link is None or link.selector is None:
            continue  # what a named target lost is told of its namespace, or of its section
        elif link.row.role.moves and each.spoke.thing.whole in context.spoke.targets(link):
            yield _no_grant(context, node, each, link)
        else:
            selected.setdefault(link, []).append(each.spoke.thing.whole)
    for link, refs in selected.items():
        names = ", ".join(map(str, dict.fromkeys(refs)))
        message = (
            f"it is not on {names}, a default Gateway, on the spoke, as it was on the hub"
            if link.row == DEFAULT_GATEWAYS
            else f"its selector does not select {names} on the spoke, as it did on the hub"
        )
        yield context.result(
            DANGLING,
            node,
            message,
            _keep(link),
            shown(link.path),
        )


def _keep(link: Reference) -> str:
    if link.selector is not None and link.selector.gateway_class:
        return "give these gateways one class in the rules' `as.gatewayClassName`, or name them"
    if link.row == DEFAULT_GATEWAYS:
        return (
            "keep the gateway's `defaultScope` and what its listeners take: let routes of other "
            "namespaces on it by the rule's `as.allowedRoutes`, or follow it by `routes: follow`"
        )
    if link.ref.kind == "Gateway":
        return (
            "keep the labels that it selects in the rule's `as.labels`, and the gateways in a "
            "namespace that it looks into"
        )
    return "keep the labels that it selects: an override took them"


def _no_carrier(context: SpokeContext, node: Node, lost: Lost, link: Reference | None) -> Result:
    """A route names a backend or a filter no more."""
    what = f"{lost.hub.thing}, which it guards," if link is not None else "it"
    return context.result(
        ATTACHES_LESS,
        node,
        f"{lost.spoke.by} names {what} on the hub and does not on the spoke",
        "let the override keep what the route names, or accept it under spec.suppressions",
        shown(link.path) if link is not None else "",
    )


def _no_grant(context: SpokeContext, node: Node, lost: Lost, link: Reference) -> Result:
    """A selector finds what no ReferenceGrant lets it have."""
    thing = lost.spoke.thing.whole
    return context.result(
        NO_GRANT,
        node,
        f"{thing} is in another namespace than the policy is on the spoke ({node.ref.namespace}), "
        "and no ReferenceGrant lets it select that",
        "let them be in one namespace, or add to the hub:\n"
        + grant_for(context.sources[node.ref].ref, lost.hub.thing.whole),
        shown(link.path),
    )


def _grouped(gained: Iterator[Gained]) -> dict[tuple[str, str, str], list[str]]:
    """What is gained, by what there is to tell of it: message, cure and field."""
    names_of: dict[tuple[str, str, str], list[str]] = {}
    for each in gained:
        field = shown(each.link.path) if each.link is not None else ""
        names_of.setdefault((*_why(each), field), []).append(_name(each))
    return names_of


_ACCEPT = "or accept it under spec.suppressions"


def _why(gained: Gained) -> tuple[str, str]:
    """What happened, with a place for the things, and what to do."""
    link = gained.link
    if link is None or gained.hub.by is not None:
        return (
            "it attaches to {} on the spoke, which does not name it on the hub",
            f"let the override keep what the route names, {_ACCEPT}",
        )
    if link.row.role is Role.PARENT:
        return (
            "it is on {} on the spoke, which does not take it on the hub",
            "keep the gateway out of that namespace, let its listeners say whose routes they take, "
            + _ACCEPT,
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


def _name(gained: Gained) -> str:
    """The thing as it is called on the hub; what several became on the spoke is none of them."""
    return str(gained.hub.by or gained.hub.thing)
