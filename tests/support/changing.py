"""A small fleet before and after a change, for reports to tell of."""

from collections.abc import Iterator

from spokerender.model.plan import FilePair
from spokerender.rendering.values.rendered import Rendered
from tests.support.end_to_end import WEB
from tests.support.project import FLEET, PLACEMENT, rendered

HUB = (
    WEB
    + """\
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: shop, namespace: shop}
spec:
  parentRefs:
  - {name: web, namespace: infra}
  rules:
  - name: all
    backendRefs: [{name: shop, port: 80}]
---
apiVersion: kuadrant.io/v1
kind: DNSPolicy
metadata: {name: dns, namespace: infra}
spec:
  targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}
  loadBalancing:
    weight: 100  # of 255
    geo: EU
    defaultGeo: true
"""
)
AUTH = """\
---
apiVersion: kuadrant.io/v1
kind: AuthPolicy
metadata: {name: shop, namespace: shop}
spec:
  targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: shop}
  rules: {}
"""
PLACE = (
    PLACEMENT
    + """\
  spokes:
  - {name: dev}
  - {name: eu, values: {weight: 120}}
  - {name: own}
  - {name: us, values: {weight: 80}}
  rules:
  - gateways: {names: [infra/web]}
    spokes: {names: [eu, us]}
    as: {namespace: edge}
  - gateways: {names: [infra/web]}
    spokes: {names: [own]}
    mode: existing
    as:
      name: theirs
      listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
  overrides:
  - target: {kind: DNSPolicy}
    spokes: {names: [eu, us]}
    merge: {spec: {loadBalancing: {weight: "{{ spoke.values.weight }}"}}}
"""
)
SYNC = (
    FLEET
    + """\
  policiesToSync:
  - {group: kuadrant.io, kind: AuthPolicy}
  - {group: kuadrant.io, kind: DNSPolicy}
  - {group: gateway.networking.k8s.io, kind: HTTPRoute}
"""
)


def fleet(hub: str = HUB, place: str = PLACE) -> Rendered:
    """Render it, perhaps changed."""
    return rendered(hub, place, SYNC)


def pairs(old: Rendered, new: Rendered) -> Iterator[FilePair]:
    """The files that differ between two renders."""
    for folder in sorted({*old.tree.folders, *new.tree.folders}):
        before, after = (
            one.tree.files(folder) if folder in one.tree.folders else {} for one in (old, new)
        )
        for path in sorted({*before, *after}):
            if before.get(path) != after.get(path):
                yield folder, path, before.get(path), after.get(path)
