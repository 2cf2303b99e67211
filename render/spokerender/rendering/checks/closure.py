"""Every reference in a spoke's tree resolves there, or a result says that it does not."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes.shipping import TARGET_ON_SPOKE
from spokerender.findings.results import Result
from spokerender.model import shown
from spokerender.rendering.checks.context import SpokeContext


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result for every attaching reference whose target is not rendered."""
    for node in context.shipped:
        for link in node.attachments:
            is_here = link.ref.whole in context.spoke.nodes or context.spoke.targets(link)
            if link.selector is None and not is_here:
                yield context.result(
                    TARGET_ON_SPOKE,
                    node,
                    f"{link.ref.whole} is not rendered; the spoke has to have it",
                    "",
                    shown(link.path),
                )
