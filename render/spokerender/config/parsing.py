"""Documents of our own files held to a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from msgspec import Struct
from pydantic import ValidationError

from spokerender.config.base import Model
from spokerender.config.documents import Document
from spokerender.config.problems import explain
from spokerender.findings.results import Result
from spokerender.model import Origin

Kind = TypeVar("Kind", bound=Model)


class Written(Struct, Generic[Kind], frozen=True, eq=False):
    """A document as its model, and where it was written."""

    model: Kind
    written: Document

    @property
    def origin(self) -> Origin:
        """Where the document begins."""
        return self.written.at()

    def at(self, *path: str | int) -> Origin:
        """Where a field is written: `at("spec", "rules", 2)`, in YAML's own keys."""
        return self.written.at(*path)


def parsed(
    documents: Iterable[Document], model: type[Kind], results: list[Result]
) -> list[Written[Kind]]:
    """The documents that are right; what is wrong with the others goes to `results`."""
    right = []
    for document in documents:
        try:
            right.append(Written(model.model_validate(document.value), document))
        except ValidationError as error:
            results += map(document.result, explain(error, model))
    return right
