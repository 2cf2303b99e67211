"""Kinds of the Gateway API that several vendors' facts are about, by group and kind."""

from __future__ import annotations

from spokerender.model import GATEWAY_API

EXPERIMENTAL = "gateway.networking.x-k8s.io"

BACKEND_TLS = (GATEWAY_API, "BackendTLSPolicy")
BACKEND_TRAFFIC = (EXPERIMENTAL, "XBackendTrafficPolicy")
