"""Argo CD: one ApplicationSet whose Git generator finds the spokes' folders."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from spokerender.kinds.marks import Mark
from spokerender.model import GATEWAY_API
from spokerender.model.shapes import as_mapping
from spokerender.rendering.tree import FLEET_FOLDER
from spokerender.rendering.values.engines import Carrier, EngineObjects, Steering
from spokerender.wings.delivery.argocd_spokes import (
    WAVE_LABEL,
    Listed,
    listed,
    project,
    refuse_long_names,
)
from spokerender.wings.delivery.engine import Delivered, Engine, Files

if TYPE_CHECKING:  # the models of a file that has them
    from spokerender.wings.delivery.config.argocd import ArgoCD

_PRUNE_LAST = "PruneLast="
_PATTERN = re.compile(r"[\\*?\[]")
_SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
_EARLIER: tuple[Mapping[str, str], ...] = (
    {"group": "", "kind": "Namespace", "wave": "-2"},
    {"group": GATEWAY_API, "kind": "ReferenceGrant", "wave": "-1"},
)
"""What others can't be in, or can't name without."""
_ROLLING = """\
Waves (RollingSync): Argo CD turns automated synchronization OFF for all of these Applications,
and synchronizes them itself, wave by wave. Its controller needs --enable-progressive-syncs."""
_ANNOTATIONS = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
"""What API servers fill in, below lists too, is no difference then: routes would never be Synced
(Argo CD's docs, user-guide/diff-strategies)."""
_KEPT = ("Prune=false", "Delete=false")
"""Against both ways to be deleted: what left the tree is pruned, what an Application had goes with
it (Argo CD's docs, user-guide/sync-options)."""


def _files(settings: ArgoCD, fleet: Delivered) -> Files:
    """The ApplicationSet, or an Application for each spoke; the project, if it is asked for.

    Argo CD prunes before it applies, so that a policy which was only renamed would leave its
    target open for a while: unless the settings say otherwise, pruning comes last.
    """
    refuse_long_names(settings, fleet)
    automated, options = settings.sync_policy.automated, settings.sync_policy.sync_options
    if not any(option.startswith(_PRUNE_LAST) for option in options):
        options = (f"{_PRUNE_LAST}true", *options)
    context = {
        "name": settings.name,
        "namespace": settings.namespace,
        "project": settings.project,
        "repo_url": settings.repo_url,
        "target_revision": settings.target_revision,
        "automated": automated and {"prune": automated.prune, "self_heal": automated.self_heal},
        "sync_options": list(options),
        "annotations": _ANNOTATIONS,
        "earlier": list(_EARLIER) if settings.sync_waves else [],
    }
    spokes = listed(settings, fleet)
    if settings.kind == "Application":
        files = fleet.from_template("argocd/applications.yaml", {**context, "spokes": spokes})
    else:
        files = _application_set(settings, fleet, spokes, context)
    return {**files, **project(settings, fleet, spokes)}


def _application_set(
    settings: ArgoCD, fleet: Delivered, spokes: Sequence[Listed], context: Mapping[str, Any]
) -> Files:
    """The ApplicationSet.

    The generator reads its paths as patterns of Go's path.Match, in which a backslash takes
    the meaning from a special character.
    """
    literal = PurePosixPath(_PATTERN.sub(r"\\\g<0>", str(fleet.folder(settings.path))))
    to = settings.destination
    label = to.label if to is not None else None
    destination = {"name": "{{.path.basename}}"}
    if label is not None:
        destination = {"server": "{{.server}}"}
    elif to is not None:
        key = "name" if to.name is not None else "server"
        destination = {key: f"{{{{.destination.{key}}}}}"}
    more = {
        "spoke_folders": str(literal / "*"),
        "fleet_folder": str(literal / FLEET_FOLDER),
        "is_listed": _is_listed(settings),
        "spokes": list(spokes),
        "cluster_label": label,
        "folder": "{{.path.path}}",
        "destination": destination,
        "wave_label": WAVE_LABEL,
        "labels": {each["name"]: each["labels"] for each in spokes if each["labels"]},
        "steps": [
            {"wave": str(number), "max_update": wave.max_update}
            for number, wave in enumerate(settings.waves, 1)
        ],
    }
    note = _ROLLING if settings.waves else ""
    return fleet.from_template("argocd/applicationset.yaml", {**context, **more}, note)


def _spoke_of(application: Mapping[str, Any]) -> str:
    path = as_mapping(as_mapping(application.get("spec")).get("source")).get("path")
    return str(path).rstrip("/").rpartition("/")[2]


def _kept(annotations: Mapping[str, str]) -> dict[str, str]:
    """The object's own options, but for what they say of deletion, and ours.

    Argo CD splits the annotation at commas and takes white space away.
    """
    own = [option.strip() for option in annotations.get(_SYNC_OPTIONS, "").split(",")]
    others = [option for option in own if option and not option.startswith(("Prune=", "Delete="))]
    return {_SYNC_OPTIONS: ",".join((*others, *_KEPT))}


def _has_option(*options: str) -> Callable[[str], bool]:
    """Whether a list of options has one of these; Argo CD splits at commas and trims."""
    return lambda value: any(part.strip() in options for part in value.split(","))


def _is_hook_of_helm(value: str) -> bool:
    return any(part.strip() != "crd-install" for part in value.split(","))


_HOOK = "Argo CD takes the object for a hook: made for a while in a sync, or never (Skip)"
_STAYS = "Argo CD leaves the object on the spoke when it has left the tree"
_MARKS = (
    # Argo CD's docs: user-guide/resource_hooks, user-guide/helm (hooks), operator-manual/reconcile,
    # user-guide/sync-options, user-guide/compare-options, user-guide/skip_reconcile.
    Mark("argocd.argoproj.io/hook", _HOOK),
    Mark("helm.sh/hook", _HOOK, acts=_is_hook_of_helm),
    Mark(
        _SYNC_OPTIONS,
        "Argo CD replaces the object, or deletes it and makes it anew",
        is_refused=False,
        acts=_has_option("Replace=true", "Force=true"),
    ),
    Mark(
        _SYNC_OPTIONS,
        _STAYS,
        is_refused=False,
        acts=_has_option("Prune=false", "Prune=confirm", "Delete=false", "Delete=confirm"),
    ),
    Mark("helm.sh/resource-policy", _STAYS, is_refused=False, acts=_has_option("keep")),
    Mark(
        "argocd.argoproj.io/compare-options",
        "Argo CD calls the Application synced where this object is left over",
        is_refused=False,
        acts=_has_option("IgnoreExtraneous"),
    ),
    Mark(
        "argocd.argoproj.io/ignore-resource-updates",
        "Argo CD does not look when the object is changed on the spoke",
        is_refused=False,
        acts=lambda value: value == "true",
    ),
    Mark(
        "argocd.argoproj.io/skip-reconcile",
        "Argo CD leaves an Application alone that has it",
        is_refused=False,
        acts=lambda value: value == "true",
    ),
)
_STEERINGS = (
    # Argo CD's docs, user-guide/parameters (overrides in Git), user-guide/tool_detection; its
    # util/app/discovery looks for names that end so.
    Steering(".argocd-source*.yaml", "Argo CD changes by it what it applies of the folder"),
    Steering("*Chart.yaml", "Argo CD may take the folder for a chart of Helm's"),
)


def _is_listed(settings: ArgoCD) -> bool:
    """Whether the spokes are named one by one, and no folder is looked for."""
    to = settings.destination
    return bool(settings.waves) or (to is not None and to.label is None)


def _finds(settings: ArgoCD) -> str:
    if settings.kind == "Application" or _is_listed(settings):
        return ""
    return "the ApplicationSet would make an Application of it, for a cluster of that name"


ENGINE = Engine(
    name="argocd",
    files=_files,
    objects=EngineObjects(
        # Argo CD's docs, operator-manual/applicationset/Application-Deletion.
        carriers=(
            Carrier("argoproj.io", "ApplicationSet", lambda _: ""),
            Carrier("argoproj.io", "Application", _spoke_of),
        ),
        source_groups=frozenset({"argoproj.io"}),
        source_fields=frozenset({"automated", "path", "ref", "repoURL", "targetRevision"}),
    ),
    annotations=frozenset({"argocd.argoproj.io/tracking-id"}),
    kept=_kept,
    finds=_finds,
    marks=_MARKS,
    steerings=_STEERINGS,
)
