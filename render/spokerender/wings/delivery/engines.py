"""The table of engines. To add one: a module here with its `Engine`, its templates if it has any.

What they do with objects and folders counts whether a project has switched them on or not.
"""

from functools import reduce
from operator import or_
from typing import Any

from msgspec.structs import replace

from spokerender.kinds.marks import Marks
from spokerender.rendering.values.engines import EngineObjects, FolderRules
from spokerender.wings.delivery import argocd, flux, karmada, kustomize, ocm
from spokerender.wings.delivery.engine import Engine

ENGINES: tuple[Engine, ...] = (argocd.ENGINE, flux.ENGINE, ocm.ENGINE, karmada.ENGINE)


def engine_objects() -> tuple[EngineObjects, ...]:
    """Return what each engine does with its objects; the guard needs it."""
    return tuple(engine.objects for engine in ENGINES)


def folder_rules() -> FolderRules:
    """Return by which files of others an engine does not apply what is listed."""
    in_spoke = (*kustomize.STEERINGS, *(row for engine in ENGINES for row in engine.steerings))
    return FolderRules(
        in_spoke,
        (*kustomize.FLEET_STEERINGS, *(replace(row, is_below=True) for row in in_spoke)),
        (*kustomize.OUTPUT_STEERINGS, *(row for row in in_spoke if row.is_below)),
        tuple(engine.bootstrap for engine in ENGINES if engine.bootstrap),
        tuple(row for engine in ENGINES for row in engine.above),
        kustomize.ATTRIBUTES,
    )


def engines_of(settings: object) -> tuple[tuple[Engine, Any], ...]:
    """Return the engines that are switched on, with their settings; `settings` has a field each."""
    engines = ((engine, getattr(settings, engine.name)) for engine in ENGINES)
    return tuple((engine, own) for engine, own in engines if own is not None)


def engine_marks() -> Marks:
    """Return the marks of kustomize and of all engines."""
    of_engines = (
        Marks.of(*e.marks, annotations=e.annotations, labels=e.labels, protection=e.kept)
        for e in ENGINES
    )
    return reduce(or_, of_engines, Marks.of(*kustomize.MARKS))
