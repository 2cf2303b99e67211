"""Upstream's PublishedResource.

Source: the CRD of kcp-dev/api-syncagent at 51995bd, and the rules that its documentation adds:
exactly one mechanism, exactly one rewrite.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace
from pydantic import ValidationError

from spokerender.config.problems import explain_validation_error
from spokerender.findings.codes.project import WRONG_DOCUMENT
from spokerender.findings.phrasing import describe
from spokerender.findings.results import Fault
from spokerender.model.shapes import without_nulls
from spokerender.wings.publishing.config.published import main

API_VERSION = "syncagent.kcp.io/v1alpha1"


def read_published(
    data: Mapping[str, Any],
) -> tuple[main.PublishedSpec | None, tuple[Fault, ...]]:
    """Read the spec of a PublishedResource, or return its faults."""
    if data.get("apiVersion") != API_VERSION:
        message = f"apiVersion {API_VERSION} is required, not {describe(data.get('apiVersion'))}"
        cure = f"write apiVersion: {API_VERSION}"
        return None, (Fault(WRONG_DOCUMENT, message, cure, ("apiVersion",)),)
    spec = without_nulls(data.get("spec") or {})
    try:
        return main.PublishedSpec.model_validate(spec), ()
    except ValidationError as error:
        faults = explain_validation_error(error, main.PublishedSpec)
        return None, tuple(replace(fault, field=("spec", *fault.field)) for fault in faults)
