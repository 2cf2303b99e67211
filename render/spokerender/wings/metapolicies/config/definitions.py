"""Definitions of metapolicies from bytes to models, or every problem in them at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from spokerender.config.base import API_VERSION
from spokerender.config.documents import (
    DocumentKind,
    File,
    Named,
    duplicates,
    kind_of,
    read_documents,
    refuse,
)
from spokerender.config.parsing import Written, parsed
from spokerender.findings.codes.project import INVALID_VALUE
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault
from spokerender.wings.metapolicies.config.extensions import Extension
from spokerender.wings.metapolicies.config.metapolicies import MetapolicyDefinition

METAPOLICY = DocumentKind(API_VERSION, "MetapolicyDefinition")
EXTENSION = DocumentKind(API_VERSION, "Extension")

ExtensionDocument: TypeAlias = Written[Extension]


class MetapolicyDocument(Written[MetapolicyDefinition], frozen=True, eq=False):
    """A metapolicy's definition and where it was written.

    `extension` is the one that it names, if it names one.
    """

    extension: ExtensionDocument | None = None


def load_metapolicies(files: Sequence[File]) -> tuple[MetapolicyDocument, ...]:
    """All definitions of all files, in their order. Raises `InputError` with every problem."""
    documents, results = read_documents(files, [METAPOLICY, EXTENSION])
    of_extensions = [each for each in documents if kind_of(each) == EXTENSION]
    of_definitions = [each for each in documents if kind_of(each) == METAPOLICY]
    extensions = parsed(of_extensions, Extension, results)
    known = {each.model.metadata.name: each for each in extensions}
    found = []
    for each in parsed(of_definitions, MetapolicyDefinition, results):
        name = each.model.spec.extension
        if name is not None and name not in known and len(extensions) == len(of_extensions):
            results.append(each.written.result(_unknown(name, known)))
        found.append(MetapolicyDocument(each.model, each.written, known.get(name or "")))
    at = ("metadata", "name")
    names = [Named("definition", each.model.metadata.name, at, each.written) for each in found]
    names += [Named("extension", each.model.metadata.name, at, each.written) for each in extensions]
    results += duplicates(names)
    refuse(results)
    return tuple(found)


def _unknown(name: str, known: Iterable[str]) -> Fault:
    cure = did_you_mean(name, known) or "let spec.metapolicies of the fleet file name its file"
    at = ("spec", "extension")
    return Fault(INVALID_VALUE, f'there is no extension "{name}"', cure, at)
