"""Agents and workspaces, as declared in all publishing files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from spokerender.config.documents import Written
from spokerender.config.selectors import SpokeSelection
from spokerender.findings.codes.publishing import UNKNOWN_AGENT, UNKNOWN_SPOKE
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault, Result
from spokerender.model import FieldPath, Origin, Spoke
from spokerender.model.sources import File
from spokerender.wings.publishing.config.publishing import (
    Publishing,
    PublishingAgent,
    PublishingWorkspace,
)
from spokerender.wings.publishing.contexts import LogicalCluster


class SyncAgent(Struct, frozen=True, eq=False):
    """A sync agent of kcp; its copies that ship with no gateway go to `spokes`."""

    model: PublishingAgent
    origin: Origin
    spokes: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.model.name


class ConsumerWorkspace(Struct, frozen=True, eq=False):
    """A declared workspace with the files of its objects."""

    model: PublishingWorkspace
    files: Sequence[File]

    @property
    def name(self) -> str:
        """The workspace's name."""
        return self.model.name

    @property
    def cluster(self) -> LogicalCluster:
        """The logical cluster, for templates, labels and annotations."""
        return LogicalCluster(self.model.cluster_name, self.model.path or "")


_Declarations = tuple[tuple[SyncAgent, ...], tuple[ConsumerWorkspace, ...], tuple[Result, ...]]
"""Agents and workspaces, each sorted by name, and findings about unknown names."""


def resolve_declarations(
    documents: Sequence[Written[Publishing]],
    files: Mapping[str, Sequence[File]],
    spokes: Sequence[Spoke],
) -> _Declarations:
    """Return agents with their spokes, workspaces with their `files`, and findings about names."""
    agents: list[SyncAgent] = []
    workspaces: list[ConsumerWorkspace] = []
    results: list[Result] = []
    for document in documents:
        for index, agent in enumerate(document.model.spec.agents):
            path: FieldPath = ("spec", "agents", index)
            results += _find_unknown_spokes(agent, document, path, spokes)
            selected = frozenset(_select_spokes(agent.spokes, spokes))
            agents.append(SyncAgent(agent, document.at(*path), selected))
        workspaces += (
            ConsumerWorkspace(workspace, files.get(workspace.name, ()))
            for workspace in document.model.spec.workspaces
        )
    results += _find_unknown_agents(documents, sorted(agent.name for agent in agents))
    return (
        tuple(sorted(agents, key=lambda agent: agent.name)),
        tuple(sorted(workspaces, key=lambda workspace: workspace.name)),
        tuple(results),
    )


def _find_unknown_agents(
    documents: Iterable[Written[Publishing]], names: Sequence[str]
) -> Iterator[Result]:
    for document in documents:
        for index, workspace in enumerate(document.model.spec.workspaces):
            for place, name in enumerate(workspace.agents or ()):
                if name not in names:
                    cure = did_you_mean(name, names, "declared are") or "declare it"
                    path = ("spec", "workspaces", index, "agents", place)
                    message = f'agent "{name}" is not declared'
                    yield document.written.result(Fault(UNKNOWN_AGENT, message, cure, path))


def _select_spokes(selection: SpokeSelection | None, spokes: Sequence[Spoke]) -> Iterator[str]:
    if selection is None:
        return
    selector = selection.value
    yield from (spoke.name for spoke in spokes if selector.means(spoke.name, spoke.labels))


def _find_unknown_spokes(
    agent: PublishingAgent, document: Written[Publishing], path: FieldPath, spokes: Sequence[Spoke]
) -> Iterator[Result]:
    names = sorted(spoke.name for spoke in spokes)
    selected = enumerate((agent.spokes and agent.spokes.names) or ())
    uses = [(agent.workspace, (*path, "workspace"))] if agent.workspace else []
    uses += ((name, (*path, "spokes", "names", place)) for place, name in selected)
    for name, use in uses:
        if name not in names:
            cure = did_you_mean(name, names, "declared are") or "declare it in the placement"
            message = f'spoke "{name}" is not declared'
            yield document.written.result(Fault(UNKNOWN_SPOKE, message, cure, use))
    has_selector = agent.spokes is not None and agent.spokes.names is None
    if has_selector and not any(_select_spokes(agent.spokes, spokes)):
        message = "the agent's selector matches no declared spoke"
        cure = "correct the selector, or the labels of the spokes"
        yield document.written.result(Fault(UNKNOWN_SPOKE, message, cure, (*path, "spokes")))
