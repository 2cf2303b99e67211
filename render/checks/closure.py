"""Every reference in a spoke's tree resolves there, or a result says that it does not."""

from __future__ import annotations

from collections.abc import Iterator

from render import codes
from render.checks.context import SpokeContext
from render.kinds import Reference
from render.kinds.paths import shown
from render.results import Result


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result for every attaching reference whose target is not rendered."""
    existing = {place.hub for place in context.placed if place.existing}
    for node in context.shipped:
        for link, hub_link in context.links(node):
            if link.ref.whole in context.spoke.nodes or context.spoke.targets(link):
                continue
            field = shown(link.path)
            if link.selector is None:
                yield context.result(
                    codes.TARGET_ON_SPOKE,
                    node,
                    f"{link.ref.whole} is not rendered; the spoke has to have it",
                    "",
                    field,
                )
            elif _lost(context, hub_link) and not context.hub.reached(hub_link) <= existing:
                yield context.result(
                    codes.DANGLING,
                    node,
                    f"its selector selects no {link.ref.kind} on the spoke, as it did on the hub",
                    "keep the labels that it selects in the rule's `as.labels`",
                    field,
                )


def _lost(context: SpokeContext, hub_link: Reference) -> bool:
    """Whether the selector selected a Gateway of the hub, whose labels are ours to keep.

    Labels of a gateway that the spoke has of its own, or of routes that are not rendered,
    are in no file.
    """
    return any(context.hub.nodes[target].is_gateway for target in context.hub.targets(hub_link))
