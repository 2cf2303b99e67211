"""Collecting what is wrong with one source of a sync list."""

from __future__ import annotations

from spokerender.findings.results import FindingKind, Result
from spokerender.model import Origin, Ref


class Faults:
    """Collects what is wrong with one source of a list."""

    def __init__(self, ref: Ref | None, origin: Origin | None) -> None:
        """Everything that is added is told of this object, at this place."""
        self.results: list[Result] = []
        self._ref, self._origin = ref, origin

    def add(
        self, rule: FindingKind, message: str, cure: str, where: str = "", *causes: str
    ) -> None:
        """Add a finding; `where` is the field, `causes` are what it may follow from."""
        self.results.append(
            rule.result(
                message,
                cure=cure,
                resource=self._ref,
                field=where,
                origin=self._origin,
                causes=causes,
            )
        )
