"""The publishing file: agents, which publish kinds to kcp, and workspaces, which consume them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from spokerender.config.base import ApiVersion, Items, Model, refuse
from spokerender.config.names import DnsLabel, FilePath, LabelValue, Subdomain, Text
from spokerender.config.selectors import LabelSelector, SpokeSelection, refuse_empty

_PATHS_SCHEMA = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}

Folders = Annotated[
    Items[FilePath],
    Field(min_length=1),
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
    WithJsonSchema(_PATHS_SCHEMA),
]
AgentName = Annotated[Subdomain, Field(max_length=63)]
"""What upstream takes: `nora`, or with dots as its own default has; and it is a label's value."""


class PublishingAgent(Model):
    """A sync agent: which PublishedResources are its own, and where it publishes them."""

    name: AgentName = Field(description="Its name; the copies that it makes carry it as a label.")
    profile: Literal["main", "v0.2"] = Field(
        default="main", description="Which release of the agent is followed."
    )
    selector: LabelSelector | None = Field(
        default=None, description="Its PublishedResources, by label; left out: all."
    )
    export: Subdomain | None = Field(
        default=None, description="The APIExport that it fills; left out: copies only."
    )
    workspace: DnsLabel | None = Field(
        default=None, description="The spoke that stands for the APIExport's workspace."
    )
    spokes: SpokeSelection | None = Field(
        default=None, description="The spokes for copies that hang on no gateway."
    )

    @model_validator(mode="after")
    def _exports_somewhere(self) -> Self:
        refuse_empty(self.selector, "leave the selector out: all of them are meant then")
        if self.export and not self.workspace:
            refuse("an export needs its workspace", "add workspace: the spoke it is", "export")
        if self.workspace and not self.export:
            refuse("a workspace without an export", "add export, or take it out", "workspace")
        if self.profile == "v0.2" and not self.export:
            cure = "add export, or follow main"
            refuse("v0.2 puts every kind into the export's group, and has none", cure, "profile")
        return self


class PublishingWorkspace(Model):
    """A consumer's workspace of kcp, with the files that its objects are in."""

    name: DnsLabel = Field(description="Its name.")
    cluster: Annotated[LabelValue, Field(min_length=1)] | None = Field(
        default=None, description="The name of its logical cluster; left out: its own name."
    )
    path: Text | None = Field(default=None, description="Its path in kcp, such as root:shop:a.")
    objects: Folders | None = Field(
        default=None, description="Files and folders; left out: workspaces/ and its name."
    )
    agents: Items[AgentName] | None = Field(
        default=None, description="The agents whose APIs are bound there; left out: all."
    )

    @property
    def cluster_name(self) -> str:
        """The logical cluster, as templates and labels have it."""
        return self.cluster or self.name

    @property
    def paths(self) -> tuple[str, ...]:
        """Where its objects are."""
        return self.objects or (f"workspaces/{self.name}/",)


class PublishingSpec(Model):
    """The agents and the workspaces; several documents add up."""

    agents: Items[PublishingAgent] = Field(default=(), description="The sync agents there are.")
    workspaces: Items[PublishingWorkspace] = Field(
        default=(), description="The workspaces whose objects are copied."
    )


class PublishingMetadata(Model):
    """Who a publishing is."""

    name: Subdomain = Field(description="Its name; documents count in the order of their names.")


class Publishing(Model):
    """Who publishes kinds to whom."""

    api_version: ApiVersion = Field(description="The version of this file's format.")
    kind: Literal["Publishing"] = Field(description="What this file is.")
    metadata: PublishingMetadata = Field(description="Who this publishing is.")
    spec: PublishingSpec = Field(description="What it says.")
