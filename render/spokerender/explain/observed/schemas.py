"""The schemas of the kinds of exported objects: read and compiled where an answer needs one."""

from collections.abc import Callable
from functools import cache

from spokerender.judging.validation.choosing import choose_schema
from spokerender.judging.validation.crds import Schemas, Server
from spokerender.judging.validation.structure import SchemaNode
from spokerender.model import Ref, Spoke
from spokerender.model.memo import memoised

FindSchema = Callable[[], SchemaNode | None]
"""Returns the schema of a kind; None where nobody knows it."""


class ObservedSchemas:
    """Finds the schemas that the API servers of spokes have."""

    def __init__(self, read: Callable[[], Schemas]) -> None:
        """Start; `read` reads the CRDs, once."""
        self._read = cache(read)

    def finder(self, version: str, ref: Ref, spoke: Spoke) -> FindSchema:
        """Return what finds the schema of an object's kind; the same one for equal answers."""
        kind = Ref(ref.group, ref.kind, "", "")
        return self._make_finder(version, kind, Server(spoke.bundle, spoke.channel))

    @memoised
    def _make_finder(self, version: str, kind: Ref, server: Server) -> FindSchema:
        @cache
        def find() -> SchemaNode | None:
            schema = choose_schema(version, kind, self._read(), server).schema
            return schema.node if schema is not None else None

        return find
