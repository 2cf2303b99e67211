"""The table of engines, and the part in rendering of the engines that a project has switched on.

To add an engine, write a module here with its `Engine`, and its templates if it has any.
"""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from msgspec.structs import astuple, replace

from spokerender.findings.codes.shipping import BAD_DELIVERY, MISPLACED
from spokerender.findings.results import Result
from spokerender.kinds.marks import Marks
from spokerender.model import Spoke, shown
from spokerender.rendering.values.engines import EngineFacts, FolderRules
from spokerender.rendering.values.rendered import Contribution
from spokerender.topology.hub import Hub
from spokerender.wings.delivery import argocd, flux, kustomize, ocm
from spokerender.wings.delivery.engine import Delivered, DeliveryProblem, Engine
from spokerender.wings.delivery.settings import DeliverySettings
from spokerender.wings.part import Part, ProjectFiles, RenderedSpokes, Texts

ENGINES: tuple[Engine, ...] = (argocd.ENGINE, flux.ENGINE, ocm.ENGINE)


def engine_facts() -> EngineFacts:
    """Return the effects of kustomize and of the engines on objects and folders."""
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
    """Return the engines that are switched on, each with its field of `settings`."""
    engines = ((engine, getattr(settings, engine.name)) for engine in ENGINES)
    return tuple((engine, own) for engine, own in engines if own is not None)


def read_delivery(project: ProjectFiles) -> "DeliveryPart | None":
    """Return the engines of a project as a part, or None if no engine is switched on."""
    switched_on = engines_of(project.settings(DeliverySettings).delivery)
    return DeliveryPart(switched_on, project) if switched_on else None


class DeliveryPart(Part):
    """The engines that deliver a project, each with its settings."""

    wing = "delivery"

    def __init__(self, engines: Sequence[tuple[Engine, Any]], project: ProjectFiles) -> None:
        self._engines, self._project, self._at = engines, project, project.document.at

    def contribute(self, hub: Hub, spokes: Sequence[Spoke]) -> Contribution:  # noqa: ARG002  (a part's)
        """Return findings about engines that look for the trees outside the project's folder.

        An engine whose settings have no path looks for the output at the top of the repository, but
        the output of a project in a subfolder is in that subfolder.
        """
        # OCM has no path, since works contain the objects. A path that the settings do have is
        # right: the trees may be in a repository of their own.
        engines = [it for it, settings in self._engines if getattr(settings, "path", "") is None]
        if self._project.folder is None or not engines:
            return Contribution()
        from spokerender.edge.git.repository import below_top  # noqa: PLC0415  (start-up counts)

        inside = below_top(self._project.folder)
        output = self._project.document.model.spec.output.rstrip("/")
        results = (
            MISPLACED.result(
                f"{output}/ is looked for at the top of the repository, and the project is in "
                f"{inside}/",
                cure=f"write `path: {inside}/{output}`; or `path: {output}`, if the trees are at "
                "the top of a repository of their own",
                field=f"spec.delivery.{engine.name}.path",
                origin=self._at("spec", "delivery", engine.name),
            )
            for engine in engines
        )
        return Contribution(results=tuple(results) if inside else ())

    def deliver(self, fleet: RenderedSpokes) -> tuple[Sequence[Texts], tuple[Result, ...]]:
        """Return the files of each engine, or a finding if the engine can't deliver the fleet."""
        delivered = Delivered(*astuple(fleet))
        files: list[Texts] = []
        results: list[Result] = []
        for engine, settings in self._engines:
            try:
                files.append(engine.files(settings, delivered))
            except DeliveryProblem as problem:
                path = ("spec", "delivery", engine.name, *problem.field)
                field = "" if problem.origin else shown(path)
                origin, cure = problem.origin or self._at(*path), problem.cure
                result = BAD_DELIVERY.result(str(problem), cure=cure, field=field, origin=origin)
                results.append(result)
        return tuple(files), tuple(results)

    def claims(self) -> str:
        """Return as text what an engine does with output folders of no spoke; empty if nothing."""
        effects = (engine.finds(settings) for engine, settings in self._engines)
        return next(filter(None, effects), "")
