"""A GatewayClass with sync parameters is the hub's: a spoke has no controller for it."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes.sync import CLASS_UNCHANGED
from spokerender.findings.results import Result
from spokerender.rendering.checks.context import SpokeContext


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result for every rendered Gateway that still has a class of the hub's own."""
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
