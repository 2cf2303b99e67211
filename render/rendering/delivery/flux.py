"""Flux: one Kustomization per spoke, applied from the hub through the spoke's kubeconfig."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from render.config.delivery import Flux
from render.findings.codes.disk import FLUX_BOOTSTRAP
from render.rendering.delivery.engine import Bootstrap, Delivered, DeliveryProblem, Engine, Files
from render.rendering.delivery.marks import Mark, Steering


def _files(settings: Flux, fleet: Delivered) -> Files:
    """The Kustomizations.

    A Kustomization has its spoke's name, a DNS label: Flux puts it in a label's value, which
    holds 63 characters. That may not be the name of Flux's own, which `flux bootstrap` names
    like its namespace: it would be replaced, and Flux prune itself.
    """
    folder, names = fleet.folder(settings.path), [spoke.name for spoke in fleet.spokes]
    if settings.namespace in names:
        message = f'spoke "{settings.namespace}" has the name of Flux\'s own Kustomization'
        raise DeliveryProblem(message, "rename the spoke, or set another `namespace`")
    source = settings.source_ref
    context = {
        "namespace": settings.namespace,
        "interval": settings.interval,
        "source_ref": {"kind": source.kind, "name": source.name, "namespace": source.namespace},
        "spokes": [{"name": name, "path": f"./{folder / name}"} for name in names],
    }
    return fleet.from_template("flux/kustomizations.yaml", context)


def _kept(_annotations: Mapping[str, str]) -> dict[str, str]:
    return {"kustomize.toolkit.fluxcd.io/prune": "disabled"}


def _is(*words: str) -> Callable[[str], bool]:
    """Whether a value is one of these, in any case."""
    return lambda value: value.casefold() in words


_PREFIX = "kustomize.toolkit.fluxcd.io/"
_MARKS = (
    # Flux's docs, components/kustomize/kustomizations (how resources are applied); fluxcd/pkg, ssa,
    # AnyInMetadata: as a label or as an annotation, in any case.
    Mark(
        f"{_PREFIX}reconcile",
        "Flux neither applies nor prunes the object",
        is_label=True,
        acts=_is("disabled"),
    ),
    Mark(f"{_PREFIX}ssa", "Flux does not apply the object", is_label=True, acts=_is("ignore")),
    Mark(
        f"{_PREFIX}ssa",
        "Flux applies the object once, and no change of it",
        is_label=True,
        acts=_is("ifnotpresent"),
    ),
    Mark(
        f"{_PREFIX}ssa",
        "Flux keeps what others have added to the object",
        is_refused=False,
        is_label=True,
        acts=_is("merge"),
    ),
    Mark(
        f"{_PREFIX}prune",
        "Flux leaves the object on the spoke when it has left the tree",
        is_refused=False,
        is_label=True,
        acts=_is("disabled"),
    ),
    Mark(
        f"{_PREFIX}force",
        "Flux may delete the object and make it anew",
        is_refused=False,
        is_label=True,
        acts=_is("enabled"),
    ),
)
_STEERINGS = (
    # Flux's docs, components/source/gitrepositories (excluding files).
    Steering(".sourceignore", "Flux does not see the files that it names", is_below=True),
)

ENGINE = Engine(
    name="flux",
    files=_files,
    labels=frozenset(
        {
            "helm.toolkit.fluxcd.io/name",
            "helm.toolkit.fluxcd.io/namespace",
            "kustomize.toolkit.fluxcd.io/name",
            "kustomize.toolkit.fluxcd.io/namespace",
        }
    ),
    kept=_kept,
    marks=_MARKS,
    steerings=_STEERINGS,
    # `flux bootstrap --path` writes there. The kustomize-controller applies a folder as its
    # kustomization.yaml says, and generates one only where there is none. Ours does not list
    # what bootstrap put there, so that Flux would take its own components for removed.
    bootstrap=Bootstrap(
        "flux-system",
        FLUX_BOOTSTRAP,
        "makes this the path that Flux was bootstrapped with: our kustomization.yaml does not "
        "list it, and Flux would prune itself",
        "bootstrap Flux with another path, and let it apply this folder by a Flux Kustomization",
    ),
)
