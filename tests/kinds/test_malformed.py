"""What is told of references that can't be understood."""

from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.malformed import find_long_lists, find_malformed_references
from spokerender.model import GATEWAY_API, shown
from tests.support import cases, rows_of

CATALOGUE = Catalogue.of([])
ENVOY = ("gateway.envoyproxy.io", "SecurityPolicy")
NGINX = ("gateway.nginx.org", "ExternalLoadBalancer")
GATEWAY = (GATEWAY_API, "Gateway")
ROUTE = (GATEWAY_API, "HTTPRoute")
LISTENER_SET = (GATEWAY_API, "ListenerSet")


def problems(identity: tuple[str, str], spec: Any) -> list[tuple[str, str]]:
    found = find_malformed_references(CATALOGUE.kind(*identity), {"spec": spec}, "infra")
    return [(shown(problem.field), problem.message) for problem in found]


def target(**fields: Any) -> dict[str, Any]:
    entry = {"group": GATEWAY_API, "kind": "Gateway", "name": "web", **fields}
    return {key: value for key, value in entry.items() if value != "-"}


@cases(*rows_of(__file__, "well_formed"))
def test_well_formed(identity: tuple[str, str], spec: Any) -> None:
    assert problems(identity, spec) == []


@cases(*rows_of(__file__, "malformed"))
def test_malformed(identity: tuple[str, str], spec: Any, field: str, message: str) -> None:
    assert problems(identity, spec) == [(field, message)]


def test_every_problem_is_told_with_a_cure() -> None:
    spec = {"targetRefs": [target(group="-", name="-"), 5]}
    found = find_malformed_references(CATALOGUE.kind(*ENVOY), {"spec": spec}, "infra")
    assert [(shown(problem.field), problem.cure) for problem in found] == [
        ("spec.targetRefs[1]", "make it a mapping"),
        ("spec.targetRefs[0].name", "name the object"),
        ("spec.targetRefs[0].group", f"write `group: {GATEWAY_API}`"),
    ]


@cases(
    (NGINX, {"targetRefs": [target(), target(name="api")]}, {"spec.targetRefs": (2, 1)}),
    (GATEWAY, {"listeners": [{}] * 64}, {}),
    (GATEWAY, {"listeners": [{}] * 65}, {"spec.listeners": (65, 64)}),
    (LISTENER_SET, {"listeners": [{}] * 65}, {"spec.listeners": (65, 64)}),
    (ROUTE, {"hostnames": [5] * 1400}, {"spec.hostnames": ("1,400", 16)}),
    (ROUTE, {"rules": [{}] * 17}, {"spec.rules": (17, 16)}),
    (ROUTE, {"rules": [{}, {"matches": [{}] * 65}]}, {"spec.rules[1].matches": (65, 64)}),
    (ROUTE, {"rules": {}, "hostnames": "a", "parentRefs": None}, {}),
    (("example.com", "Unknown"), {"targetRefs": [{}] * 16, "parentRefs": [{}] * 33}, {}),
)
def test_lists_that_are_longer_than_any_crd_allows(
    identity: tuple[str, str], spec: Any, told: dict[str, tuple[Any, int]]
) -> None:
    found = find_long_lists(CATALOGUE.kind(*identity), {"spec": spec})
    assert {shown(fault.field): fault.message for fault in found} == {
        field: f"has {count} entries, and its CRD allows {most}"
        for field, (count, most) in told.items()
    }


def test_a_policy_without_a_crd_has_sixteen_targets_at_most() -> None:
    kind = CATALOGUE.kind("example.com", "Unknown")
    (fault,) = find_long_lists(kind, {"spec": {"targetRefs": [{}] * 17}})
    assert fault.message == "has 17 entries, and GEP-713 allows 16"
    assert fault.cure == "split the object, or add its CRD"
