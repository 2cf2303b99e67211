"""Upstream's PublishedResource: a model for each profile, and one form for what both say.

Source: the CRDs of kcp-dev/api-syncagent at v0.2.0 and 51995bd, and the rules that its
documentation adds: exactly one mechanism, exactly one rewrite.
"""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec.structs import replace
from pydantic import Field, ValidationError

from spokerender.config.base import Items, Model
from spokerender.config.problems import explain_validation_error
from spokerender.findings.codes.project import WRONG_DOCUMENT
from spokerender.findings.phrasing import describe
from spokerender.findings.results import Fault
from spokerender.model.shapes import without_nulls
from spokerender.wings.publishing.config.published import main


class OldStep(main.MutationStep):
    """One step: exactly one mechanism; CEL came later."""

    cel: None = Field(default=None, exclude=True, description="Not in v0.2.")


class OldMutation(main.Mutation):
    """Steps for the way down (spec) and the way up (status)."""

    spec: Items[OldStep] | None = Field(default=None, description="Before copying.")
    status: Items[OldStep] | None = Field(default=None, description="Before a status goes up.")


class OldReference(Model):
    """The places of the name and the namespace."""

    name: main.RelatedReference = Field(description="The name.")
    namespace: main.RelatedReference | None = Field(
        default=None, description="Default: the primary's."
    )


class OldRelated(Model):
    """One object that follows a primary."""

    identifier: str = Field(description="The name that consumers know it by.")
    origin: Literal["kcp", "service"] = Field(description="The side that owns the object.")
    kind: Literal["ConfigMap", "Secret"] = Field(description="The kind.")
    reference: OldReference = Field(description="The way to find the object.")
    mutation: OldMutation | None = Field(default=None, description="Changes on the way.")

    def convert_to_main(self) -> main.RelatedSpec:
        """Return the same in main's form."""
        namespace = self.reference.namespace
        names = main.RelatedObject.model_construct(
            reference=self.reference.name,
            namespace=main.RelatedLookup.model_construct(reference=namespace)
            if namespace
            else None,
        )
        return main.RelatedSpec.model_construct(**dict(self), object=names)


class OldResource(Model):
    """The published kind: exactly one version."""

    api_group: str = Field(description="The API group.")
    kind: main.NonEmpty = Field(description="The kind.")
    version: main.NonEmpty = Field(description="The version.")


class OldSpec(Model):
    """The spec of a PublishedResource."""

    resource: OldResource = Field(description="The published kind.")
    filter: main.ObjectFilter = Field(
        default_factory=main.ObjectFilter, description="The copied objects."
    )
    naming: main.CopyNaming = Field(
        default_factory=main.CopyNaming, description="The names of copies."
    )
    enable_workspace_paths: bool = Field(default=False, description="Write the path on copies.")
    projection: main.NameProjection = Field(
        default_factory=main.NameProjection, description="Names; the group is the export's."
    )
    mutation: OldMutation = Field(default_factory=OldMutation, description="Changes of objects.")
    related: Items[OldRelated] = Field(default=(), description="Objects that follow.")

    def convert_to_main(self) -> main.PublishedSpec:
        """Return the same in main's form; what main checks besides is not checked."""
        changed = {
            "resource": main.ResourceSelector.model_construct(**dict(self.resource)),
            "projection": main.ProjectionSpec.model_construct(**dict(self.projection)),
            "related": tuple(related.convert_to_main() for related in self.related),
        }
        return main.PublishedSpec.model_construct(**dict(self) | changed)


API_VERSION = "syncagent.kcp.io/v1alpha1"


def read_published(
    data: Mapping[str, Any], profile: str
) -> tuple[main.PublishedSpec | None, tuple[Fault, ...]]:
    """Read the spec of a PublishedResource for agents of a profile, or return its faults."""
    if data.get("apiVersion") != API_VERSION:
        message = f"apiVersion {API_VERSION} is required, not {describe(data.get('apiVersion'))}"
        cure = f"write apiVersion: {API_VERSION}"
        return None, (Fault(WRONG_DOCUMENT, message, cure, ("apiVersion",)),)
    spec = without_nulls(data.get("spec") or {})
    model = OldSpec if profile == "v0.2" else main.PublishedSpec
    try:
        published = model.model_validate(spec)
        return published.convert_to_main() if isinstance(published, OldSpec) else published, ()
    except ValidationError as error:
        faults = explain_validation_error(error, model)
        return None, tuple(replace(fault, field=("spec", *fault.field)) for fault in faults)
