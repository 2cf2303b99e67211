"""Backend references that mean other routes."""

from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.needs import read_requirements
from spokerender.kinds.references import read_references
from spokerender.model import GATEWAY_API, Ref
from tests.support import cases

KIND = Catalogue.of([]).kind(GATEWAY_API, "HTTPRoute")


def route(**backend: str) -> dict[str, Any]:
    return {"spec": {"rules": [{"backendRefs": [backend]}]}}


@cases(
    ({"group": GATEWAY_API, "kind": "HTTPRoute", "name": "*", "namespace": "team"},
     Ref(GATEWAY_API, "HTTPRoute", "team", ""), "Same", ()),
    ({"group": GATEWAY_API, "kind": "HTTPRoute", "name": "*"},
     Ref(GATEWAY_API, "HTTPRoute", "infra", ""), "Same", ()),
    ({"group": "delegation.kgateway.dev", "kind": "label", "name": "a", "namespace": "team"},
     Ref(GATEWAY_API, "HTTPRoute", "team", ""), "Same", (("delegation.kgateway.dev/label", "a"),)),
    ({"group": "delegation.gateway.solo.io", "kind": "label", "name": "a", "namespace": "all"},
     Ref(GATEWAY_API, "HTTPRoute", "all", ""), "All", (("delegation.gateway.solo.io/label", "a"),)),
)  # fmt: skip
def test_children_that_are_selected(
    backend: dict[str, str], ref: Ref, source: str, labels: tuple[tuple[str, str], ...]
) -> None:
    (link,) = read_references(KIND, route(**backend), "infra")
    assert link.selector is not None
    assert (link.ref, link.selector.source, link.selector.labels.labels) == (ref, source, labels)
    assert read_requirements(KIND, route(**backend), "infra") == ()


def test_a_child_that_is_named_is_needed() -> None:
    backend = {"group": GATEWAY_API, "kind": "HTTPRoute", "name": "child", "namespace": "team"}
    (need,) = read_requirements(KIND, route(**backend), "infra")
    assert need.ref == Ref(GATEWAY_API, "HTTPRoute", "team", "child")
    (link,) = read_references(KIND, route(**backend), "infra")
    assert link.selector is None
