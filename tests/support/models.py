"""Models of our files from JSON data, without a file."""

from __future__ import annotations

from typing import Any, TypeVar

from render.config.fields import Model
from render.config.reading import parse

Kind = TypeVar("Kind", bound=Model)


def read(model: type[Kind], data: Any) -> Kind:
    """The model, from data that must be right."""
    made, faults = parse(model, data)
    assert faults == ()
    assert made is not None
    return made
