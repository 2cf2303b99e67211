"""Objects as expressions see them, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spokerender.formats.cel.declaring import GATEWAY, POLICY, ROUTE
from spokerender.formats.cel.messages import type_of
from spokerender.model import GATEWAY_API, Ref
from spokerender.model.shapes import as_mapping
from spokerender.topology.paths import RequestPath


def head(data: Mapping[str, Any]) -> dict[str, Any]:
    """What of a policy says what it is for."""
    spec = data.get("spec")
    spec = as_mapping(spec)
    return {"spec": {key: spec[key] for key in ("targetRef", "targetRefs") if key in spec}}


def policy_data(ref: Ref, data: Mapping[str, Any]) -> dict[str, Any]:
    """A policy as expressions see it; the namespace of each of its targets is its own."""
    spec = data.get("spec")
    spec = as_mapping(spec)
    said = [spec.get("targetRef"), *(spec.get("targetRefs") or ())]
    metadata = {
        "group": ref.group, "kind": ref.kind, "name": ref.name, "namespace": ref.namespace,
    }  # fmt: skip
    return {
        "metadata": metadata,
        "targetRefs": [_target_data(each, ref) for each in said if isinstance(each, Mapping)],
    }


def _target_data(said: Mapping[str, Any], policy: Ref) -> dict[str, str]:
    keys = ("group", "kind", "name", "sectionName")
    found = {key: said[key] for key in keys if isinstance(said.get(key), str)}
    own = said.get("namespace")
    return {**found, "namespace": own if isinstance(own, str) and own else policy.namespace}


def ref_of(start: Any) -> Ref | None:  # noqa: ANN401  (a message)
    """The object that a message stands for; None for one that stands for none."""
    kind = type_of(start)
    if kind == GATEWAY:
        return Ref(GATEWAY_API, "Gateway", start.metadata.namespace, start.metadata.name)
    if kind in (POLICY, ROUTE):
        found = start.metadata
        return Ref(found.group, found.kind, found.namespace, found.name)
    return None


def path_data(path: RequestPath, number: int) -> dict[str, Any]:
    """A path as expressions see it; `number` is its place among all."""
    route = path.route
    steps = [f"Gateway {path.gateway.full_name}", f"listener {path.listener}"]
    steps += [str(route), f"rule {path.rule}"] if route is not None else []
    place = {"namespace": path.gateway.namespace, "name": path.gateway.name}
    named = {} if route is None else _names(route)
    return {
        "gateway": place,
        "listener": {"gateway": place, "name": path.listener},
        "route": named,
        "rule": path.rule,
        "hostnames": list(path.hostnames),
        "name": " > ".join(steps),
        "number": number,
    }


def _names(ref: Ref) -> dict[str, str]:
    return {"group": ref.group, "kind": ref.kind, "namespace": ref.namespace, "name": ref.name}


def target_of(start: Any) -> Ref:  # noqa: ANN401  (a message)
    """What a target reference names."""
    return Ref(start.group, start.kind, start.namespace, start.name, start.sectionName)
