"""Kinds of kcp and of its sync agent (kcp-dev/kcp dac74f5, kcp-dev/api-syncagent 51995bd)."""

from __future__ import annotations

from spokerender.kinds.controllers import Controller
from spokerender.kinds.kind import Kind
from spokerender.kinds.rows import row

_APIS = "apis.kcp.io"

CONTROLLERS: tuple[Controller, ...] = ()

KINDS: tuple[Kind, ...] = (
    # Whoever has bound an export loses its objects' API with the schema or the export.
    row(_APIS, "APIExport", "v1alpha2", "v1alpha1", namespaced=False, guarded=True),
    row(_APIS, "APIResourceSchema", "v1alpha1", namespaced=False, guarded=True),
    row(_APIS, "APIBinding", "v1alpha2", "v1alpha1", namespaced=False),
    row("syncagent.kcp.io", "PublishedResource", "v1alpha1", namespaced=False),
)
