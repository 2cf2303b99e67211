"""Objects that follow those that a PublishedResource publishes."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from spokerender.config.base import Items, Model, exactly_one, refuse
from spokerender.config.selectors import LabelRequirement
from spokerender.wings.publishing.config.published.mutation import Mutation


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
