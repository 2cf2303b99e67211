"""The rollout of a change, wave by wave: groups of spokes, and a strategy for them."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from spokerender.config.base import Items, Model, refuse
from spokerender.config.names import DnsLabel, NamespacedName, Text
from spokerender.config.selectors import DecidedSelection
from spokerender.findings.phrasing import describe
from spokerender.model import rollout as model
from spokerender.model.shapes import Json
from spokerender.model.times import read_duration

_PERCENTAGE = "(100|[0-9]{1,2})%"
_SIZE_SCHEMA = {
    "anyOf": [
        {"type": "integer", "minimum": 0},
        {"type": "string", "pattern": f"^{_PERCENTAGE}$"},
    ]
}
_BEGINS_AS_A_DEADLINE = re.compile("[0-9]+[hms]")
"""The pattern of OCM's CRDs, which does not restrict the end of the text."""


def _size(value: Json) -> Json:
    if isinstance(value, str) and re.fullmatch(_PERCENTAGE, value):
        return value
    # YAML's true would otherwise count as 1.
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    message = f"must be a number of spokes or a percentage, but is {describe(value)}"
    return refuse(message, "write a number such as 2, or 25%")


def _deadline(text: str) -> str:
    # OCM's word for no deadline.
    if text != "None" and not (_BEGINS_AS_A_DEADLINE.match(text) and _is_duration(text)):
        refuse("must be None or a duration such as 10m or 1h30m", "write 10m, or leave it out")
    return text


def _is_duration(text: str) -> bool:
    try:
        read_duration(text)
    except ValueError:
        return False
    return True


def _soak(text: str) -> str:
    # Go reads negative durations, which mean nothing here.
    if text.startswith("-") or not _is_duration(text):
        refuse("must be a duration such as 5m or 1h30m", "write 5m, or leave it out")
    return text


RolloutSize = Annotated[Any, AfterValidator(_size), WithJsonSchema(_SIZE_SCHEMA)]
Deadline = Annotated[Text, AfterValidator(_deadline)]
Soak = Annotated[Text, AfterValidator(_soak)]


class MandatoryDecisionGroup(Model):
    """A group of spokes that gets a change before all other groups."""

    group_name: Text | None = Field(default=None, description="The groups of this name.")
    group_index: Annotated[int, Field(ge=0)] = Field(
        default=0, description="The group's number, from 0, where no name is given."
    )


class _Paced(Model):
    """The settings that all types of rollout strategy have."""

    progress_deadline: Deadline = Field(
        default="None", description="How long a spoke may take before it counts as failed."
    )
    min_success_time: Soak = Field(
        default="0s", description="How long a spoke must have succeeded before others follow."
    )
    max_failures: RolloutSize = Field(
        default=0, description="How many spokes may fail before the rollout stops."
    )


class RolloutAll(_Paced):
    """All spokes at once, without waiting: minSuccessTime and maxFailures have no effect."""


class _Stepwise(_Paced):
    mandatory_decision_groups: Items[MandatoryDecisionGroup] = Field(
        default=(), description="Groups that go first, one after the other, without a failure."
    )


class RolloutProgressive(_Stepwise):
    """A number of spokes at a time, in the order of their names."""

    max_concurrency: RolloutSize = Field(
        default=0, description="How many spokes go at once; 0: all of them."
    )


class RolloutProgressivePerGroup(_Stepwise):
    """All spokes of a group at a time, one group after another."""


class RolloutStrategy(Model):
    """A RolloutStrategy of Open Cluster Management."""

    type: Literal["All", "Progressive", "ProgressivePerGroup"] = Field(
        default="All", description="All at once, so many at once, or group by group."
    )
    all: RolloutAll | None = Field(default=None, description="Settings of the type All.")
    progressive: RolloutProgressive | None = Field(
        default=None, description="Settings of the type Progressive."
    )
    progressive_per_group: RolloutProgressivePerGroup | None = Field(
        default=None, description="Settings of the type ProgressivePerGroup."
    )

    @model_validator(mode="after")
    def _has_the_settings_of_its_type(self) -> Self:
        for name, field in type(self).model_fields.items():
            alias = str(field.alias)
            # The settings of another type would be ignored silently.
            is_others = alias[:1].upper() + alias[1:] != self.type
            if name != "type" and is_others and getattr(self, name) is not None:
                cure = f"take {alias} out, or change the type"
                refuse(f"{alias} has no effect with the type {self.type}", cure, alias)
        return self

    @property
    def value(self) -> model.StrategySettings:
        """Return the same strategy as a `model.StrategySettings`."""
        settings = self.all or self.progressive or self.progressive_per_group
        # Only the type: OCM adds the defaults of its settings.
        if settings is None:
            return model.StrategySettings(self.type)
        deadline = None
        if settings.progress_deadline != "None":
            deadline = read_duration(settings.progress_deadline)
        groups = settings.mandatory_decision_groups if isinstance(settings, _Stepwise) else ()
        return model.StrategySettings(
            self.type,
            max_concurrency=settings.max_concurrency
            if isinstance(settings, RolloutProgressive)
            else 0,
            max_failures=settings.max_failures,
            deadline=deadline,
            soak=read_duration(settings.min_success_time),
            mandatory=tuple(
                model.MandatoryGroup(group.group_name or "", group.group_index) for group in groups
            ),
        )


class GroupOfSpokes(Model):
    """A group of spokes."""

    name: DnsLabel = Field(description="Its name, by which `build --wave` takes its wave.")
    spokes: DecidedSelection | None = Field(
        default=None,
        description="Its spokes, but for those of earlier groups; default, in the last group: "
        "the rest.",
    )


class Rollout(Model):
    """The waves in which a change goes out."""

    groups: Items[GroupOfSpokes] = Field(
        default=(),
        description="The groups, in their order. Spokes of no group are a last one, `rest`.",
    )
    placement: NamespacedName | None = Field(
        default=None,
        description="The Placement whose decision groups are the groups, as namespace/name.",
    )
    strategy: RolloutStrategy = Field(
        default_factory=lambda: RolloutStrategy(type="ProgressivePerGroup"),
        description="How the groups follow one another; default: one by one.",
    )

    @property
    def placements(self) -> tuple[str, ...]:
        """Return the Placements that the rollout names."""
        of_groups = (group.spokes.placement for group in self.groups if group.spokes is not None)
        return tuple(name for name in (self.placement, *of_groups) if name)

    @model_validator(mode="after")
    def _has_groups(self) -> Self:
        if bool(self.groups) == (self.placement is not None):
            cure = "keep one of them" if self.groups else "list groups, or name a placement"
            refuse("groups or a placement is required, and not both", cure)
        names = [group.name for group in self.groups]
        for index, group in enumerate(self.groups):
            if group.name in names[:index]:
                cure = "rename one of them"
                refuse(f'two groups are named "{group.name}"', cure, "groups", index, "name")
            if group.name in model.RESERVED:
                message = f"`build --wave {group.name}` means something else"
                refuse(message, "give the group another name", "groups", index, "name")
            if group.spokes is None and index + 1 < len(names):
                cure = "name its spokes; only the last group takes the rest"
                refuse("the group has no spokes", cure, "groups", index)
        return self
