"""Open Cluster Management: ManifestWorks for each spoke, in its cluster's namespace on the hub.

Who owns an object decides when it is deleted (OCM 00f84c3, pkg/work/helper/helpers.go). The agent
deletes what a work does not have any more, and with a work all that it has, but nothing that no
work owns. So what is to be pruned can't stay when the work goes: no engine on the hub may delete a
work because its file is gone, and a Namespace is never owned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from spokerender.formats import yamlio
from spokerender.rendering.values.engines import Carrier, EngineObjects
from spokerender.rendering.values.trees import Shipped
from spokerender.wings.delivery.engine import Delivered, Engine, Files, MadeFiles
from spokerender.wings.delivery.ocm_sets import members
from spokerender.wings.delivery.ocm_works import Json, Part, Works, indented
from spokerender.wings.delivery.problem import DeliveryProblem

if TYPE_CHECKING:  # the models of a file that has them
    from spokerender.wings.delivery.config.ocm import OCM

_WORK = "work.open-cluster-management.io/v1"
_SET = "work.open-cluster-management.io/v1alpha1"
_VERBS = ["get", "list", "watch", "create", "update", "patch", "delete"]
_BUILT_IN = (".k8s.io", ".kubernetes.io")

Emit = Callable[[str, str], str]
"""The text of an object, from the suffix of its name and the text of a work's `spec`."""


def _files(settings: OCM, fleet: Delivered) -> Files:
    """A file of works for each spoke, and one for each ReplicaSet.

    Raises:
        DeliveryProblem: a kind's resource is not known, an object is too large for any work, or a
            ReplicaSet is asked for where trees differ.

    """
    works = Works(fleet.catalogue, settings.manifest_limit)
    _check(settings, fleet, works)
    maker = _Maker(settings, fleet, works)
    sets = members(settings, fleet)
    in_sets = {name for names in sets.values() for name in names}
    made: dict[str, Callable[[], str]] = {}
    for spoke in fleet.spokes:
        if spoke.name not in in_sets and fleet.objects(spoke.name):
            made[f"ocm/{spoke.name}.yaml"] = maker.of_spoke(spoke.name)
    for number, names in sets.items():
        asked = settings.replica_sets[number]
        if fleet.objects(names[0]):
            path = f"ocm/replicasets/{asked.namespace}_{asked.placement}.yaml"
            made[path] = maker.of_set(asked.namespace, asked.placement, names[0])
    return MadeFiles(made)


def _check(settings: OCM, fleet: Delivered, works: Works) -> None:
    seen: set[object] = set()
    for spoke in fleet.spokes:
        for each in fleet.objects(spoke.name):
            if each.key in seen:
                continue
            seen.add(each.key)
            ref, catalogue = each.ref, fleet.catalogue
            is_built_in = "." not in ref.group or ref.group.endswith(_BUILT_IN)
            if not is_built_in and not catalogue.known(ref.group, ref.kind):
                message = f"the resource of kind {ref.kind} ({ref.group}) is not known"
                raise DeliveryProblem(message, "add its CRD to the hub's files")
            if works.piece(each).size > settings.manifest_limit:
                message = f"{ref} alone is larger than manifestLimit"
                raise DeliveryProblem(message, "raise it here and on the hub, or cut the object")


class _Maker:
    """Makes the texts of files."""

    def __init__(self, settings: OCM, fleet: Delivered, works: Works) -> None:
        self._settings = settings
        self._fleet = fleet
        self._works = works
        self._roles: dict[frozenset[tuple[str, str]], str] = {}

    def of_spoke(self, spoke: str) -> Callable[[], str]:
        """The works of a spoke."""

        def emit(suffix: str, spec: str) -> str:
            head = self._head(_WORK, "ManifestWork", suffix, spoke)
            return f"{head}spec:\n{indented(spec, '  ')}"

        return lambda: self._text(spoke, emit)

    def of_set(self, namespace: str, placement: str, spoke: str) -> Callable[[], str]:
        """The ReplicaSets of a Placement, one for each work, of which any spoke has the objects."""

        def emit(suffix: str, spec: str) -> str:
            name = f"-{placement}{suffix}"
            head = self._head(_SET, "ManifestWorkReplicaSet", name, namespace)
            decided = {
                "cascadeDeletionPolicy": "Background",
                "placementRefs": [{"name": placement}],
            }
            return (
                f"{head}spec:\n{indented(yamlio.emit(decided), '  ')}"
                f"  manifestWorkTemplate:\n{indented(spec, '    ')}"
            )

        return lambda: self._text(spoke, emit)

    def _head(self, version: str, kind: str, suffix: str, namespace: str) -> str:
        """What stands above the spec of an object that we make."""
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

    def _deletion(self, part: Part) -> Json:
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
        """A work with the agent's ClusterRole (manifests/klusterlet/managed: aggregate-to-work).

        It is left behind when the work goes: the agent has to delete the others' objects with it.
        """
        kinds = {(each.ref.group, each.ref.kind) for each in objects}
        resources = {(g, self._fleet.catalogue.kind(g, kind).plural) for g, kind in kinds}
        return emit("-permissions", self._role(frozenset(resources)))

    def _role(self, resources: frozenset[tuple[str, str]]) -> str:
        """The `spec` of that work, by group and resource."""
        known = self._roles.get(resources)
        if known is None:
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
            known = self._roles[resources] = yamlio.proven(spec)
        return known


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
