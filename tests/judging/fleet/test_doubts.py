"""What slots can't answer is asked again with each spoke's own values."""

from spokerender.explain.values import PathQuestion
from spokerender.judging.fleet.judged import Aspect, JudgedFleet
from spokerender.model.slots import recording, text_slot
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered
from tests.judging.advice.spokes import CART, GATEWAY, view
from tests.support import cases, manifest, stages
from tests.support.answers import in_force

SPOKES = """\
- {name: eu, values: {domain: eu.example.net, ns: alpha, strategy: merge, one: 5, two: 5}}
- {name: us, values: {domain: us.example, ns: zulu, strategy: atomic, one: 5, two: 6}}
"""
WEB = "- {gateways: {names: [infra/web]}, spokes: {all: true}"


def policies_of(found: Rendered) -> JudgedFleet:
    return judge(found, (), Aspect.POLICIES)


def slotted(judged_fleet: JudgedFleet) -> dict[str, bool]:
    """Whether each spoke was judged together with others, its values in slots."""
    return {name: bool(bundle.values) for name, bundle in judged_fleet.bundles.items()}


def door(namespace: str) -> str:
    """A policy of a kind that nobody describes, on a Gateway of another namespace."""
    return manifest(
        f"DoorPolicy {namespace}/door",
        "targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web, "
        f"namespace: infra}}, of: {namespace}",
        api="example.com/v1",
    )


def grant(*namespaces: str) -> str:
    froms = ", ".join(
        f"{{group: example.com, kind: DoorPolicy, namespace: {name}}}" for name in namespaces
    )
    return manifest(
        "ReferenceGrant infra/doors",
        f"from: [{froms}], to: [{{group: gateway.networking.k8s.io, kind: Gateway}}]",
        api="gateway.networking.k8s.io/v1",
    )


@cases(("alpha", True), ("zulu", False), ("mike-2", True), ids=str)
def test_names_are_put_in_order_with_their_values(value: str, turned: bool) -> None:
    """A slot is after every letter, so `mike` is first with slots; and `-` is before `/`."""
    with recording() as record:
        seen = view(GATEWAY, CART, door("mike"), door("slot-1"), grant("mike", "slot-1"))
    first, second = seen.attachments.values()
    assert first.targets == second.targets != ()
    assert [ref.namespace for ref in seen.effective[0].stack] == ["mike", text_slot(1)]
    assert record.is_true_of({text_slot(1): value}) is not turned


HOSTS = [
    stages.CLASS,
    stages.gateway(
        "web",
        listeners='[{name: own, hostname: "*.shop.example", port: 80, protocol: HTTP, '
        "allowedRoutes: {namespaces: {from: All}}}, "
        "{name: any, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]",
    ),
    stages.route("cart", spec="hostnames: [a.eu.example.net], rules: [{name: all}]"),
    stages.auth(
        "own", "kind: Gateway, name: web, sectionName: own", spec="rules: {authentication: {a: {}}}"
    ),
]


def test_a_hostname_may_be_below_the_one_that_a_spoke_has() -> None:
    """The route names it, so on that spoke it is on the listener; nobody wrote the domain alone."""
    rule = WEB + ', as: {hostnames: {"*.shop.example": "*.{{ spoke.values.domain }}"}}}\n'
    found = stages.render(HOSTS, rule, spokes=SPOKES)
    judged = policies_of(found)
    assert slotted(judged) == {"eu": False, "us": True}
    (answer,) = in_force(found, judged, PathQuestion(kind="authpolicy"))
    assert (answer.spokes, answer.path.listener) == (("eu",), "own")


STRATEGY = [
    stages.CLASS,
    stages.gateway("web"),
    stages.route("cart", spec="rules: [{name: all}]"),
    stages.auth(
        "above", "kind: Gateway, name: web", spec="overrides: {rules: {authentication: {a: {}}}}"
    ),
    stages.auth(
        "below", "kind: HTTPRoute, name: cart", "shop", spec="rules: {authentication: {b: {}}}"
    ),
]


def test_a_strategy_is_read() -> None:
    overrides = """\
    - target: {kind: AuthPolicy, name: above}
      spokes: {all: true}
      merge: {spec: {overrides: {strategy: "{{ spoke.values.strategy }}"}}}
    """
    found = stages.render(STRATEGY, spokes=SPOKES, overrides=overrides)
    judged = policies_of(found)
    assert slotted(judged) == {"eu": False, "us": False}
    keys = {
        answer.spokes: [rule.rule.key for rule in answer.rules]
        for answer in in_force(found, judged, PathQuestion())
    }
    assert keys == {
        ("eu",): ["rules.authentication.a", "rules.authentication.b"],
        ("us",): ["rules.authentication.a"],
    }


def limits(name: str, rate: str) -> str:
    return stages.auth(
        name,
        "kind: Gateway, name: web",
        kind="AuthPolicy",
        spec=f"defaults: {{strategy: merge, rules: {{authentication: {{a: {{n: {rate}}}}}}}}}",
    )


def test_values_may_be_alike() -> None:
    """Where both say the same it does not matter which of them is older."""
    overrides = "".join(
        f"- target: {{kind: AuthPolicy, name: {name}}}\n"
        "  spokes: {all: true}\n"
        "  merge: {spec: {defaults: {rules: {authentication: {a: {n: "
        f'"{{{{ spoke.values.{value} }}}}"}}}}}}}}}}}}\n'
        for name, value in (("p", "one"), ("q", "two"))
    )
    documents = [*STRATEGY[:3], limits("p", "1"), limits("q", "2")]
    found = stages.render(documents, spokes=SPOKES, overrides=overrides)
    judged = policies_of(found)
    assert slotted(judged) == {"eu": True, "us": True}
    others = {each.spokes: len(each.others) for each in in_force(found, judged, PathQuestion())}
    assert others == {("eu",): 0, ("us",): 1}


def test_what_is_only_carried_is_no_doubt() -> None:
    """A weight may differ on every spoke: all of them are judged at once."""
    overrides = """\
    - target: {kind: AuthPolicy, name: below}
      spokes: {all: true}
      merge: {spec: {rules: {authentication: {b: {n: "{{ spoke.values.one }}"}}}}}
    """
    rule = WEB + ', as: {namespace: "edge-{{ spoke.name }}"}}\n'
    judged = policies_of(stages.render(STRATEGY, rule, spokes=SPOKES, overrides=overrides))
    assert slotted(judged) == {"eu": True, "us": True}
    assert len({id(item) for item in judged.judged.values()}) == 1
