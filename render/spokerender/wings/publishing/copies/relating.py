"""What follows the copies of one workspace: related objects of origin kcp."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from msgspec import Struct

from spokerender.findings.budget import InputBudget
from spokerender.findings.codes.publishing import BAD_NAME, NO_CRD, NO_RELATED
from spokerender.findings.results import Fault, Result
from spokerender.kinds import Catalogue, Kind
from spokerender.model import FieldPath, Manifest, Ref
from spokerender.model.names import label_fault, subdomain_fault
from spokerender.rendering.values.rendered import NeededSecret
from spokerender.topology.hub import Hub
from spokerender.wings.publishing.config.published import RelatedSpec
from spokerender.wings.publishing.contexts import Engine
from spokerender.wings.publishing.copies.copying import (
    COST_OF_OBJECT,
    check_marks,
    cost_of_copy,
    stripped,
    with_metadata,
)
from spokerender.wings.publishing.copies.mutations import Mutator, Step
from spokerender.wings.publishing.copies.related import Listing, Primaries, pairs
from spokerender.wings.publishing.declared import Workspace
from spokerender.wings.publishing.problems import Refused
from spokerender.wings.publishing.resources import SECRET, Resource

_LEGACY = {"ConfigMap": "configmaps", "Secret": "secrets"}


class Primary(Protocol):
    """A copy that objects follow."""

    @property
    def resource(self) -> Resource: ...  # noqa: D102
    @property
    def ref(self) -> Ref: ...  # noqa: D102
    @property
    def object(self) -> dict[str, Any]: ...  # noqa: D102


class Told(Protocol):
    """Where findings and needed Secrets are collected."""

    results: list[Result]
    secrets: list[NeededSecret]
    budget: InputBudget


class Unlinked(Struct, frozen=True, eq=False):
    """A copy, or an object that follows one, before its references follow."""

    source: Manifest
    resource: Resource
    ref: Ref
    object: dict[str, Any]
    mutated: Mapping[str, Any]
    steps: tuple[Step, ...]


class _Sides(Struct, frozen=True):
    """A related kind on both sides; `version` is that of copies."""

    origin: Kind
    local: Kind
    version: str


class Relating:
    """Finds what follows; `secrets` are those that are related, with what they become."""

    def __init__(self, workspace: Workspace, read: Hub, catalogue: Catalogue, told: Told) -> None:
        """`read` are the workspace's objects, `catalogue` the service cluster's kinds."""
        self._workspace = workspace
        self._read = read
        self._catalogue = catalogue
        self._told = told
        self._objects = {manifest.ref: manifest for manifest in read.manifests}
        self._of_kind: dict[tuple[str, str], list[tuple[str, str, Mapping[str, Any]]]] = {}
        for ref, manifest in self._objects.items():
            item = ref.namespace, ref.name, manifest.object
            self._of_kind.setdefault((ref.group, ref.kind), []).append(item)
        self.secrets: dict[Ref, Ref] = {}

    def followers(self, source: Manifest, primary: Primary) -> Iterator[Unlinked]:
        """The objects that follow one copy."""
        resource = primary.resource
        for index, related in enumerate(resource.spec.related):
            field: FieldPath = ("spec", "related", index)
            if related.origin != "kcp":
                continue
            try:
                yield from self._followers(related, source, primary, field)
            except Refused as refused:
                fault = refused.fault
                where = f"{self._workspace.name}|{source.ref} ({source.origin})"
                message = f"{fault.message}; for {where}"
                own = Fault(fault.finding, message, fault.cure, fault.field)
                self._told.results.append(resource.result(own))

    def _followers(
        self, related: RelatedSpec, source: Manifest, primary: Primary, field: FieldPath
    ) -> Iterator[Unlinked]:
        kinds = self._kinds(related, field)
        engine = Engine(primary.resource.agent.profile)
        both = Primaries(source.object, primary.object, self._workspace.home)
        listing = self._listing(kinds.origin)
        budget = self._told.budget
        budget.spend(COST_OF_OBJECT + len(listing) // 8, "finding what is related", source.ref)
        objects = pairs(related, both, (listing, self._namespaces()), engine, field)
        is_secret = SECRET in {
            (kinds.origin.group, kinds.origin.kind),
            (kinds.local.group, kinds.local.kind),
        }
        if is_secret and related.object.selector is not None and not objects:
            self._need_selected(related, primary)
        budget.spend(COST_OF_OBJECT * len(objects), "finding what is related", source.ref)
        for pair in objects:
            origin = _ref(kinds.origin, pair.origin)
            local = _ref(kinds.local, pair.destination)
            _check_name(local, (*field, "object"))
            if is_secret:
                self._need(origin, local, primary)
                continue
            manifest = self._objects.get(origin)
            if manifest is None:
                self._tell_missing(origin, source, primary, field)
                continue
            yield self._follower(manifest, (local, kinds.version), related, primary, field)

    def _kinds(self, related: RelatedSpec, field: FieldPath) -> _Sides:
        group, version = related.group or "", related.version or "v1"
        plural = _LEGACY[related.kind] if related.kind else related.resource or ""
        origin = self._read.catalogue.by_resource(group, plural)
        projection = related.projection
        there = (projection.group or group) if projection else group
        local_plural = (projection.resource or plural) if projection else plural
        local = self._catalogue.by_resource(there, local_plural)
        for kind, name in ((origin, f"{plural}.{group}"), (local, f"{local_plural}.{there}")):
            if kind is None:
                message = f"nobody knows the kind of {name.rstrip('.')}"
                cure = "put its CRD into the hub or under spec.crds"
                raise Refused(NO_CRD, message, cure, (*field, "resource"))
        assert origin is not None  # noqa: S101  (just told)
        assert local is not None  # noqa: S101
        return _Sides(origin, local, (projection.version if projection else "") or version)

    def _listing(self, kind: Kind) -> Listing:
        return self._of_kind.get((kind.group, kind.kind), [])

    def _namespaces(self) -> Listing:
        return [("", name, data) for name, data in self._read.namespaces.items()]

    def _need(self, origin: Ref, local: Ref, primary: Primary) -> None:
        self.secrets[origin] = local
        note = f"{origin} in workspace {self._workspace.name}"
        self._told.secrets.append(NeededSecret(local, note, primary.ref))

    def _need_selected(self, related: RelatedSpec, primary: Primary) -> None:
        """Of Secrets that labels select nobody knows the names: there need be no file."""
        selector = related.object.selector
        labels = selector.match_labels if selector is not None else {}
        words = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
        note = f"those of workspace {self._workspace.name} with labels {words or 'of any kind'}"
        ref = Ref(*SECRET, primary.ref.namespace, "")
        self._told.secrets.append(NeededSecret(ref, note, primary.ref))

    def _tell_missing(
        self, origin: Ref, source: Manifest, primary: Primary, field: FieldPath
    ) -> None:
        identifier = primary.resource.spec.related[int(field[-1])].identifier
        message = f'{origin}, related as "{identifier}", is not among the files of workspace '
        self._told.results.append(
            NO_RELATED.result(
                message + self._workspace.name,
                cure="put it there",
                resource=source.ref,
                origin=source.origin,
            )
        )

    def _follower(
        self,
        manifest: Manifest,
        place: tuple[Ref, str],
        related: RelatedSpec,
        primary: Primary,
        field: FieldPath,
    ) -> Unlinked:
        """The copy of a related object: no label of the agent's, its own mutations."""
        local, version = place
        resource = primary.resource
        steps = (related.mutation.spec if related.mutation is not None else None) or ()
        at = (*field, "mutation", "spec")
        self._told.budget.spend(
            cost_of_copy(manifest.object, len(steps)), "copying it", manifest.ref
        )
        mutated = Mutator(resource.agent.profile).mutated(dict(manifest.object), steps, at)
        self._told.results += map(resource.result, mutated.told)
        made = stripped(with_metadata(mutated.object, manifest.object))
        check_marks(made["metadata"], at)
        names = {"name": local.name} | ({"namespace": local.namespace} if local.namespace else {})
        rest = {k: v for k, v in made["metadata"].items() if k not in {"name", "namespace"}}
        made |= {
            "apiVersion": f"{local.group}/{version}" if local.group else version,
            "kind": local.kind,
            "metadata": {**names, **rest},
        }
        return Unlinked(manifest, resource, local, made, mutated.object, mutated.steps)


def _check_name(local: Ref, field: FieldPath) -> None:
    """Refuse a name that no API server takes. Raises `Refused`."""
    fault = subdomain_fault(local.name) or (local.namespace and label_fault(local.namespace))
    if fault:
        message = f"the related object's copy would be {local}: {fault}"
        raise Refused(BAD_NAME, message, "make it of a-z, 0-9 and -", field)


def _ref(kind: Kind, place: tuple[str, str]) -> Ref:
    namespace, name = place
    return Ref(kind.group, kind.kind, namespace if kind.namespaced else "", name)
