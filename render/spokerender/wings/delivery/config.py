"""The settings of the engines that deliver: Argo CD, Flux and Open Cluster Management."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from spokerender.config.base import Choice, Items, Model, refuse
from spokerender.config.names import (
    DnsLabel,
    Duration,
    FilePath,
    LabelKey,
    Subdomain,
    Text,
)
from spokerender.config.selectors import OR_ROLLOUT, SpokeSelection

_PATH = "The output folder's path in the repository that holds the trees; default: spec.output."


Percent = Annotated[str, StringConstraints(pattern="^(100|[1-9]?[0-9])%$")]


class ArgoAutomated(Model):
    """Argo CD's automated synchronization."""

    prune: bool = Field(default=True, description="Delete what left the tree.")
    self_heal: bool = Field(default=True, description="Undo changes made on the spoke.")


class ArgoSyncPolicy(Model):
    """The sync policy with which Argo CD applies a spoke's tree."""

    automated: ArgoAutomated | None = Field(
        default_factory=ArgoAutomated, description="null leaves synchronization to people."
    )
    sync_options: Items[Text] = Field(
        default=(), description="Argo CD's own options, such as ServerSideApply=true."
    )


class ArgoDestination(Choice):
    """The cluster of a spoke in Argo CD: exactly one of name, server and label."""

    alternatives = ("name", "server", "label")

    name: Text | None = Field(
        default=None, description='The cluster\'s name, such as "edge-{{ spoke.name }}".'
    )
    server: Text | None = Field(
        default=None, description='Its API server\'s URL, such as "{{ spoke.values.server }}".'
    )
    label: LabelKey | None = Field(
        default=None,
        description="The label of Argo CD's cluster Secret whose value is the spoke's name.",
    )


class ArgoWave(Model):
    """Spokes that are synchronized together, after the spokes of previous waves are healthy."""

    spokes: SpokeSelection = Field(description="Its spokes, but for those of earlier waves.")
    max_update: Annotated[int, Field(ge=0)] | Percent = Field(
        default="100%", description="How many at once; 0 leaves them to people."
    )


class ArgoCD(Model):
    """An Argo CD ApplicationSet with one Application per spoke."""

    repo_url: Text = Field(alias="repoURL", description="The Git repository that holds the trees.")
    target_revision: Text = Field(default="HEAD", description="The branch, tag or commit.")
    path: FilePath | None = Field(default=None, description=_PATH)
    name: Subdomain = Field(default="spokes", description="The ApplicationSet's name.")
    namespace: DnsLabel = Field(default="argocd", description="The ApplicationSet's namespace.")
    project: Text = Field(default="default", description="The Argo CD project.")
    sync_policy: ArgoSyncPolicy = Field(
        default_factory=ArgoSyncPolicy, description="How a spoke's tree is applied."
    )
    kind: Literal["ApplicationSet", "Application"] = Field(
        default="ApplicationSet",
        description="What is rendered: one ApplicationSet, or an Application for each spoke.",
    )
    destination: ArgoDestination | None = Field(
        default=None, description="The spoke's cluster; by default the one named like the spoke."
    )
    app_project: bool = Field(
        default=False,
        description="Render the project: it allows what the trees have, where they go, no more.",
    )
    sync_waves: bool = Field(
        default=False, description="Apply Namespaces first, then ReferenceGrants, then the rest."
    )
    waves: Annotated[Items[ArgoWave], *OR_ROLLOUT] = Field(
        default=(),
        description="Spokes wave by wave (RollingSync), which turns automated sync off; `rollout` "
        "takes the groups of spec.rollout.",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.kind == "Application" and self.waves:
            refuse("only an ApplicationSet has waves", "take kind out, or the waves", "waves")
        by_label = self.destination is not None and self.destination.label is not None
        if self.kind == "Application" and by_label:
            cure = "name the cluster with name or server, or take kind out"
            refuse("only an ApplicationSet finds clusters by a label", cure, "destination")
        if self.app_project and by_label:
            cure = "name the cluster with name or server"
            refuse("a project can't allow clusters by a label", cure, "destination")
        if self.app_project and self.project == "default":
            cure = "give the project another name with `project`"
            refuse("the project default is Argo CD's own", cure, "project")
        return self


Url = Annotated[str, StringConstraints(pattern="^(https?|ssh|oci)://")]
"""A URL that the CRDs of GitRepository and OCIRepository accept."""


class FluxSource(Model):
    """The Flux source that the trees come from."""

    kind: Literal["GitRepository", "OCIRepository", "Bucket"] = Field(
        default="GitRepository", description="Its kind."
    )
    name: Subdomain = Field(default="flux-system", description="Its name.")
    namespace: DnsLabel = Field(default="flux-system", description="Its namespace.")


class FluxRef(Choice):
    """The revision of a source that Flux applies: exactly one of the fields below."""

    alternatives = ("branch", "commit", "tag", "semver", "digest")

    branch: Text | None = Field(default=None, description="A branch, of Git.")
    commit: Text | None = Field(default=None, description="A commit, of Git.")
    tag: Text | None = Field(default=None, description="A tag, of Git or of an artifact.")
    semver: Text | None = Field(default=None, description="The newest tag in a range of versions.")
    digest: Text | None = Field(default=None, description="The digest of an artifact.")


class FluxRepository(Model):
    """A source that is rendered: a GitRepository, or for an oci:// URL an OCIRepository."""

    url: Url = Field(
        description='Where they are; "oci://reg.io/team/{{ spoke.name }}" for an artifact each.'
    )
    ref: FluxRef = Field(description="The branch, the tag and so on.")
    name: Subdomain = Field(default="spokes", description="The source's name.")
    secret: Subdomain | None = Field(
        default=None, description="The Secret with its credentials, in the source's namespace."
    )

    @property
    def is_artifact(self) -> bool:
        """Return whether the source is an OCI artifact."""
        return self.url.startswith("oci://")

    @model_validator(mode="after")
    def _has_such_a_ref(self) -> Self:
        others = ("branch", "commit") if self.is_artifact else ("digest",)
        for name in others:
            if getattr(self.ref, name) is not None:
                source = "an artifact" if self.is_artifact else "a Git repository"
                refuse(f"{source} has no {name}", "say tag or semver", "ref", name)
        if "{{" in self.url and not self.is_artifact:
            cure = "name one repository; artifacts (oci://) may be one for each spoke"
            refuse("all spokes share a Git repository", cure, "url")
        return self


class FluxWave(Model):
    """Spokes that get a change together, after the spokes of the previous wave are ready."""

    spokes: SpokeSelection = Field(description="Its spokes, but for those of earlier waves.")


class Flux(Model):
    """A Flux Kustomization per spoke."""

    source_ref: FluxSource = Field(
        default_factory=FluxSource, description="The source that holds the trees."
    )
    path: FilePath | None = Field(default=None, description=_PATH)
    namespace: DnsLabel = Field(default="flux-system", description="The Kustomizations' namespace.")
    interval: Duration = Field(default="10m", description="How often Flux applies the tree anew.")
    controllers: Literal["hub", "spokes"] = Field(
        default="hub",
        description="Where Flux runs: on the hub, with a kubeconfig of each spoke, or on each "
        "spoke; then a folder for each spoke is rendered, to bootstrap its Flux with.",
    )
    source: FluxRepository | None = Field(
        default=None, description="A source to render, in place of one that is there (sourceRef)."
    )
    health_checks: bool = Field(
        default=False,
        description="A Kustomization is ready when its Gateways are programmed and its policies "
        "are accepted and in force.",
    )
    waves: Annotated[Items[FluxWave], *OR_ROLLOUT] = Field(
        default=(),
        description="Spokes, wave by wave (dependsOn); `rollout` takes the groups of spec.rollout.",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.source is not None and self.source_ref != FluxSource():
            refuse("source and sourceRef can't be set together", "keep one", "sourceRef")
        if self.waves and self.controllers == "spokes":
            cure = "take the waves out, or run Flux on the hub"
            refuse("a Flux on each spoke knows nothing of other spokes", cure, "waves")
        if self.waves and self.source is not None and "{{" in self.source.url:
            cure = "use one source for all, or take the waves out"
            refuse("waves wait for a revision of a source that all spokes share", cure, "waves")
        return self


Limit = Annotated[int, Field(ge=1024, le=1024 * 1024)]
WorkName = Annotated[Subdomain, Field(max_length=128)]
"""The agent prepends 65 characters to a work's name (OCM, work/helper, HubHash); we append some."""


class OcmReplicaSet(Model):
    """Spokes with equal trees, which an OCM Placement selects."""

    placement: Subdomain = Field(description="The Placement's name.")
    namespace: DnsLabel = Field(description="Its namespace, in which the ReplicaSet is as well.")
    spokes: SpokeSelection = Field(description="The spokes that it decides on, exactly.")


class OCM(Model):
    """OCM ManifestWorks for each spoke, in the namespace of the spoke's name on the hub."""

    name: WorkName = Field(default="spokes", description="The works' name.")
    deletion: Literal["prune", "orphan"] = Field(
        default="prune",
        description="prune: what leaves a tree is deleted, and all is when a work is; orphan: the "
        "agent deletes nothing, ever. Namespaces are never deleted.",
    )
    manifest_limit: Limit = Field(
        default=500 * 1024,
        description="How many bytes a work's manifests have at most: the hub's --manifestLimit.",
    )
    permissions: bool = Field(
        default=True,
        description="Let the work agent manage the kinds that a spoke gets, and just these.",
    )
    replica_sets: Items[OcmReplicaSet] = Field(
        default=(), description="Spokes that get a ManifestWorkReplicaSet instead."
    )
