"""The spec of a PublishedResource as v0.2.0 has it, and its conversion to main's form."""

from typing import Literal

from pydantic import Field

from spokerender.config.base import Items, Model
from spokerender.wings.publishing.config.published.main import (
    CopyNaming,
    Mutation,
    MutationStep,
    NameProjection,
    NonEmpty,
    ObjectFilter,
    ProjectionSpec,
    PublishedSpec,
    RelatedLookup,
    RelatedObject,
    RelatedReference,
    RelatedSpec,
    ResourceSelector,
)


class OldStep(MutationStep):
    """One step: exactly one mechanism; CEL came later."""

    cel: None = Field(default=None, exclude=True, description="Not in v0.2.")


class OldMutation(Mutation):
    """Steps for the way down (spec) and the way up (status)."""

    spec: Items[OldStep] | None = Field(default=None, description="Before copying.")
    status: Items[OldStep] | None = Field(default=None, description="Before a status goes up.")


class OldReference(Model):
    """The places of the name and the namespace."""

    name: RelatedReference = Field(description="The name.")
    namespace: RelatedReference | None = Field(default=None, description="Default: the primary's.")


class OldRelated(Model):
    """One object that follows a primary."""

    identifier: str = Field(description="The name that consumers know it by.")
    origin: Literal["kcp", "service"] = Field(description="The side that owns the object.")
    kind: Literal["ConfigMap", "Secret"] = Field(description="The kind.")
    reference: OldReference = Field(description="The way to find the object.")
    mutation: OldMutation | None = Field(default=None, description="Changes on the way.")

    def convert_to_main(self) -> RelatedSpec:
        """Return the same in main's form."""
        namespace = self.reference.namespace
        names = RelatedObject.model_construct(
            reference=self.reference.name,
            namespace=RelatedLookup.model_construct(reference=namespace) if namespace else None,
        )
        return RelatedSpec.model_construct(**dict(self), object=names)


class OldResource(Model):
    """The published kind: exactly one version."""

    api_group: str = Field(description="The API group.")
    kind: NonEmpty = Field(description="The kind.")
    version: NonEmpty = Field(description="The version.")


class OldSpec(Model):
    """The spec of a PublishedResource."""

    resource: OldResource = Field(description="The published kind.")
    filter: ObjectFilter = Field(default_factory=ObjectFilter, description="The copied objects.")
    naming: CopyNaming = Field(default_factory=CopyNaming, description="The names of copies.")
    enable_workspace_paths: bool = Field(default=False, description="Write the path on copies.")
    projection: NameProjection = Field(
        default_factory=NameProjection, description="Names; the group is the export's."
    )
    mutation: OldMutation = Field(default_factory=OldMutation, description="Changes of objects.")
    related: Items[OldRelated] = Field(default=(), description="Objects that follow.")

    def convert_to_main(self) -> PublishedSpec:
        """Return the same in main's form; what main checks besides is not checked."""
        changed = {
            "resource": ResourceSelector.model_construct(**dict(self.resource)),
            "projection": ProjectionSpec.model_construct(**dict(self.projection)),
            "related": tuple(related.convert_to_main() for related in self.related),
        }
        return PublishedSpec.model_construct(**dict(self) | changed)
