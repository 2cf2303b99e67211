"""Azure's Application Gateway for Containers. Its controller is closed.

A target's `namespace` other than the policy's own is not said to work, and the own one does.
"""

from __future__ import annotations

from spokerender.kinds.kind import SECTIONS, Controller, Kind, NamespaceRule
from spokerender.kinds.merging import Merging, Process
from spokerender.kinds.rows import any_object, row, target_ref

_AZURE = "alb.networking.azure.io"
_AZURE_TARGET = (target_ref(namespace=NamespaceRule.OWN, section=SECTIONS),)

_AZURE_TLS = (
    any_object("spec.default.verify.caCertificateRef"),
    any_object("spec.default.clientCertificateRef"),
)

ALB = Controller(
    "Application Gateway for Containers", names=("alb.networking.azure.io/alb-controller",)
)
_AZURE_UNKNOWN = Merging(
    Process.UNKNOWN,
    rules=("default.*", "override.*"),
    source="closed; MicrosoftDocs/azure-docs 0a88982, api-specification-kubernetes.md says nothing",
)
CONTROLLERS: tuple[Controller, ...] = (ALB,)

KINDS: tuple[Kind, ...] = (
    row(
        _AZURE,
        "FrontendTLSPolicy",
        "v1",
        references=_AZURE_TARGET,
        needs=_AZURE_TLS[:1],
        security=True,
        targets=("Gateway",),
        merging=_AZURE_UNKNOWN,
        controller=ALB,
    ),
    row(
        _AZURE,
        "WebApplicationFirewallPolicy",
        "v1",
        references=_AZURE_TARGET,
        security=True,
        targets=("Gateway", "HTTPRoute"),
        merging=_AZURE_UNKNOWN,
        controller=ALB,
    ),
    row(
        _AZURE,
        "BackendTLSPolicy",
        "v1",
        references=_AZURE_TARGET,
        needs=_AZURE_TLS,
        security=True,
        targets=("Service",),
        merging=_AZURE_UNKNOWN,
        controller=ALB,
    ),
    row(
        _AZURE,
        "RoutePolicy",
        "v1",
        references=_AZURE_TARGET,
        targets=("HTTPRoute",),
        merging=_AZURE_UNKNOWN,
        controller=ALB,
    ),
    row(
        _AZURE,
        "HealthCheckPolicy",
        "v1",
        references=_AZURE_TARGET,
        targets=("Service",),
        merging=_AZURE_UNKNOWN,
        controller=ALB,
    ),
)
