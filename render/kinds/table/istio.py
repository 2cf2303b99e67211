"""Istio's kinds. A target's `namespace` has to be empty (validation of `PolicyTargetReference`).

Without targets, a policy is for the workloads that its selector finds: by the label with a
Gateway's name on it (`render.kinds.labels`) it is attached to that Gateway. Any other selector, or
none (all workloads of the namespace, or of the mesh if it is the root namespace), leads to no
Gateway: such a policy is not shipped, which is told (SR1501), and no status or effective policy
counts it, though on a cluster that has it it is in force.
"""

from __future__ import annotations

from render.kinds.kind import Kind, Merging, NamespaceRule, Need, Process
from render.kinds.rows import label_selector, labels, row, target_ref, target_refs
from render.kinds.traits import Traits

_TARGETS = (
    target_ref(namespace=NamespaceRule.EMPTY),
    target_refs(namespace=NamespaceRule.EMPTY),
)
_SELECTOR = label_selector("spec.selector")
# `spec`, CEL: only one of targetRefs or selector can be set.
_EITHER = (("targetRef", "targetRefs", "selector"),)
_KINDS = ("Gateway", "GatewayClass", "Service", "ServiceEntry")
# Rules of all policies on a workload are in force together; a DENY needs no ALLOW to give way.
_TOGETHER = Merging(Process.ALL)
_GUARD = Traits(guards=True)
_NETWORKING = "networking.istio.io"
_SECURITY = "security.istio.io"
_EXTENSIONS = "extensions.istio.io"

KINDS: tuple[Kind, ...] = (
    row(
        _SECURITY,
        "AuthorizationPolicy",
        "v1",
        "v1beta1",
        references=(*_TARGETS, *_SELECTOR),
        security=True,
        merging=_TOGETHER,
        targets=_KINDS,
        alternatives=_EITHER,
        targetless=True,
        traits=_GUARD,
    ),
    # It refuses bad tokens and lets requests without any pass, so it guards nothing by itself.
    row(
        _SECURITY,
        "RequestAuthentication",
        "v1",
        "v1beta1",
        references=(*_TARGETS, *_SELECTOR),
        security=True,
        merging=_TOGETHER,
        targets=_KINDS,
        alternatives=_EITHER,
        targetless=True,
    ),
    row(
        _SECURITY,
        "PeerAuthentication",
        "v1",
        "v1beta1",
        references=_SELECTOR,
        security=True,
        targetless=True,
    ),
    row(
        "telemetry.istio.io",
        "Telemetry",
        "v1",
        "v1alpha1",
        references=(*_TARGETS, *_SELECTOR),
        targets=_KINDS,
        alternatives=_EITHER,
        targetless=True,
    ),
    # Filters of the user's own, of which some authorize; so are those of TrafficExtension and
    # EnvoyFilter.
    row(
        _EXTENSIONS,
        "WasmPlugin",
        "v1alpha1",
        references=(*_TARGETS, *_SELECTOR),
        needs=(Need("spec", name="imagePullSecret"),),
        security=True,
        merging=_TOGETHER,
        targets=_KINDS,
        alternatives=_EITHER,
        targetless=True,
    ),
    row(
        _EXTENSIONS,
        "TrafficExtension",
        "v1alpha1",
        references=(target_refs(namespace=NamespaceRule.EMPTY), *_SELECTOR),
        security=True,
        merging=_TOGETHER,
        targets=_KINDS,
        alternatives=(("targetRefs", "selector"),),
        targetless=True,
    ),
    row(
        _NETWORKING,
        "EnvoyFilter",
        "v1alpha3",
        references=(
            target_refs(namespace=NamespaceRule.EMPTY),
            labels("spec.workloadSelector.labels"),
        ),
        security=True,
        merging=_TOGETHER,
        targets=_KINDS,
        alternatives=(("targetRefs", "workloadSelector"),),
        targetless=True,
    ),
    row(
        _NETWORKING,
        "Sidecar",
        "v1",
        "v1beta1",
        "v1alpha3",
        references=(labels("spec.workloadSelector.labels"),),
    ),
    row(_NETWORKING, "ProxyConfig", "v1beta1", references=_SELECTOR[:1]),
    # Istio's own Gateway, and what names it, has nothing to do with the Gateway API's.
    row(_NETWORKING, "Gateway", "v1", "v1beta1", "v1alpha3", references=(labels("spec.selector"),)),
    row(_NETWORKING, "VirtualService", "v1", "v1beta1", "v1alpha3"),
    row(_NETWORKING, "DestinationRule", "v1", "v1beta1", "v1alpha3"),
    row(_NETWORKING, "ServiceEntry", "v1", "v1beta1", "v1alpha3", plural="serviceentries"),
    row(_NETWORKING, "WorkloadEntry", "v1", "v1beta1", "v1alpha3", plural="workloadentries"),
)
