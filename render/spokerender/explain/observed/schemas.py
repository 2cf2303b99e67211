"""The schemas of the kinds of exported objects: read and compiled where an answer needs one."""

from collections.abc import Callable
from functools import cache, cached_property

from spokerender.judging.validation.choosing import choose_schema
from spokerender.judging.validation.crds import Schemas, Server
from spokerender.judging.validation.structure import SchemaNode
from spokerender.model import Ref, Spoke

FindSchema = Callable[[], SchemaNode | None]
"""Returns the schema of a kind; None where nobody knows it."""


class ObservedSchemas:
    """Finds the schemas that the API servers of spokes have."""

    def __init__(self, read: Callable[[], Schemas]) -> None:
        """Start; `read` reads the CRDs, once."""
        self._read = read
        self._finders: dict[object, FindSchema] = {}

    def finder(self, version: str, ref: Ref, spoke: Spoke) -> FindSchema:
        """Return what finds the schema of an object's kind; the same one for equal answers."""
        server = Server(spoke.bundle, spoke.channel)
        question = version, ref.group, ref.kind, server
        if question not in self._finders:

            @cache
            def find() -> SchemaNode | None:
                schema = choose_schema(version, ref, self._schemas, server).schema
                return schema.node if schema is not None else None

            self._finders[question] = find
        return self._finders[question]

    @cached_property
    def _schemas(self) -> Schemas:
        return self._read()
