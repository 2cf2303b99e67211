"""What is known of a kind without its CRD: the versions and the fields that releases of it have.

The fields are carried beside this module: 44 kB of names that are read only where a CRD is
missing. `pytest --update-golden` takes them anew from the CRDs. What is not in there, a newer
release may have: nothing of this is an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from spokerender.findings.codes.validation import UNHEARD_FIELD, UNHEARD_VERSION
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault
from spokerender.judging.validation.model import Json
from spokerender.model import FieldPath, Ref, shown

FIELDS = "fields.json"
"""By group, version and kind: the names of fields as a tree, and the releases that have them."""

_ANY_KEY = "*"

_Tree = Mapping[str, Any]


def unheard(value: Mapping[str, Json], ref: Ref, versions: tuple[str, ...]) -> tuple[Fault, ...]:
    """The version and the fields of an object that its kind is not known to have.

    Args:
        value: the object.
        ref: what it is called.
        versions: those that its kind is known to have; none where nobody knows.

    """
    api_version = str(value.get("apiVersion", ""))
    version = api_version.rpartition("/")[2]
    if versions and version not in versions:
        return (_version_fault(version, ref, versions),)
    row = _rows().get(f"{api_version}/{ref.kind}")
    if row is None:
        return ()
    return tuple(_faults(value, row["fields"], (), f"{ref.kind} of {row['release']}"))


def _version_fault(version: str, ref: Ref, versions: tuple[str, ...]) -> Fault:
    listed = ", ".join(versions)
    message = f"{version} is not a version of {ref.kind} that is known here ({listed})"
    newest = f"{ref.group}/{versions[0]}" if ref.group else versions[0]
    cure = f"write {newest}, or add the CRD that has {version} with `spokerender crds add`"
    return Fault(UNHEARD_VERSION, message, cure, ("apiVersion",))


def _faults(value: Json, tree: _Tree | None, path: FieldPath, of: str) -> Iterator[Fault]:
    """The fields that the tree does not have; nothing below one that it leaves open."""
    if tree is None:
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _faults(item, tree, (*path, index), of)
    elif isinstance(value, dict):
        for name, below in value.items():
            if name in tree or _ANY_KEY in tree:
                yield from _faults(below, tree.get(name, tree.get(_ANY_KEY)), (*path, name), of)
            else:
                yield _field_fault(name, tree, (*path, name), of)


def _field_fault(name: str, tree: _Tree, path: FieldPath, of: str) -> Fault:
    hint = did_you_mean(name, tree, "there are" if tree else "") if tree else ""
    cure = "if the spokes know it, add the CRD that has it with `spokerender crds add`"
    message = f'{shown(path)}: no {of} has the field "{name}"'
    return Fault(UNHEARD_FIELD, message, f"{hint}\n{cure}" if hint else cure, path)


@cache
def _rows() -> Mapping[str, Any]:
    text = resources.files(__package__).joinpath(FIELDS).read_text(encoding="utf-8")
    rows: Mapping[str, Any] = json.loads(text)
    return rows
