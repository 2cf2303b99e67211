"""Upstream's PublishedResource, a model for each profile, and what it says in one form.

Source: the CRDs of kcp-dev/api-syncagent at v0.2.0 and 51995bd, and what its documentation says
beyond them: exactly one mechanism, exactly one rewrite.
"""

from spokerender.wings.publishing.config.published.model import (
    ObjectFilter,
    ProjectionSpec,
    PublishedSpec,
    ResourceSelector,
)
from spokerender.wings.publishing.config.published.mutation import Mutation, MutationStep
from spokerender.wings.publishing.config.published.reading import read_published
from spokerender.wings.publishing.config.published.related import (
    Lookup,
    Regex,
    RelatedSelector,
    RelatedSpec,
    TemplateText,
)

__all__ = [
    "Lookup",
    "Mutation",
    "MutationStep",
    "ObjectFilter",
    "ProjectionSpec",
    "PublishedSpec",
    "Regex",
    "RelatedSelector",
    "RelatedSpec",
    "ResourceSelector",
    "TemplateText",
    "read_published",
]
