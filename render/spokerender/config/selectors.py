"""Label selectors with the rules of Kubernetes, and selections of spokes, as models."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    GetJsonSchemaHandler,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from spokerender.config.base import Choice, Items, Model, refuse
from spokerender.config.names import DnsLabel, LabelKey, LabelValue, NamespacedName, Text
from spokerender.model import selectors as model
from spokerender.model.shapes import Json

_SETS = ("In", "NotIn")


def _only_true(value: bool) -> bool:
    if not value:
        refuse("only true is allowed", "remove it, or write true")
    return value


OnlyTrue = Annotated[bool, AfterValidator(_only_true), WithJsonSchema({"const": True})]


class LabelRequirement(Model):
    """One expression of a label selector."""

    key: LabelKey = Field(description="The key of the label.")
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"] = Field(
        description="The comparison; NotIn is also true where the label is missing."
    )
    values: Items[LabelValue] = Field(
        default=(), description="The values for In and NotIn; none for the others."
    )

    @model_validator(mode="after")
    def _has_values_where_they_mean_something(self) -> Self:
        # As the API server does (labels.NewRequirement).
        if self.operator in _SETS and not self.values:
            refuse(f"{self.operator} needs at least one value", "list the values", "values")
        if self.operator not in _SETS and self.values:
            refuse(f"{self.operator} takes no values", "remove them", "values")
        return self

    @property
    def value(self) -> model.Expression:
        """Return the same expression as a `model.Expression`."""
        return model.Expression(self.key, self.operator, self.values)


class LabelSelector(Model):
    """A label selector of Kubernetes (meta/v1) that must not be empty."""

    match_labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict, description="Labels and the values that they must have."
    )
    match_expressions: Items[LabelRequirement] = Field(
        default=(), description="Further conditions; all of them must hold."
    )

    @property
    def value(self) -> model.Selector:
        """Return the same selector as a `model.Selector`."""
        expressions = tuple(item.value for item in self.match_expressions)
        # Sorted, so that equal selectors are equal values.
        return model.Selector(tuple(sorted(self.match_labels.items())), expressions)

    @property
    def is_empty(self) -> bool:
        """Return whether the selector matches everything."""
        return not self.match_labels and not self.match_expressions


def refuse_empty(selector: LabelSelector | None, cure: str) -> None:
    """Refuse an empty selector, which selects everything."""
    if selector is not None and selector.is_empty:
        refuse("an empty selector would select everything", cure, "selector")


ONE_WAY = {"oneOf": [{"required": ["names"]}, {"required": ["selector"]}, {"required": ["all"]}]}


class SpokeSelection(Choice, json_schema_extra=ONE_WAY):
    """A selection of spokes: by name, by label, or all of them; except some."""

    alternatives: ClassVar[tuple[str, ...]] = ("names", "selector", "all")

    names: Annotated[Items[DnsLabel], Field(min_length=1)] | None = Field(
        default=None, description="The spokes by name."
    )
    selector: LabelSelector | None = Field(default=None, description="The spokes by label.")
    all: OnlyTrue | None = Field(default=None, description="Every spoke, including later ones.")
    but: Items[DnsLabel] = Field(
        default=(), alias="except", description="Spokes that are not selected, by name."
    )

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if self.names is not None and self.but:
            refuse("except has no effect with names", "remove except", "except")
        refuse_empty(self.selector, "write all: true instead, to select every spoke")
        return self

    @property
    def value(self) -> model.SpokeSelector:
        """Return the same selection as a `model.SpokeSelector`."""
        selector = self.selector.value if self.selector is not None else model.EVERYTHING
        return model.SpokeSelector(self.names, selector, self.but)


_ONE_OF_FOUR = {"oneOf": [*ONE_WAY["oneOf"], {"required": ["placement"]}]}


class DecidedSelection(SpokeSelection, json_schema_extra=_ONE_OF_FOUR):
    """A selection of spokes: by name, by label, by a Placement of the hub, or all; except some."""

    alternatives = ("names", "selector", "all", "placement")

    placement: NamespacedName | None = Field(
        default=None, description="The spokes that a Placement of the hub decides on, by its name."
    )
    decision_group: Text | None = Field(
        default=None, description="Only those of its decision groups of this name."
    )

    @model_validator(mode="after")
    def _groups_a_placement(self) -> Self:
        if self.decision_group is not None and self.placement is None:
            refuse("only a placement has decision groups", "add placement", "decisionGroup")
        return self

    @property
    def value(self) -> model.SpokeSelector:
        """Return the same selection as a `model.SpokeSelector`."""
        if self.placement is None:
            return super().value
        group = self.decision_group or ""
        return model.SpokeSelector(but=self.but, placement=self.placement, group=group)


_ROLLOUT = "rollout"


class RolloutWaves(tuple[Any, ...]):
    """The value of a field `waves` in which the word `rollout` is written."""

    __slots__ = ()

    def __bool__(self) -> bool:
        # An empty tuple would look as if no waves were given.
        return True


def _read_waves(value: Json, validate: Callable[[Json], Json]) -> Json:
    return RolloutWaves() if value == _ROLLOUT else validate(value)


class _OrRollout:
    """Adds to the JSON Schema of a field `waves` that the word `rollout` is also a valid value."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"anyOf": [handler(schema), {"const": _ROLLOUT}]}


OR_ROLLOUT = (WrapValidator(_read_waves), _OrRollout)
"""Annotations of a list of waves that may be the word `rollout` instead."""
