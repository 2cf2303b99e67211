"""A section name must be one that its target has on the spoke (GEP-713, GEP-2648)."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes.spoke import MISSING_SECTION
from spokerender.findings.results import Result
from spokerender.model import shown
from spokerender.rendering.checks.context import SpokeContext


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result for every listener or rule name that is not there."""
    for node in context.shipped:
        for link in node.attachments:
            target = context.spoke.nodes.get(link.ref.whole)
            if target is None:
                continue
            sections = target.named_sections(by_place=node.by_place)
            if sections is None:
                continue
            for section in link.sections:
                if section not in sections:
                    has = ", ".join(f'"{name}"' for name in sections) or "none"
                    yield context.result(
                        MISSING_SECTION,
                        node,
                        f'"{section}" is not in {target.ref} on the spoke (it has {has})',
                        "mend the section name, or declare the listener in the rule's "
                        "`as.listeners`"
                        if target.listeners or target.is_gateway
                        else "mend the section name, or give the rule that name in the route",
                        f"{shown(link.path)}.{link.row.section}",
                    )
