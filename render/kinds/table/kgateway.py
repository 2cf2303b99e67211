"""kgateway, agentgateway, and the Gloo Gateway that kgateway grew out of.

The first kgateway policies had `targetRef`; from v2.0 on they have `targetRefs` and
`targetSelectors`, and section names later still. A row takes all of it.
"""

from __future__ import annotations

from render.kinds.kind import SECTION, Kind, NamespaceRule, ReferencePath
from render.kinds.rows import parent, row, target_ref, target_refs, target_selectors

_KGATEWAY = "gateway.kgateway.dev"
_AGENTGATEWAY = "agentgateway.dev"
_GLOO = "gateway.solo.io"

_TARGETS: tuple[ReferencePath, ...] = (
    target_refs(section=SECTION),
    target_selectors(section=SECTION),
)
_EVER_SINCE = (target_ref(), *_TARGETS)
_LISTENERS = ("Gateway", "ListenerSet", "XListenerSet")

# Gloo's targets have a namespace, but only the policy's own is promised to work.
_OPTION = (target_refs(max_items=None, namespace=NamespaceRule.OWN),)
_SECTION_OPTION = (target_refs(max_items=None, namespace=NamespaceRule.OWN, section=SECTION),)

KINDS: tuple[Kind, ...] = (
    # Without a target it is for the rules of routes that name it in an ExtensionRef, where it is on
    # no path that is computed. Few of them say who may call, and releases differ in where: none
    # counts as a guard.
    row(
        _KGATEWAY,
        "TrafficPolicy",
        "v1alpha1",
        references=_TARGETS,
        security=True,
        targets=(*_LISTENERS, "HTTPRoute"),
        targetless=True,
    ),
    row(
        _KGATEWAY,
        "RoutePolicy",
        "v1alpha1",
        references=(target_ref(),),
        security=True,
        targetless=True,
    ),
    row(_KGATEWAY, "ListenerPolicy", "v1alpha1", references=_EVER_SINCE, targets=_LISTENERS),
    row(_KGATEWAY, "HTTPListenerPolicy", "v1alpha1", references=_EVER_SINCE, targets=_LISTENERS),
    row(
        _KGATEWAY,
        "BackendConfigPolicy",
        "v1alpha1",
        references=(target_refs(), target_selectors()),
        targets=("Service", "Backend"),
    ),
    row(
        _AGENTGATEWAY,
        "AgentgatewayPolicy",
        "v1alpha1",
        references=(target_refs(section=SECTION), target_selectors(section=SECTION, max_items=16)),
        security=True,
        targets=(
            "Gateway",
            "ListenerSet",
            "HTTPRoute",
            "GRPCRoute",
            "Service",
            "AgentgatewayBackend",
            "InferencePool",
        ),
        # `spec`, CEL: exactly one of them must be set.
        alternatives=(("targetRefs", "targetSelectors"),),
    ),
    row(
        _AGENTGATEWAY,
        "AgentgatewayModel",
        "v1alpha1",
        references=(parent("spec.parentRefs[]", max_items=16),),
    ),
    row(_AGENTGATEWAY, "AgentgatewayBackend", "v1alpha1"),
    row(_GLOO, "RouteOption", "v1", references=_OPTION, security=True),
    row(_GLOO, "VirtualHostOption", "v1", references=_SECTION_OPTION, security=True),
    row(_GLOO, "HttpListenerOption", "v1", references=_SECTION_OPTION, security=True),
    row(_GLOO, "ListenerOption", "v1", references=_SECTION_OPTION),
)
