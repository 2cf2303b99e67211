"""Judging cases: what attaches on each, and what is in force there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from render.judging.attachment import (
    Attacher,
    Attachment,
    Elsewhere,
    Subject,
    Surroundings,
    definitions,
    reach,
)
from render.judging.audit.model import Judged
from render.judging.effective import (
    AttachedPolicy,
    EffectivePolicy,
    Kept,
    Programmed,
    effective,
    programmed_on,
)
from render.kinds import Process
from render.model import Ref
from render.rendering.values.bundles import Blueprint, Variant
from render.topology import Topology, spoke_topology
from render.topology.hub import Hub

Variants = Mapping[Ref, Variant]
Objects = Mapping[Ref, Mapping[str, Any]]
Found = tuple[EffectivePolicy, ...]
Conditions = Mapping[tuple[Ref, Ref], Programmed]

_LOOKED_INTO = (("", "Service"), ("", "ConfigMap"))
"""What attachment looks into, beside the policies themselves."""


class Judge:
    """Judges one case after the other, and does what they have in common once."""

    def __init__(self, hub: Hub, topology: Topology, external: Iterable[Ref]) -> None:
        """`topology` is the hub's; `external` are objects that only spokes have.

        A route of the hub that is not shipped may be on the spoke all the same: its own team
        put it there.
        """
        self._catalogue = hub.catalogue
        self._hub = topology
        routes = (ref for ref, node in topology.nodes.items() if node.is_route)
        self._unseen = Elsewhere(frozenset((*external, *routes)))
        self._crds = definitions(manifest.object for manifest in hub.crds)
        self._topologies: dict[tuple[Any, ...], Topology] = {}
        self._attachers: dict[tuple[int, tuple[int, ...]], Attacher] = {}
        self._in_force: dict[tuple[Any, ...], tuple[Found, Conditions]] = {}
        self._kept: dict[int, Kept] = {}
        self._judged: list[Blueprint] = []
        """Cases, whose objects are known by their ids: these have to stay theirs."""

    def judge(self, case: Blueprint, refused: Mapping[Ref, str]) -> Judged:
        """Judge a case; `refused` are objects of it that the API server would not take."""
        self._judged.append(case)
        topology = self._topology(case)
        variants = {variant.ref: variant for variant in case.variants}
        objects = {ref: variant.object for ref, variant in variants.items()}
        subjects = self._subjects(objects.items())
        found = self._attacher(topology, objects).attach(subjects, refused=refused)
        attachments = {item.policy: item for item in found}
        effective, programmed = self._force(topology, attachments, variants)
        return Judged(case, topology, variants, attachments, effective, programmed)

    def hub_attachments(self, hub: Hub) -> Mapping[Ref, Attachment]:
        """What attaches on the hub, by policy: as if it were a cluster with all of its objects."""
        objects = {manifest.ref: manifest.object for manifest in hub.manifests}
        subjects = self._subjects(objects.items())
        return {item.policy: item for item in self._attacher(self._hub, objects).attach(subjects)}

    def _subjects(self, objects: Iterable[tuple[Ref, Mapping[str, Any]]]) -> Iterator[Subject]:
        for ref, data in objects:
            kind = self._catalogue.kind(*_identity(ref))
            if kind.is_policy:
                yield Subject(ref, kind, data)

    def _topology(self, case: Blueprint) -> Topology:
        nodes = tuple(variant.node for variant in case.variants)
        key = (case.placed, nodes)
        if key not in self._topologies:
            self._topologies[key] = spoke_topology(nodes, case.placed, self._catalogue)
        return self._topologies[key]

    def _attacher(self, topology: Topology, objects: Objects) -> Attacher:
        looked = {ref: data for ref, data in objects.items() if _identity(ref) in _LOOKED_INTO}
        key = (id(topology), tuple(map(id, looked.values())))
        if key not in self._attachers:
            around = Surroundings(
                topology, reach(topology, self._hub), looked, self._unseen, self._crds
            )
            self._attachers[key] = Attacher(around)
        return self._attachers[key]

    def _force(
        self, topology: Topology, attachments: Mapping[Ref, Attachment], variants: Variants
    ) -> tuple[Found, Conditions]:
        """Kind by kind: what changes one kind's policies leaves the others' as they are."""
        kinds: dict[tuple[str, str], list[AttachedPolicy]] = {}
        for ref, item in attachments.items():
            spec = variants[ref].object.get("spec")
            if (item.is_accepted or item.may_hold) and isinstance(spec, dict):
                kind = self._catalogue.kind(*_identity(ref))
                policy = AttachedPolicy(ref, kind, spec, item.may_hold)
                kinds.setdefault(_identity(ref), []).append(policy)
        every = [self._of_kind(topology, own, variants) for own in kinds.values()]
        found = [item for items, _ in every for item in items]
        found.sort(key=lambda item: (item.path.order, item.group, item.kind))
        return tuple(found), {key: of for _, conditions in every for key, of in conditions.items()}

    def _of_kind(
        self, topology: Topology, policies: list[AttachedPolicy], variants: Variants
    ) -> tuple[Found, Conditions]:
        kind = policies[0].kind
        routes = {ref: v.object for ref, v in variants.items() if v.node.is_route}
        needs_routes = kind.merged.process is Process.SINGLE
        key = (
            id(topology),
            kind.group,
            kind.kind,
            tuple((policy.ref, id(policy.spec), policy.targets) for policy in policies),
            tuple(map(id, routes.values())) if needs_routes else (),
        )
        if key not in self._in_force:
            found = effective(
                topology,
                policies,
                namespaces=self._hub,
                objects=routes,
                kept=self._kept.setdefault(id(topology), {}),
            )
            self._in_force[key] = found, programmed_on(policies, found)
        return self._in_force[key]


def _identity(ref: Ref) -> tuple[str, str]:
    return ref.group, ref.kind
