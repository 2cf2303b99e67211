"""How a PublishedResource changes objects on their way: steps of four mechanisms."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from spokerender.config.base import Items, Model, exactly_one


class DeleteStep(Model):
    """Take a field away."""

    path: str = Field(description="Where, as a gjson path.")


class RegexStep(Model):
    """Replace a field's text by a pattern."""

    path: str = Field(description="Where, as a gjson path.")
    pattern: str = Field(default="", description="Empty: the replacement is the new value.")
    replacement: str = Field(default="", description="With $1 for groups.")


class TemplateStep(Model):
    """Replace a field by what a Go template makes."""

    path: str = Field(description="Where, as a gjson path.")
    template: str = Field(description="The template.")


class CelStep(Model):
    """Replace a field by what a CEL expression comes to."""

    path: str = Field(description="Where, as a gjson path.")
    expression: str = Field(description="The expression, of value, self and other.")


class MutationStep(Model):
    """One step: exactly one mechanism."""

    delete: DeleteStep | None = Field(default=None, description="Take a field away.")
    regex: RegexStep | None = Field(default=None, description="Replace by a pattern.")
    template: TemplateStep | None = Field(default=None, description="Replace by a template.")
    cel: CelStep | None = Field(default=None, description="Replace by an expression.")

    @model_validator(mode="after")
    def _does_one_thing(self) -> Self:
        exactly_one(self, *type(self).model_fields)
        return self


class Mutation(Model):
    """Steps on the way down (spec) and up (status)."""

    spec: Items[MutationStep] | None = Field(default=None, description="Before it is copied.")
    status: Items[MutationStep] | None = Field(default=None, description="Before it goes up.")
