"""The same fleet with every value written in the open from the beginning, and what is told."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from spokerender.findings.results import Result
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.rendering.bundles.bundler import Bundler
from spokerender.rendering.values.rendered import Rendered


def exactly(found: Rendered) -> Rendered:
    """Each spoke a case of its own, without slots."""
    bundler = Bundler(
        found.hub,
        found.topology,
        found.decision,
        found.sync,
        with_slots=False,
        stages=found.stages,
    )
    bundles = {spoke.name: bundler.bundle(spoke) for spoke in found.decision.spokes}
    return replace(found, bundles=bundles)


def of_spoke(judged_fleet: JudgedFleet, spoke: str) -> set[Any]:
    """What is told of one spoke; words may show the values of another."""
    return {_key(result) for result in judged_fleet.results if spoke in result.spokes}


def _key(result: Result) -> Any:
    return result.code, result.severity, result.resource, result.field, result.origin
