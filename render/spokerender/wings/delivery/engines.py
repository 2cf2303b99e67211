"""The table of engines. To add one: a module here with its `Engine`, and with its templates."""

from functools import reduce
from operator import or_
from typing import Any

from msgspec.structs import replace

from spokerender.kinds.marks import Marks
from spokerender.rendering.values.engines import EngineFacts, FolderRules
from spokerender.wings.delivery import argocd, flux, karmada, kustomize, ocm
from spokerender.wings.delivery.engine import Engine

ENGINES: tuple[Engine, ...] = (argocd.ENGINE, flux.ENGINE, ocm.ENGINE, karmada.ENGINE)


def engine_facts() -> EngineFacts:
    """Return what kustomize and the engines do with objects and folders."""
    in_spoke = (*kustomize.STEERINGS, *(row for engine in ENGINES for row in engine.steerings))
    rules = FolderRules(
        in_spoke,
        (*kustomize.FLEET_STEERINGS, *(replace(row, is_below=True) for row in in_spoke)),
        (*kustomize.OUTPUT_STEERINGS, *(row for row in in_spoke if row.is_below)),
        tuple(engine.bootstrap for engine in ENGINES if engine.bootstrap),
        tuple(row for engine in ENGINES for row in engine.above),
        kustomize.ATTRIBUTES,
    )
    marks = [
        Marks.of(*e.marks, annotations=e.annotations, labels=e.labels, protection=e.kept)
        for e in ENGINES
    ]
    every_mark = reduce(or_, marks, Marks.of(*kustomize.MARKS))
    return EngineFacts(every_mark, tuple(engine.objects for engine in ENGINES), rules)


def engines_of(settings: object) -> tuple[tuple[Engine, Any], ...]:
    """Return the engines that are switched on, with their settings; `settings` has a field each."""
    engines = ((engine, getattr(settings, engine.name)) for engine in ENGINES)
    return tuple((engine, own) for engine, own in engines if own is not None)
