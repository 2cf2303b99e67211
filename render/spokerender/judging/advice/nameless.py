"""A listener that a policy for DNS covers and that gets no record: it has no hostname."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import INFO, WARNING, Result
from spokerender.judging.advice.context import SpokeView
from spokerender.judging.advice.words import some


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each policy with such listeners; an info while it has others."""
    for policy, attachment in view.policies:
        if policy.kind.traits.records is None:
            continue
        covered = [
            (node.ref, listener)
            for node, listener, _ in view.listeners(policy, attachment)
            if view.is_ours(node.ref)
        ]
        nameless = [(ref, listener) for ref, listener in covered if not listener.hostname]
        if not nameless:
            continue
        shown = some(f"{ref} [{listener.name}]" for ref, listener in nameless)
        yield view.result(
            codes.NO_RECORD,
            policy.ref,
            f"there will be no DNS record for {shown}: a listener without a hostname is skipped",
            "give the listener a hostname, or target only the listeners that have one",
            severity=INFO if len(nameless) < len(covered) else WARNING,
        )
