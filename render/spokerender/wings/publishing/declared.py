"""Agents and workspaces, as all publishing files together declare them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from spokerender.config.parsing import Written
from spokerender.config.selectors import SpokeSelection
from spokerender.findings.codes.publishing import UNKNOWN_AGENT, UNKNOWN_SPOKE
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import FindingKind, Result
from spokerender.model import FieldPath, Origin, Spoke
from spokerender.wings.publishing.config.publishing import (
    Publishing,
    PublishingAgent,
    PublishingWorkspace,
)
from spokerender.wings.publishing.contexts import Home
from spokerender.wings.publishing.profiles import PROFILES, Profile

Files = Sequence[tuple[str, bytes]]


class Agent(Struct, frozen=True, eq=False):
    """An agent with its profile, and the spokes for copies that hang on no gateway."""

    model: PublishingAgent
    document: Written[Publishing]
    path: FieldPath
    spokes: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Its name."""
        return self.model.name

    @property
    def profile(self) -> Profile:
        """Which release it follows."""
        return PROFILES[self.model.profile]

    @property
    def origin(self) -> Origin:
        """Where it is declared."""
        return self.document.at(*self.path)


class Workspace(Struct, frozen=True, eq=False):
    """A workspace and the files of its objects."""

    model: PublishingWorkspace
    document: Written[Publishing]
    path: FieldPath
    files: Files

    @property
    def name(self) -> str:
        """Its name."""
        return self.model.name

    @property
    def home(self) -> Home:
        """What templates and labels call it."""
        return Home(self.model.cluster_name, self.model.path or "")

    def binds(self, agent: str) -> bool:
        """Whether the agent's APIs are bound there."""
        return self.model.agents is None or agent in self.model.agents


class Declared(Struct, frozen=True, eq=False):
    """What all publishing files say, agents and workspaces sorted by name."""

    agents: tuple[Agent, ...]
    workspaces: tuple[Workspace, ...]
    results: tuple[Result, ...]


def declared(
    documents: Iterable[Written[Publishing]], files: dict[str, Files], spokes: Sequence[Spoke]
) -> Declared:
    """Look up whom the documents name; `files` are those of each workspace."""
    results: list[Result] = []
    agents, workspaces = [], []
    for document in documents:
        for index, agent in enumerate(document.model.spec.agents):
            path: FieldPath = ("spec", "agents", index)
            results += _unknown_spokes(agent, document, path, spokes)
            chosen = frozenset(_chosen(agent.spokes, spokes))
            agents.append(Agent(agent, document, path, chosen))
        for index, workspace in enumerate(document.model.spec.workspaces):
            path = ("spec", "workspaces", index)
            workspaces.append(Workspace(workspace, document, path, files.get(workspace.name, ())))
    names = sorted(agent.name for agent in agents)
    for each in workspaces:
        for place, name in enumerate(each.model.agents or ()):
            if name not in names:
                cure = did_you_mean(name, names, "declared are") or "declare it"
                where = (*each.path, "agents", place)
                message = f'no agent "{name}" is declared'
                results.append(_result(UNKNOWN_AGENT, message, cure, each.document, where))
    return Declared(
        tuple(sorted(agents, key=lambda agent: agent.name)),
        tuple(sorted(workspaces, key=lambda workspace: workspace.name)),
        tuple(results),
    )


def _chosen(selection: SpokeSelection | None, spokes: Sequence[Spoke]) -> Iterator[str]:
    if selection is None:
        return
    chosen = selection.value
    yield from (spoke.name for spoke in spokes if chosen.means(spoke.name, spoke.labels))


def _unknown_spokes(
    agent: PublishingAgent, document: Written[Publishing], path: FieldPath, spokes: Sequence[Spoke]
) -> Iterator[Result]:
    names = sorted(spoke.name for spoke in spokes)
    named: list[tuple[str, FieldPath]] = []
    if agent.workspace:
        named.append((agent.workspace, (*path, "workspace")))
    for place, name in enumerate((agent.spokes and agent.spokes.names) or ()):
        named.append((name, (*path, "spokes", "names", place)))
    for name, where in named:
        if name not in names:
            cure = did_you_mean(name, names, "declared are") or "declare it in the placement"
            message = f'no spoke "{name}" is declared'
            yield _result(UNKNOWN_SPOKE, message, cure, document, where)
    has_selector = agent.spokes is not None and agent.spokes.names is None
    if has_selector and not any(_chosen(agent.spokes, spokes)):
        message = "the agent's spokes are none of those that are declared"
        cure = "mend the selector, or the spokes' labels"
        yield _result(UNKNOWN_SPOKE, message, cure, document, (*path, "spokes"))


def _result(
    finding: FindingKind, message: str, cure: str, document: Written[Publishing], path: FieldPath
) -> Result:
    field_name = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path).lstrip(".")
    return finding.result(message, cure=cure, field=field_name, origin=document.at(*path))
