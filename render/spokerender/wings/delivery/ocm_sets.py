"""ReplicaSets of OCM: one work for all clusters of a Placement, where their trees are equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from spokerender.findings.phrasing import listed
from spokerender.formats import comparing
from spokerender.rendering.values.trees import Shipped
from spokerender.wings.delivery.engine import Delivered
from spokerender.wings.delivery.problem import DeliveryProblem
from spokerender.wings.delivery.waves import refuse_unknown

if TYPE_CHECKING:  # the models of a file that has them
    from spokerender.wings.delivery.config.ocm import OCM

_SHOWN = 5


def members(settings: OCM, fleet: Delivered) -> dict[int, list[str]]:
    """The spokes of each ReplicaSet, by its place in the settings.

    Raises:
        DeliveryProblem: one has no spokes, or some that another has or whose trees differ.

    """
    owner: dict[str, int] = {}
    found: dict[int, list[str]] = {}
    names = {spoke.name for spoke in fleet.spokes}
    for number, asked in enumerate(settings.replica_sets):
        selection = asked.spokes.value
        refuse_unknown((*(selection.names or ()), *selection.but), names)
        meant = [s.name for s in fleet.spokes if selection.means(s.name, s.labels)]
        if not meant:
            message = f'Placement "{asked.placement}" has no spokes: none is selected'
            raise DeliveryProblem(message, "select the spokes that it decides on")
        for name in meant:
            if owner.setdefault(name, number) != number:
                other = settings.replica_sets[owner[name]].placement
                message = f'spoke "{name}" is of Placements "{other}" and "{asked.placement}"'
                raise DeliveryProblem(message, "let each spoke be of one")
        _refuse_different(asked.placement, meant, fleet)
        found[number] = meant
    return found


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
    told = [f"only {name} has {first[path].ref}" for path in first if path not in other]
    told += [f"only {other_name} has {other[path].ref}" for path in other if path not in first]
    for path, one in first.items():
        two = other.get(path)
        if two is None or (one.key == two.key and one.object() is one.data):
            continue
        ours, theirs = one.object(), two.object()
        if ours != theirs:
            changes = comparing.changes(ours, theirs)
            fields = sorted({".".join(map(str, change.path)) for change in changes})
            told.append(f"{one.ref} ({', '.join(fields[:_SHOWN])})")
    return told
