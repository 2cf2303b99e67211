"""The JSON Schema of our files, for editors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from spokerender.config.base import API_VERSION, Model
from spokerender.config.fleet import FleetFile
from spokerender.wings.metapolicies.config.extensions import Extension
from spokerender.wings.metapolicies.config.metapolicies import MetapolicyDefinition
from spokerender.wings.publishing.config.publishing import Publishing

_MODELS: Mapping[str, type[Model]] = {
    "MetapolicyDefinition": MetapolicyDefinition,
    "Extension": Extension,
    "Publishing": Publishing,
}


def schema(placement: Mapping[str, type[Model]]) -> dict[str, Any]:
    """Return one JSON Schema (2020-12) for all kinds; `kind` decides which of them counts.

    `placement` are the models of the documents that placement sources read, by kind.
    """
    models: dict[str, type[Model]] = {"Fleet": FleetFile, **placement, **_MODELS}
    _, definitions = models_json_schema([(model, "validation") for model in models.values()])
    kinds = {model.__name__: kind for kind, model in models.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://{API_VERSION}/schema.json",
        "title": "spokerender",
        "description": "A file of spokerender: its kind says which of them it is.",
        "type": "object",
        "required": ["apiVersion", "kind"],
        "properties": {"kind": {"enum": [*models]}},
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
                "then": {"$ref": f"#/$defs/{kind}"},
            }
            for kind in models
        ],
        "$defs": {kinds.get(name, name): made for name, made in definitions["$defs"].items()},
    }
