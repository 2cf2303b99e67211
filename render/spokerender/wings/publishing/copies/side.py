"""The copies of every workspace's objects, with what follows them and what they refer to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.findings.budget import InputBudget
from spokerender.findings.codes.hub import EMPTY_HUB
from spokerender.findings.codes.publishing import (
    NEEDS_PATH,
    NO_NAMESPACE,
    NOT_COPIED,
    NOT_PUBLISHED,
    PUBLISHED_TWICE,
    TOO_MANY_COPIES,
)
from spokerender.findings.results import Fault, FindingKind, Result, Severity
from spokerender.kinds import Catalogue
from spokerender.model import Edit, Manifest, Ref
from spokerender.rendering.values.bundles import How
from spokerender.rendering.values.rendered import Copy, NeededSecret
from spokerender.topology.hub import Hub, assemble, is_local_config
from spokerender.wings.publishing.copies.collisions import distinct
from spokerender.wings.publishing.copies.copying import COST_OF_OBJECT, copied, cost_of_copy
from spokerender.wings.publishing.copies.following import Known, followed
from spokerender.wings.publishing.copies.related import matches
from spokerender.wings.publishing.copies.relating import Relating, Unlinked
from spokerender.wings.publishing.declared import Workspace
from spokerender.wings.publishing.problems import Refused
from spokerender.wings.publishing.resources import SECRET, Identity, Resource, line_of

_NAMESPACE = ("", "Namespace")
_BYTES = 8
"""The bytes that cost as much to read as a value costs to copy."""


class CopyingSide(Struct, eq=False):
    """All copies in the order of workspaces and sources, and what there is to say of them."""

    copies: list[Copy] = field(default_factory=list)
    secrets: list[NeededSecret] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    is_plain: bool = True
    budget: InputBudget = field(default_factory=lambda: _copying_budget(()))


def copying_side(
    hub: Hub, workspaces: Sequence[Workspace], resources: Sequence[Resource]
) -> CopyingSide:
    """Copy the objects of all workspaces. What is wrong is in the results.

    Raises:
        InputError: there are too many copies to make.

    """
    side = CopyingSide(budget=_copying_budget(workspaces))
    catalogue = _local_kinds(hub, resources)
    known = frozenset(manifest.ref for manifest in hub.manifests)
    for workspace in workspaces:
        _Workspace(workspace, resources, catalogue, known, side).copy()
    side.results[:] = dict.fromkeys(side.results)
    side.copies, collisions = distinct(hub, side.copies)
    side.results += collisions
    return side


def _copying_budget(workspaces: Sequence[Workspace]) -> InputBudget:
    """Return the budget of all copies, in values that are copied.

    Workspaces that name one folder are a product with its objects; so are the steps that mutate
    them, and what is related to them. A file counts once, however many workspaces name it.
    """
    sizes = {path: len(data) for workspace in workspaces for path, data in workspace.files}
    limit = 400_000 + 2 * sum(sizes.values())
    cure = "let fewer workspaces name one folder, or relate and mutate less"
    return InputBudget(limit, TOO_MANY_COPIES, cure)


def _local_kinds(hub: Hub, resources: Sequence[Resource]) -> Catalogue:
    """What is known of the service cluster's kinds: the hub's, and those of published CRDs."""
    return Catalogue.of([*(m.object for m in hub.crds), *(resource.crd for resource in resources)])


class _Workspace:
    """One workspace."""

    def __init__(
        self,
        workspace: Workspace,
        resources: Sequence[Resource],
        catalogue: Catalogue,
        hub: frozenset[Ref],
        side: CopyingSide,
    ) -> None:
        self._workspace = workspace
        self._side = side
        self._catalogue = catalogue
        self._hub = hub
        bound = [r for r in resources if workspace.binds(r.agent.name)]
        self._by_face = self._faces(bound)
        faces = [resource.face for resource in self._by_face.values()]
        size = sum(len(data) for _, data in workspace.files)
        side.budget.spend(
            size // _BYTES + COST_OF_OBJECT * len(faces), f"reading workspace {workspace.name}"
        )
        self._read = assemble(workspace.files, crds=faces)
        side.is_plain = side.is_plain and self._read.is_plain
        side.results += (r for r in self._read.results if r.code != EMPTY_HUB.code)

    def copy(self) -> None:
        """Copy what is to be copied, and say of everything else why it is not."""
        made = [
            copy for manifest in self._read.manifests if (copy := self._made(manifest)) is not None
        ]
        relating = Relating(self._workspace, self._read, self._catalogue, self._side)
        followers = [
            follower for item in made for follower in relating.followers(item.source, item)
        ]
        landed: dict[Ref, Ref | None] = dict.fromkeys(m.ref for m in self._read.manifests)
        landed |= relating.secrets
        landed |= {item.source.ref: item.ref for item in followers}
        landed |= {item.source.ref: item.ref for item in made}
        known = Known(landed, self._hub)
        self._side.copies += (self._finished(item, known, item.resource.face) for item in made)
        self._side.copies += (self._finished(item, known, None) for item in followers)
        self._tell_left({item.source.ref for item in (*made, *followers)}, relating.secrets)

    def _faces(self, bound: Sequence[Resource]) -> Mapping[Identity, Resource]:
        faces: dict[Identity, Resource] = {}
        for resource in bound:
            other = faces.setdefault(resource.face_identity, resource)
            if other is not resource and other.agent is not resource.agent:
                kind = ".".join(filter(None, reversed(resource.face_identity)))
                message = f"workspace {self._workspace.name} binds {kind} from agent "
                message += f"{other.agent.name} as well ({other.manifest.origin})"
                cure = "let the workspace name its agents"
                fault = Fault(PUBLISHED_TWICE, message, cure, ("spec",))
                self._side.results.append(resource.result(fault))
        return faces

    def _made(self, manifest: Manifest) -> Unlinked | None:
        identity = (manifest.ref.group, manifest.ref.kind)
        resource = self._by_face.get(identity)
        if resource is None:
            return None
        reason = self._reason_against(manifest, resource)
        if reason is not None:
            self._side.results += [reason] if reason.message else []
            return None
        steps = resource.spec.mutation.spec or ()
        self._side.budget.spend(
            cost_of_copy(manifest.object, len(steps)), "copying it", manifest.ref
        )
        try:
            self._check_path(resource)
            copy = copied(manifest.object, resource, self._workspace.home)
        except Refused as refused:
            self._tell_refused(refused, resource, manifest)
            return None
        self._side.results += map(resource.result, copy.told)
        return Unlinked(manifest, resource, copy.ref, copy.object, copy.mutated, copy.steps)

    def _check_path(self, resource: Resource) -> None:
        if resource.spec.enable_workspace_paths and not self._workspace.home.path:
            message = f"workspace {self._workspace.name} has no path"
            cure = "give it one in the publishing file"
            raise Refused(NEEDS_PATH, message, cure, ("spec", "enableWorkspacePaths"))

    def _reason_against(self, manifest: Manifest, resource: Resource) -> Result | None:
        """Why an object of a published kind has no copy."""
        version = str(manifest.object["apiVersion"]).rpartition("/")[2]
        metadata = manifest.object["metadata"]
        if version not in resource.versions:
            message = f"version {version} is not published here; {', '.join(resource.versions)} is"
            cure = "write a published version"
            result = self._told(NOT_PUBLISHED, manifest, message, cure)
            return replace(result, severity=Severity.ERROR)
        if not resource.spec.is_copying:
            return self._told(NOT_COPIED, manifest, "no copy: its kind is published only")
        if metadata.get("deletionTimestamp"):
            return self._told(NOT_COPIED, manifest, "no copy: it is in deletion")
        if is_local_config(manifest):
            return self._told(NOT_COPIED, manifest, "no copy: it is marked as local config")
        return self._filtered(manifest, resource)

    def _filtered(self, manifest: Manifest, resource: Resource) -> Result | None:
        wanted = resource.spec.filter
        if not matches(wanted.resource, manifest.object["metadata"].get("labels") or {}):
            return self._told(NOT_COPIED, manifest, "no copy: the filter does not take its labels")
        if wanted.namespace is None:
            return None
        namespace = self._read.namespaces.get(manifest.ref.namespace)
        if namespace is None:
            name = manifest.ref.namespace or "of its own"
            message = f"the filter asks for the labels of namespace {name}, which is not among "
            message += f"the files of workspace {self._workspace.name}"
            cure = "put the Namespace there"
            return self._told(NO_NAMESPACE, manifest, message, cure)
        if not matches(wanted.namespace, namespace["metadata"].get("labels") or {}):
            return self._told(
                NOT_COPIED, manifest, "no copy: the filter does not take its namespace"
            )
        return None

    def _finished(self, made: Unlinked, known: Known, face: Mapping[str, Any] | None) -> Copy:
        data, faults = followed(made.object, made.ref, made.source.ref, known, self._catalogue)
        for fault in faults:
            origin = line_of(made.source, fault.field)
            self._side.results.append(fault.result(made.source.ref, origin))
        manifest = self._manifest(made, data)
        return Copy(
            workspace=self._workspace.name,
            source=made.source,
            manifest=manifest,
            agent=made.resource.agent.name,
            published=made.resource.manifest,
            face=face,
            profile=made.resource.agent.profile.name,
            cluster=self._workspace.home.cluster,
            path=self._workspace.home.path,
        )

    def _manifest(self, made: Unlinked, data: dict[str, Any]) -> Manifest:
        """The copy, with its consumer's words and everything that was done to them."""
        source, resource = made.source.written, made.resource
        assert source is not None  # noqa: S101  (a workspace's objects are read)
        place = partial(line_of, resource.manifest)
        edits = (
            *(Edit(How.MUTATED, step.before, partial(place, step.field)) for step in made.steps),
            Edit(How.AGENT, made.mutated, partial(place, ())),
        )
        return Manifest(made.ref, data, replace(source, is_spliced=False), edits)

    def _tell_left(self, used: set[Ref], secrets: Mapping[Ref, Ref]) -> None:
        """What is of a kind that nobody publishes, and follows nothing."""
        for manifest in self._read.manifests:
            identity = (manifest.ref.group, manifest.ref.kind)
            if identity in self._by_face or identity == _NAMESPACE or manifest.ref in used:
                continue
            if identity == SECRET:
                message = "no copy: a Secret is never rendered"
                if manifest.ref in secrets:
                    message += "; the spokes need it"
                self._side.results.append(self._told(NOT_COPIED, manifest, message))
            else:
                kind = ".".join(filter(None, reversed(identity)))
                message = f"no copy: nobody publishes {kind} to workspace {self._workspace.name}"
                cure = "publish or relate its kind, or take it out"
                self._side.results.append(self._told(NOT_PUBLISHED, manifest, message, cure))

    def _tell_refused(self, refused: Refused, resource: Resource, manifest: Manifest) -> None:
        fault = refused.fault
        where = f"{self._workspace.name}|{manifest.ref} ({manifest.origin})"
        longer = replace(fault, message=f"{fault.message}; for {where}")
        self._side.results.append(resource.result(longer))

    def _told(
        self, finding: FindingKind, manifest: Manifest, message: str, cure: str = ""
    ) -> Result:
        return finding.result(message, cure=cure, resource=manifest.ref, origin=manifest.origin)
