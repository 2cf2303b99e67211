"""Upstream's PublishedResource.

Source: the CRD of kcp-dev/api-syncagent at 51995bd, and the rules that its documentation adds:
exactly one mechanism, exactly one rewrite.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from msgspec.structs import replace
from pydantic import Field, ValidationError, model_validator

from spokerender.config.base import Choice, Items, Model, refuse
from spokerender.config.documents import explain_validation_error
from spokerender.config.selectors import LabelRequirement, LabelSelector
from spokerender.findings.codes.project import WRONG_DOCUMENT
from spokerender.findings.phrasing import describe
from spokerender.findings.results import Fault
from spokerender.model.shapes import without_nulls

_Texts = Items[str]
NonEmpty = Annotated[str, Field(min_length=1)]

_PATH = "The field, as a gjson path."
_LEGACY_RESOURCES = {"ConfigMap": "configmaps", "Secret": "secrets"}


class ResourceSelector(Model):
    """The published kind, as the service cluster has it."""

    api_group: str = Field(description="The API group.")
    kind: NonEmpty = Field(description="The kind.")
    version: NonEmpty | None = Field(default=None, description="One version; deprecated.")
    versions: Items[NonEmpty] = Field(default=(), description="The versions; empty: all.")

    @property
    def group_kind(self) -> tuple[str, str]:
        """The group and kind."""
        return self.api_group, self.kind

    @model_validator(mode="after")
    def _check_versions(self) -> Self:
        if self.version and self.versions:
            refuse("version and versions can't be set together", "keep versions", "version")
        return self


class ProjectionSpec(Model):
    """The names that consumers see; an empty field keeps the name, and version is deprecated."""

    group: str = Field(default="", description="The API group.")
    version: str = Field(default="", description="The version.")
    versions: dict[str, str] = Field(default_factory=dict, description="New versions by old ones.")
    scope: Literal["Cluster", "Namespaced"] | None = Field(default=None, description="The scope.")
    kind: str = Field(default="", description="The kind.")
    plural: str = Field(default="", description="The resource.")
    short_names: _Texts | None = Field(
        default=None, description="The short names; null: unchanged."
    )
    categories: _Texts | None = Field(default=None, description="The categories; null: unchanged.")


class ObjectFilter(Model):
    """The objects that are copied."""

    namespace: LabelSelector | None = Field(default=None, description="By their Namespace.")
    resource: LabelSelector | None = Field(default=None, description="By their labels.")


class CopyNaming(Model):
    """Templates for the names of copies; empty: the default."""

    name: str = Field(default="", description="The name.")
    namespace: str = Field(default="", description="The namespace.")


class Synchronization(Model):
    """The switch for copying."""

    enabled: bool = Field(description="False: publish the kind, copy no objects.")


class DeleteStep(Model):
    """A step that deletes a field."""

    path: str = Field(description=_PATH)


class RegexRewrite(Model):
    """A pattern and its replacement."""

    pattern: str = Field(default="", description="Empty: the replacement is the whole value.")
    replacement: str = Field(default="", description="With $1 for groups.")


class RegexStep(RegexRewrite):
    """A step that replaces matches in the text of a field."""

    path: str = Field(description=_PATH)


class TemplateStep(Model):
    """A step that sets a field to the output of a Go template."""

    path: str = Field(description=_PATH)
    template: str = Field(description="The template.")


class CelStep(Model):
    """A step that sets a field to the result of a CEL expression."""

    path: str = Field(description=_PATH)
    expression: str = Field(description="The expression; it can use value, self and other.")


class MutationStep(Choice):
    """One step: exactly one mechanism."""

    alternatives = ("delete", "regex", "template", "cel")

    delete: DeleteStep | None = Field(default=None, description="Delete a field.")
    regex: RegexStep | None = Field(default=None, description="Replace matches of a pattern.")
    template: TemplateStep | None = Field(default=None, description="Set a field by a template.")
    cel: CelStep | None = Field(default=None, description="Set a field by an expression.")


class Mutation(Model):
    """Steps that change an object before it is copied, or a status before it is copied back."""

    spec: Items[MutationStep] | None = Field(default=None, description="Before copying.")
    status: Items[MutationStep] | None = Field(default=None, description="Before a status goes up.")


class GoTemplateText(Model):
    """A Go template."""

    template: str = Field(default="", description="The template.")


class RelatedReference(Model):
    """The names of related objects, at a path of the primary on each side."""

    path: str = Field(description=_PATH)
    regex: RegexRewrite | None = Field(default=None, description="A change of the names.")


class RelatedRewrite(Choice):
    """The name on the other side: exactly one of the two."""

    alternatives = ("regex", "template")

    regex: RegexRewrite | None = Field(default=None, description="By a pattern.")
    template: GoTemplateText | None = Field(default=None, description="By a template.")


class RelatedSelector(Model):
    """Objects by their labels; keys and values of matchLabels are templates."""

    match_labels: dict[str, str] = Field(default_factory=dict, description="Labels; templates.")
    match_expressions: Items[LabelRequirement] = Field(default=(), description="Requirements.")
    rewrite: RelatedRewrite = Field(description="The names on the other side.")


class RelatedLookup(Choice):
    """The source of objects' names: exactly one of reference, selector and template."""

    alternatives = ("reference", "selector", "template")

    reference: RelatedReference | None = Field(default=None, description="From the objects.")
    selector: RelatedSelector | None = Field(default=None, description="By labels.")
    template: GoTemplateText | None = Field(default=None, description="From a template.")


class RelatedObject(RelatedLookup):
    """The names of related objects, and their namespace."""

    namespace: RelatedLookup | None = Field(default=None, description="Default: the primary's.")


class RelatedProjection(Model):
    """The API under which the synced object is served on the receiving side."""

    group: str = Field(default="", description="The API group.")
    version: str = Field(default="", description="The version.")
    resource: str = Field(default="", description="The resource.")


class RelatedWatch(Model):
    """The way in which a live agent notices changes; no effect here."""

    by_owner: dict[str, Any] | None = Field(default=None, description="By owner.")
    by_selector: dict[str, Any] | None = Field(default=None, description="By selector.")

    @model_validator(mode="after")
    def _check_mechanism(self) -> Self:
        if (self.by_owner is None) == (self.by_selector is None):
            refuse("exactly one of byOwner or bySelector must be set", "keep one of the two")
        return self


class RelatedSpec(Model):
    """Objects that are copied with a primary, from kcp (origin kcp) or to kcp (origin service)."""

    identifier: str = Field(description="The name that consumers know it by.")
    origin: Literal["kcp", "service"] = Field(description="The side that owns the objects.")
    kind: Literal["ConfigMap", "Secret"] | None = Field(default=None, description="Deprecated.")
    group: str | None = Field(default=None, description="The API group.")
    version: str | None = Field(default=None, description="The version.")
    resource: str | None = Field(default=None, description="The resource: the plural.")
    identity_hash: str | None = Field(default=None, description="The hash of another APIExport.")
    projection: RelatedProjection | None = Field(default=None, description="On the other side.")
    object: RelatedObject = Field(description="The way to find the objects.")
    mutation: Mutation | None = Field(default=None, description="Changes on the way.")
    watch: RelatedWatch | None = Field(default=None, description="No effect here.")
    cleanup: bool | None = Field(default=None, description="No effect here.")
    cleanup_policy: Literal["Orphan", "OnPrimaryDeletion", "MatchOrigin"] | None = Field(
        default=None, description="No effect here."
    )
    sync_status: bool | None = Field(default=None, description="No effect here.")

    @property
    def origin_resource(self) -> tuple[str, str]:
        """The group and the plural on the side of the origin."""
        plural = _LEGACY_RESOURCES[self.kind] if self.kind else self.resource or ""
        return self.group or "", plural

    @property
    def projected_resource(self) -> tuple[str, str]:
        """The group and the plural on the other side."""
        group, plural = self.origin_resource
        if self.projection is None:
            return group, plural
        return self.projection.group or group, self.projection.resource or plural

    @model_validator(mode="after")
    def _check_resource(self) -> Self:
        """Check the rules of upstream's CRD, in its words (x-kubernetes-validations)."""
        is_set = {name: getattr(self, name) is not None for name in type(self).model_fields}
        if is_set["kind"] == (is_set["version"] or is_set["resource"]):
            message = "must specify either kind (deprecated) or group, version, resource"
            refuse(message, "keep one of the two ways")
        if is_set["resource"] != is_set["version"]:
            message = "resource and version must be configured together or not at all"
            refuse(message, "add the missing one")
        has_version = is_set["resource"] and is_set["version"]
        if is_set["group"] and not has_version:
            message = "configuring a group also requires a version and resource"
            refuse(message, "add version and resource", "group")
        if is_set["identity_hash"] and not (is_set["group"] and has_version):
            message = "identity hashes can only be used with GVRs"
            refuse(message, "add group, version and resource", "identityHash")
        if self.origin == "service" and self.sync_status and not is_set["watch"]:
            message = "watch must be configured when origin is service and syncStatus is true"
            refuse(message, "add watch", "syncStatus")
        # api-syncagent after 51995bd, pull request 181.
        is_matching = self.cleanup_policy == "MatchOrigin"
        if self.origin == "service" and is_matching and not is_set["watch"]:
            message = (
                "watch must be configured when origin is service and cleanupPolicy MatchOrigin"
            )
            refuse(message, "add watch", "cleanupPolicy")
        if self.cleanup and self.cleanup_policy == "Orphan":
            message = "cleanup can't be true when cleanupPolicy is Orphan"
            refuse(message, "remove cleanup, which is deprecated", "cleanup")
        return self


class PublishedSpec(Model):
    """The spec of a PublishedResource."""

    resource: ResourceSelector = Field(description="The published kind.")
    filter: ObjectFilter = Field(default_factory=ObjectFilter, description="The copied objects.")
    naming: CopyNaming = Field(default_factory=CopyNaming, description="The names of copies.")
    enable_workspace_paths: bool = Field(default=False, description="Write the path on copies.")
    projection: ProjectionSpec = Field(
        default_factory=ProjectionSpec, description="The names that consumers see."
    )
    mutation: Mutation = Field(default_factory=Mutation, description="Changes of the objects.")
    related: Items[RelatedSpec] = Field(default=(), description="Objects that follow.")
    synchronization: Synchronization | None = Field(default=None, description="Default: enabled.")

    @property
    def is_copying(self) -> bool:
        """True if objects are copied."""
        return self.synchronization is None or self.synchronization.enabled

    @model_validator(mode="after")
    def _check_identifiers(self) -> Self:
        identifiers: set[str] = set()
        for index, related in enumerate(self.related):
            if related.identifier in identifiers:
                message = f'two related resources have the identifier "{related.identifier}"'
                refuse(message, "rename one of the two", "related", index, "identifier")
            identifiers.add(related.identifier)
        return self


API_VERSION = "syncagent.kcp.io/v1alpha1"


def read_published(
    data: Mapping[str, Any],
) -> tuple[PublishedSpec | None, tuple[Fault, ...]]:
    """Return the spec of a PublishedResource, or None and its faults."""
    if data.get("apiVersion") != API_VERSION:
        message = f"apiVersion {API_VERSION} is required, not {describe(data.get('apiVersion'))}"
        cure = f"write apiVersion: {API_VERSION}"
        return None, (Fault(WRONG_DOCUMENT, message, cure, ("apiVersion",)),)
    spec = without_nulls(data.get("spec") or {})
    try:
        return PublishedSpec.model_validate(spec), ()
    except ValidationError as error:
        faults = explain_validation_error(error, PublishedSpec)
        return None, tuple(replace(fault, field=("spec", *fault.field)) for fault in faults)
