"""A reference into another namespace needs a ReferenceGrant there (GEP-709).

It is never invented: it opens one namespace to another, and that is for the namespace's
owner to say. A Gateway is told of each that is missing. Of policies and routes only those are
that the hub allows: a policy that moves leaves behind what was beside it.
"""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes.spoke import NO_GRANT
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.model import GATEWAY_API, Ref
from spokerender.rendering.checks.context import SpokeContext
from spokerender.topology import Node


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result, with the grant to add, for every reference that no grant allows."""
    for node in context.shipped:
        for referent, field in node.crossing:
            is_closed = not context.spoke.permits(node.ref, referent)
            if is_closed and (node.is_gateway or _was_allowed(context, node, field)):
                yield context.result(
                    NO_GRANT,
                    node,
                    f"{referent} is in another namespace than {_noun(node)} is on the spoke "
                    f"({node.ref.namespace}), and no ReferenceGrant allows it",
                    "drop the reference's namespace, or add to the hub:\n"
                    + grant_for(context.sources[node.ref].ref, referent),
                    field,
                )


def _was_allowed(context: SpokeContext, node: Node, field: str) -> bool:
    """Whether the hub allows what the field names there: it is beside it, or granted."""
    hub_node = context.hub_node(node)
    named = [referent for referent, path in hub_node.crossing if path == field]
    return all(context.hub.permits(hub_node.ref, referent) for referent in named)


def _noun(node: Node) -> str:
    return "the gateway" if node.is_gateway else "the policy" if not node.is_route else "the route"


def grant_for(referrer: Ref, referent: Ref) -> str:
    """The grant for the hub, with the gateway as it is there: it follows the gateway to spokes."""
    return yamlio.emit(
        {
            "apiVersion": f"{GATEWAY_API}/v1beta1",
            "kind": "ReferenceGrant",
            "metadata": {
                "name": f"{referrer.name}-{referent.name}",
                "namespace": referent.namespace,
            },
            "spec": {
                "from": [
                    {
                        "group": referrer.group,
                        "kind": referrer.kind,
                        "namespace": referrer.namespace,
                    }
                ],
                "to": [{"group": referent.group, "kind": referent.kind, "name": referent.name}],
            },
        }
    )
