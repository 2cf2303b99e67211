"""Publishings from bytes to models, or every problem in them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from spokerender.config.base import API_VERSION
from spokerender.config.documents import (
    DocumentKind,
    File,
    Named,
    duplicates,
    read_documents,
    refuse,
)
from spokerender.config.parsing import Written, parsed
from spokerender.wings.publishing.config.publishing import Publishing

PUBLISHING = DocumentKind(API_VERSION, "Publishing")

PublishingDocument: TypeAlias = Written[Publishing]


def load_publishings(files: Sequence[File]) -> tuple[PublishingDocument, ...]:
    """All publishings of all files, sorted by name. Raises `InputError` with every problem."""
    documents, results = read_documents(files, [PUBLISHING])
    publishings = parsed(documents, Publishing, results)
    results += duplicates(_publishing_names(publishings))
    refuse(results)
    return tuple(sorted(publishings, key=lambda item: item.model.metadata.name))


def _publishing_names(documents: Iterable[PublishingDocument]) -> Iterator[Named]:
    """Everything in publishings that must have a name of its own, in the order of the files."""
    for item in documents:
        written, spec = item.written, item.model.spec
        yield Named("publishing", item.model.metadata.name, ("metadata", "name"), written)
        for index, agent in enumerate(spec.agents):
            at = ("spec", "agents", index)
            yield Named("agent", agent.name, (*at, "name"), written)
            if agent.export:
                name = f"{agent.workspace}/{agent.export}"
                yield Named("export", name, (*at, "export"), written)
        for index, workspace in enumerate(spec.workspaces):
            at = ("spec", "workspaces", index)
            yield Named("workspace", workspace.name, (*at, "name"), written)
            yield Named("logical cluster", workspace.cluster_name, (*at, "cluster"), written)
