"""One target twice in one object, or the whole and a section of it.

Sources: the CEL rules of the Gateway API (BackendTLSPolicy, parentRefs) and of the policy
kinds that have them. The hub's API server refused such objects already; retargeting can
make two references equal that were different there.
"""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes.spoke import DUPLICATE_TARGET
from spokerender.findings.results import Result
from spokerender.kinds import Reference
from spokerender.model import shown
from spokerender.rendering.checks.context import SpokeContext


def check(context: SpokeContext) -> Iterator[Result]:
    """Yield a result for every reference that repeats another of its list."""
    for node in context.shipped:
        lists: dict[tuple[object, ...], list[Reference]] = {}
        for link in node.attachments:
            if link.selector is None and isinstance(link.path[-1], int):
                lists.setdefault((link.path[:-1], link.ref.whole), []).append(link)
        for links in lists.values():
            for index, link in enumerate(links[1:], start=1):
                problem = next(
                    (text for other in links[:index] if (text := _problem(other, link))), ""
                )
                if problem:
                    yield context.result(
                        DUPLICATE_TARGET,
                        node,
                        f"{problem} {link.ref.whole} on the spoke",
                        "give the entries different section names, or place the gateways apart",
                        shown(link.path),
                    )


def _problem(first: Reference, second: Reference) -> str:
    """What is wrong with two references to one target, or nothing."""
    if first.port != second.port:
        return ""
    if not first.sections and not second.sections:
        return "two entries name"
    if second.row.unique and not (first.sections and second.sections):
        return "one entry names the whole and another a section of"
    return "two entries name one section of" if set(first.sections) & set(second.sections) else ""
