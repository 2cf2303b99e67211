"""A PublishedResource's spec as main has it; `v0_2` brings the seed's into this form."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from spokerender.config.base import Items, Model, refuse
from spokerender.config.selectors import LabelSelector
from spokerender.wings.publishing.config.published.mutation import Mutation
from spokerender.wings.publishing.config.published.related import RelatedSpec

Texts = Items[str]
Given = Annotated[str, Field(min_length=1)]


class ResourceSelector(Model):
    """The kind that is published, as the service cluster has it."""

    api_group: str = Field(description="Its API group.")
    kind: Given = Field(description="Its kind.")
    version: Given | None = Field(default=None, description="One version; deprecated.")
    versions: Items[Given] = Field(default=(), description="The versions; empty: all.")

    @model_validator(mode="after")
    def _selects_versions_in_one_way(self) -> Self:
        if self.version and self.versions:
            refuse("version and versions can't stand together", "keep versions", "version")
        return self


class ProjectionSpec(Model):
    """The kind as consumers see it; what is empty stays."""

    group: str = Field(default="", description="Its API group.")
    version: str = Field(default="", description="Its version; deprecated.")
    versions: dict[str, str] = Field(default_factory=dict, description="Old to new.")
    scope: Literal["Cluster", "Namespaced"] | None = Field(default=None, description="Its scope.")
    kind: str = Field(default="", description="Its kind.")
    plural: str = Field(default="", description="Its resource.")
    short_names: Texts | None = Field(default=None, description="Null: as they are.")
    categories: Texts | None = Field(default=None, description="Null: as they are.")


class ObjectFilter(Model):
    """Which objects are copied."""

    namespace: LabelSelector | None = Field(default=None, description="By their namespace.")
    resource: LabelSelector | None = Field(default=None, description="By their labels.")


class Naming(Model):
    """How copies are called; empty is the default."""

    name: str = Field(default="", description="A template.")
    namespace: str = Field(default="", description="A template.")


class Synchronization(Model):
    """Whether objects are copied at all."""

    enabled: bool = Field(description="False: only the kind is published.")


class PublishedSpec(Model):
    """What one PublishedResource says."""

    resource: ResourceSelector = Field(description="What is published.")
    filter: ObjectFilter = Field(
        default_factory=ObjectFilter, description="Which objects are copied."
    )
    naming: Naming = Field(default_factory=Naming, description="How copies are called.")
    enable_workspace_paths: bool = Field(default=False, description="Say the path on copies.")
    projection: ProjectionSpec = Field(
        default_factory=ProjectionSpec, description="As what it is published."
    )
    mutation: Mutation = Field(default_factory=Mutation, description="What is changed.")
    related: Items[RelatedSpec] = Field(default=(), description="What follows.")
    synchronization: Synchronization | None = Field(default=None, description="Left out: copied.")

    @property
    def is_copying(self) -> bool:
        """Whether objects are copied."""
        return self.synchronization is None or self.synchronization.enabled

    @model_validator(mode="after")
    def _tells_related_apart(self) -> Self:
        seen: set[str] = set()
        for index, related in enumerate(self.related):
            if related.identifier in seen:
                message = f'two related resources have the identifier "{related.identifier}"'
                refuse(message, "rename one of the two", "related", index, "identifier")
            seen.add(related.identifier)
        return self
