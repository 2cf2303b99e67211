"""The record of what was published before, in `published/`.

kcp refuses to change a schema, and an agent removes none. So every schema that was ever published
is a file beside fleet.yaml, in a folder of its agent; the last list of the agent's export is beside
it, because nothing else tells which of several schemas of one resource was the last.
"""

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
from spokerender.model.shapes import as_mapping
from spokerender.model.sources import File
from spokerender.wings.publishing.kcp import schemas
from spokerender.wings.publishing.kcp.exports import KIND as EXPORT
from spokerender.wings.publishing.settings import FOLDER

_SCHEMA_HEADER = (
    "# Published: kcp refuses to change or forget it. Let it go under spec.deletions only.\n"
)
_EXPORT_HEADER = "# What the export listed last. Written by spokerender build.\n"


class PublishedHistory(Struct, eq=False):
    """The publications of one agent: schemas and their files by name, and its last export."""

    schemas: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    export: Mapping[str, Any] | None = None


def read_histories(
    files: Sequence[File], agents: Sequence[str]
) -> tuple[Mapping[str, PublishedHistory], tuple[Result, ...]]:
    """Read the history of each agent, by its name, and findings about the files.

    The folder of a file is the name of its agent.
    """
    histories = {name: PublishedHistory() for name in agents}
    results: list[Result] = []
    for path, data in sorted(files):
        agent = PurePosixPath(path).parent.name
        if agent not in histories:
            cure = did_you_mean(agent, agents, "declared are") or "declare it again"
            message = f'agent "{agent}", which has published this, is not declared'
            results.append(UNKNOWN_AGENT.result(message, cure=cure, origin=Origin(path)))
            continue
        results += _read_file(path, data, histories[agent])
    return histories, tuple(results)


def _read_file(path: str, data: bytes, history: PublishedHistory) -> Iterator[Result]:
    documents, problems = yamlio.read(data, path)
    cure = "restore the file from Git"
    for problem in problems:
        origin = Origin(path, line=problem.line)
        yield BAD_PUBLISHED.result(problem.message, cure=cure, origin=origin)
    for document in documents:
        origin = Origin(path, document.index, document.line)
        value = as_mapping(document.value)
        name = as_mapping(value.get("metadata")).get("name")
        if _is_schema(value) and name == PurePosixPath(path).stem:
            history.schemas[name] = value
            history.origins[name] = origin
        elif value.get("kind") == EXPORT:
            history.export = value
        else:
            message = f"the document is not an {schemas.KIND} with the name of the file"
            yield BAD_PUBLISHED.result(message, cure=cure, origin=origin)


def _is_schema(value: Mapping[str, Any]) -> bool:
    kind = (value.get("apiVersion"), value.get("kind"))
    return kind == (schemas.API_VERSION, schemas.KIND) and isinstance(value.get("spec"), dict)


def make_schema_file(agent: str, schema: Mapping[str, Any]) -> tuple[str, bytes]:
    """Return the path of a schema's file in the project, and its bytes."""
    text = _SCHEMA_HEADER + yamlio.emit(dict(schema))
    return locate_schema(agent, schema["metadata"]["name"]), text.encode()


def locate_schema(agent: str, name: str) -> str:
    """Return the path of a schema's file in the project."""
    return f"{FOLDER}/{agent}/{name}.yaml"


def make_export_file(agent: str, export: Mapping[str, Any]) -> tuple[str, bytes]:
    """Return the path of the file with the export's last list, and its bytes."""
    text = _EXPORT_HEADER + yamlio.emit(dict(export))
    return f"{FOLDER}/{agent}/apiexport.yaml", text.encode()


def list_acknowledged(deletions: Sequence[AcknowledgedDeletion], workspace: str) -> frozenset[str]:
    """List the schemas whose removal from a workspace fleet.yaml acknowledges."""
    prefixes = (f"{schemas.KIND}/", f"{schemas.KIND}.apis.kcp.io/")
    return frozenset(
        deletion.ref.partition("/")[2]
        for deletion in deletions
        if deletion.ref
        and deletion.ref.startswith(prefixes)
        and (not deletion.spokes or workspace in deletion.spokes)
    )
