"""Where a field of a rendered object came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spokerender.formats.comparing import Steps
from spokerender.model import Origin


@dataclass(frozen=True, slots=True)
class Source:
    """What gave a field its value, and where that is written.

    `hub` is the field's own line in the hub, or that of its nearest parent there; it is the
    same as `origin` where the hub itself gave the value.
    """

    how: str
    origin: Origin
    hub: Origin


@dataclass(frozen=True, slots=True)
class Traced:
    """A field that is not as on the hub; `old` is the hub's value, either may be `ABSENT`."""

    path: Steps
    old: Any
    new: Any
    source: Source
