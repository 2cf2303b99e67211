"""What must hold on every spoke, said by the fleet file in CEL."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from spokerender.config.base import Model
from spokerender.config.names import Expression, Subdomain, Text, Variable


class Assertion(Model):
    """Something that must hold, over a spoke's topology and what is in force there."""

    name: Subdomain = Field(description="Its name, that of no other one.")
    that: Expression = Field(description="CEL: what must be true.")
    for_each: dict[Variable, Expression] = Field(
        default={}, max_length=1, description="A name and the CEL of a list: it must hold for each."
    )
    when: Expression = Field(default="true", description="CEL: for what of these it must hold.")
    message: Text = Field(
        description="What is told where it does not hold; it may have expressions, as ${path.name}."
    )
    cure: str = Field(default="", description="What to do about it.")
    severity: Literal["error", "warning", "info"] = Field(
        default="error", description="How bad it is; check fails for an error."
    )
