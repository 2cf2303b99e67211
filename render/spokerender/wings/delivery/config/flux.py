"""The settings of Flux's delivery."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from spokerender.config.base import Choice, Items, Model, refuse
from spokerender.config.names import DnsLabel, Duration, FilePath, Subdomain, Text
from spokerender.config.selectors import OR_ROLLOUT, SpokeSelection
from spokerender.wings.delivery.config import PATH

Url = Annotated[str, StringConstraints(pattern="^(https?|ssh|oci)://")]
"""As the CRDs of GitRepository and OCIRepository take it."""


class FluxSource(Model):
    """The Flux source that the trees come from."""

    kind: Literal["GitRepository", "OCIRepository", "Bucket"] = Field(
        default="GitRepository", description="Its kind."
    )
    name: Subdomain = Field(default="flux-system", description="Its name.")
    namespace: DnsLabel = Field(default="flux-system", description="Its namespace.")


class FluxRef(Choice):
    """The revision of a source that Flux takes; exactly one of the five."""

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
    """Spokes that are served together, after those of the wave before are ready."""

    spokes: SpokeSelection = Field(description="Its spokes, but for those of earlier waves.")


class Flux(Model):
    """A Flux Kustomization per spoke."""

    source_ref: FluxSource = Field(
        default_factory=FluxSource, description="The source that holds the trees."
    )
    path: FilePath | None = Field(default=None, description=PATH)
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
