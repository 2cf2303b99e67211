"""What is to be said about a plan: what refuses it, and what its reader should know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from render.findings.codes.disk import BLOCKED, FLUX_BOOTSTRAP, FOREIGN, STRAY
from render.findings.results import Result
from render.findings.words import listed
from render.model import Origin
from render.model.plan import FolderPlan, Plan

_BOOTSTRAP = "flux-system"
_SHOWN = 3


def findings(plan: Plan, output: Path) -> tuple[Result, ...]:
    """Say what of a plan refuses the build, as errors, and what is merely there.

    Args:
        plan: what `compare` found.
        output: the output folder, as the user named it.

    """
    found = [result for folder in plan.folders for result in _of_folder(folder, output)]
    if plan.strays:
        found.append(
            STRAY.result(
                f"{listed(plan.strays, _SHOWN)} in {output} were not left there by a build of ours",
                cure="move them away; the folder is only there while a build runs",
            )
        )
    return tuple(found)


def _of_folder(plan: FolderPlan, output: Path) -> Iterator[Result]:
    for path in plan.blocked:
        place = (output / plan.folder / path).as_posix()
        yield BLOCKED.result(
            f"{place} is not ours, and must be written; a file of ours says so in its first line",
            cure="move it away or delete it, then build again",
            origin=Origin(place),
            spokes=_spokes(plan),
        )
    foreign = plan.foreign
    if _spokes(plan) and not plan.is_removed:
        foreign = tuple(path for path in foreign if path.split("/")[0] != _BOOTSTRAP)
        if foreign != plan.foreign:
            yield _flux_bootstrap(plan, (output / plan.folder / _BOOTSTRAP).as_posix())
    if foreign:
        yield FOREIGN.result(
            f"{listed(foreign, _SHOWN)} in {(output / plan.folder).as_posix()} are not ours: "
            "left alone, and not in kustomization.yaml",
            spokes=_spokes(plan),
        )


def _flux_bootstrap(plan: FolderPlan, place: str) -> Result:
    """Refuse a folder that `flux bootstrap --path` wrote to.

    Flux's kustomize-controller applies a folder as its kustomization.yaml says, and generates
    one only where there is none. Ours does not list what bootstrap put there, so that Flux
    would take its own components for removed, and prune them.
    """
    return FLUX_BOOTSTRAP.result(
        f"{place} makes this the path that Flux was bootstrapped with: our kustomization.yaml "
        "does not list it, and Flux would prune itself",
        cure="bootstrap Flux with another path, and let it apply this folder "
        "by a Flux Kustomization",
        origin=Origin(place),
        spokes=_spokes(plan),
    )


def _spokes(plan: FolderPlan) -> tuple[str, ...]:
    """Name the spoke; a folder that begins with `_` belongs to none."""
    return () if plan.folder.startswith("_") else (plan.folder,)
