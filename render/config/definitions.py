"""Definitions of metapolicies from bytes to models, or every problem in them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from render.config.base import API_VERSION
from render.config.documents import (
    Document,
    DocumentKind,
    File,
    Named,
    duplicates,
    read_documents,
    refuse,
)
from render.config.metapolicies import MetapolicyDefinition
from render.config.parsing import parsed
from render.model import Origin

METAPOLICY = DocumentKind(API_VERSION, "MetapolicyDefinition")


@dataclass(frozen=True, slots=True, eq=False)
class MetapolicyDocument:
    """A metapolicy's definition and where it was written; `at` gives the line of a field."""

    model: MetapolicyDefinition
    written: Document

    def at(self, *path: str | int) -> Origin:
        """Where a field is written: `at("spec", "declarative", "make", 2)`, in YAML's own keys."""
        return self.written.at(*path)


def load_metapolicies(files: Sequence[File]) -> tuple[MetapolicyDocument, ...]:
    """All definitions of all files, in their order. Raises `InputError` with every problem."""
    documents, results = read_documents(files, [METAPOLICY])
    found = [MetapolicyDocument(*pair) for pair in parsed(documents, MetapolicyDefinition, results)]
    results += duplicates(
        Named("definition", item.model.metadata.name, ("metadata", "name"), item.written)
        for item in found
    )
    refuse(results)
    return tuple(found)
