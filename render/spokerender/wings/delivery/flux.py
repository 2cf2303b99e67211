"""Flux: one Kustomization per spoke, applied from the hub or by the spoke's own controllers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from spokerender.findings.codes.project import FLUX_BOOTSTRAP
from spokerender.kinds.marks import Mark
from spokerender.model.shapes import as_mapping
from spokerender.rendering.values.engines import Bootstrap, Carrier, EngineObjects, Steering
from spokerender.wings.delivery.engine import Delivered, Engine, Files, written
from spokerender.wings.delivery.flux_parts import Source, health, sources
from spokerender.wings.delivery.problem import DeliveryProblem
from spokerender.wings.delivery.waves import waves_of

if TYPE_CHECKING:  # the models of a file that has them
    from spokerender.wings.delivery.config.flux import Flux


def _files(settings: Flux, fleet: Delivered) -> Files:
    """The Kustomizations, and their sources where these are asked for.

    A Kustomization has its spoke's name, a DNS label: Flux puts it in a label's value, which
    holds 63 characters. That may not be the name of Flux's own, which `flux bootstrap` names
    like its namespace: it would be replaced, and Flux prune itself.
    """
    names = [spoke.name for spoke in fleet.spokes]
    if settings.namespace in names:
        message = f'spoke "{settings.namespace}" has the name of Flux\'s own Kustomization'
        raise DeliveryProblem(message, "rename the spoke, or set another `namespace`")
    is_hub, own = settings.controllers == "hub", sources(settings, fleet)
    context = {
        "namespace": settings.namespace,
        "interval": settings.interval,
        "is_hub": is_hub,
        "spokes": _spokes(settings, fleet, own),
        "sources": list({source["name"]: source for source in own.values()}.values()),
    }
    if is_hub:
        of_sources = fleet.from_template("flux/sources.yaml", context) if own else {}
        return {**of_sources, **fleet.from_template("flux/kustomizations.yaml", context)}
    made = fleet.documents("flux/sources.yaml", context)
    by_name = {each["metadata"]["name"]: [each] for each in made}
    return {
        f"flux/{each['metadata']['name']}/sync.yaml": written(
            [*by_name.get(each["spec"]["sourceRef"]["name"], ()), each]
        )
        for each in fleet.documents("flux/kustomizations.yaml", context)
    }


def _spokes(settings: Flux, fleet: Delivered, own: Mapping[str, Source]) -> list[Mapping[str, Any]]:
    """What the template is told of each spoke."""
    folder, given = fleet.folder(settings.path), settings.source_ref
    waves = waves_of([wave.spokes.value for wave in settings.waves], fleet.spokes)
    members: dict[int, list[str]] = {}
    for name, wave in waves.items():
        members.setdefault(wave, []).append(name)
    before = dict(pairwise(sorted(members)[::-1]))
    there = {"kind": given.kind, "name": given.name, "namespace": given.namespace}
    return [
        {
            "name": spoke.name,
            "labels": dict(sorted(spoke.labels.items())),
            "path": "./" if own and own[spoke.name]["is_own"] else f"./{folder / spoke.name}",
            "source": own.get(spoke.name, there),
            "after": members.get(before.get(waves.get(spoke.name, 0), 0), ()),
            "health": health(fleet, spoke.name) if settings.health_checks else (),
        }
        for spoke in fleet.spokes
    ]


def _spoke_of(kustomization: Mapping[str, Any]) -> str:
    return str(as_mapping(kustomization.get("metadata")).get("name"))


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
    objects=EngineObjects(
        # Flux's docs, components/kustomize/kustomizations (prune).
        carriers=(Carrier("kustomize.toolkit.fluxcd.io", "Kustomization", _spoke_of),),
        source_groups=frozenset({"kustomize.toolkit.fluxcd.io", "source.toolkit.fluxcd.io"}),
        source_fields=frozenset({"path", "ref", "sourceRef", "suspend", "url"}),
        stop_fields=frozenset({"suspend"}),
    ),
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
        frozenset({"gotk-components.yaml", "gotk-sync.yaml", "kustomization.yaml"}),
        FLUX_BOOTSTRAP,
        "makes this the path that Flux was bootstrapped with: our kustomization.yaml does not "
        "list it, and Flux would prune itself",
        "bootstrap Flux with another path, and let it apply this folder by a Flux Kustomization",
    ),
)
