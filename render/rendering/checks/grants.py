"""A Gateway's reference into another namespace needs a ReferenceGrant there (GEP-709).

It is never invented: it opens one namespace to another, and that is for the namespace's
owner to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from render.findings.codes.spoke import NO_GRANT
from render.findings.results import Result
from render.formats import yamlio
from render.model import GATEWAY_API, Ref
from render.rendering.checks.context import SpokeContext


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result, with the grant to add, for every reference that no grant allows."""
    grants = [node.grant for node in context.shipped if node.grant is not None]
    for node in context.shipped:
        for referent, field in node.crossing:
            if not any(grant.permits(node.ref, referent) for grant in grants):
                yield context.result(
                    NO_GRANT,
                    node,
                    f"{referent} is in another namespace than the gateway is on the spoke "
                    f"({node.ref.namespace}), and no ReferenceGrant allows it",
                    "drop the reference's namespace, or add to the hub:\n"
                    + _grant(context.sources[node.ref].ref, referent),
                    field,
                )


def _grant(referrer: Ref, referent: Ref) -> str:
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
