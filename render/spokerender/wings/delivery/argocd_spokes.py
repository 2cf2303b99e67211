"""What Argo CD must know of each spoke (folder, cluster, wave), and a project for just these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spokerender.findings.phrasing import count
from spokerender.findings.phrasing import listed as listed_words
from spokerender.formats.templating import Template, TemplateProblem, compile_template
from spokerender.model import Spoke
from spokerender.wings.delivery.engine import Delivered, Files
from spokerender.wings.delivery.problem import DeliveryProblem
from spokerender.wings.delivery.waves import waves_of

if TYPE_CHECKING:  # the models of a file that has them
    from spokerender.wings.delivery.config.argocd import ArgoCD, ArgoDestination

WAVE_LABEL = "spokerender.io/wave"
"""On an Application: the number of its wave, by which the steps of a RollingSync select."""

LONGEST_LABEL_VALUE = 63

_MEANT_OTHERWISE = re.compile(r"[\\*?\[\]{}]|^!")
"""What a project's destination has a meaning for: they are globs, and `!` denies (Argo CD,
app_project_types.go: isDestinationMatched). An IPv6 address would else not match itself."""

Listed = Mapping[str, Any]
"""A spoke: `name`, `folder`, `destination` and, if there are waves, `wave`."""


def refuse_long_names(settings: ArgoCD, fleet: Delivered) -> None:
    """Argo CD puts the Application's name into a label (user-guide/resource_tracking).

    Raises:
        DeliveryProblem: one is longer than a label's value can be.

    """
    names = [f"{settings.name}-{spoke.name}" for spoke in fleet.spokes]
    long = [name for name in names if len(name) > LONGEST_LABEL_VALUE]
    if long:
        message = (
            f"{listed_words(long, 3)}: the name of an Application of more than "
            f"{LONGEST_LABEL_VALUE} characters, and Argo CD puts it into a label"
        )
        too_many = max(map(len, long)) - LONGEST_LABEL_VALUE
        cure = f"shorten the spoke's name, or `name`, by {count(too_many, 'character')}"
        raise DeliveryProblem(message, cure)


def listed(settings: ArgoCD, fleet: Delivered) -> list[Listed]:
    """All spokes.

    Raises:
        DeliveryProblem: a spoke is in no wave, or has no cluster as the settings name it.

    """
    folder, to = fleet.folder(settings.path), settings.destination
    waves = waves_of([wave.spokes.value for wave in settings.waves], fleet.spokes)
    cluster = _cluster_of(to)
    return [
        {
            "name": spoke.name,
            "labels": dict(sorted(spoke.labels.items())),
            "folder": str(folder / spoke.name),
            "destination": cluster(spoke) if cluster else {"name": spoke.name},
            "wave": str(waves.get(spoke.name, "")),
        }
        for spoke in fleet.spokes
    ]


class _Cluster:
    """The `destination` of a spoke, by a template."""

    def __init__(self, key: str, template: Template) -> None:
        self._key = key
        self._template = template

    def __call__(self, spoke: Spoke) -> dict[str, str]:
        try:
            value = self._template.evaluate({"spoke": spoke.context})
        except TemplateProblem as problem:
            message = f'spoke "{spoke.name}" has no cluster: {problem}'
            raise DeliveryProblem(message, f"mend destination.{self._key}, or the spoke") from None
        if not isinstance(value, str) or not value:
            message = f'the cluster of spoke "{spoke.name}" is no text'
            raise DeliveryProblem(message, f"mend destination.{self._key}, or the spoke")
        return {self._key: value}


def _cluster_of(to: ArgoDestination | None) -> _Cluster | None:
    key = "name" if to is None or to.server is None else "server"
    text = None if to is None else to.name or to.server
    if text is None:
        return None
    try:
        return _Cluster(key, compile_template(text))
    except TemplateProblem as problem:
        message = f"destination.{key}: {problem}"
        raise DeliveryProblem(message, f"mend destination.{key}") from None


def project(settings: ArgoCD, fleet: Delivered, spokes: Sequence[Listed]) -> Files:
    """The AppProject, if it is asked for."""
    if not settings.app_project:
        return {}
    kinds: dict[bool, set[tuple[str, str]]] = {True: set(), False: set()}
    destinations: list[Listed] = []
    for spoke in spokes:
        refs = [each.ref for each in fleet.objects(spoke["name"])]
        for ref in refs:
            kinds[bool(ref.namespace)].add((ref.group, ref.kind))
        namespaces = sorted({"", *(ref.namespace for ref in refs)})
        cluster = {
            key: _MEANT_OTHERWISE.sub(r"\\\g<0>", value)
            for key, value in spoke["destination"].items()
        }
        destinations += ({**cluster, "namespace": name} for name in namespaces)
    context = {
        "project": settings.project,
        "namespace": settings.namespace,
        "repo_url": settings.repo_url,
        "destinations": destinations,
        "namespaced_kinds": _rows(kinds[True]),
        "cluster_kinds": _rows(kinds[False]),
    }
    return fleet.from_template("argocd/appproject.yaml", context)


def _rows(kinds: Iterable[tuple[str, str]]) -> list[Listed]:
    return [{"group": group, "kind": kind} for group, kind in sorted(kinds)]
