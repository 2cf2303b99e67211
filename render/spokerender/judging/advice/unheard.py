"""A field beside `defaults` or `overrides` that is accepted there and that nobody reads."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import SpokeView


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each such field of each policy, attached or not."""
    for ref, policy in sorted(view.objects.items()):
        if not policy.kind.traits.unheard:
            continue
        block = policy.declared[0].beside
        for name in policy.kind.traits.unheard if block else ():
            if policy.spec.get(name):
                yield view.result(
                    codes.UNHEARD_FIELD,
                    ref,
                    f"spec.{name} has no effect: of a {ref.kind} with spec.{block} only what "
                    "is in there counts",
                    f"move it to spec.{block}.{name}",
                    field=f"spec.{name}",
                )
