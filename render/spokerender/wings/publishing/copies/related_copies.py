"""Copies of the related objects that follow the copies of one workspace (origin kcp)."""

from collections.abc import Iterator

from msgspec import Struct, field

from spokerender.findings.budget import InputBudget
from spokerender.findings.codes.publishing import NO_RELATED
from spokerender.findings.results import Fault, Result
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Kind
from spokerender.model import FieldPath, Manifest, Ref
from spokerender.model.names import label_fault, subdomain_fault
from spokerender.rendering.values.rendered import Copy, NeededSecret
from spokerender.topology.hub import Hub
from spokerender.wings.publishing.agents import ConsumerWorkspace
from spokerender.wings.publishing.config.published import RelatedSpec
from spokerender.wings.publishing.copies import copying
from spokerender.wings.publishing.copies.mutations import mutate_object
from spokerender.wings.publishing.copies.related_names import (
    PrimaryPair,
    list_origin_objects,
    pair_related_names,
)
from spokerender.wings.publishing.errors import PublishingError, no_crd_error
from spokerender.wings.publishing.resources import SECRET


class CopyingOutcome(Struct, eq=False):
    """The copies of all workspaces, in order, with findings; the stage fills it.

    `is_plain` is false if a workspace's files have more than plain objects, as in `Hub`.
    """

    budget: InputBudget
    copies: list[Copy] = field(default_factory=list)
    secrets: list[NeededSecret] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    is_plain: bool = True


class RelatedCopier:
    """Copies the related objects of a workspace's copies; a Secret is needed, not copied.

    `secrets` are the related Secrets of the workspace with their identities on spokes.
    """

    def __init__(
        self, workspace: ConsumerWorkspace, hub: Hub, catalogue: Catalogue, outcome: CopyingOutcome
    ) -> None:
        """Copy objects of `hub`, the workspace's; `catalogue` has the service cluster's kinds."""
        self._workspace = workspace
        self._catalogue = catalogue
        self._outcome = outcome
        self._local_catalogue = hub.catalogue
        self._manifests = {manifest.ref: manifest for manifest in hub.manifests}
        self._objects = list_origin_objects(hub)
        self.secrets: dict[Ref, Ref] = {}

    def copy_related(self, primary: copying.UnlinkedCopy) -> Iterator[copying.UnlinkedCopy]:
        """Copy the objects that follow one copy."""
        resource, source = primary.resource, primary.source
        for index, related in enumerate(resource.spec.related):
            if related.origin != "kcp":
                continue
            try:
                yield from self._copy_entry(related, primary, ("spec", "related", index))
            except PublishingError as error:
                subject = f"{self._workspace.name}|{source.ref} ({source.origin})"
                self._outcome.results.append(resource.report(error.fault, subject))

    def _copy_entry(
        self, related: RelatedSpec, primary: copying.UnlinkedCopy, path: FieldPath
    ) -> Iterator[copying.UnlinkedCopy]:
        kind, local_kind, version = self._resolve_kinds(related, path)
        is_secret = SECRET in {(kind.group, kind.kind), (local_kind.group, local_kind.kind)}
        source, budget = primary.source, self._outcome.budget
        primaries = PrimaryPair(source.object, primary.object, self._workspace.cluster)
        origin_kind = (kind.group, kind.kind)
        candidates = len(self._objects.get(origin_kind, ()))
        place = "finding related objects"
        budget.spend(copying.COST_OF_OBJECT + candidates // 8, place, source.ref)
        pairs = pair_related_names(related, primaries, self._objects, origin_kind, path)
        if is_secret and related.object.selector is not None and not pairs:
            # A selector matches Secrets without naming them, and need not match any file.
            labels = sorted(related.object.selector.match_labels.items())
            terms = ",".join(f"{key}={value}" for key, value in labels)
            ref, note = (
                Ref(*SECRET, primary.ref.namespace, ""),
                f"in workspace {self._workspace.name}",
            )
            self._outcome.secrets.append(NeededSecret(ref, note, primary.ref, terms))
        budget.spend(copying.COST_OF_OBJECT * len(pairs), place, source.ref)
        for names, local_names in pairs.items():
            origin, local = _make_ref(kind, names), _make_ref(local_kind, local_names)
            fault = subdomain_fault(local.name) or (
                local.namespace and label_fault(local.namespace)
            )
            copying.check_name(str(local), fault, "the related object's copy", (*path, "object"))
            if is_secret:
                self.secrets[origin] = local
                note = f"{origin} in workspace {self._workspace.name}"
                self._outcome.secrets.append(NeededSecret(local, note, primary.ref))
            elif origin in self._manifests:
                manifest = self._manifests[origin]
                yield self._copy_follower(manifest, (local, version), related, primary, path)
            else:
                self._report_missing(origin, related, source)

    def _resolve_kinds(self, related: RelatedSpec, path: FieldPath) -> tuple[Kind, Kind, str]:
        """Look up the kind on both sides, and the version of copies.

        Raises `PublishingError` for a kind that no CRD defines.
        """
        origin = self._local_catalogue.by_resource(*related.origin_resource)
        local = self._catalogue.by_resource(*related.projected_resource)
        if origin is None or local is None:
            resource = related.projected_resource if origin else related.origin_resource
            raise no_crd_error(resource, path)
        projected = related.projection.version if related.projection else ""
        return origin, local, projected or related.version or "v1"

    def _report_missing(self, origin: Ref, related: RelatedSpec, source: Manifest) -> None:
        message = f'{origin}, related as "{related.identifier}", is not among the files of '
        message += f"workspace {self._workspace.name}"
        fault = Fault(NO_RELATED, message, "add it to the files, or correct the name")
        self._outcome.results.append(fault.result(source.ref, source.origin))

    def _copy_follower(
        self,
        manifest: Manifest,
        destination: tuple[Ref, str],
        related: RelatedSpec,
        primary: copying.UnlinkedCopy,
        path: FieldPath,
    ) -> copying.UnlinkedCopy:
        """Copy a related object: with its own mutations, and without the agent's labels."""
        ref, version = destination
        resource = primary.resource
        steps = (related.mutation and related.mutation.spec) or ()
        at = (*path, "mutation", "spec")
        cost = copying.estimate_copy(manifest.object, len(steps))
        self._outcome.budget.spend(cost, "copying it", manifest.ref)
        mutated = mutate_object(dict(manifest.object), steps, at)
        self._outcome.results += map(resource.report, mutated.notes)
        stripped = copying.strip_object(copying.require_metadata(mutated, manifest.object))
        copy = copying.identify_copy(stripped, ref, version, at)
        return copying.UnlinkedCopy(manifest, resource, ref, copy, mutated)


def _make_ref(kind: Kind, namespace_and_name: tuple[str, str]) -> Ref:
    namespace, name = namespace_and_name
    return Ref(kind.group, kind.kind, namespace if kind.namespaced else "", name)
