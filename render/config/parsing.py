"""Documents of our own files held to a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pydantic import ValidationError

from render.config.base import Model
from render.config.documents import Document
from render.config.problems import explain
from render.findings.results import Result

Kind = TypeVar("Kind", bound=Model)


def parsed(
    documents: Iterable[Document], model: type[Kind], results: list[Result]
) -> list[tuple[Kind, Document]]:
    """The documents that are right; what is wrong with the others goes to `results`."""
    right = []
    for document in documents:
        try:
            right.append((model.model_validate(document.value), document))
        except ValidationError as error:
            results += map(document.result, explain(error, model))
    return right
