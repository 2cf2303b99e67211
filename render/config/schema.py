"""The JSON Schema of our files, for editors."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import models_json_schema

from render.config.base import API_VERSION
from render.config.fleet import Fleet
from render.config.placement import Placement


def schema() -> dict[str, Any]:
    """One JSON Schema (2020-12) for both kinds; `kind` decides which of the two counts."""
    _, definitions = models_json_schema([(Fleet, "validation"), (Placement, "validation")])
    kinds = [model.__name__ for model in (Fleet, Placement)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://{API_VERSION}/schema.json",
        "title": "spokerender",
        "description": "A fleet file or a placement file of spokerender.",
        "type": "object",
        "required": ["apiVersion", "kind"],
        "properties": {"kind": {"enum": kinds}},
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
                "then": {"$ref": f"#/$defs/{kind}"},
            }
            for kind in kinds
        ],
        "$defs": definitions["$defs"],
    }
