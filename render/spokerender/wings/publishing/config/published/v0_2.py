"""A PublishedResource's spec as v0.2.0 has it, and what it says in main's form."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from spokerender.config.base import Items, Model
from spokerender.wings.publishing.config.published.model import (
    Given,
    Naming,
    ObjectFilter,
    ProjectionSpec,
    PublishedSpec,
    ResourceSelector,
    Texts,
)
from spokerender.wings.publishing.config.published.mutation import (
    DeleteStep,
    Mutation,
    MutationStep,
    RegexStep,
    TemplateStep,
)
from spokerender.wings.publishing.config.published.related import (
    Lookup,
    Reference,
    RelatedObject,
    RelatedSpec,
)


class OldStep(MutationStep):
    """One step: exactly one mechanism; there is no CEL yet."""

    cel: None = Field(default=None, exclude=True, description="Not in v0.2.")


class OldMutation(Model):
    """Steps on the way down (spec) and up (status)."""

    spec: Items[OldStep] | None = Field(default=None, description="Before it is copied.")
    status: Items[OldStep] | None = Field(default=None, description="Before it goes up.")


class OldReference(Model):
    """Where the name and the namespace stand."""

    name: Reference = Field(description="The name.")
    namespace: Reference | None = Field(default=None, description="Left out: the primary's.")


class OldRelated(Model):
    """One object that follows a primary."""

    identifier: str = Field(description="What consumers know it by.")
    origin: Literal["kcp", "service"] = Field(description="Where it comes from.")
    kind: Literal["ConfigMap", "Secret"] = Field(description="Its kind.")
    reference: OldReference = Field(description="How it is found.")
    mutation: OldMutation | None = Field(default=None, description="What is changed.")


class OldResource(Model):
    """The kind that is published: exactly one version."""

    api_group: str = Field(description="Its API group.")
    kind: Given = Field(description="Its kind.")
    version: Given = Field(description="Its version.")


class OldProjection(Model):
    """The kind as consumers see it; its group is the export's."""

    version: str = Field(default="", description="Its version.")
    scope: Literal["Cluster", "Namespaced"] | None = Field(default=None, description="Its scope.")
    kind: str = Field(default="", description="Its kind.")
    plural: str = Field(default="", description="Its resource.")
    short_names: Texts | None = Field(default=None, description="Null: as they are.")
    categories: Texts | None = Field(default=None, description="Null: as they are.")


class OldSpec(Model):
    """What one PublishedResource says."""

    resource: OldResource = Field(description="What is published.")
    filter: ObjectFilter = Field(default_factory=ObjectFilter, description="What is copied.")
    naming: Naming = Field(default_factory=Naming, description="How copies are called.")
    enable_workspace_paths: bool = Field(default=False, description="Say the path on copies.")
    projection: OldProjection = Field(
        default_factory=OldProjection, description="As what it is published."
    )
    mutation: OldMutation = Field(default_factory=OldMutation, description="What is changed.")
    related: Items[OldRelated] = Field(default=(), description="What follows.")

    def as_main(self) -> PublishedSpec:
        """The same in main's form."""
        resource = self.resource
        return PublishedSpec.model_construct(
            resource=ResourceSelector.model_construct(
                api_group=resource.api_group, kind=resource.kind, version=resource.version
            ),
            filter=self.filter,
            naming=self.naming,
            enable_workspace_paths=self.enable_workspace_paths,
            projection=ProjectionSpec.model_construct(**self.projection.model_dump()),
            mutation=_mutation(self.mutation) or Mutation.model_construct(),
            related=tuple(map(_related, self.related)),
        )


def _mutation(old: OldMutation | None) -> Mutation | None:
    if old is None:
        return None
    return Mutation.model_construct(
        spec=tuple(map(_step, old.spec or ())), status=tuple(map(_step, old.status or ()))
    )


def _step(old: OldStep) -> MutationStep:
    delete: DeleteStep | None = old.delete
    regex: RegexStep | None = old.regex
    template: TemplateStep | None = old.template
    return MutationStep.model_construct(delete=delete, regex=regex, template=template)


def _related(old: OldRelated) -> RelatedSpec:
    namespace = old.reference.namespace
    return RelatedSpec.model_construct(
        identifier=old.identifier,
        origin=old.origin,
        kind=old.kind,
        object=RelatedObject.model_construct(
            reference=old.reference.name,
            namespace=Lookup.model_construct(reference=namespace)
            if namespace is not None
            else None,
        ),
        mutation=_mutation(old.mutation),
    )
