"""Definitions of metapolicies from bytes to models, or every problem in them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from render.config.base import API_VERSION
from render.config.documents import (
    DocumentKind,
    File,
    Named,
    duplicates,
    read_documents,
    refuse,
)
from render.config.metapolicies import MetapolicyDefinition
from render.config.parsing import Written, parsed

METAPOLICY = DocumentKind(API_VERSION, "MetapolicyDefinition")

MetapolicyDocument: TypeAlias = Written[MetapolicyDefinition]


def load_metapolicies(files: Sequence[File]) -> tuple[MetapolicyDocument, ...]:
    """All definitions of all files, in their order. Raises `InputError` with every problem."""
    documents, results = read_documents(files, [METAPOLICY])
    found = parsed(documents, MetapolicyDefinition, results)
    results += duplicates(
        Named("definition", item.model.metadata.name, ("metadata", "name"), item.written)
        for item in found
    )
    refuse(results)
    return tuple(found)
