"""From an object's spec to what it says, or everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace
from pydantic import ValidationError

from spokerender.config.base import Model
from spokerender.config.problems import explain
from spokerender.findings.codes.project import WRONG_DOCUMENT
from spokerender.findings.phrasing import describe
from spokerender.findings.results import Fault
from spokerender.wings.publishing.config.published.model import PublishedSpec
from spokerender.wings.publishing.config.published.v0_2 import OldSpec

API_VERSION = "syncagent.kcp.io/v1alpha1"

_MODELS: Mapping[str, type[Model]] = {"main": PublishedSpec, "v0.2": OldSpec}


def read_published(
    data: Mapping[str, Any], profile: str
) -> tuple[PublishedSpec | None, tuple[Fault, ...]]:
    """What a PublishedResource says to an agent of the profile, or why it says nothing."""
    if data.get("apiVersion") != API_VERSION:
        message = f"must be {API_VERSION}, but is {describe(data.get('apiVersion'))}"
        cure = f"write apiVersion: {API_VERSION}"
        return None, (Fault(WRONG_DOCUMENT, message, cure, ("apiVersion",)),)
    model = _MODELS[profile]
    try:
        read = model.model_validate(_without_nulls(data.get("spec") or {}))
    except ValidationError as error:
        problems = explain(error, model)
        return None, tuple(replace(fault, field=("spec", *fault.field)) for fault in problems)
    return read.as_main() if isinstance(read, OldSpec) else _main(read), ()


def _main(read: Model) -> PublishedSpec:
    assert isinstance(read, PublishedSpec)  # noqa: S101  (one of the two, see `_MODELS`)
    return read


def _without_nulls(value: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    """To the API server a null is a field that is not set."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value
