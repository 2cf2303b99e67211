"""A small fleet before and after a change, for reports to tell of."""

from collections.abc import Iterator

from spokerender.model.plan import FilePair
from spokerender.rendering.values.rendered import Rendered
from tests.support import text_of
from tests.support.end_to_end import WEB
from tests.support.project import FLEET, PLACEMENT, rendered

HUB = WEB + text_of(__file__, "changing_hub.yaml")
AUTH = """\
---
apiVersion: kuadrant.io/v1
kind: AuthPolicy
metadata: {name: shop, namespace: shop}
spec:
  targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: shop}
  rules: {}
"""
PLACE = PLACEMENT + text_of(__file__, "changing_placement.yaml")
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
