"""Whether a certificate can be made for a listener.

In the words of kuadrant-operator (`validateGatewayListenerBlock`), so that who has met them in a
log finds them here. It took the rules from cert-manager.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.model.shapes import as_mapping, as_mappings

TERMINATE = "Terminate"


def problems(listener: Mapping[str, Any], index: int, namespace: str) -> tuple[str, ...]:
    """What keeps a certificate from being made for the listener at `index`; empty if nothing does.

    `namespace` is the Gateway's. Defaults that the API server sets are taken to be set.
    """
    return tuple(_problems(listener, f"spec.listeners[{index}]", namespace))


def with_defaults(listener: Mapping[str, Any]) -> Mapping[str, Any]:
    """A listener as the API server stores it, as far as certificates go (CRD of Gateway)."""
    tls = listener.get("tls")
    if not isinstance(tls, Mapping):
        return listener
    return {**listener, "tls": {"mode": TERMINATE, **tls}}


def secrets(listener: Mapping[str, Any], namespace: str) -> Iterator[tuple[str, str]]:
    """Namespace and name of each Secret that the listener has its certificates in."""
    for entry in _references(as_mapping(listener.get("tls"))):
        if entry.get("group") in (None, "", "core") and entry.get("kind") in (None, "", "Secret"):
            yield str(entry.get("namespace") or namespace), str(entry.get("name"))


def _problems(listener: Mapping[str, Any], path: str, namespace: str) -> Iterator[str]:
    if not listener.get("hostname"):
        yield f"{path}.hostname: Required value: the hostname cannot be empty"
    tls = listener.get("tls")
    if not isinstance(tls, Mapping):
        yield f"{path}.tls: Required value: the TLS block cannot be empty"
        return
    entries = _references(tls)
    if not entries:
        yield f"{path}.tls.certificateRef: Required value: listener has no certificateRefs"
    for number, entry in enumerate(entries):
        yield from _problems_of(entry, f"{path}.tls.certificateRef[{number}]", namespace)
    mode = tls.get("mode")
    if mode is None:
        yield f"{path}.tls.mode: Required value: the mode field is required"
    elif mode != TERMINATE:
        yield f'{path}.tls.mode: Unsupported value: "{mode}": supported values: "{TERMINATE}"'


def _problems_of(entry: Mapping[str, Any], path: str, namespace: str) -> Iterator[str]:
    group, kind, other = entry.get("group"), entry.get("kind"), entry.get("namespace")
    if group not in (None, "", "core"):
        yield f'{path}.group: Unsupported value: "{group}": supported values: "core", ""'
    if kind not in (None, "", "Secret"):
        yield f'{path}.kind: Unsupported value: "{kind}": supported values: "Secret", ""'
    if other is not None and other != namespace:
        yield (
            f'{path}.namespace: Invalid value: "{other}": cross-namespace secret references are '
            "not allowed in listeners"
        )


def _references(tls: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return as_mappings(tls.get("certificateRefs"))
