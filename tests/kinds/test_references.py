"""References read from objects, odd ones among them."""

from collections.abc import Iterator
from typing import Any

from spokerender.kinds.fields import split_pattern
from spokerender.kinds.kind import Kind
from spokerender.kinds.malformed import find_malformed_references
from spokerender.kinds.needs import read_requirements
from spokerender.kinds.references import read_references
from spokerender.kinds.table import all_rows
from spokerender.model import GATEWAY_API
from tests.kinds.links import CATALOGUE, links
from tests.support import cases, named_rows_of

TABLE = tuple(all_rows().values())


def target(**fields: Any) -> dict[str, Any]:
    return {"group": GATEWAY_API, "kind": "Gateway", "name": "web", **fields}


@cases(*named_rows_of(__file__, "references_of_objects"))
def test_references_of_objects(of: list[str], data: Any, expected: list[str]) -> None:
    assert links(of, data) == expected


def test_a_route_of_linkerd_is_none_of_ours() -> None:
    assert not CATALOGUE.kind("policy.linkerd.io", "HTTPRoute").is_route


def test_target_selectors_with_namespaces() -> None:
    policy = CATALOGUE.kind("gateway.envoyproxy.io", "SecurityPolicy")
    selector = {
        "kind": "Gateway",
        "matchLabels": {"tier": "gold"},
        "matchExpressions": [{"key": "canary", "operator": "DoesNotExist"}],
        "namespaces": {"from": "Selector", "selector": {"matchLabels": {"team": "edge"}}},
    }
    (link,) = read_references(policy, {"spec": {"targetSelectors": [selector]}}, "infra")
    assert link.selector is not None
    assert link.selector.matches({"tier": "gold"})
    assert not link.selector.matches({"tier": "gold", "canary": ""})
    assert link.selector.admits_namespace("infra", "edge", {"team": "edge"})
    assert not link.selector.admits_namespace("infra", "infra", {})


def test_of_an_unknown_kind_no_reference_without_a_group_is_malformed() -> None:
    unknown = CATALOGUE.kind("autoscaling.k8s.io", "VerticalPodAutoscaler")
    scaled = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    assert find_malformed_references(unknown, {"spec": {"targetRef": scaled}}, "infra") == ()


ODD: tuple[Any, ...] = (
    None,
    True,
    5,
    "web",
    "",
    [],
    {},
    [None],
    [5],
    [[]],
    {"name": 5},
    {"name": []},
    {"x": {}},
)
ENTRY = {
    **target(namespace="infra", sectionName="https", sectionNames=["https"], port=443),
    "matchLabels": {"app": "web"},
    "matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}],
    "namespaces": {"from": "Selector", "selector": {}},
    "key": "gateway.networking.k8s.io/gateway-name",
    "operator": "In",
    "values": ["web"],
    "gateway.networking.k8s.io/gateway-name": "web",
    "cert-manager.io/issuer": "ca",
}


def holding(keys: tuple[str, ...], value: Any) -> Any:
    """The value where a pattern's segments lead to."""
    for key in reversed(keys):
        value = [value] if key == "[]" else {"any" if key == "*" else key: value}
    return value


def odd_objects(pattern: str) -> Iterator[Any]:
    """Objects with something odd on the way, in the entry itself, or beside it."""
    keys = split_pattern(pattern)
    for odd in ODD:
        yield from (holding(keys[:depth], odd) for depth in range(len(keys) + 1))
        yield from (holding(keys, {**ENTRY, field: odd}) for field in ENTRY)
        yield {"spec": {**(holding(keys, ENTRY).get("spec") or {}), "namespaceSelector": odd}}


def test_nothing_raises_on_odd_data() -> None:
    kinds = (*TABLE, CATALOGUE.kind("example.com", "CachePolicy"))
    rules = {rule for kind in kinds for rule in kind.references}
    wanted = {need for kind in kinds for need in kind.needs}
    assert len(rules) + len(wanted) > 100
    for pattern in {rule.path for rule in rules} | {need.path for need in wanted}:
        kind = Kind(
            *("", "K"),
            references=tuple(rule for rule in rules if rule.path == pattern),
            needs=tuple(need for need in wanted if need.path == pattern),
        )
        for data in odd_objects(pattern):
            for reading in (read_references, find_malformed_references, read_requirements):
                assert isinstance(reading(kind, data, "infra"), tuple)
