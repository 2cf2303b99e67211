"""Azure's Application Gateway for Containers. Its controller is closed.

A target's `namespace` other than the policy's own is not said to work, and the own one does.
"""

from functools import partial

from spokerender.kinds.kind import SECTIONS, Controller, Kind, NamespaceRule
from spokerender.kinds.merging import Merging, Process
from spokerender.kinds.rows import any_object, target_ref

ALB = Controller(
    "Application Gateway for Containers", names=("alb.networking.azure.io/alb-controller",)
)
_CLIENT_TLS = any_object("spec.default.clientCertificateRef")
_VERIFY = any_object("spec.default.verify.caCertificateRef")

CONTROLLERS: tuple[Controller, ...] = (ALB,)

_policy = partial(
    Kind,
    "alb.networking.azure.io",
    versions=("v1",),
    references=(target_ref(namespace=NamespaceRule.OWN, section=SECTIONS),),
    merging=Merging(
        Process.UNKNOWN,
        rules=("default.*", "override.*"),
        source="closed; "
        "MicrosoftDocs/azure-docs 0a88982, api-specification-kubernetes.md says nothing",
    ),
    controller=ALB,
)

KINDS: tuple[Kind, ...] = (
    _policy("FrontendTLSPolicy", needs=(_VERIFY,), security=True, targets=("Gateway",)),
    _policy("WebApplicationFirewallPolicy", security=True, targets=("Gateway", "HTTPRoute")),
    _policy("BackendTLSPolicy", needs=(_VERIFY, _CLIENT_TLS), security=True, targets=("Service",)),
    _policy("RoutePolicy", targets=("HTTPRoute",)),
    _policy("HealthCheckPolicy", targets=("Service",)),
)
