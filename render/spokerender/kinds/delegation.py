"""Routes below routes: a backend of a route that is no Service but other routes.

Facts: kgateway 2.1, `pkg/pluginsdk/query` and `api/labels/delegation.go`; Gloo Gateway 1.17 has the
same under its own group. A backend reference names a child HTTPRoute, all of a namespace (`*`), or
those with a label whose value is the name, in one namespace or, as `all`, in every one.
"""

from __future__ import annotations

from spokerender.kinds.selectors import TargetSelector
from spokerender.model import GATEWAY_API
from spokerender.model.selectors import LabelSelector

ROUTE = (GATEWAY_API, "HTTPRoute")
"""The kind of parents and of children."""

_LABELS = {
    (f"delegation.{vendor}", "label"): f"delegation.{vendor}/label"
    for vendor in ("kgateway.dev", "gateway.solo.io")
}
"""What a backend reference says in place of group and kind, and the label that it then means."""

PRIORITY = "kgateway.dev/inherited-policy-priority"
"""The annotation of a parent that says whose policies are preferred, its own or its children's.

kgateway 48460f7, api/annotations/policy.go; it is read from HTTPRoutes only.
"""
PREFERS_PARENT = ("ShallowMergePreferParent", "DeepMergePreferParent")
MERGES_DEEP = ("DeepMergePreferParent", "DeepMergePreferChild")

_EVERY_ROUTE = "*"
_EVERY_NAMESPACE = "all"


def delegated(group: str, kind: str, namespace: str, name: str) -> TargetSelector | None:
    """The children that a backend reference selects; None where it names one thing."""
    label = _LABELS.get((group, kind))
    if label is not None:
        source = "All" if namespace == _EVERY_NAMESPACE else "Same"
        return TargetSelector(LabelSelector(((label, name),)), source)
    if (group, kind) == ROUTE and name == _EVERY_ROUTE:
        return TargetSelector(LabelSelector())
    return None
