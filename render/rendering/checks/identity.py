"""Two objects must not have one identity on a spoke: one of them would be lost.

Kinds are compared without their case, since file names have the kind in lower case.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from render.findings.codes.shipping import IDENTITY_TWICE
from render.findings.results import Result
from render.model import Ref
from render.rendering.checks.context import SpokeContext


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result for every identity that more than one rendered object has."""
    seen: set[Ref] = set()
    for node in context.shipped:
        identity = replace(node.ref, kind=node.ref.kind.lower())
        if identity in seen:
            yield context.result(
                IDENTITY_TWICE,
                node,
                f"two hub objects become {node.ref} on the spoke",
                "give them different names or namespaces on the hub, or place their gateways apart",
            )
        seen.add(identity)
