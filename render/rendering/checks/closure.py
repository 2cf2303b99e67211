"""Every reference in a spoke's tree resolves there, or a result says that it does not."""

from __future__ import annotations

from collections.abc import Iterator

from render.findings.codes.shipping import TARGET_ON_SPOKE
from render.findings.codes.spoke import DANGLING
from render.findings.results import Result
from render.kinds import Reference
from render.model import Ref, shown
from render.rendering.checks.context import SpokeContext


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result for every attaching reference whose target is not rendered."""
    for node in context.shipped:
        for link, hub_link in context.links(node):
            field = shown(link.path)
            if link.selector is not None:
                lost = _lost(context, link, hub_link)
                if lost:
                    yield context.result(
                        DANGLING,
                        node,
                        f"its selector does not select {', '.join(map(str, lost))} on the spoke, "
                        "as it did on the hub",
                        "keep the labels that it selects in the rule's `as.labels`, and the "
                        "gateways in a namespace that it looks into",
                        field,
                    )
            elif link.ref.whole not in context.spoke.nodes and not context.spoke.targets(link):
                yield context.result(
                    TARGET_ON_SPOKE,
                    node,
                    f"{link.ref.whole} is not rendered; the spoke has to have it",
                    "",
                    field,
                )


def _lost(context: SpokeContext, link: Reference, hub_link: Reference) -> tuple[Ref, ...]:
    """The rendered Gateways that the selector selected on the hub and does not on the spoke.

    Their labels are ours to keep. Labels of a gateway that the spoke has of its own, or of
    routes that are not rendered, are in no file.
    """
    before, now = context.hub.targets(hub_link), context.spoke.targets(link)
    return tuple(
        place.ref
        for place in context.placed
        if not place.existing and place.hub in before and place.ref not in now
    )
