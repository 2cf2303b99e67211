"""A PublishedResource's spec as main has it; `v0_2` brings the seed's into this form."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from render.config.base import Items, Model, exactly_one, refuse
from render.config.selectors import LabelRequirement, LabelSelector

Texts = Items[str]
Given = Annotated[str, Field(min_length=1)]


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


class Regex(Model):
    """A pattern and what replaces it."""

    pattern: str = Field(default="", description="Empty: the replacement is the new value.")
    replacement: str = Field(default="", description="With $1 for groups.")


class TemplateText(Model):
    """A Go template."""

    template: str = Field(default="", description="The template.")


class Reference(Model):
    """Names that stand in the object itself, on either side."""

    path: str = Field(description="Where, as a gjson path.")
    regex: Regex | None = Field(default=None, description="What is done to each name.")


class Rewrite(Model):
    """How a found object is called on the other side: exactly one of the two."""

    regex: Regex | None = Field(default=None, description="By a pattern.")
    template: TemplateText | None = Field(default=None, description="By a template.")

    @model_validator(mode="after")
    def _in_one_way(self) -> Self:
        exactly_one(self, "regex", "template")
        return self


class RelatedSelector(Model):
    """Objects by their labels; keys and values of matchLabels are templates."""

    match_labels: dict[str, str] = Field(default_factory=dict, description="Labels; templates.")
    match_expressions: Items[LabelRequirement] = Field(default=(), description="What else holds.")
    rewrite: Rewrite = Field(description="How each is called on the other side.")


class Lookup(Model):
    """Where names come from: exactly one of the three."""

    reference: Reference | None = Field(default=None, description="From the objects.")
    selector: RelatedSelector | None = Field(default=None, description="By labels.")
    template: TemplateText | None = Field(default=None, description="From a template.")

    @model_validator(mode="after")
    def _by_one_mechanism(self) -> Self:
        exactly_one(self, "reference", "selector", "template")
        return self


class RelatedObject(Lookup):
    """How related objects are found, and in which namespace."""

    namespace: Lookup | None = Field(default=None, description="Left out: the primary's.")


class RelatedProjection(Model):
    """What the other side calls the resource."""

    group: str = Field(default="", description="Its API group.")
    version: str = Field(default="", description="Its version.")
    resource: str = Field(default="", description="Its resource.")


class Watch(Model):
    """How the live agent notices changes; nothing here."""

    by_owner: dict[str, Any] | None = Field(default=None, description="By owner.")
    by_selector: dict[str, Any] | None = Field(default=None, description="By selector.")

    @model_validator(mode="after")
    def _in_one_way(self) -> Self:
        given = [self.by_owner is not None, self.by_selector is not None]
        if sum(given) != 1:
            refuse("exactly one of byOwner or bySelector must be set", "keep one of the two")
        return self


class RelatedSpec(Model):
    """Objects that follow a primary, down (origin kcp) or up (origin service)."""

    identifier: str = Field(description="What consumers know it by.")
    origin: Literal["kcp", "service"] = Field(description="Where it comes from.")
    kind: Literal["ConfigMap", "Secret"] | None = Field(default=None, description="Deprecated.")
    group: str | None = Field(default=None, description="Its API group.")
    version: str | None = Field(default=None, description="Its version.")
    resource: str | None = Field(default=None, description="Its resource: the plural.")
    identity_hash: str | None = Field(default=None, description="Of a foreign APIExport.")
    projection: RelatedProjection | None = Field(default=None, description="On the other side.")
    object: RelatedObject = Field(description="How it is found.")
    mutation: Mutation | None = Field(default=None, description="What is changed on the way.")
    watch: Watch | None = Field(default=None, description="Nothing here.")
    cleanup: bool | None = Field(default=None, description="Nothing here.")
    sync_status: bool | None = Field(default=None, description="Nothing here.")

    @model_validator(mode="after")
    def _names_a_resource(self) -> Self:
        """The five rules of upstream's CRD, in its own words (x-kubernetes-validations)."""
        has = {name: getattr(self, name) is not None for name in type(self).model_fields}
        if has["kind"] == (has["version"] or has["resource"]):
            message = "must specify either kind (deprecated) or group, version, resource"
            refuse(message, "keep one of the two ways")
        if has["resource"] != has["version"]:
            message = "resource and version must be configured together or not at all"
            refuse(message, "add the one that is missing")
        if has["group"] and not (has["resource"] and has["version"]):
            message = "configuring a group also requires a version and resource"
            refuse(message, "add version and resource", "group")
        if has["identity_hash"] and not (has["group"] and has["version"] and has["resource"]):
            message = "identity hashes can only be used with GVRs"
            refuse(message, "add group, version and resource", "identityHash")
        if self.origin == "service" and self.sync_status and not has["watch"]:
            message = "watch must be configured when origin is service and syncStatus is true"
            refuse(message, "add watch", "syncStatus")
        return self


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
