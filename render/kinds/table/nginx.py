"""NGINX Gateway Fabric's policies."""

from __future__ import annotations

from render.kinds.kind import Kind, Merge, Merging, Process
from render.kinds.rows import row, target_ref, target_refs

_GROUP = "gateway.nginx.org"
_TARGETS = (target_refs(unique=True),)
_ROUTES = ("HTTPRoute", "GRPCRoute")
_GATEWAY_OR_ROUTES = ("Gateway", *_ROUTES)

# Custom policies, "mergeable": those that set different fields are put together.
_MERGED = Merging(Process.GEP_713, default=Merge.PATCH)

KINDS: tuple[Kind, ...] = (
    row(
        _GROUP,
        "ClientSettingsPolicy",
        "v1alpha1",
        references=(target_ref(),),
        targets=_GATEWAY_OR_ROUTES,
        merging=_MERGED,
    ),
    row(
        _GROUP,
        "PayloadProcessor",
        "v1alpha1",
        references=(target_ref(),),
        targets=("Gateway", "HTTPRoute"),
    ),
    row(
        _GROUP,
        "ExternalLoadBalancer",
        "v1alpha1",
        references=(target_refs(max_items=1),),
        targets=("Gateway",),
    ),
    # Direct, and not mergeable.
    row(
        _GROUP,
        "ObservabilityPolicy",
        "v1alpha2",
        references=_TARGETS,
        targets=_ROUTES,
        merging=Merging(Process.NONE),
    ),
    row(_GROUP, "ProxySettingsPolicy", "v1alpha1", references=_TARGETS, targets=_GATEWAY_OR_ROUTES),
    row(
        _GROUP,
        "RateLimitPolicy",
        "v1alpha1",
        references=_TARGETS,
        security=True,
        targets=_GATEWAY_OR_ROUTES,
    ),
    # Configuration of the user's own, of which some denies.
    row(
        _GROUP,
        "SnippetsPolicy",
        "v1alpha1",
        references=_TARGETS,
        security=True,
        targets=("Gateway",),
    ),
    row(
        _GROUP,
        "UpstreamSettingsPolicy",
        "v1alpha1",
        references=_TARGETS,
        targets=("Service",),
        merging=_MERGED,
    ),
    row(
        _GROUP,
        "WAFPolicy",
        "v1alpha1",
        references=_TARGETS,
        security=True,
        targets=_GATEWAY_OR_ROUTES,
    ),
    row(_GROUP, "NginxProxy", "v1alpha2"),
)
