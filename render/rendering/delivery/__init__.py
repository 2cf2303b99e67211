"""Delivery: the objects that make a GitOps engine apply each spoke's folder to its spoke.

To add an engine: a module here that gives its template a context, the template, one row below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from render.config.delivery import Delivery
from render.findings.codes.delivery import BAD_DELIVERY
from render.findings.errors import InputError
from render.findings.results import Result
from render.formats import yamlio
from render.formats.templating import TemplateProblem, render_file
from render.model import Origin
from render.rendering.delivery import argocd, flux
from render.rendering.delivery.folder import repository_folder
from render.rendering.delivery.problems import DeliveryProblem


@dataclass(frozen=True, slots=True)
class Engine:
    """A GitOps engine.

    `name` is its field in `spec.delivery`, `path` the file under `_fleet/` that it gets;
    `context(settings, spokes, folder)` gives the values of its template, and may raise
    `DeliveryProblem`. `folder` is the repository's folder that holds the spokes' folders.
    """

    name: str
    path: str
    context: Callable[[Any, Sequence[str], PurePosixPath], Mapping[str, Any]]

    @property
    def template(self) -> str:
        """The name of its template."""
        return f"{self.path}.j2"


ENGINES = (
    Engine("argocd", "argocd/applicationset.yaml", argocd.context),
    Engine("flux", "flux/kustomizations.yaml", flux.context),
)


def deliver(
    delivery: Delivery, spokes: Sequence[str], output_path: str, texts: Mapping[str, str]
) -> dict[str, tuple[dict[str, Any], ...]]:
    """The objects of every engine that `spec.delivery` switches on, per path under `_fleet/`.

    `output_path` is the folder of the tree, from the root of the repository, for an engine
    whose settings name no `path` of their own. `texts` are the templates by name. Raises
    `InputError` with what is wrong in any of them.
    """
    documents: dict[str, tuple[dict[str, Any], ...]] = {}
    results: list[Result] = []
    for engine in ENGINES:
        settings = getattr(delivery, engine.name)
        if settings is None:
            continue
        try:
            folder = repository_folder(settings.path or output_path)
            context = engine.context(settings, sorted(spokes), folder)
            made = _parse(render_file(texts, engine.template, context), engine.path)
        except DeliveryProblem as problem:
            field = f"spec.delivery.{engine.name}"
            results.append(BAD_DELIVERY.result(str(problem), cure=problem.cure, field=field))
        except TemplateProblem as problem:
            results.append(_broken(engine, str(problem)))
        else:
            documents |= {engine.path: made} if made else {}
    if results:
        raise InputError(tuple(results))
    return documents


def _parse(text: str, path: str) -> tuple[dict[str, Any], ...]:
    """Read back what a template made: its bytes never reach the disk, only what they mean does."""
    documents, problems = yamlio.read(text.encode(), path)
    for problem in problems:
        message = f"it makes YAML that can't be read, line {problem.line}: {problem.message}"
        raise TemplateProblem(message)
    for document in documents:
        value = document.value
        if not isinstance(value, dict) or not {"apiVersion", "kind", "metadata"} <= value.keys():
            message = f"it makes something that is no Kubernetes object, line {document.line}"
            raise TemplateProblem(message)
    return tuple(document.value for document in documents)


def _broken(engine: Engine, message: str) -> Result:
    origin = Origin(f"templates/{engine.template}")
    return BAD_DELIVERY.result(message, cure="mend the template", origin=origin)
