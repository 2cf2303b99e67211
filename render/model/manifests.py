"""Objects as they were read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from render.model.origins import Origin
from render.model.refs import Ref


@dataclass(frozen=True, slots=True, eq=False)
class Manifest:
    """One object as it was read, with its own text so that its comments can survive.

    `text` is empty where the text can't be kept (a list item, JSON, an alias in it).
    Compared by identity: objects are large, and equal ones at two places are two.
    """

    ref: Ref
    object: dict[str, Any]
    origin: Origin
    text: str = field(default="", repr=False)
