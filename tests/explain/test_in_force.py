"""What is in force: answers and the spokes that share them, and questions that narrow them."""

from hashlib import sha256

from spokerender.explain.in_force import share_in_force
from spokerender.explain.values import EffectiveAnswer, PathQuestion
from tests.judging.advice.spokes import auth
from tests.support import cases, manifest, rows_of, stages
from tests.support.answers import in_force, on_paths
from tests.support.shop import OVERRIDES, judged, shop


def asked(question: PathQuestion, *more: str, overrides: str = OVERRIDES) -> list[str]:
    """The answers, each as `gateway [listener] route [rule] kind keys on spokes`."""
    found = shop(*more, overrides=overrides)
    assert stages.told(found.results) == []
    return [shown(answer) for answer in in_force(found, judged(found), question)]


def shown(answer: EffectiveAnswer) -> str:
    path = answer.path
    where = f"{path.gateway.namespace}/{path.gateway.name} {path.listener}"
    if path.listener_set is not None:
        where += f" of {path.listener_set.name}"
    if path.route is not None:
        where += f" {path.route.name}/{path.rule}"
    keys = ",".join(f"{r.rule.policy.namespace}/{r.rule.policy.name}" for r in answer.rules)
    return f"{where}: {answer.kind} {keys} on {' '.join(answer.spokes)}"


EDGE = rows_of(__file__, "edge")
OWN = ["infra/theirs main own/all: AuthPolicy infra/own on us"]
WEST = [
    line.replace("edge", "west").replace(" ap eu", " us").replace(" ap", " us") for line in EDGE
]
del WEST[1]


def test_spokes_share_what_is_the_same() -> None:
    """Domains differ on each, a namespace on one; the DNSPolicy is other on each of them."""
    assert asked(PathQuestion()) == [*EDGE, *OWN, *WEST]


def test_what_is_made_has_hashes_of_the_names_that_a_spoke_has() -> None:
    """Where these differ by spoke, what is common has no hash."""
    found = shop()
    question = PathQuestion(kind="AuthPolicy", route="cart", made=True)
    (alike,) = [
        alike
        for alike in share_in_force(found, judged(found), question)
        if (alike.common.path.listener, alike.common.path.rule) == ("http", "all")
    ]
    told = {
        answer.spokes: made.value["metadata"]["name"]
        for answer in (alike.common, *alike.each)
        for made in answer.made
        if made.to == "Authorino"
    }
    edge, west = (
        sha256(f"istio|{ns}/web|{ns}/web#http|shop/cart|shop/cart#all".encode()).hexdigest()
        for ns in ("edge", "west")
    )
    assert told == {("ap", "eu", "us"): "…", ("ap", "eu"): edge, ("us",): west}


def test_hostnames_are_those_of_all_spokes() -> None:
    found = shop()
    names = {shown(item): item for item in in_force(found, judged(found), PathQuestion())}
    assert names[EDGE[2]].hostnames == ("a.ap.example", "a.eu.example")
    assert names[EDGE[0]].hostnames == ("*.ap.example",)
    assert names[OWN[0]].hostnames == ()
    assert {item.path.hostnames for item in names.values()} == {()}


@cases(
    (PathQuestion(spoke="us"), [*OWN, *WEST]),
    (PathQuestion(spoke="ap"), [EDGE[0], *(line.replace(" ap eu", " ap") for line in EDGE[2:])]),
    (PathQuestion(route="own"), OWN),
    (PathQuestion(route="shop/own"), OWN),
    (PathQuestion(route="httproute/own"), OWN),
    (PathQuestion(route="httpROUTE/shop/own"), OWN),
    (PathQuestion(route="GRPCRoute/shop/own"), []),
    (PathQuestion(route="infra/own"), []),
    (PathQuestion(route="a/HTTPRoute/shop/own"), []),
    (PathQuestion(kind="dnspolicy"), [*EDGE[:2], WEST[0]]),
    (PathQuestion(kind="RateLimitPolicy"), []),
    (PathQuestion(spoke="us", kind="AuthPolicy", route="cart"), WEST[1:]),
    ids=str,
)
def test_narrowed(question: PathQuestion, expected: list[str]) -> None:
    assert asked(question) == expected


@cases(
    ("a.us.example", {"us"}),
    ("b.us.example", {"us"}),
    ("*.us.example", {"us"}),
    ("*.example", {"ap eu", "ap", "eu", "us"}),
    ("us.example", {"us"}),
    ("a.ap.example", {"ap"}),
)
def test_narrowed_to_a_hostname(hostname: str, spokes: set[str]) -> None:
    """A wildcard stands for one label at least; a path without hostnames takes all of them."""
    found = shop()
    answers = in_force(found, judged(found), PathQuestion(hostname=hostname))
    assert set(OWN) <= {shown(item) for item in answers}
    told = {" ".join(item.spokes) for item in answers if shown(item) not in OWN}
    expected = spokes
    if hostname == "us.example":
        expected = set()
    if hostname == "*.example":
        expected = {"ap", "eu", "ap eu", "us"}
    assert told == expected


def test_overrides_that_changed_a_rule() -> None:
    found = shop()
    answers = {shown(item): item for item in in_force(found, judged(found), PathQuestion())}
    changed = found.decision.overrides[0].place("merge", "spec")
    assert [rule.changed_by for rule in answers[EDGE[0]].rules] == [(changed,)]
    assert [rule.changed_by for rule in answers[EDGE[1]].rules] == [()]
    assert [rule.rule.value["geo"] for rule in answers[EDGE[0]].rules] == ["AP"]
    assert [rule.rule.value["geo"] for rule in answers[EDGE[1]].rules] == ["EU"]


def test_an_override_elsewhere_in_the_object_changed_no_rule() -> None:
    overrides = """\
    - target: {kind: DNSPolicy}
      spokes: {names: [ap]}
      merge: {metadata: {annotations: {a: b}}}
    """
    answers = asked(PathQuestion(kind="DNSPolicy"), overrides=overrides)
    assert answers[0] == "edge/web http: DNSPolicy edge/dns on ap eu"


def test_two_overrides_that_write_the_same_are_told_apart() -> None:
    """The values are equal on both spokes, and each has its own line."""
    overrides = "".join(
        f"- target: {{kind: DNSPolicy}}\n  spokes: {{names: [{name}]}}\n"
        "  merge: {spec: {loadBalancing: {weight: 9}}}\n"
        for name in ("ap", "eu")
    )
    found = shop(overrides=overrides)
    answers = in_force(found, judged(found), PathQuestion(kind="DNSPolicy", spoke=""))
    here = {item.spokes: [str(rule.changed_by[0]) for rule in item.rules] for item in answers[:2]}
    assert here == {("ap",): ["placement.yaml:24"], ("eu",): ["placement.yaml:27"]}


def test_a_listener_set() -> None:
    more = manifest(
        "ListenerSet infra/more",
        "parentRef: {name: own}, listeners: [{name: extra, port: 82, protocol: HTTP}]",
    )
    route = stages.route("extra", "[{kind: ListenerSet, name: more}]", "infra", spec="rules: [{}]")
    gateway = stages.gateway("own", spec="allowedListeners: {namespaces: {from: Same}}")
    policy = manifest(
        "SecurityPolicy infra/own",
        "targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: extra}], cors: {}",
    )
    found = stages.render(
        [stages.CLASS, gateway, more, route, policy],
        "- {gateways: {names: [infra/own]}, spokes: {all: true}}\n",
    )
    bare, answer, open_ = on_paths(found, judged(found), PathQuestion())
    expected = "infra/own extra of more extra/rule-1: SecurityPolicy infra/own on eu us"
    assert sorted(map(shown, (answer, open_))) == [
        expected.replace("SecurityPolicy infra/own", " "),
        expected,
    ]
    assert shown(bare) == "infra/own http:   on eu us"
    assert answer.path.listener_set is not None


def test_what_else_may_come_about() -> None:
    """Two bare policies on one route: the newest holds, and files know of no age."""
    more = auth("again", "HTTPRoute/cart/buy", "rules: {authentication: {other: {}}}", "shop")
    found = shop(more)
    (answer, *_) = in_force(found, judged(found), PathQuestion(spoke="ap", route="cart"))[1:]
    outcomes = [answer.rules, *answer.others]
    names = [[rule.rule.policy.name for rule in rules] for rules in outcomes]
    assert names == [["buy"], ["again"]]
    assert [item.overruled.policy.name for item in answer.overruled] == ["again", "guard"]


def test_a_rule_has_the_line_of_the_hub() -> None:
    found = shop()
    (answer, *_) = in_force(found, judged(found), PathQuestion(route="own"))
    (policy,) = (m for m in found.hub.manifests if str(m.ref) == "AuthPolicy infra/own")
    (rule,) = answer.rules
    assert rule.origin.path == policy.origin.path
    assert rule.origin.line == policy.origin.line + 3
