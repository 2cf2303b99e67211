"""Flux: one Kustomization per spoke, applied from the hub or by the spoke's own controllers.

Health expressions are CEL over an object's fields (fluxcd/pkg, runtime/cel/status_evaluator.go). To
Flux, an object is in progress if its `status.observedGeneration` is old, if no expression is true,
or if an expression reads a missing field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from spokerender.findings.codes.project import FLUX_BOOTSTRAP
from spokerender.formats.templating.template import is_template
from spokerender.kinds.marks import Mark
from spokerender.model import grouped
from spokerender.model.shapes import as_mapping
from spokerender.rendering.values import engines as facts
from spokerender.wings.delivery import engine
from spokerender.wings.part import Texts

if TYPE_CHECKING:
    from spokerender.kinds.statuses import Reported
    from spokerender.wings.delivery.config import Flux

_Source = Mapping[str, Any]
"""A source to render; if `is_own` is True, a single spoke uses the source."""

_FRESH = "(!has(c.observedGeneration) || c.observedGeneration == metadata.generation)"
"""Ignores conditions for an older generation of the object."""


def _find_sources(settings: Flux, fleet: engine.Delivered) -> dict[str, _Source]:
    """Return the source of each spoke by its name; empty if the settings have no `source`."""
    repository = settings.source
    if repository is None:
        return {}
    common = {
        "kind": "OCIRepository" if repository.is_artifact else "GitRepository",
        "namespace": settings.namespace,
        "ref": repository.ref.model_dump(exclude_none=True),
        "secret": repository.secret,
    }
    is_own = is_template(repository.url)
    urls = fleet.fill_setting(repository.url, "source", "source.url") if is_own else {}
    return {
        spoke.name: {
            **common,
            "name": f"{repository.name}-{spoke.name}" if is_own else repository.name,
            "url": urls.get(spoke.name, repository.url),
            "is_own": is_own,
        }
        for spoke in fleet.spokes
    }


def _health_checks(fleet: engine.Delivered, spoke: str) -> list[Mapping[str, str]]:
    """Return a health check of Flux for each kind in the spoke's folder with known conditions."""
    from spokerender.kinds.statuses import find_reported  # noqa: PLC0415  (start-up counts)

    kinds = {
        (str(item.data.get("apiVersion")), item.ref.group, item.ref.kind)
        for item in fleet.objects(spoke)
    }
    # Only `current` is written, never `failed`: a policy that is refused because its Gateway is
    # not there yet would end the wait at once.
    return [
        {"api_version": version, "kind": kind, "current": " && ".join(_current(status))}
        for version, group, kind in sorted(kinds)
        if (status := find_reported(fleet.catalogue.kind(group, kind))) is not None
    ]


def _current(status: Reported) -> Iterator[str]:
    if status.in_ancestors:
        inner = " && ".join(_conditions(status, "a"))
        yield "has(status.ancestors) && status.ancestors.size() > 0"
        yield f"status.ancestors.all(a, {inner})"
    else:
        yield from _conditions(status, "status")


def _conditions(status: Reported, place: str) -> Iterator[str]:
    yield f"has({place}.conditions)"
    settled = dict(status.settled)
    for name in status.conditions:
        holds = 'c.status == "True"'
        if name in settled:
            holds = f'({holds} || c.reason == "{settled[name]}")'
        yield f'{place}.conditions.exists(c, c.type == "{name}" && {holds} && {_FRESH})'


def _files(settings: Flux, fleet: engine.Delivered) -> Texts:
    """Return the Kustomizations, and their sources if the settings have a `source`."""
    # `flux bootstrap` names its own Kustomization like the namespace: one of that name would
    # replace it, and Flux would prune itself.
    names = [spoke.name for spoke in fleet.spokes]
    if settings.namespace in names:
        message = f'spoke "{settings.namespace}" has the name of Flux\'s own Kustomization'
        raise engine.DeliveryProblem(message, "rename the spoke, or set another `namespace`")
    is_hub, sources = settings.controllers == "hub", _find_sources(settings, fleet)
    folder = fleet.folder(settings.path)
    waves = engine.assign_waves(engine.select_waves(settings.waves, fleet), fleet.spokes)
    members = grouped((wave, name) for name, wave in waves.items())
    # Each wave depends on the nearest wave before it that has spokes.
    before = dict(pairwise(sorted(members)[::-1]))
    existing = settings.source_ref.model_dump()
    context = {
        "namespace": settings.namespace,
        "interval": settings.interval,
        "is_hub": is_hub,
        "spokes": [
            {
                "name": spoke.name,
                "labels": dict(sorted(spoke.labels.items())),
                # An artifact of its own has the spoke's tree at the top.
                "path": "./"
                if sources and sources[spoke.name]["is_own"]
                else f"./{folder / spoke.name}",
                "source": sources.get(spoke.name, existing),
                "after": members.get(before.get(waves.get(spoke.name, 0), 0), ()),
                "health": _health_checks(fleet, spoke.name) if settings.health_checks else (),
            }
            for spoke in fleet.spokes
        ],
        "sources": list({source["name"]: source for source in sources.values()}.values()),
    }
    if is_hub:
        of_sources = fleet.from_template("flux/sources.yaml", context) if sources else {}
        return {**of_sources, **fleet.from_template("flux/kustomizations.yaml", context)}
    source_objects = fleet.documents("flux/sources.yaml", context)
    by_name = {item["metadata"]["name"]: [item] for item in source_objects}
    return {
        f"flux/{item['metadata']['name']}/sync.yaml": engine.write_objects(
            [*by_name.get(item["spec"]["sourceRef"]["name"], ()), item]
        )
        for item in fleet.documents("flux/kustomizations.yaml", context)
    }


def _spoke_of(kustomization: Mapping[str, Any]) -> str:
    return str(as_mapping(kustomization.get("metadata")).get("name"))


def _reaches(kustomization: Mapping[str, Any], _: object) -> Iterator[facts.EngineReach]:
    """Yield the Kustomization's spoke with the text of `kubeConfig` (None: Flux's own cluster)."""
    spec = as_mapping(kustomization.get("spec"))
    yield _spoke_of(kustomization), repr(spec.get("kubeConfig"))


def _is(word: str) -> Callable[[str], bool]:
    return lambda value: value.casefold() == word


_MARKS = tuple(
    # Flux's docs, components/kustomize/kustomizations (how resources are applied); fluxcd/pkg, ssa,
    # AnyInMetadata: as a label or as an annotation, in any case.
    Mark(f"kustomize.toolkit.fluxcd.io/{name}", effect, is_refused, is_label=True, acts=_is(word))
    for name, word, is_refused, effect in (
        ("reconcile", "disabled", True, "Flux neither applies nor prunes the object"),
        ("ssa", "ignore", True, "Flux does not apply the object"),
        ("ssa", "ifnotpresent", True, "Flux applies the object once, and no change of it"),
        ("ssa", "merge", False, "Flux keeps what others have added to the object"),
        (
            "prune",
            "disabled",
            False,
            "Flux leaves the object on the spoke when it has left the tree",
        ),
        ("force", "enabled", False, "Flux may delete the object and make it anew"),
    )
)
_STEERINGS = (
    # Flux's docs, components/source/gitrepositories (excluding files).
    facts.Steering(".sourceignore", "Flux does not see the files that it names", is_below=True),
)

_REWRITES = "Flux rewrites what it applies, or leaves some of it out"
_FIELDS = (
    # Flux's docs, components/kustomize/kustomizations, components/source.
    facts.DeliveryField(
        "url ref ref. sourceRef sourceRef. path",
        "Flux takes the trees from elsewhere",
        "",
        facts.loses_always,
    ),
    facts.DeliveryField(
        "suspend", "Flux applies nothing", "Flux applies the trees", facts.loses_if_set
    ),
    facts.DeliveryField("prune", engine.PRUNES, engine.LEAVES),
    facts.DeliveryField("deletionPolicy", engine.DELETES),
    facts.DeliveryField("patches", _REWRITES, loses=engine.loses_by_patches),
    facts.DeliveryField(
        "targetNamespace components images namePrefix nameSuffix commonMetadata. postBuild. "
        "ignore sparseCheckout include layerSelector. patchesJson6902 patchesStrategicMerge",
        _REWRITES,
        loses=facts.loses_if_set,
    ),
    facts.DeliveryField("verify.", "it decides whose artifacts Flux takes"),
    facts.DeliveryField(
        "labels labels. interval retryInterval timeout wait dependsOn healthChecks "
        "healthCheckExprs kubeConfig kubeConfig."  # `reaches` compares the last two
    ),
)

ENGINE = engine.Engine(
    name="flux",
    files=_files,
    objects=facts.EngineObjects(
        # Flux's docs, components/kustomize/kustomizations (prune).
        carriers=(
            facts.Carrier("kustomize.toolkit.fluxcd.io", "Kustomization", _spoke_of, _reaches),
        ),
        groups=frozenset({"kustomize.toolkit.fluxcd.io", "source.toolkit.fluxcd.io"}),
        fields=_FIELDS,
    ),
    labels=frozenset(
        f"{controller}.toolkit.fluxcd.io/{key}"
        for controller in ("helm", "kustomize")
        for key in ("name", "namespace")
    ),
    kept=lambda _: {"kustomize.toolkit.fluxcd.io/prune": "disabled"},
    marks=_MARKS,
    steerings=_STEERINGS,
    above=(facts.Above(".sourceignore", "Flux does not see the files that it names"),),
    # `flux bootstrap --path` writes there. The kustomize-controller applies a folder as its
    # kustomization.yaml says, and generates one only where there is none. Ours does not list
    # what bootstrap put there, so that Flux would take its own components for removed.
    bootstrap=facts.Bootstrap(
        "flux-system",
        frozenset({"gotk-components.yaml", "gotk-sync.yaml", "kustomization.yaml"}),
        FLUX_BOOTSTRAP,
        "makes this the path that Flux was bootstrapped with: our kustomization.yaml does not "
        "list it, and Flux would prune itself",
        "bootstrap Flux with another path, and let it apply this folder by a Flux Kustomization",
    ),
)
