"""The publishing file: agents, which publish kinds to kcp, and workspaces, which consume them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from spokerender.config import documents
from spokerender.config.base import Items, Model, refuse
from spokerender.config.documents import Written, parsed
from spokerender.config.fleet import Paths
from spokerender.config.names import DnsLabel, LabelValue, Subdomain, Text
from spokerender.config.selectors import LabelSelector, SpokeSelection, refuse_empty
from spokerender.model.sources import File

AgentName = Annotated[Subdomain, Field(max_length=63)]
"""A subdomain, as upstream accepts, of at most 63 characters, since it is also a label value."""


class PublishingAgent(Model):
    """A sync agent: its PublishedResources, and the APIExport that it fills."""

    name: AgentName = Field(description="The agent's name, which its copies have as a label.")
    selector: LabelSelector | None = Field(
        default=None, description="Labels of its PublishedResources; default: all."
    )
    export: Subdomain | None = Field(
        default=None, description="The APIExport that it fills; default: none, it only copies."
    )
    workspace: DnsLabel | None = Field(
        default=None, description="The spoke that stands for the workspace of the APIExport."
    )
    spokes: SpokeSelection | None = Field(
        default=None, description="The spokes of copies that no gateway takes along."
    )

    @model_validator(mode="after")
    def _check_export(self) -> Self:
        refuse_empty(self.selector, "remove the selector, which selects all")
        if self.export and not self.workspace:
            refuse("an export requires a workspace", "add workspace: the name of a spoke", "export")
        if self.workspace and not self.export:
            refuse("a workspace requires an export", "add export, or remove it", "workspace")
        return self


class PublishingWorkspace(Model):
    """A consumer's workspace in kcp, with the files of its objects."""

    name: DnsLabel = Field(description="The workspace's name.")
    cluster: Annotated[LabelValue, Field(min_length=1)] | None = Field(
        default=None, description="The name of its logical cluster; default: the workspace's name."
    )
    path: Text | None = Field(default=None, description="Its path in kcp, such as root:shop:a.")
    objects: Paths | None = Field(
        default=None, description="Files and folders of its objects; default: workspaces/<name>/."
    )
    agents: Items[AgentName] | None = Field(
        default=None, description="The agents whose APIs are bound in it; default: all."
    )

    @property
    def cluster_name(self) -> str:
        """The name of the logical cluster, for templates and labels."""
        return self.cluster or self.name

    @property
    def paths(self) -> tuple[str, ...]:
        """The files and folders with the workspace's objects."""
        return self.objects or (f"workspaces/{self.name}/",)


class PublishingSpec(Model):
    """The agents and the workspaces; several documents add up."""

    agents: Items[PublishingAgent] = Field(default=(), description="The sync agents.")
    workspaces: Items[PublishingWorkspace] = Field(
        default=(), description="The workspaces whose objects are copied."
    )


class Publishing(documents.NamedDocument):
    """Agents that publish kinds, and workspaces that consume them."""

    kind: Literal["Publishing"] = Field(description="The kind of this file.")
    spec: PublishingSpec = Field(description="The agents and workspaces.")


def load_publishings(files: Sequence[File]) -> tuple[Written[Publishing], ...]:
    """Read all publishings, sorted by name. Raises `InputError` with every fault."""
    read, results = documents.read_documents(files, ["Publishing"])
    publishings = parsed(read, Publishing, results)
    results += documents.duplicates(_list_names(publishings))
    documents.raise_results(results)
    return tuple(sorted(publishings, key=lambda item: item.model.metadata.name))


def _list_names(publishings: Iterable[Written[Publishing]]) -> Iterator[documents.Named]:
    for publishing in publishings:
        written, spec = publishing.written, publishing.model.spec
        yield documents.document_name(publishing, "publishing")
        for index, agent in enumerate(spec.agents):
            at = ("spec", "agents", index)
            yield documents.Named("agent", agent.name, (*at, "name"), written)
            if agent.export:
                name = f"{agent.workspace}/{agent.export}"
                yield documents.Named("export", name, (*at, "export"), written)
        for index, workspace in enumerate(spec.workspaces):
            at = ("spec", "workspaces", index)
            yield documents.Named("workspace", workspace.name, (*at, "name"), written)
            cluster = workspace.cluster_name
            yield documents.Named("logical cluster", cluster, (*at, "cluster"), written)
