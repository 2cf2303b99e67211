"""An APIResourceSchema for a published kind: its name by hash, its text as the agent's.

Source: kcp-dev/api-syncagent (internal/controller/apiresourceschema) and kcp-dev/kcp
(`CRDToAPIResourceSchema`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from spokerender.kinds import read
from spokerender.wings.publishing import gojson
from spokerender.wings.publishing.kcp import structs
from spokerender.wings.publishing.profiles import Profile

API_VERSION = "apis.kcp.io/v1alpha1"
KIND = "APIResourceSchema"
AGENT = "syncagent.kcp.io/agent-name"
API_APPROVED = "api-approved.kubernetes.io"
_GENERATION = "syncagent.kcp.io/source-generation"
_GROUP = "syncagent.kcp.io/api-group"
_DIGITS = 8

Crd = Mapping[str, Any]


def schema_of(crd: Crd, source: Crd, agent: str, profile: Profile) -> dict[str, Any]:
    """The APIResourceSchema of a projected CRD; `source` is the CRD as it was read."""
    spec = structs.SPEC.of(crd["spec"])
    names = spec["names"]
    name = f"v{_hash(spec, profile)}.{names['plural']}.{spec['group']}"
    metadata: dict[str, Any] = {
        "name": name,
        "labels": {_GROUP: spec["group"]} if profile.labels_group else {AGENT: agent},
        "annotations": {AGENT: agent, _GENERATION: _generation(source, profile)},
    }
    approved = read(source, ("metadata", "annotations", API_APPROVED))
    if isinstance(approved, str) and approved:
        metadata["annotations"][API_APPROVED] = approved
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": metadata,
        "spec": schema_spec(spec),
    }


def _hash(spec: Mapping[str, Any], profile: Profile) -> str:
    text = gojson.encode(spec["names"] if profile.hashes_names else spec) + "\n"
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:_DIGITS]


def _generation(source: Crd, profile: Profile) -> str:
    """A file has no generation; the API server gives 1 to what it creates."""
    if profile.labels_group:
        return "0"
    generation = source["metadata"].get("generation")
    return str(generation) if isinstance(generation, int) and generation > 0 else "1"


def schema_spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A schema's spec, from a CRD's in the form of Go's struct."""
    made = {
        "group": spec["group"],
        "names": spec["names"],
        "scope": spec["scope"],
        "versions": [_version(version) for version in spec["versions"]],
    }
    return made | ({"conversion": {"strategy": "None"}} if len(made["versions"]) > 1 else {})


def _version(version: Mapping[str, Any]) -> dict[str, Any]:
    made = {key: version[key] for key in ("name", "served", "storage")}
    made |= {key: version[key] for key in _OPTIONAL if key in version}
    schema = version.get("schema", {}).get("openAPIV3Schema")
    if schema is not None:
        made["schema"] = schema
    return {**made, "subresources": version.get("subresources", {})}


_OPTIONAL = ("deprecated", "deprecationWarning", "additionalPrinterColumns", "selectableFields")
