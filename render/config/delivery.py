"""How the spokes' trees are delivered: the part of the fleet file about Argo CD and Flux."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from render.config.base import Items, Model
from render.config.names import DnsLabel, Duration, Subdomain, Text

_PATH = "The output folder's path in the repository that holds the trees; default: spec.output."


class ArgoAutomated(Model):
    """Argo CD's automated synchronization."""

    prune: bool = Field(default=True, description="Delete what left the tree.")
    self_heal: bool = Field(default=True, description="Undo changes made on the spoke.")


class ArgoSyncPolicy(Model):
    """How Argo CD applies a spoke's tree."""

    automated: ArgoAutomated | None = Field(
        default_factory=ArgoAutomated, description="null leaves synchronization to people."
    )
    sync_options: Items[Text] = Field(
        default=(), description="Argo CD's own options, such as ServerSideApply=true."
    )


class ArgoCD(Model):
    """An Argo CD ApplicationSet with one Application per spoke."""

    repo_url: Text = Field(alias="repoURL", description="The Git repository that holds the trees.")
    target_revision: Text = Field(default="HEAD", description="The branch, tag or commit.")
    path: Text | None = Field(default=None, description=_PATH)
    name: Subdomain = Field(default="spokes", description="The ApplicationSet's name.")
    namespace: DnsLabel = Field(default="argocd", description="The ApplicationSet's namespace.")
    project: Text = Field(default="default", description="The Argo CD project.")
    sync_policy: ArgoSyncPolicy = Field(
        default_factory=ArgoSyncPolicy, description="How a spoke's tree is applied."
    )


class FluxSource(Model):
    """The Flux source that the trees come from."""

    kind: Literal["GitRepository", "OCIRepository", "Bucket"] = Field(
        default="GitRepository", description="Its kind."
    )
    name: Subdomain = Field(default="flux-system", description="Its name.")
    namespace: DnsLabel = Field(default="flux-system", description="Its namespace.")


class Flux(Model):
    """A Flux Kustomization per spoke."""

    source_ref: FluxSource = Field(
        default_factory=FluxSource, description="The source that holds the trees."
    )
    path: Text | None = Field(default=None, description=_PATH)
    namespace: DnsLabel = Field(default="flux-system", description="The Kustomizations' namespace.")
    interval: Duration = Field(default="10m", description="How often Flux applies the tree anew.")


class Delivery(Model):
    """Which delivery files are rendered into the output's _fleet folder."""

    argocd: ArgoCD | None = Field(default=None, description="For Argo CD.")
    flux: Flux | None = Field(default=None, description="For Flux.")
