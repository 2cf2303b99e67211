"""Two objects must not have one identity on a spoke: one of them would be lost.

Compared are the paths of their files, as file systems do that know no case: kinds are in lower case
there, and names of RBAC's objects may be in any.
"""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes.shipping import IDENTITY_TWICE
from spokerender.findings.results import Result
from spokerender.rendering.checks.context import SpokeContext
from spokerender.rendering.values import layout


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result for every identity that more than one rendered object has."""
    seen: set[str] = set()
    for node in context.shipped:
        identity = layout.one_place(layout.path_of(node.ref))
        if identity in seen:
            yield context.result(
                IDENTITY_TWICE,
                node,
                f"two hub objects become {node.ref} on the spoke",
                "give them different names or namespaces on the hub, or place their gateways apart",
            )
        seen.add(identity)
