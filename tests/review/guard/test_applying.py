"""Protection that cannot apply is lost: conditions and constants, by the row of each kind."""

from typing import Any

import pytest

from spokerender.findings.results import ERROR
from spokerender.formats import yamlio
from spokerender.kinds.kind import BACKEND_TLS, Kind, Role
from spokerender.kinds.table import all_rows
from spokerender.review.guard.refusals import refuse_removals, report_weaknesses
from tests.review.guard import trees
from tests.review.guard.trees import POLICY, ROUTE, ROUTE_POLICY, lost, routes, told, tree
from tests.support import cases, each, rows_of

GATEWAY = trees.GATEWAY.replace("gatewayClassName: istio", "gatewayClassName: mine").replace(
    "protocol: HTTPS", "protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}"
)
"""Its class may be of any controller."""
SERVED = ROUTE.replace("spec:", "spec:\n  hostnames: [a.example]").replace(
    "{back", "{name: all, back"
)
REST = routes(9)
PROTECTING: dict[str, Any] = rows_of(__file__, "protecting")
"""Specs that keep somebody out, for kinds with fields of which some do not."""


def _on_gateways() -> list[Kind]:
    """Every security kind of the table that names a Gateway as its target."""
    return [
        kind
        for kind in all_rows().values()
        if kind.security and (not kind.targets or "Gateway" in kind.targets)
        if any(row.role is Role.TARGET for row in kind.references)
        if (kind.group, kind.kind) != BACKEND_TLS
    ]


def policy(kind: Kind, **spec: Any) -> str:
    """A policy of a kind on the gateway."""
    target = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "public"}
    paths = {row.path for row in kind.references if row.role is Role.TARGET}
    place = {"targetRef": target} if "spec.targetRef" in paths else {"targetRefs": [target]}
    return yamlio.emit(
        {
            "apiVersion": f"{kind.group}/{kind.versions[0] if kind.versions else 'v1'}",
            "kind": kind.kind,
            "metadata": {"name": "p", "namespace": "shop"},
            "spec": {**PROTECTING.get(kind.kind, {"a": {"b": "c"}}), **place, **spec},
        }
    )


def name_of(kind: Kind) -> str:
    return f"{kind.kind}.{kind.group}"


KINDS = _on_gateways()
each_kind = pytest.mark.parametrize(
    # What a controller writes of a policy has no condition of the policy's.
    "kind",
    [kind for kind in KINDS if kind.merged.writes is None],
    ids=name_of,
)


@each_kind
def test_a_condition_is_refused_where_nothing_else_protects(kind: Kind) -> None:
    """One that is false, and one that is new: for each security kind, whatever its fields are."""
    never, some = (
        policy(kind, when=[{"predicate": text}])
        for text in ("1 == 2", "request.path.startsWith('/a')")
    )
    closed = tree(GATEWAY, SERVED, policy(kind), *REST)
    assert told(closed, tree(GATEWAY, SERVED, never, *REST)) != []
    opened = tree(GATEWAY, SERVED, some, *REST)
    assert told(closed, opened) != []
    assert told(opened, closed) == []


CLASSES = {
    "Istio": "istio",
    "kgateway": "kgateway",
    "agentgateway": "agentgateway",
    "Gloo Gateway": "gloo-gateway",
}
"""The GatewayClasses that controllers make themselves."""


@each(*(row for row in KINDS if row.reach.controllers or row.controller.names), ids=name_of)
def test_a_class_of_a_controller_that_does_not_know_the_kind(kind: Kind) -> None:
    own = CLASSES.get((kind.reach.controllers or (kind.controller.id,))[0], "own")
    is_lattice = kind.controller.id == "AWS Gateway API Controller"
    foreign = "istio" if is_lattice else "amazon-vpc-lattice"
    before, after, unknown = (
        tree(GATEWAY.replace("gatewayClassName: mine", f"gatewayClassName: {name}"), SERVED, *rest)
        for rest in [(policy(kind), *REST)]
        for name in (own, foreign, "other")
    )
    assert told(before, after) != []
    # Of a class that nobody knew before nothing is lost.
    assert ("Gateway/shop/public opens" in told(before, unknown)) is (own != "own")


AUTH = "rules: {authentication: {a: {jwt: {}}}}"


def spec_of(kind: list[str], text: str) -> str:
    """A policy with a spec as people write it."""
    (document,), problems = yamlio.read(f"{{{text}}}".encode(), "")
    assert not problems
    return policy(all_rows()[kind[0], kind[1]], **document.value)


@cases(*rows_of(__file__, "a_rule_that_asks_less"))
def test_a_rule_that_asks_less(
    kind: list[str], before: str, old: str, new: str, answer: str
) -> None:
    specs = (before, before.replace(old, new))
    # Of a class that no file has no vendor's policies are known to count.
    gateway = GATEWAY.replace("gatewayClassName: mine", "")
    trees = [tree(gateway, SERVED, spec_of(kind, text), *REST) for text in specs]
    removals = lost({"eu": trees[0]}, {"eu": trees[1]})
    refused = [item for item in refuse_removals(removals) if item.severity is ERROR]
    answers = [("refused", refused), ("warned", report_weaknesses(removals))]
    assert [name for name, results in answers if results] == ([answer] if answer else [])


OVERRIDES = POLICY.replace(AUTH, f"overrides: {{{AUTH}}}")


def test_what_was_not_in_force_is_no_loss() -> None:
    """The gateway's overrides replaced it: it protected nothing, and may go or open."""
    old = tree(GATEWAY, SERVED, OVERRIDES, ROUTE_POLICY, *REST)
    assert told(old, tree(GATEWAY, SERVED, OVERRIDES, *REST)) == []
    opened = ROUTE_POLICY.replace("jwt", "anonymous")
    assert told(old, tree(GATEWAY, SERVED, OVERRIDES, opened, *REST)) == []
    assert told(old, tree(GATEWAY, SERVED, ROUTE_POLICY, *REST)) != []


@each("a-first", "z-last")
def test_a_second_policy_that_may_take_the_place_of_the_first(name: str) -> None:
    """Ages decide which of them is in force: what may be open is not closed."""
    second = POLICY.replace("name: auth,", f"name: {name},").replace("jwt", "anonymous")
    assert told(
        tree(GATEWAY, SERVED, POLICY, *REST), tree(GATEWAY, SERVED, POLICY, second, *REST)
    ) == [f"AuthPolicy/shop/{name} opens"]
