"""The settings of Argo CD's delivery."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from spokerender.config.base import Choice, Items, Model, refuse
from spokerender.config.names import DnsLabel, FilePath, LabelKey, Subdomain, Text
from spokerender.config.selectors import OR_ROLLOUT, SpokeSelection
from spokerender.wings.delivery.config import PATH

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
    """The identification of a spoke's cluster in Argo CD; exactly one of the three."""

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
    """Spokes that are synchronized together, after those of the waves before are healthy."""

    spokes: SpokeSelection = Field(description="Its spokes, but for those of earlier waves.")
    max_update: Annotated[int, Field(ge=0)] | Percent = Field(
        default="100%", description="How many at once; 0 leaves them to people."
    )


class ArgoCD(Model):
    """An Argo CD ApplicationSet with one Application per spoke."""

    repo_url: Text = Field(alias="repoURL", description="The Git repository that holds the trees.")
    target_revision: Text = Field(default="HEAD", description="The branch, tag or commit.")
    path: FilePath | None = Field(default=None, description=PATH)
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
