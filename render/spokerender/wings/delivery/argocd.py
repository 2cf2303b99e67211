"""Argo CD: an ApplicationSet whose Git generator reads the spokes' folders, or Applications."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import eq
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from spokerender.findings.phrasing import count, listed
from spokerender.kinds.marks import Mark, weak_mark
from spokerender.model import GATEWAY_API
from spokerender.model.shapes import Json, as_mapping, as_mappings
from spokerender.rendering.values import engines as facts
from spokerender.rendering.values.layout import FLEET_FOLDER
from spokerender.wings.delivery import engine
from spokerender.wings.part import Texts

if TYPE_CHECKING:
    from spokerender.wings.delivery.config import ArgoCD

WAVE_LABEL = "spokerender.io/wave"
"""The label with the number of an Application's wave, which the steps of a RollingSync select."""

_LONGEST_LABEL_VALUE = 63

_GLOB = re.compile(r"[\\*?\[\]{}]|^!")
"""Characters that a project's destination reads as a pattern, and `!`, which denies (Argo CD,
app_project_types.go: isDestinationMatched). An IPv6 address would not match itself."""

_SpokeEntry = Mapping[str, Any]
"""A spoke: `name`, `labels`, `folder`, `destination`; with waves, `wave`."""


def _refuse_long_names(settings: ArgoCD, fleet: engine.Delivered) -> None:
    # Argo CD puts the name into a label (user-guide/resource_tracking).
    names = [f"{settings.name}-{spoke.name}" for spoke in fleet.spokes]
    long = [name for name in names if len(name) > _LONGEST_LABEL_VALUE]
    if long:
        message = f"{listed(long, 3)}: the name of an Application has more than "
        message += f"{_LONGEST_LABEL_VALUE} characters, and Argo CD puts it into a label"
        too_many = max(map(len, long)) - _LONGEST_LABEL_VALUE
        cure = f"shorten the spoke's name, or `name`, by {count(too_many, 'character')}"
        raise engine.DeliveryProblem(message, cure)


def _find_clusters(settings: ArgoCD, fleet: engine.Delivered) -> dict[str, _SpokeEntry]:
    """Return the cluster of each spoke, as `name` or `server`; by default `name: <the spoke's>`."""
    to = settings.destination
    key = "name" if to is None or to.server is None else "server"
    text = None if to is None else to.name or to.server
    if text is None:
        return {spoke.name: {"name": spoke.name} for spoke in fleet.spokes}
    clusters = fleet.fill_setting(text, "cluster", f"destination.{key}")
    return {name: {key: cluster} for name, cluster in clusters.items()}


def _app_project(settings: ArgoCD, fleet: engine.Delivered, spokes: Sequence[_SpokeEntry]) -> Texts:
    kinds: dict[bool, set[tuple[str, str]]] = {True: set(), False: set()}
    destinations: list[_SpokeEntry] = []
    for spoke in spokes:
        refs = [item.ref for item in fleet.objects(spoke["name"])]
        for ref in refs:
            kinds[bool(ref.namespace)].add((ref.group, ref.kind))
        namespaces = sorted({"", *(ref.namespace for ref in refs)})
        cluster = {key: _GLOB.sub(r"\\\g<0>", value) for key, value in spoke["destination"].items()}
        destinations += ({**cluster, "namespace": name} for name in namespaces)
    context = settings.model_dump(include={"project", "namespace", "repo_url"}) | {
        "destinations": destinations,
        "namespaced_kinds": _rows(kinds[True]),
        "cluster_kinds": _rows(kinds[False]),
    }
    return fleet.from_template("argocd/appproject.yaml", context)


def _rows(kinds: Iterable[tuple[str, str]]) -> list[_SpokeEntry]:
    return [{"group": group, "kind": kind} for group, kind in sorted(kinds)]


_PRUNE_LAST = "PruneLast="
_PATTERN = re.compile(r"[\\*?\[]")
_SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
_EARLIER: tuple[Mapping[str, str], ...] = (
    {"group": "", "kind": "Namespace", "wave": "-2"},
    {"group": GATEWAY_API, "kind": "ReferenceGrant", "wave": "-1"},
)
"""Namespaces, which contain other objects, and grants, which references need, are applied first."""
_ROLLING = """\
Waves (RollingSync): Argo CD turns automated synchronization OFF for all of these Applications,
and synchronizes them itself, wave by wave. Its controller needs --enable-progressive-syncs."""
_ANNOTATIONS = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
"""With it, defaults that API servers fill in, in lists too, are no difference; without it, routes
would never be Synced (Argo CD's docs, user-guide/diff-strategies)."""
# Argo CD prunes objects that left the tree, and deletes with an Application the objects that it
# applied (Argo CD's docs, user-guide/sync-options).
_KEPT = ("Prune=false", "Delete=false")


def _files(settings: ArgoCD, fleet: engine.Delivered) -> Texts:
    _refuse_long_names(settings, fleet)
    automated, options = settings.sync_policy.automated, settings.sync_policy.sync_options
    # Argo CD prunes before it applies: a policy that was only renamed would leave its target open.
    if not any(option.startswith(_PRUNE_LAST) for option in options):
        options = (f"{_PRUNE_LAST}true", *options)
    context = settings.model_dump(
        include={"name", "namespace", "project", "repo_url", "target_revision"}
    ) | {
        "automated": automated and automated.model_dump(),
        "sync_options": list(options),
        "annotations": _ANNOTATIONS,
        "earlier": list(_EARLIER) if settings.sync_waves else [],
    }
    folder = fleet.folder(settings.path)
    waves = engine.assign_waves(engine.select_waves(settings.waves, fleet), fleet.spokes)
    clusters = _find_clusters(settings, fleet)
    spokes = [
        {
            "name": spoke.name,
            "labels": dict(sorted(spoke.labels.items())),
            "folder": str(folder / spoke.name),
            "destination": clusters[spoke.name],
            "wave": str(waves.get(spoke.name, "")),
        }
        for spoke in fleet.spokes
    ]
    if settings.kind == "Application":
        files = fleet.from_template("argocd/applications.yaml", {**context, "spokes": spokes})
    else:
        files = _application_set(settings, fleet, spokes, context)
    project = _app_project(settings, fleet, spokes) if settings.app_project else {}
    return {**files, **project}


def _application_set(
    settings: ArgoCD,
    fleet: engine.Delivered,
    spokes: Sequence[_SpokeEntry],
    context: Mapping[str, Any],
) -> Texts:
    # The generator reads paths as patterns of Go's path.Match, where a backslash escapes.
    literal = PurePosixPath(_PATTERN.sub(r"\\\g<0>", str(fleet.folder(settings.path))))
    to = settings.destination
    label = to.label if to is not None else None
    destination = {"name": "{{.path.basename}}"}
    if label is not None:
        destination = {"server": "{{.server}}"}
    elif to is not None:
        key = "name" if to.name is not None else "server"
        destination = {key: f"{{{{.destination.{key}}}}}"}
    sizes: list[str | int] = [wave.max_update for wave in settings.waves]
    sizes = sizes or ["100%"] * len(engine.select_waves(settings.waves, fleet))
    more = {
        "spoke_folders": str(literal / "*"),
        "fleet_folder": str(literal / FLEET_FOLDER),
        "is_listed": _is_listed(settings),
        "spokes": list(spokes),
        "cluster_label": label,
        "folder": "{{.path.path}}",
        "destination": destination,
        "wave_label": WAVE_LABEL,
        "labels": {spoke["name"]: spoke["labels"] for spoke in spokes if spoke["labels"]},
        "steps": [
            {"wave": str(number), "max_update": size} for number, size in enumerate(sizes, 1)
        ],
    }
    note = _ROLLING if settings.waves else ""
    return fleet.from_template("argocd/applicationset.yaml", {**context, **more}, note)


def _spoke_of(application: Mapping[str, Any]) -> str:
    path = as_mapping(as_mapping(application.get("spec")).get("source")).get("path")
    return str(path).rstrip("/").rpartition("/")[2]


def _reaches_of_one(application: Mapping[str, Any], _: object) -> Iterator[facts.EngineReach]:
    spec = as_mapping(application.get("spec"))
    yield _spoke_of(application), repr(spec.get("destination"))


def _reaches_of_set(
    application_set: Mapping[str, Any], spokes: Collection[str]
) -> Iterator[facts.EngineReach]:
    """Yield each spoke that gets an Application from `application_set`, and its destination.

    The destination is in the spoke's list element, or else in the template. If generators find
    clusters by label, the text of their `clusters` is yielded instead.
    """
    spec = as_mapping(application_set.get("spec"))
    template = as_mapping(as_mapping(as_mapping(spec.get("template")).get("spec")))
    generators = list(_find_generators(spec.get("generators")))
    labels = [item["clusters"] for item in generators if "clusters" in item]
    elements = [
        element
        for item in generators
        for element in as_mappings(as_mapping(item.get("list")).get("elements"))
    ]
    listed = {as_mapping(item.get("path")).get("basename"): item for item in elements}
    folders = [
        folder
        for item in generators
        for folder in as_mappings(as_mapping(item.get("git")).get("directories"))
    ]
    for spoke in spokes:
        own = as_mapping(listed.get(spoke)).get("destination")
        text = repr(own or template.get("destination")).replace("{{.path.basename}}", spoke)
        # A matrix needs the spoke in each of its generators.
        if (spoke in listed or not elements) and (not folders or _is_generated(spoke, folders)):
            yield spoke, text if not labels else repr(labels).replace("{{.path.basename}}", spoke)


def _is_generated(spoke: str, folders: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether `folders`, `directories` of Git generators, include the folder of `spoke`."""
    listed, left_out = (
        [str(item.get("path")) for item in folders if bool(item.get("exclude")) is is_left_out]
        for is_left_out in (False, True)
    )
    # A path such as `clusters/*` generates the spoke's folder if the folder beside it matches.
    own = (PurePosixPath(path).with_name(spoke) for path in listed if PurePosixPath(path).name)
    return any(
        any(map(folder.match, listed)) and not any(map(folder.match, left_out)) for folder in own
    )


def _find_generators(generators: object) -> Iterator[Mapping[str, Any]]:
    for generator in as_mappings(generators):
        yield generator
        for kind in ("matrix", "merge"):
            yield from _find_generators(as_mapping(generator.get(kind)).get("generators"))


def _kept(annotations: Mapping[str, str]) -> dict[str, str]:
    """Return an object's annotation of sync options, with `_KEPT` replacing `Prune=`, `Delete=`."""
    # Argo CD splits the annotation at commas and trims white space.
    options = [option.strip() for option in annotations.get(_SYNC_OPTIONS, "").split(",")]
    others = [
        option for option in options if option and not option.startswith(("Prune=", "Delete="))
    ]
    return {_SYNC_OPTIONS: ",".join((*others, *_KEPT))}


def _has_option(*options: str) -> Callable[[str], bool]:
    """Return a predicate that tests whether a comma-separated text has one of `options`."""
    return lambda value: any(part.strip() in options for part in value.split(","))


# Argo CD applies an object of Helm's hook crd-install as any other object (user-guide/helm).
def _is_hook_of_helm(value: str) -> bool:
    return any(part.strip() != "crd-install" for part in value.split(","))


_HOOK = "Argo CD takes the object for a hook: made for a while in a sync, or never (Skip)"
_STAYS = "Argo CD leaves the object on the spoke when it has left the tree"
_MARKS = (
    # Argo CD's docs: user-guide/resource_hooks, user-guide/helm (hooks), operator-manual/reconcile,
    # user-guide/sync-options, user-guide/compare-options, user-guide/skip_reconcile.
    Mark("argocd.argoproj.io/hook", _HOOK),
    Mark("helm.sh/hook", _HOOK, acts=_is_hook_of_helm),
    weak_mark(
        _SYNC_OPTIONS,
        "Argo CD replaces the object, or deletes it and makes it anew",
        acts=_has_option("Replace=true", "Force=true"),
    ),
    weak_mark(
        _SYNC_OPTIONS,
        _STAYS,
        acts=_has_option("Prune=false", "Prune=confirm", "Delete=false", "Delete=confirm"),
    ),
    weak_mark("helm.sh/resource-policy", _STAYS, acts=_has_option("keep")),
    weak_mark(
        "argocd.argoproj.io/compare-options",
        "Argo CD calls the Application synced where this object is left over",
        acts=_has_option("IgnoreExtraneous"),
    ),
    weak_mark(
        "argocd.argoproj.io/ignore-resource-updates",
        "Argo CD does not look when the object is changed on the spoke",
        acts=partial(eq, "true"),
    ),
    weak_mark(
        "argocd.argoproj.io/skip-reconcile",
        "Argo CD leaves an Application alone that has it",
        acts=partial(eq, "true"),
    ),
)
_STEERINGS = (
    # Argo CD's docs, user-guide/parameters (overrides in Git), user-guide/tool_detection; its
    # util/app/discovery looks for names that end so.
    facts.Steering(".argocd-source*.yaml", "Argo CD changes by it what it applies of the folder"),
    facts.Steering("*Chart.yaml", "Argo CD may take the folder for a chart of Helm's"),
)


def _is_listed(settings: ArgoCD) -> bool:
    to = settings.destination
    return bool(settings.waves) or (to is not None and to.label is None)


def _finds(settings: ArgoCD) -> str:
    if settings.kind == "Application" or _is_listed(settings):
        return ""
    return "the ApplicationSet would make an Application of it, for a cluster of that name"


_ELSEWHERE = "Argo CD takes the trees from elsewhere"
_REWRITES = "Argo CD rewrites what it applies, or leaves some of it out"
_STOPS = "Argo CD does not apply changes of the trees by itself"
_LABELS = re.compile(
    r'metadata:\s+labels: \{\{ index \(dict(?:\s+"[^"\\]*" \(dict(?: "[^"\\]*")*\))*\s*\) '
    r"\.path\.basename \| default dict \| toJson \}\}\s*"
)
"""The patch of an ApplicationSet's Applications that sets labels alone (applicationset.yaml.j2)."""


def _rewrites_by_template(_: Json, new: Json) -> bool | None:
    return None if new is None or _LABELS.fullmatch(str(new)) else True


_FIELDS = (
    # Argo CD's docs, user-guide/application-specification, operator-manual/applicationset.
    facts.DeliveryField("git list matrix merge clusters"),  # `reaches` tells what they lose
    facts.DeliveryField(
        "repoURL targetRevision revision chart path", _ELSEWHERE, loses=facts.loses_always
    ),
    facts.DeliveryField(
        "automated automated.enabled", "", _STOPS, lambda _, new: new in (None, False)
    ),
    facts.DeliveryField("argocd.argoproj.io/skip-reconcile", _STOPS, loses=facts.loses_if_set),
    facts.DeliveryField(
        "automated.selfHeal",
        "Argo CD undoes changes made on the spoke",
        "Argo CD no longer undoes changes made on the spoke",
    ),
    facts.DeliveryField("automated.prune", engine.PRUNES, engine.LEAVES),
    facts.DeliveryField("kustomize.patches", _REWRITES, loses=engine.loses_by_patches),
    facts.DeliveryField("templatePatch", _REWRITES, loses=_rewrites_by_template),
    facts.DeliveryField(
        "kustomize. directory. helm. plugin. sources source.ref",
        _REWRITES,
        loses=facts.loses_if_set,
    ),
    facts.DeliveryField(
        "ignoreDifferences", "Argo CD leaves these fields as they are", loses=facts.loses_if_set
    ),
    facts.DeliveryField(
        "applicationsSync preserveResourcesOnDeletion finalizers allowEmpty",
        "it decides what is deleted when a spoke, or all of its objects, are gone from the trees",
    ),
    facts.DeliveryField("strategy strategy.", "it decides when trees are applied, and if"),
    facts.DeliveryField("project", "another project decides what is applied, and where"),
    facts.DeliveryField(
        "labels labels. wave basename destination destination. destinations sourceRepos "
        "clusterResourceWhitelist namespaceResourceWhitelist"
    ),
)

ENGINE = engine.Engine(
    name="argocd",
    files=_files,
    objects=facts.EngineObjects(
        # Argo CD's docs, operator-manual/applicationset/Application-Deletion.
        carriers=(
            facts.Carrier("argoproj.io", "ApplicationSet", lambda _: "", _reaches_of_set),
            facts.Carrier("argoproj.io", "Application", _spoke_of, _reaches_of_one),
        ),
        groups=frozenset({"argoproj.io"}),
        fields=_FIELDS,
    ),
    annotations=frozenset({"argocd.argoproj.io/tracking-id"}),
    kept=_kept,
    finds=_finds,
    marks=_MARKS,
    steerings=_STEERINGS,
)
