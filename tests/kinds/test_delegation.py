"""Backend references that mean other routes."""

from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.needs import read_requirements
from spokerender.kinds.references import read_references
from spokerender.model import GATEWAY_API, Ref
from tests.support import cases, rows_of

KIND = Catalogue.of([]).kind(GATEWAY_API, "HTTPRoute")


def route(**backend: str) -> dict[str, Any]:
    return {"spec": {"rules": [{"backendRefs": [backend]}]}}


@cases(*rows_of(__file__, "children_that_are_selected"))
def test_children_that_are_selected(
    backend: dict[str, str], namespace: str, source: str, labels: dict[str, str]
) -> None:
    (link,) = read_references(KIND, route(**backend), "infra")
    assert link.ref == Ref(GATEWAY_API, "HTTPRoute", namespace, "")
    assert link.selector is not None
    assert (link.selector.source, dict(link.selector.labels.labels)) == (source, labels)
    assert read_requirements(KIND, route(**backend), "infra") == ()


def test_a_child_that_is_named_is_needed() -> None:
    backend = {"group": GATEWAY_API, "kind": "HTTPRoute", "name": "child", "namespace": "team"}
    (need,) = read_requirements(KIND, route(**backend), "infra")
    assert need.ref == Ref(GATEWAY_API, "HTTPRoute", "team", "child")
    (link,) = read_references(KIND, route(**backend), "infra")
    assert link.selector is None
