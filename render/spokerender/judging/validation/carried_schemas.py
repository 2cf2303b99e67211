"""Schemas that are carried beside this module, for kinds without a CRD; read only when needed.

`kubernetes.json` (0.4 MB) has Kubernetes' own kinds of one release; the library that they are taken
from carries 26 times as many. `fields.json` (44 kB) has the field names of releases of other kinds,
taken from their CRDs. `pytest --update-golden` takes both anew.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from spokerender.findings.codes.validation import UNHEARD_FIELD, UNHEARD_VERSION
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault
from spokerender.judging.validation.constraints import Constraints, compile_shared
from spokerender.judging.validation.metadata import check_metadata
from spokerender.judging.validation.structure import Json
from spokerender.judging.validation.wording import report_errors
from spokerender.kinds.table import is_cluster_scoped
from spokerender.model import FieldPath, Ref, shown

SCHEMAS = "kubernetes.json"
"""Schemas without metadata, by kind, group and version, and the definitions that they share."""

FIELDS = "fields.json"
"""Field names as a tree, with the releases that have them, by group, version and kind."""

_Tree = Mapping[str, Any]


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


def check_known_fields(
    value: Mapping[str, Json], ref: Ref, versions: tuple[str, ...]
) -> tuple[Fault, ...]:
    """Return warnings for the version and the fields that an object's kind is not known to have.

    `versions` are those that the kind is known to have; none if nobody knows. A newer release may
    have more versions and fields, so none of this is an error.
    """
    api_version = str(value.get("apiVersion", ""))
    version = api_version.rpartition("/")[2]
    if versions and version not in versions:
        return (_report_version(version, ref, versions),)
    row = _read(FIELDS).get(f"{api_version}/{ref.kind}")
    if row is None:
        return ()
    return tuple(_find_unknown(value, row["fields"], (), f"{ref.kind} of {row['release']}"))


def _report_version(version: str, ref: Ref, versions: tuple[str, ...]) -> Fault:
    releases = ", ".join(versions)
    message = f"{version} is not a version of {ref.kind} that is known here ({releases})"
    newest = f"{ref.group}/{versions[0]}" if ref.group else versions[0]
    cure = f"write {newest}, or add the CRD that has {version} with `spokerender crds add`"
    return Fault(UNHEARD_VERSION, message, cure, ("apiVersion",))


def _find_unknown(value: Json, tree: _Tree | None, path: FieldPath, of: str) -> Iterator[Fault]:
    """Yield the fields that the tree does not have; nothing below one that it leaves open."""
    if tree is None:
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _find_unknown(item, tree, (*path, index), of)
    elif isinstance(value, dict):
        for name, below in value.items():
            if name in tree or "*" in tree:
                yield from _find_unknown(below, tree.get(name, tree.get("*")), (*path, name), of)
            else:
                yield _report_field(name, tree, (*path, name), of)


def _report_field(name: str, tree: _Tree, path: FieldPath, of: str) -> Fault:
    hint = did_you_mean(name, tree, "there are" if tree else "") if tree else ""
    cure = "if the spokes know it, add the CRD that has it with `spokerender crds add`"
    message = f'{shown(path)}: no {of} has the field "{name}"'
    return Fault(UNHEARD_FIELD, message, f"{hint}\n{cure}" if hint else cure, path)
