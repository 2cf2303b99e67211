"""What validation is told and what it tells."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

Json: TypeAlias = Any
"""None, bool, int, float, str, and lists and string-keyed dicts of these."""


class Server(Struct, frozen=True):
    """What a spoke says of its API server; either may be empty.

    `bundle` is a release of the Gateway API (`v1.6.1`), `channel` is `standard` or `experimental`.
    """

    bundle: str = ""
    channel: str = ""

    def __str__(self) -> str:
        """As a message names it."""
        return " ".join(filter(None, ("Gateway API", self.bundle, self.channel)))


ANY_SERVER = Server()
"""A spoke that says nothing of what it runs."""
