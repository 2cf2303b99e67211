"""Open Cluster Management: ManifestWorks for each spoke, in its cluster's namespace on the hub."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spokerender.findings.phrasing import did_you_mean, joined, listed
from spokerender.formats import comparing
from spokerender.model.shapes import Json, as_mapping, as_mappings
from spokerender.rendering.values.engines import Carrier, DeliveryField, EngineObjects, EngineReach
from spokerender.wings.delivery import engine
from spokerender.wings.part import Texts

if TYPE_CHECKING:
    from spokerender.wings.delivery.config import OCM

_GROUP = "work.open-cluster-management.io"
_SHOWN = 5


def _find_members(settings: OCM, fleet: engine.Delivered) -> dict[int, list[str]]:
    """Return the spokes of each ReplicaSet, by its index in the settings.

    Raises `DeliveryProblem` if a ReplicaSet has no spokes, or spokes that can't share one work.
    """
    owner: dict[str, int] = {}
    spokes_by_set: dict[int, list[str]] = {}
    names = {spoke.name for spoke in fleet.spokes}
    for number, replica_set in enumerate(settings.replica_sets):
        placement, selection = replica_set.placement, replica_set.spokes.value
        engine.refuse_unknown((*(selection.names or ()), *selection.but), names)
        selected = [s.name for s in fleet.spokes if selection.means(s.name, s.labels)]
        if not selected:
            message = f'Placement "{placement}" has no spokes: none is selected'
            cure = "select the spokes that it decides on"
            raise engine.DeliveryProblem(message, cure, field=("replicaSets", number))
        for name in selected:
            if owner.setdefault(name, number) != number:
                other = settings.replica_sets[owner[name]].placement
                message = f'spoke "{name}" is selected for Placements "{other}" and "{placement}"'
                cure = "select each spoke for one Placement"
                raise engine.DeliveryProblem(message, cure, field=("replicaSets", number))
        _refuse_others(number, f"{replica_set.namespace}/{placement}", selected, fleet)
        _refuse_different(placement, selected, fleet)
        spokes_by_set[number] = selected
    return spokes_by_set


def _refuse_others(
    number: int, key: str, selected: Collection[str], fleet: engine.Delivered
) -> None:
    """Raise `DeliveryProblem` if the selected spokes are not those of the hub's Placement `key`."""
    # A hub without any Placement does not tell which clusters the works reach.
    if not fleet.decided:
        return
    if key not in fleet.decided:
        cure = did_you_mean(key, fleet.decided, "it has") or "add the Placement to the hub"
        message = f'the hub has no Placement "{key}"'
        raise engine.DeliveryProblem(message, cure, field=("replicaSets", number, "placement"))
    decided = {spoke.name for spoke in fleet.spokes} & {*fleet.decided[key].clusters}
    more, less = sorted({*selected} - decided), sorted(decided - {*selected})
    if more or less:
        parts = [f"it does not decide on {listed(more)}" if more else ""]
        parts += [f"it also decides on {listed(less)}" if less else ""]
        message = f"the spokes are not those of Placement {key}: {joined(filter(None, parts))}"
        cure = "select the spokes that it decides on, exactly"
        raise engine.DeliveryProblem(message, cure, field=("replicaSets", number, "spokes"))


def _refuse_different(placement: str, names: Sequence[str], fleet: engine.Delivered) -> None:
    first = {item.path: item for item in fleet.objects(names[0])}
    for name in names[1:]:
        other = {item.path: item for item in fleet.objects(name)}
        differences = [
            f"only {names[0]} has {first[path].ref}" for path in first if path not in other
        ]
        differences += [f"only {name} has {other[path].ref}" for path in other if path not in first]
        for path, one in first.items():
            two = other.get(path)
            # Without slots, an object that both spokes share is equal.
            if two is None or (one.key == two.key and one.object() is one.data):
                continue
            ours, theirs = one.object(), two.object()
            if ours != theirs:
                changes = comparing.changes(ours, theirs)
                fields = sorted({".".join(map(str, change.path)) for change in changes})
                differences.append(f"{one.ref} ({', '.join(fields[:_SHOWN])})")
        if differences:
            message = (
                f'the trees of spokes "{names[0]}" and "{name}" differ, which Placement '
                f'"{placement}" decides on: {listed(differences[:_SHOWN])}'
            )
            cure = "select spokes with equal trees; the others get works of their own"
            raise engine.DeliveryProblem(message, cure)


def _files(settings: OCM, fleet: engine.Delivered) -> Texts:
    """Return a file for each ReplicaSet, and a file of works for each spoke in no ReplicaSet."""
    from spokerender.wings.delivery.ocm_works import (  # noqa: PLC0415  (start-up counts)
        WorkFiles,
        Works,
        refuse_unfit_objects,
    )

    works = Works(fleet.catalogue, settings.manifest_limit)
    refuse_unfit_objects(settings, fleet, works)
    maker = WorkFiles(settings, fleet, works)
    sets = _find_members(settings, fleet)
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
    return engine.LazyFiles(makers)


def _cluster(work: Mapping[str, Any], _: object) -> Iterator[EngineReach]:
    """Yield a work's spoke and destination, both from its namespace (docs, concepts/work)."""
    namespace = work["metadata"]["namespace"]
    yield namespace, namespace


def _placements(replica_set: Mapping[str, Any], _: object) -> Iterator[EngineReach]:
    namespace = as_mapping(replica_set.get("metadata")).get("namespace")
    for reference in as_mappings(as_mapping(replica_set.get("spec")).get("placementRefs")):
        yield "", f"Placement {namespace}/{reference.get('name')}"


def _leaves_objects(old: Json, new: Json) -> bool | None:
    """Return whether a new update strategy applies objects once or never; None if none is new."""
    was, now = ({str(it.get("updateStrategy")) for it in as_mappings(side)} for side in (old, new))
    return any("Only" in strategy for strategy in now) if now - was else None


def _deletes_otherwise(*sides: Json) -> bool | None:
    """Return None if both deletion policies delete objects, or some of them; else False."""
    return None if {*map(str, sides)} <= {"Foreground", "SelectivelyOrphan"} else False


_FIELDS = (
    # OCM's docs, concepts/work. What manifests say is compared in the folders of the spokes.
    DeliveryField("workload. labels labels. placementRefs selectivelyOrphans"),
    DeliveryField("manifestConfigs", "OCM applies objects otherwise", loses=_leaves_objects),
    DeliveryField("deleteOption. cascadeDeletionPolicy", engine.DELETES, loses=_deletes_otherwise),
    DeliveryField("executor executor.", "it decides what OCM may apply"),
)
ENGINE = engine.Engine(
    name="ocm",
    files=_files,
    objects=EngineObjects(
        # Open Cluster Management's docs, concepts/work (deletion).
        carriers=(
            Carrier(_GROUP, "ManifestWork", reaches=_cluster, is_by_name=True),
            Carrier(_GROUP, "ManifestWorkReplicaSet", reaches=_placements),
        ),
        groups=frozenset({_GROUP}),
        fields=_FIELDS,
    ),
)
