"""Schemas of Kubernetes' own kinds, of one release; read only when needed.

The library that `kubernetes.json` (0.4 MB) is taken from carries 26 times as many. `pytest
--update-golden` takes it anew.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from spokerender.findings.results import Fault
from spokerender.judging.validation.constraints import Constraints, compile_shared
from spokerender.judging.validation.metadata import check_metadata
from spokerender.judging.validation.wording import report_errors
from spokerender.kinds.table import is_cluster_scoped
from spokerender.model import Ref
from spokerender.model.shapes import Json

SCHEMAS = "kubernetes.json"
"""Schemas without metadata, by kind, group and version, and the definitions that they share."""


def check_builtin(value: dict[str, Json], ref: Ref) -> tuple[Fault, ...] | None:
    """Return what Kubernetes refuses in an object of its own kinds; None for other kinds."""
    if ref.group and "." in ref.group and not ref.group.endswith(".k8s.io"):
        return None
    schema = _compile_kind(str(value.get("apiVersion", "")), ref.kind)
    if schema is None:
        return None
    namespaced = not is_cluster_scoped(ref.group, ref.kind)
    bare = {key: item for key, item in value.items() if key != "metadata"}
    return (
        *check_metadata(value.get("metadata"), ref.group, namespaced=namespaced),
        *report_errors(schema.problems(bare)),
    )


@cache
def _compile_kind(api_version: str, kind: str) -> Constraints | None:
    group, slash, version = api_version.rpartition("/")
    name = f"{kind}-{group.partition('.')[0]}{'-' if slash else ''}{version}".lower()
    schema = _read(SCHEMAS)["kinds"].get(name)
    if schema is None:
        return None
    needed: dict[str, Json] = {}
    _collect_definitions(schema, needed)
    return compile_shared({**schema, "definitions": needed})


@cache
def _read(name: str) -> Mapping[str, Any]:
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    data: Mapping[str, Any] = json.loads(text)
    return data


def _collect_definitions(schema: Json, needed: dict[str, Json]) -> None:
    """Add every definition that a schema refers to, directly or indirectly."""
    if isinstance(schema, list):
        for item in schema:
            _collect_definitions(item, needed)
    elif isinstance(schema, dict):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            name = reference.rpartition("/")[2]
            if name not in needed:
                needed[name] = _read(SCHEMAS)["definitions"][name]
                _collect_definitions(needed[name], needed)
        for item in schema.values():
            _collect_definitions(item, needed)
