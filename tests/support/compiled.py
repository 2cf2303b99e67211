"""Compiled templates are remembered: a command compiles each once, and tests run a thousand."""

from functools import partialmethod
from types import CodeType

from jinja2.bccache import Bucket, BytecodeCache

from spokerender.formats.templating.environment import DataEnvironment


class Compiled(BytecodeCache):
    """The code of templates in memory, by name and text; files have one set of options."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill a bucket if its template was compiled before."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        self._codes[bucket.key, bucket.checksum] = bucket.code


def remember() -> None:
    """Let all environments of this process share what they compile."""
    shared = partialmethod(DataEnvironment.__init__, bytecode_cache=Compiled())
    DataEnvironment.__init__ = shared  # type: ignore[method-assign,assignment]
