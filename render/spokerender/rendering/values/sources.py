"""Where a field of a rendered object came from."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from spokerender.formats.comparing import Steps
from spokerender.model import Origin


class Source(Struct, frozen=True):
    """What gave a field its value, and where that is written.

    `hub` is the field's own line in the hub, or that of its nearest parent there; it is the
    same as `origin` where the hub itself gave the value.
    """

    how: str
    origin: Origin
    hub: Origin


class Traced(Struct, frozen=True):
    """A field that is not as on the hub; `old` is the hub's value, either may be `ABSENT`."""

    path: Steps
    old: Any
    new: Any
    source: Source
