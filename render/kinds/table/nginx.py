"""NGINX Gateway Fabric's policies."""

from __future__ import annotations

from render.kinds.kind import Kind
from render.kinds.rows import row, target_ref, target_refs

_GROUP = "gateway.nginx.org"
_TARGETS = (target_refs(unique=True),)

KINDS: tuple[Kind, ...] = (
    row(_GROUP, "ClientSettingsPolicy", "v1alpha1", references=(target_ref(),)),
    row(_GROUP, "PayloadProcessor", "v1alpha1", references=(target_ref(),)),
    row(_GROUP, "ExternalLoadBalancer", "v1alpha1", references=(target_refs(max_items=1),)),
    row(_GROUP, "ObservabilityPolicy", "v1alpha2", references=_TARGETS),
    row(_GROUP, "ProxySettingsPolicy", "v1alpha1", references=_TARGETS),
    row(_GROUP, "RateLimitPolicy", "v1alpha1", references=_TARGETS, security=True),
    # Configuration of the user's own, of which some denies.
    row(_GROUP, "SnippetsPolicy", "v1alpha1", references=_TARGETS, security=True),
    row(_GROUP, "UpstreamSettingsPolicy", "v1alpha1", references=_TARGETS),
    row(_GROUP, "WAFPolicy", "v1alpha1", references=_TARGETS, security=True),
    row(_GROUP, "NginxProxy", "v1alpha2"),
)
