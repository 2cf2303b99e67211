"""Open Cluster Management: ManifestWorks for each spoke, in its cluster's namespace on the hub.

The owner of an object decides when it is deleted (OCM 00f84c3, pkg/work/helper/helpers.go): the
agent deletes what left a work, and with a work all that it owns. So an object that is pruned with
its work can't outlive the work: no engine on the hub may delete a work because its file is gone,
and a work never owns a Namespace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from spokerender.findings.phrasing import listed
from spokerender.formats import comparing, yamlio
from spokerender.rendering.values.engines import Carrier, EngineObjects
from spokerender.rendering.values.trees import Shipped
from spokerender.wings.delivery.engine import (
    Delivered,
    DeliveryProblem,
    Engine,
    Files,
    LazyFiles,
    refuse_unknown,
)
from spokerender.wings.delivery.ocm_works import Json, WorkPart, Works, indented

if TYPE_CHECKING:
    from spokerender.wings.delivery.config.ocm import OCM

_SHOWN = 5


def find_members(settings: OCM, fleet: Delivered) -> dict[int, list[str]]:
    """Return the spokes of each ReplicaSet, by its index in the settings.

    Raises:
        DeliveryProblem: one has no spokes, shares spokes with another one, or has spokes with
            different trees.

    """
    owner: dict[str, int] = {}
    spokes_by_set: dict[int, list[str]] = {}
    names = {spoke.name for spoke in fleet.spokes}
    for number, replica_set in enumerate(settings.replica_sets):
        selection = replica_set.spokes.value
        refuse_unknown((*(selection.names or ()), *selection.but), names)
        selected = [s.name for s in fleet.spokes if selection.means(s.name, s.labels)]
        if not selected:
            message = f'Placement "{replica_set.placement}" has no spokes: none is selected'
            raise DeliveryProblem(message, "select the spokes that it decides on")
        for name in selected:
            if owner.setdefault(name, number) != number:
                other = settings.replica_sets[owner[name]].placement
                message = (
                    f'spoke "{name}" is selected for Placements "{other}" and '
                    f'"{replica_set.placement}"'
                )
                raise DeliveryProblem(message, "select each spoke for one Placement")
        _refuse_different(replica_set.placement, selected, fleet)
        spokes_by_set[number] = selected
    return spokes_by_set


def _refuse_different(placement: str, names: Sequence[str], fleet: Delivered) -> None:
    first = {each.path: each for each in fleet.objects(names[0])}
    for name in names[1:]:
        other = {each.path: each for each in fleet.objects(name)}
        differences = [*_differences(first, other, names[0], name)]
        if differences:
            message = (
                f'the trees of spokes "{names[0]}" and "{name}" differ, which Placement '
                f'"{placement}" decides on: {listed(differences[:_SHOWN])}'
            )
            cure = "select spokes with equal trees; the others get works of their own"
            raise DeliveryProblem(message, cure)


def _differences(
    first: Mapping[str, Shipped], other: Mapping[str, Shipped], name: str, other_name: str
) -> list[str]:
    differences = [f"only {name} has {first[path].ref}" for path in first if path not in other]
    differences += [
        f"only {other_name} has {other[path].ref}" for path in other if path not in first
    ]
    for path, one in first.items():
        two = other.get(path)
        if two is None or (one.key == two.key and one.object() is one.data):
            continue
        ours, theirs = one.object(), two.object()
        if ours != theirs:
            changes = comparing.changes(ours, theirs)
            fields = sorted({".".join(map(str, change.path)) for change in changes})
            differences.append(f"{one.ref} ({', '.join(fields[:_SHOWN])})")
    return differences


_WORK = "work.open-cluster-management.io/v1"
_SET = "work.open-cluster-management.io/v1alpha1"
_VERBS = ["get", "list", "watch", "create", "update", "patch", "delete"]
_BUILT_IN = (".k8s.io", ".kubernetes.io")

Emit = Callable[[str, str], str]
"""Returns the text of an object, given the suffix of its name and the text of a work's `spec`."""


def _files(settings: OCM, fleet: Delivered) -> Files:
    """Return a file of works for each spoke, and one for each ReplicaSet.

    Raises:
        DeliveryProblem: the resource of a kind is not known, an object is too large for a work, or
            the spokes of a ReplicaSet have different trees.

    """
    works = Works(fleet.catalogue, settings.manifest_limit)
    _check(settings, fleet, works)
    maker = _WorkFiles(settings, fleet, works)
    sets = find_members(settings, fleet)
    in_sets = {name for names in sets.values() for name in names}
    makers: dict[str, Callable[[], str]] = {}
    for spoke in fleet.spokes:
        if spoke.name not in in_sets and fleet.objects(spoke.name):
            makers[f"ocm/{spoke.name}.yaml"] = maker.of_spoke(spoke.name)
    for number, names in sets.items():
        replica_set = settings.replica_sets[number]
        if fleet.objects(names[0]):
            path = f"ocm/replicasets/{replica_set.namespace}_{replica_set.placement}.yaml"
            makers[path] = maker.of_set(replica_set.namespace, replica_set.placement, names[0])
    return LazyFiles(makers)


def _check(settings: OCM, fleet: Delivered, works: Works) -> None:
    seen: set[object] = set()
    for spoke in fleet.spokes:
        for shipped in fleet.objects(spoke.name):
            if shipped.key in seen:
                continue
            seen.add(shipped.key)
            ref, catalogue = shipped.ref, fleet.catalogue
            is_built_in = "." not in ref.group or ref.group.endswith(_BUILT_IN)
            if not is_built_in and not catalogue.known(ref.group, ref.kind):
                message = f"the resource of kind {ref.kind} ({ref.group}) is not known"
                raise DeliveryProblem(message, "add its CRD to the hub's files")
            if works.piece(shipped).size > settings.manifest_limit:
                message = f"{ref} alone is larger than manifestLimit"
                raise DeliveryProblem(message, "raise it here and on the hub, or cut the object")


class _WorkFiles:
    """Makes the texts of files with works."""

    def __init__(self, settings: OCM, fleet: Delivered, works: Works) -> None:
        self._settings = settings
        self._fleet = fleet
        self._works = works
        self._roles: dict[frozenset[tuple[str, str]], str] = {}

    def of_spoke(self, spoke: str) -> Callable[[], str]:
        """Return what makes the works of a spoke."""

        def emit(suffix: str, spec: str) -> str:
            head = self._head(_WORK, "ManifestWork", suffix, spoke)
            return f"{head}spec:\n{indented(spec, '  ')}"

        return lambda: self._text(spoke, emit)

    def of_set(self, namespace: str, placement: str, spoke: str) -> Callable[[], str]:
        """Return what makes the ReplicaSets of a Placement, given any of its spokes."""

        def emit(suffix: str, spec: str) -> str:
            name = f"-{placement}{suffix}"
            head = self._head(_SET, "ManifestWorkReplicaSet", name, namespace)
            placed = {
                "cascadeDeletionPolicy": "Background",
                "placementRefs": [{"name": placement}],
            }
            return (
                f"{head}spec:\n{indented(yamlio.emit(placed), '  ')}"
                f"  manifestWorkTemplate:\n{indented(spec, '    ')}"
            )

        return lambda: self._text(spoke, emit)

    def _head(self, version: str, kind: str, suffix: str, namespace: str) -> str:
        """Return the text of an object above its spec."""
        metadata = {
            "name": f"{self._settings.name}{suffix}",
            "namespace": namespace,
            "annotations": dict(self._fleet.kept),
        }
        return yamlio.emit({"apiVersion": version, "kind": kind, "metadata": metadata})

    def _text(self, spoke: str, emit: Emit) -> str:
        objects = self._fleet.objects(spoke)
        texts = [self._permissions(objects, emit)] if self._settings.permissions else []
        texts += (
            emit(part.suffix, self._works.spec(part, self._deletion(part)))
            for part in self._works.parts(objects)
        )
        return "---\n".join(texts)

    def _deletion(self, part: WorkPart) -> Json:
        if self._settings.deletion == "orphan":
            return {"propagationPolicy": "Orphan"}
        namespaces = [
            {"group": "", "resource": "namespaces", "name": piece.shipped.ref.name}
            for piece in part.pieces
            if (piece.shipped.ref.group, piece.shipped.ref.kind) == ("", "Namespace")
        ]
        if not namespaces:
            return {"propagationPolicy": "Foreground"}
        return {
            "propagationPolicy": "SelectivelyOrphan",
            "selectivelyOrphans": {"orphaningRules": namespaces},
        }

    def _permissions(self, objects: Sequence[Shipped], emit: Emit) -> str:
        """Return a work with the agent's ClusterRole (manifests/klusterlet/managed).

        The role stays when the work goes: the agent needs it to delete the objects of other works.
        """
        kinds = {(each.ref.group, each.ref.kind) for each in objects}
        resources = {(g, self._fleet.catalogue.kind(g, kind).plural) for g, kind in kinds}
        return emit("-permissions", self._role(frozenset(resources)))

    def _role(self, resources: frozenset[tuple[str, str]]) -> str:
        """Return the spec of that work, given the groups and resources of the objects."""
        text = self._roles.get(resources)
        if text is None:
            rules = [
                {
                    "apiGroups": [group],
                    "resources": sorted(name for other, name in resources if other == group),
                    "verbs": _VERBS,
                }
                for group in sorted({group for group, _ in resources})
            ]
            role = {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRole",
                "metadata": {
                    "name": f"spokerender-{self._settings.name}",
                    "labels": {"open-cluster-management.io/aggregate-to-work": "true"},
                },
                "rules": rules,
            }
            option = {"propagationPolicy": "Orphan"}
            spec = {"deleteOption": option, "workload": {"manifests": [role]}}
            text = self._roles[resources] = yamlio.proven(spec)
        return text


ENGINE = Engine(
    name="ocm",
    files=_files,
    objects=EngineObjects(
        # Open Cluster Management's docs, concepts/work (deletion).
        carriers=(
            Carrier("work.open-cluster-management.io", "ManifestWork"),
            Carrier("work.open-cluster-management.io", "ManifestWorkReplicaSet"),
        )
    ),
)
