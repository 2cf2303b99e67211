"""Label selectors with Kubernetes' rules, and selections of spokes, as people write them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from spokerender.config.base import Choice, Items, Model, refuse
from spokerender.config.names import DnsLabel, LabelKey, LabelValue
from spokerender.model import selectors as model

_SETS = ("In", "NotIn")


def _only_true(value: bool) -> bool:
    if not value:
        refuse("it can only be true", "leave it out, or say true")
    return value


OnlyTrue = Annotated[bool, AfterValidator(_only_true), WithJsonSchema({"const": True})]


class LabelRequirement(Model):
    """One expression of a label selector."""

    key: LabelKey = Field(description="The label that is looked at.")
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"] = Field(
        description="How: NotIn is also true where the label is missing."
    )
    values: Items[LabelValue] = Field(
        default=(), description="The values for In and NotIn; none for the others."
    )

    @model_validator(mode="after")
    def _has_values_where_they_mean_something(self) -> Self:
        if self.operator in _SETS and not self.values:
            refuse(f"{self.operator} needs at least one value", "list the values", "values")
        if self.operator not in _SETS and self.values:
            refuse(f"{self.operator} takes no values", "remove them", "values")
        return self

    @property
    def value(self) -> model.Expression:
        """What it says."""
        return model.Expression(self.key, self.operator, self.values)


class LabelSelector(Model):
    """Kubernetes' label selector (meta/v1), but never empty: what matches all must say so."""

    match_labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict, description="Labels and the values that they must have."
    )
    match_expressions: Items[LabelRequirement] = Field(
        default=(), description="What else must hold; all of it."
    )

    @property
    def value(self) -> model.Selector:
        """What it says."""
        expressions = tuple(item.value for item in self.match_expressions)
        return model.Selector(tuple(sorted(self.match_labels.items())), expressions)

    @property
    def is_empty(self) -> bool:
        """Whether it would match everything."""
        return not self.match_labels and not self.match_expressions


def refuse_empty(selector: LabelSelector | None, cure: str) -> None:
    """Refuse a selector that selects everything without saying so."""
    if selector is not None and selector.is_empty:
        refuse("an empty selector would select everything", cure, "selector")


_ONE_WAY = {"oneOf": [{"required": ["names"]}, {"required": ["selector"]}, {"required": ["all"]}]}


class SpokeSelection(Choice, json_schema_extra=_ONE_WAY):
    """Which spokes: by name, by label, or all; by label or all but for some."""

    alternatives = ("names", "selector", "all")

    names: Annotated[Items[DnsLabel], Field(min_length=1)] | None = Field(
        default=None, description="The spokes by name."
    )
    selector: LabelSelector | None = Field(default=None, description="The spokes by label.")
    all: OnlyTrue | None = Field(default=None, description="Every spoke, also those to come.")
    but: Items[DnsLabel] = Field(
        default=(), alias="except", description="Spokes that are left out, by name."
    )

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if self.names is not None and self.but:
            refuse("names leaves out all others as it is", "take except out", "except")
        refuse_empty(self.selector, "say all: true instead of a selector, if you mean it")
        return self

    @property
    def value(self) -> model.SpokeSelector:
        """What it says."""
        selector = self.selector.value if self.selector is not None else model.EVERYTHING
        return model.SpokeSelector(self.names, selector, self.but)
