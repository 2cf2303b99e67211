"""The JSON Schema of our files, for editors."""

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from spokerender.config.base import API_VERSION, Model


def json_schema(models: Mapping[str, type[Model]]) -> dict[str, Any]:
    """Return one JSON Schema (2020-12) for all these kinds; `kind` decides between them."""
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
        "$defs": {kinds.get(name, name): row for name, row in definitions["$defs"].items()},
    }
