"""What Envoy Gateway's translator made of small hubs is what we say of them, without running it.

Each is the smallest hub of a disagreement that `make live` found.
"""

from typing import Any

from tests.conftest import DATA
from tests.live.envoy_gateway import (
    Conditions,
    Key,
    Marks,
    Place,
    Word,
    compare_in_force,
    compare_statuses,
    tell,
)
from tests.live.hub_policies import ENVOY
from tests.live.hubs import basis, obj, other_class
from tests.live.test_envoy_gateway_ages import tell as tell_of_files
from tests.support import each
from tests.support.stages import values

Json = dict[str, Any]


def cases() -> list[Json]:
    found: list[Json] = values((DATA / "cases/envoy-gateway.yaml").read_text(encoding="utf-8"))[0]
    return found


def read_condition(word: str) -> tuple[str, str, str]:
    condition, _, rest = word.partition("=")
    status, _, reason = rest.partition("/")
    return condition, status, reason


def read_place(text: str) -> Place:
    listener, route, rule, kind = (part.strip() for part in text.split("|"))
    return listener, route, rule, kind


def read_word(case: Json) -> Word:
    """What the translator made of the hub."""
    conditions: dict[Key, Conditions] = {}
    for key, words in case["statuses"].items():
        policy, _, ancestor = key.partition(" on ")
        kind, name = policy.split()
        conditions[kind, name, ancestor] = frozenset(read_condition(word) for word in words.split())
    places: dict[Place, Marks] = {
        read_place(key): frozenset(marks) for key, marks in case["inForce"].items()
    }
    return Word(conditions, places, routes=frozenset(place[:3] for place in places))


@each(*cases(), ids=lambda case: str(case["about"]))
def test_what_envoy_gateway_made_of_it(case: Json) -> None:
    theirs = read_word(case)
    common = [
        *basis(is_merged=case.get("merged", False), declared=case.get("declared")),
        other_class(),
    ]
    ours = tell([*common, *case["objects"]])
    statuses = compare_statuses(ours, theirs)
    in_force = compare_in_force(ours, theirs)
    assert {key: how for key, how in statuses.items() if how != "equal"} == {}
    assert {place: how for place, how in in_force.items() if how != "equal"} == {}


def test_an_answer_that_is_another_is_noticed() -> None:
    case = next(case for case in cases() if case["statuses"])
    theirs = read_word({**case, "statuses": {}, "inForce": {}})
    ours = tell([*basis(), *case["objects"]])
    assert any(how != "equal" for how in compare_statuses(ours, theirs).values())


def test_the_youngest_of_the_routes_that_a_policy_selects_decides_about_their_parent() -> None:
    """Envoy Gateway, composePolicyTargetRefs: asked in several orders, it says either."""
    (case,) = (case for case in cases() if "selects two TCPRoutes" in case["about"])
    _, outcomes = tell_of_files([*basis(), other_class(), *case["objects"]])
    accepted = outcomes["SecurityPolicy", "p2", "Gateway shop/web", "Accepted"]
    assert accepted == {("False", "Conflicted"), ("False", "Invalid")}


def test_why_a_policy_is_refused_on_a_gateway_may_depend_on_what_no_file_has() -> None:
    """Envoy Gateway writes one entry for a route and its Gateway: the last refusal stands."""
    named = {"name": "gone", "port": 8080}
    group = "gateway.networking.k8s.io"
    targets = [{"group": group, "kind": kind, "name": "web"} for kind in ("HTTPRoute", "Gateway")]
    asking = {"extAuth": {"http": {"backendRefs": [named]}}}
    listeners = [{"name": "l0", "port": 80, "protocol": "HTTP"}]
    objects = [
        obj("Gateway", "web", "infra", {"gatewayClassName": "eg", "listeners": listeners}),
        obj("HTTPRoute", "web", "infra", {"parentRefs": [{"name": "web"}], "rules": [{}]}),
        obj("SecurityPolicy", "p1", "infra", {"targetRefs": targets[:1], "cors": {}}, ENVOY),
        obj("SecurityPolicy", "p2", "infra", {"targetRefs": targets, **asking}, ENVOY),
    ]
    for number, one in enumerate(objects):
        one["metadata"]["creationTimestamp"] = f"2026-01-01T00:0{number}:00Z"
    for name, reason in (("gone", "Unverified"), ("backend", "Conflicted")):
        named["name"] = name
        conditions = tell([*basis(), other_class(), *objects]).conditions
        items = conditions["SecurityPolicy", "p2", "Gateway infra/web"]
        assert ("Accepted", "False", reason) in items
