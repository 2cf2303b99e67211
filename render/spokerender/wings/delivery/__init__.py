"""Delivery: what makes a GitOps engine apply each spoke's folder to its spoke.

To add an engine: a module here with its `Engine`, its templates if it has any, one row below.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from spokerender.findings.codes.delivery import BAD_DELIVERY
from spokerender.findings.results import Result
from spokerender.rendering.values.engines import EngineObjects, FolderRules
from spokerender.wings.delivery import argocd, cli_utils, flux, karmada, kustomize, ocm
from spokerender.wings.delivery.engine import Delivered, Engine, Files
from spokerender.wings.delivery.marks import Marked, Marks
from spokerender.wings.delivery.problem import DeliveryProblem
from spokerender.wings.delivery.tree import FleetTree

__all__ = [
    "ENGINES",
    "MARKS",
    "TRACKING_ANNOTATIONS",
    "TRACKING_LABELS",
    "Delivered",
    "DeliveryProblem",
    "Engine",
    "Files",
    "FleetTree",
    "Marked",
    "deliver",
    "engine_objects",
    "folder_rules",
    "found",
    "kept",
]

ENGINES: tuple[Engine, ...] = (argocd.ENGINE, flux.ENGINE, ocm.ENGINE, karmada.ENGINE)

TRACKING_ANNOTATIONS = frozenset[str]().union(*(engine.annotations for engine in ENGINES))
TRACKING_LABELS = frozenset[str]().union(*(engine.labels for engine in ENGINES))
"""What engines put on the hub's objects for themselves."""
MARKS = Marks(kustomize.MARKS, cli_utils.MARKS, *(engine.marks for engine in ENGINES))
"""What kustomize and the engines obey in objects, whether they are switched on or not."""


def engine_objects() -> tuple[EngineObjects, ...]:
    """Return what each engine, on or off, does with its objects; the guard needs it."""
    return tuple(engine.objects for engine in ENGINES)


def folder_rules() -> FolderRules:
    """Return by which files of others an engine, on or off, does not apply what is listed."""
    in_spoke = (*kustomize.STEERINGS, *(row for engine in ENGINES for row in engine.steerings))
    return FolderRules(
        in_spoke,
        (*kustomize.FLEET_STEERINGS, *(replace(row, is_below=True) for row in in_spoke)),
        (*kustomize.OUTPUT_STEERINGS, *(row for row in in_spoke if row.is_below)),
        tuple(engine.bootstrap for engine in ENGINES if engine.bootstrap),
    )


def deliver(
    settings: Any,  # noqa: ANN401  (has a field for each engine: `config.delivery.Delivery`)
    fleet: Delivered,
) -> tuple[tuple[Files, ...], tuple[Result, ...]]:
    """The files of each engine that is switched on, and what is wrong with any of them."""
    fleet = replace(fleet, kept=kept({}))
    made: list[Files] = []
    results: list[Result] = []
    for engine in ENGINES:
        own = getattr(settings, engine.name)
        try:
            if own is not None:
                made.append(engine.files(own, fleet))
        except DeliveryProblem as problem:
            field = "" if problem.origin else f"spec.delivery.{engine.name}"
            results.append(
                BAD_DELIVERY.result(
                    str(problem), cure=problem.cure, field=field, origin=problem.origin
                )
            )
    return tuple(made), tuple(results)


def found(settings: Any) -> str:  # noqa: ANN401  (as in `deliver`)
    """What becomes of a folder in the output that is no spoke's; empty where nothing does."""
    on = ((engine, getattr(settings, engine.name)) for engine in ENGINES)
    return next((said for engine, own in on if own and (said := engine.finds(own))), "")


def kept(annotations: Mapping[str, str]) -> dict[str, str]:
    """The annotations of an object that no engine may ever delete."""
    return {**annotations, **{k: v for e in ENGINES for k, v in e.kept(annotations).items()}}
