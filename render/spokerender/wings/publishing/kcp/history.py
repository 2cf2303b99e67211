"""What was published before, read from `published/`, and what is to be written there.

kcp refuses to change a schema, and an agent takes none back. So each schema that was ever published
is a file beside fleet.yaml, in a folder of its agent's, and the last list of its export stands
beside it: which of several schemas of one resource was the last, nothing else could tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct, field

from spokerender.config.fleet import AcknowledgedDeletion
from spokerender.findings.codes.publishing import BAD_PUBLISHED, UNKNOWN_AGENT
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.model import Origin
from spokerender.wings.publishing.kcp import schemas
from spokerender.wings.publishing.kcp.exports import KIND as EXPORT
from spokerender.wings.publishing.settings import FOLDER

_HEADER = "# Published: kcp refuses to change or forget it. Let it go under spec.deletions only.\n"
_EXPORT_HEADER = "# What the export listed last. Written by spokerender build.\n"

Files = Sequence[tuple[str, bytes]]


class History(Struct, eq=False):
    """What one agent has published; `paths` are the files of the schemas."""

    schemas: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    export: Mapping[str, Any] | None = None


def read_history(
    files: Files, agents: Sequence[str]
) -> tuple[Mapping[str, History], tuple[Result, ...]]:
    """What each agent has published, by its name, and what is wrong with the files.

    A path is relative to the folder, as messages name it; its folder is the agent's.
    """
    histories = {name: History() for name in agents}
    results: list[Result] = []
    for path, data in sorted(files):
        agent = PurePosixPath(path).parent.name
        if agent not in histories:
            cure = did_you_mean(agent, agents, "declared are") or "declare it again"
            message = f'no agent "{agent}" is declared, and it has published this'
            results.append(UNKNOWN_AGENT.result(message, cure=cure, origin=Origin(path)))
            continue
        results += _read(path, data, histories[agent])
    return histories, tuple(results)


def _read(path: str, data: bytes, history: History) -> Iterator[Result]:
    documents, problems = yamlio.read(data, path)
    cure = "restore the file from Git"
    for problem in problems:
        origin = Origin(path, line=problem.line)
        yield BAD_PUBLISHED.result(problem.message, cure=cure, origin=origin)
    for document in documents:
        origin = Origin(path, document.index, document.line)
        value = document.value
        kind = value.get("kind") if isinstance(value, dict) else None
        metadata = value.get("metadata") if isinstance(value, dict) else None
        name = metadata.get("name") if isinstance(metadata, dict) else None
        if _is_schema(value) and name == PurePosixPath(path).stem:
            history.schemas[name] = value
            history.origins[name] = origin
        elif kind == EXPORT:
            history.export = value
        else:
            message = f"it is no {schemas.KIND} that is called as the file is"
            yield BAD_PUBLISHED.result(message, cure=cure, origin=origin)


def _is_schema(value: Any) -> bool:  # noqa: ANN401  (JSON of any shape)
    """Whether it is a schema as `build` writes them."""
    return (
        isinstance(value, dict)
        and (value.get("apiVersion"), value.get("kind")) == (schemas.API_VERSION, schemas.KIND)
        and isinstance(value.get("spec"), dict)
    )


def schema_path(agent: str, name: str) -> str:
    """Where a schema is kept, below the project."""
    return f"{FOLDER}/{agent}/{name}.yaml"


def export_path(agent: str) -> str:
    """Where the last list of an agent's export is kept, below the project."""
    return f"{FOLDER}/{agent}/apiexport.yaml"


def schema_bytes(schema: Mapping[str, Any]) -> bytes:
    """The file of a schema."""
    return (_HEADER + yamlio.emit(dict(schema))).encode()


def export_bytes(export: Mapping[str, Any]) -> bytes:
    """The file of an export's last list."""
    return (_EXPORT_HEADER + yamlio.emit(dict(export))).encode()


def let_go(deletions: Sequence[AcknowledgedDeletion], workspace: str) -> frozenset[str]:
    """The schemas that fleet.yaml says may go from a workspace."""
    words = (f"{schemas.KIND}/", f"{schemas.KIND}.apis.kcp.io/")
    return frozenset(
        entry.ref.partition("/")[2]
        for entry in deletions
        if entry.ref and entry.ref.startswith(words) and entry.spoke in (None, workspace)
    )
