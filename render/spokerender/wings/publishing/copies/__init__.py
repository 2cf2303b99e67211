"""The copies of every workspace's objects, with related objects and rewritten references."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.config.selectors import LabelSelector
from spokerender.findings.codes import publishing as codes
from spokerender.findings.codes.hub import EMPTY_HUB
from spokerender.findings.codes.publishing import UNPUBLISHED_REFERENCE, UNSAYABLE
from spokerender.findings.errors import InputBudget
from spokerender.findings.results import Fault, FindingKind, Result, Severity
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.fields import Edits, apply_edits
from spokerender.kinds.kind import Kind, NamespaceRule
from spokerender.kinds.needs import list_needed_objects
from spokerender.kinds.references import read_references
from spokerender.model import NAMESPACE, SECRET, Edit, FieldPath, Manifest, Ref, shown
from spokerender.model.refs import GroupKind, kind_name
from spokerender.rendering.values.bundles import How
from spokerender.rendering.values.rendered import Copy
from spokerender.topology.hub import Hub, is_local_config, read_hub
from spokerender.topology.places import hub_line
from spokerender.wings.publishing.agents import ConsumerWorkspace
from spokerender.wings.publishing.copies import copying
from spokerender.wings.publishing.copies.related_copies import CopyingOutcome, RelatedCopier
from spokerender.wings.publishing.errors import PublishingError
from spokerender.wings.publishing.resources import PublishedResource, selects


class WorkspaceTargets(Struct, frozen=True, eq=False):
    """The objects that the references of a workspace may name.

    `copies` has the copy of each object of the workspace, or None for an object that is not copied;
    `hub` has the hub's own objects.
    """

    copies: Mapping[Ref, Ref | None]
    hub: frozenset[Ref]


class _WrittenReference(Struct, frozen=True):
    """A reference in an object: the referenced object, and the paths of the reference's parts."""

    ref: Ref
    path: FieldPath
    name_path: FieldPath
    group_key: str
    kind_key: str
    namespace_path: FieldPath | None
    is_explicit: bool


def rewrite_references(
    data: dict[str, Any], ref: Ref, source: Ref, targets: WorkspaceTargets, catalogue: Catalogue
) -> tuple[dict[str, Any], tuple[Fault, ...]]:
    """Return the copy `data` with rewritten references, and a fault for each that can't be.

    `ref` names the copy, and `source` its original, whose namespace is the default of references.
    """
    kind = catalogue.kind(ref.group, ref.kind)
    edits: Edits = {}
    faults: list[Fault] = []
    for reference in _list_references(kind, data, source.namespace):
        target = _resolve_target(reference, source, targets)
        if target is None:
            continue
        if target not in targets.copies:
            faults += _keep_hub_target(reference, target, ref, edits)
            continue
        copy = targets.copies[target]
        if copy is None:
            message = f"{target} is an object of the workspace without a copy"
            cure = "publish its kind, or relate it"
            faults.append(Fault(UNPUBLISHED_REFERENCE, message, cure, reference.path))
            continue
        faults += _name_copy(reference, target, copy, ref, edits)
    return apply_edits(data, edits), tuple(faults)


def _list_references(
    kind: Kind, data: Mapping[str, Any], namespace: str
) -> Iterator[_WrittenReference]:
    for link in read_references(kind, data, namespace):
        if link.name_path is not None and link.selector is None:
            takes_namespace = link.row.namespace is NamespaceRule.ANY
            default_path = (*link.path, "namespace") if takes_namespace else None
            yield _WrittenReference(
                ref=link.ref.whole,
                path=link.path,
                name_path=link.name_path,
                group_key="" if link.label else "group",
                kind_key="" if link.label else "kind",
                namespace_path=link.namespace_path or default_path,
                is_explicit=link.explicit_namespace,
            )
    for item in list_needed_objects(kind.needs, data, namespace):
        if item.selector is None:
            path, key = item.path, item.row.namespace_key
            yield _WrittenReference(
                ref=item.ref,
                path=path,
                name_path=(*path, item.row.name),
                group_key=item.row.group_key,
                kind_key=item.row.kind_key,
                namespace_path=(*path, key) if key else None,
                is_explicit=item.explicit_namespace,
            )


def _resolve_target(
    reference: _WrittenReference, source: Ref, targets: WorkspaceTargets
) -> Ref | None:
    """Return the object that a reference names, in the workspace or else in the hub, or None."""
    cluster_scoped = Ref(reference.ref.group, reference.ref.kind, "", reference.ref.name)
    for objects in (targets.copies, targets.hub):
        for candidate in (reference.ref, cluster_scoped):
            if candidate in objects and candidate != source:
                return candidate
    return None


def _keep_hub_target(
    reference: _WrittenReference, target: Ref, ref: Ref, edits: Edits
) -> Iterator[Fault]:
    """Add `target`'s namespace to `edits` if the copy must name it; yield a fault if it can't."""
    if reference.is_explicit or not target.namespace or target.namespace == ref.namespace:
        return
    if reference.namespace_path is None:
        message = f"{target} is an object of the hub, but the copy is in namespace {ref.namespace}"
        cure = "let the copy be in the namespace of its target"
        yield Fault(UNSAYABLE, message, cure, reference.path)
        return
    edits[reference.namespace_path] = target.namespace


def _name_copy(
    reference: _WrittenReference, target: Ref, copy: Ref, ref: Ref, edits: Edits
) -> Iterator[Fault]:
    if copy.name != target.name:
        edits[reference.name_path] = copy.name
    for key, old, new in (
        (reference.group_key, target.group, copy.group),
        (reference.kind_key, target.kind, copy.kind),
    ):
        if old == new:
            continue
        if not key:
            message = f"the copy of {target} is {copy}, and the reference can't name its kind"
            cure = "publish the target under its own kind"
            yield Fault(UNSAYABLE, message, cure, reference.path)
        else:
            edits[(*reference.path, key)] = new
    current = target.namespace if reference.is_explicit else ref.namespace
    if not copy.namespace or copy.namespace == current:
        return
    if reference.namespace_path is None:
        message = f"the copy of {target} is in namespace {copy.namespace}, and "
        message += f"{shown(reference.path)} can't name a namespace"
        cure = "let both copies be in one namespace"
        yield Fault(UNSAYABLE, message, cure, reference.path)
        return
    edits[reference.namespace_path] = copy.namespace


_BYTES_PER_VALUE = 8
"""Reading this many bytes costs as much as copying one value."""


def copy_workspaces(
    hub: Hub,
    workspaces: Sequence[ConsumerWorkspace],
    resources: Sequence[PublishedResource],
    related_crds: Sequence[Mapping[str, Any]],
) -> CopyingOutcome:
    """Copy the objects of all workspaces; faults are in the results.

    `related_crds` define the related kinds of which the hub has no CRDs. Raises `InputError` if
    there are too many copies to make.
    """
    # Workspaces that name one folder are a product with its objects; so are the steps that mutate
    # them, and what is related to them. A file counts once, however many workspaces name it.
    sizes = {path: len(data) for workspace in workspaces for path, data in workspace.files}
    limit = 400_000 + 2 * sum(sizes.values())
    cure = "let fewer workspaces name one folder, or relate and mutate less"
    outcome = CopyingOutcome(InputBudget(limit, codes.TOO_MANY_COPIES, cure))
    hub_crds = (manifest.object for manifest in hub.crds)
    crds = (*hub_crds, *(resource.crd for resource in resources), *related_crds)
    refs = frozenset(manifest.ref for manifest in hub.manifests)
    service = _ServiceCluster(Catalogue.of(crds), refs, related_crds)
    for workspace in workspaces:
        _WorkspaceCopier(workspace, resources, service, outcome).copy_objects()
    outcome.results[:] = dict.fromkeys(outcome.results)
    outcome.copies, collisions = _drop_collisions(hub, outcome.copies)
    outcome.results += collisions
    return outcome


def _drop_collisions(hub: Hub, copies: Iterable[Copy]) -> tuple[list[Copy], list[Result]]:
    """Return the first copy with each identity, and findings about copies whose name is taken."""
    in_hub = {manifest.ref: manifest.origin for manifest in hub.manifests}
    copies_by_ref: dict[Ref, Copy] = {}
    results: list[Result] = []
    for copy in copies:
        ref, source = copy.manifest.ref, copy.source
        if ref in in_hub:
            owner, origin = "the hub", in_hub[ref]
        else:
            first = copies_by_ref.setdefault(ref, copy)
            # One object may follow two primaries.
            if first.source is source and first.manifest.object == copy.manifest.object:
                continue
            owner, origin = first.name, first.source.origin
        message = f"its copy would be {ref}, which {owner} has already ({origin})"
        cure = "put the workspace, the namespace and the name into the names of copies"
        results.append(_report(codes.SAME_COPY, source, message, cure))
    return list(copies_by_ref.values()), results


class _ServiceCluster(Struct, frozen=True, eq=False):
    """The service cluster: its kinds, the hub's objects, and the CRDs of related kinds."""

    catalogue: Catalogue
    refs: frozenset[Ref]
    related_crds: Sequence[Mapping[str, Any]]


class _WorkspaceCopier:
    def __init__(
        self,
        workspace: ConsumerWorkspace,
        resources: Sequence[PublishedResource],
        service: _ServiceCluster,
        outcome: CopyingOutcome,
    ) -> None:
        self._workspace = workspace
        self._outcome = outcome
        self._service = service
        agents = workspace.model.agents  # None: the APIs of all agents are bound
        bound = [it for it in resources if agents is None or it.agent.name in agents]
        self._resources_by_kind = self._index_resources(bound)
        crds = [resource.projected_crd for resource in self._resources_by_kind.values()]
        crds += service.related_crds
        cost = sum(len(data) for _, data in workspace.files) // _BYTES_PER_VALUE
        cost += copying.COST_OF_OBJECT * len(crds)
        outcome.budget.spend(cost, f"reading workspace {workspace.name}")
        self._objects = read_hub(workspace.files, crds=crds)
        outcome.is_plain = outcome.is_plain and self._objects.is_plain
        outcome.results += (r for r in self._objects.results if r.code != EMPTY_HUB.code)

    def copy_objects(self) -> None:
        manifests = self._objects.manifests
        # Names of related objects may come from the copy of the primary, so primaries go first.
        primaries = [copy for manifest in manifests if (copy := self._copy_manifest(manifest))]
        copier = RelatedCopier(
            self._workspace, self._objects, self._service.catalogue, self._outcome
        )
        followers = [follower for primary in primaries for follower in copier.copy_related(primary)]
        copies: dict[Ref, Ref | None] = dict.fromkeys(manifest.ref for manifest in manifests)
        copies |= copier.secrets
        # The copy of a primary counts for references, even if the object also follows another.
        copies |= {copy.source.ref: copy.ref for copy in (*followers, *primaries)}
        targets = WorkspaceTargets(copies, self._service.refs)
        self._outcome.copies += (
            *(self._finish_copy(copy, targets, copy.resource.projected_crd) for copy in primaries),
            *(self._finish_copy(copy, targets, None) for copy in followers),
        )
        copied = {copy.source.ref for copy in (*primaries, *followers)}
        self._report_unpublished(copied, copier.secrets)

    def _index_resources(
        self, bound: Sequence[PublishedResource]
    ) -> Mapping[GroupKind, PublishedResource]:
        """Index resources by the kind that consumers see; report a kind that two agents publish."""
        resources_by_kind: dict[GroupKind, PublishedResource] = {}
        for resource in bound:
            first = resources_by_kind.setdefault(resource.projected_kind, resource)
            if first.agent is not resource.agent:
                kind = kind_name(*resource.projected_kind)
                other = f"{first.agent.name} ({first.manifest.origin})"
                message = f"workspace {self._workspace.name} also binds {kind} from agent {other}"
                cure = "list one of the agents in the workspace's agents"
                fault = Fault(codes.PUBLISHED_TWICE, message, cure, ("spec",))
                self._outcome.results.append(resource.report(fault))
        return resources_by_kind

    def _copy_manifest(self, manifest: Manifest) -> copying.UnlinkedCopy | None:
        resource = self._resources_by_kind.get((manifest.ref.group, manifest.ref.kind))
        if resource is None:
            return None
        refusal = self._find_refusal(manifest, resource)
        if refusal is not None:
            self._outcome.results.append(refusal)
            return None
        cost = copying.estimate_copy(manifest.object, len(resource.spec.mutation.spec or ()))
        self._outcome.budget.spend(cost, "copying it", manifest.ref)
        try:
            self._check_path(resource)
            copy = copying.copy_object(manifest, resource, self._workspace.cluster)
        except PublishingError as error:
            subject = f"{self._workspace.name}|{manifest.ref} ({manifest.origin})"
            self._outcome.results.append(resource.report(error.fault, subject))
            return None
        self._outcome.results += map(resource.report, copy.mutated.notes)
        return copy

    def _check_path(self, resource: PublishedResource) -> None:
        if resource.spec.enable_workspace_paths and not self._workspace.cluster.path:
            message = f"workspace {self._workspace.name} has no path"
            cure = "set its path in the publishing file"
            raise PublishingError(codes.NEEDS_PATH, message, cure, ("spec", "enableWorkspacePaths"))

    def _find_refusal(self, manifest: Manifest, resource: PublishedResource) -> Result | None:
        version = manifest.version
        metadata = manifest.object["metadata"]
        if version not in resource.versions:
            message = f"version {version} is not published; {', '.join(resource.versions)} is"
            result = _report(codes.NOT_PUBLISHED, manifest, message, "use a published version")
            return replace(result, severity=Severity.ERROR)
        if not resource.spec.is_copying:
            reason = "its kind is published without copying objects"
        elif metadata.get("deletionTimestamp"):
            reason = "it is being deleted"
        elif is_local_config(manifest):
            reason = "it is marked as local config"
        elif not selects(resource.spec.filter.resource, metadata):
            reason = "the filter does not match its labels"
        elif resource.spec.filter.namespace is None:
            return None
        else:
            return self._filter_namespace(manifest, resource.spec.filter.namespace)
        return _report(codes.NOT_COPIED, manifest, f"no copy: {reason}")

    def _filter_namespace(self, manifest: Manifest, selector: LabelSelector) -> Result | None:
        namespace = self._objects.namespaces.get(manifest.ref.namespace)
        if namespace is None:
            name = manifest.ref.namespace
            subject = f"namespace {name}" if name else "a namespace, and the object is in none"
            message = f"the filter needs the labels of {subject}"
            if name:
                message += f", which is not among the files of workspace {self._workspace.name}"
            cure = "add the Namespace to the files, or filter by the objects' own labels"
            return _report(codes.NO_NAMESPACE, manifest, message, cure)
        if not selects(selector, namespace["metadata"]):
            message = "no copy: the filter does not match its namespace"
            return _report(codes.NOT_COPIED, manifest, message)
        return None

    def _finish_copy(
        self, copy: copying.UnlinkedCopy, targets: WorkspaceTargets, crd: Mapping[str, Any] | None
    ) -> Copy:
        source, agent = copy.source, copy.resource.agent
        data, faults = rewrite_references(
            copy.object, copy.ref, source.ref, targets, self._service.catalogue
        )
        for fault in faults:
            self._outcome.results.append(fault.result(source.ref, hub_line(source, fault.field)))
        written = copy.source.written
        assert written is not None  # noqa: S101  (a workspace's objects are read from files)
        locate = partial(hub_line, copy.resource.manifest)
        edits = (
            *(Edit(How.MUTATED, s.before, partial(locate, s.field)) for s in copy.mutated.steps),
            Edit(How.AGENT, copy.mutated.object, partial(locate, ())),
        )
        return Copy(
            workspace=self._workspace.name,
            source=source,
            manifest=Manifest(copy.ref, data, replace(written, is_spliced=False), edits),
            agent=agent.name,
            published=copy.resource.manifest,
            face=crd,
            cluster=self._workspace.cluster.name,
            path=self._workspace.cluster.path,
        )

    def _report_unpublished(self, copied: set[Ref], secrets: Mapping[Ref, Ref]) -> None:
        """Report objects of kinds that no agent publishes, unless they are in `copied`."""
        workspace, published_kinds = self._workspace.name, self._resources_by_kind
        for manifest in self._objects.manifests:
            kind = (manifest.ref.group, manifest.ref.kind)
            if kind in published_kinds or kind == NAMESPACE or manifest.ref in copied:
                continue
            if kind == SECRET:
                message = "no copy: a Secret is never rendered"
                if manifest.ref in secrets:
                    message += "; the spokes need it"
                self._outcome.results.append(_report(codes.NOT_COPIED, manifest, message))
            else:
                message = f"no copy: no agent publishes {kind_name(*kind)} to workspace {workspace}"
                cure = "publish or relate its kind, or remove it"
                self._outcome.results.append(_report(codes.NOT_PUBLISHED, manifest, message, cure))


def _report(finding: FindingKind, manifest: Manifest, message: str, cure: str = "") -> Result:
    return finding.result(message, cure=cure, resource=manifest.ref, origin=manifest.origin)
