"""The line that a consequence names is the one that was changed."""

from spokerender.findings.codes import review as codes
from spokerender.findings.results import FindingKind
from spokerender.judging.fleet.judged import Aspect
from spokerender.model import Ref
from spokerender.pipeline import judge, render
from spokerender.review.comparison.states import FleetState
from spokerender.review.values import ReviewedState
from tests.review.meaning.scenes import (
    PLACE,
    SYNC,
    compare,
    gateway,
    hub,
    loud,
    policy,
    route,
    state,
)
from tests.support import cases
from tests.support.metapolicies import QUOTA, ROUTE, RULES, defined, definition, limits
from tests.support.project import FLEET
from tests.support.stages import CLASS

LOGIN = "rules: {authentication: {login: {jwt: {issuerUrl: https://id.example}}}}"
LIMIT = "limits: {all: {rates: [{limit: 5, window: 10s}]}}"
HUB = (gateway("istio"), route(), policy("AuthPolicy", LOGIN), policy("RateLimitPolicy", LIMIT))
EU = "{name: eu, labels: {tier: a}, values: {limit: 2, domain: eu.example}}"
US = "{name: us, labels: {tier: a}, values: {limit: 2, domain: us.example}}"
DECLARED = PLACE.replace("{name: eu}", EU).replace("{name: us}", US)
SELECTED = DECLARED.replace("all: true", "selector: {matchLabels: {tier: a}}")
NAMED = DECLARED + "    as: {hostnames: {'*.shop.example': '*.{{ spoke.values.domain }}'}}\n"
OVERRIDDEN = (
    DECLARED
    + """\
  overrides:
  - target: {kind: RateLimitPolicy}
    spokes: {names: [us]}
    merge: {spec: {limits: {all: {rates: [{limit: 3, window: 10s}]}}}}
"""
)
COUNTED = OVERRIDDEN.replace("limit: 3,", "limit: '{{ spoke.values.limit | int }}',")
RULE_BY_RULE = """\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: cart, namespace: infra}
spec:
  parentRefs: [{name: web}]
  hostnames: [a.shop.example]
  rules:
  - matches:
    - path: {value: /a}
    backendRefs: [{name: app, port: 80}]
  - matches:
    - path: {value: /b}
    backendRefs: [{name: app, port: 80}]
"""
RULE, OVERRIDE = "- gateways:", "merge: {spec: {limits:"
Hub = tuple[str, ...]


def told(
    places: tuple[str, str], code: FindingKind, hubs: tuple[Hub, Hub] = (HUB, HUB)
) -> tuple[str, str]:
    """The texts of the line of the one consequence of a code, before and after the change."""
    texts = [hub("istio", *each) for each in hubs]
    review = compare(*(state(text, place) for text, place in zip(texts, places, strict=True)))
    origins = [item.result.origin for item in review.consequences if item.result.code == code.code]
    (origin,) = dict.fromkeys(origins)
    assert origin is not None
    files = texts if origin.path.startswith("hub/") else places
    before, after = (f"{text}\n" * 2 for text in files)
    return before.splitlines()[origin.line - 1], after.splitlines()[origin.line - 1]


@cases(
    (DECLARED, DECLARED.replace("all: true", "names: [eu]"), codes.HOSTNAME_GONE, RULE),
    (SELECTED, SELECTED.replace(US, US.replace("tier: a", "tier: b")), codes.HOSTNAME_GONE, US),
    (NAMED, NAMED.replace("us.example", "uk.example"), codes.HOSTNAME_GONE, "- {name: us"),
    (NAMED, NAMED.replace("'*.{{", "'*.x.{{"), codes.HOSTNAME_GONE, RULE),
    (OVERRIDDEN, OVERRIDDEN.replace("limit: 3,", "limit: 30,"), codes.LIMIT_RAISED, OVERRIDE),
    (DECLARED, OVERRIDDEN.replace("limit: 3,", "limit: 30,"), codes.LIMIT_RAISED, OVERRIDE),
    (OVERRIDDEN, DECLARED, codes.LIMIT_RAISED, OVERRIDE),
    (COUNTED, COUNTED.replace(US, US.replace("limit: 2", "limit: 9")), codes.LIMIT_RAISED, US),
    (DECLARED.replace("all: true", "names: [eu]"), DECLARED, codes.FURTHER_WAY, RULE),
    (SELECTED.replace(US, US.replace("tier: a", "tier: b")), SELECTED, codes.FURTHER_WAY, US),
)
def test_the_cause_in_a_placement(before: str, after: str, code: FindingKind, line: str) -> None:
    assert any(line in text for text in told((before, after), code))


def test_the_hub_is_the_cause_where_its_object_changes() -> None:
    raised = tuple(text.replace("limit: 5", "limit: 9") for text in HUB)
    assert "limit: 9" in told((DECLARED, DECLARED), codes.LIMIT_RAISED, (HUB, raised))[1]
    gone = told((DECLARED, DECLARED), codes.ACCESS_REMOVED, (HUB, (*HUB[:2], HUB[3])))
    assert gone[0].startswith("apiVersion: kuadrant.io/v1")


def test_the_line_is_that_of_the_rule_that_changes() -> None:
    """Though all rules of a route change, and none has a name."""
    before = hub("istio", gateway("istio"), RULE_BY_RULE)
    after = before.replace("/a}", "/c}").replace("/b}", "/d}")
    review = compare(state(before), state(after))
    lines = {
        item.paths[0][-7:-1]: after.splitlines()[item.result.origin.line - 1]
        for item in review.consequences
        if item.result.origin is not None
    }
    assert lines == {"rule-1": "    - path: {value: /c}", "rule-2": "    - path: {value: /d}"}


DECIDED = """\
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: PlacementDecision
metadata:
  name: prod-decision-1
  namespace: infra
  labels: {cluster.open-cluster-management.io/placement: prod}
status:
  decisions:
"""
BOTH, ONE = (
    DECIDED + "".join(f"  - {{clusterName: {name}, reason: ''}}\n" for name in names)
    for names in (("eu", "us"), ("eu",))
)
BY_DECISION = PLACE.replace("all: true", "placement: infra/prod")


@cases(
    (BY_DECISION, BOTH, ONE, codes.HOSTNAME_GONE),
    (BY_DECISION, ONE, BOTH, codes.FURTHER_WAY),
    (OVERRIDDEN.replace("names: [us]", "placement: infra/prod"), BOTH, ONE, codes.LIMIT_RAISED),
)
def test_the_decision_of_a_hub_is_the_cause_of_what_it_places_elsewhere(
    place: str, old: str, new: str, code: FindingKind
) -> None:
    assert told((place, place), code, ((*HUB, old), (*HUB, new)))[1] == "  decisions:"


def test_a_rule_is_the_cause_where_it_asks_for_another_decision() -> None:
    other = BY_DECISION.replace("infra/prod", "infra/test")
    decided = (*HUB, BOTH, ONE.replace("prod", "test"))
    lines = told((BY_DECISION, other), codes.HOSTNAME_GONE, (decided, decided))
    assert lines[1].strip().startswith(RULE)


def test_the_list_in_the_fleet_file_is_the_cause_where_a_kind_is_in_it_no_more() -> None:
    unlisted = SYNC.replace("  - {group: kuadrant.io, kind: AuthPolicy}\n", "")
    (gone,) = loud(compare(state(hub("istio", *HUB)), state(hub("istio", *HUB), PLACE, unlisted)))
    assert gone.result.code == codes.ACCESS_REMOVED.code
    assert gone.result.resource == Ref("kuadrant.io", "AuthPolicy", "infra", "own")
    assert gone.result.origin is not None
    assert gone.result.origin.path == "fleet.yaml"


def test_the_list_in_the_fleet_file_is_the_cause_where_a_kind_is_new_in_it() -> None:
    unlisted = SYNC.replace("  - {group: gateway.networking.k8s.io, kind: HTTPRoute}\n", "")
    text = hub("istio", *HUB)
    (added,) = compare(state(text, PLACE, unlisted), state(text)).consequences
    assert added.result.code == codes.FURTHER_WAY.code
    assert added.result.resource == Ref("gateway.networking.k8s.io", "HTTPRoute", "infra", "cart")
    assert added.result.origin is not None
    assert added.result.origin.path == "fleet.yaml"


def test_the_parameters_are_the_cause_where_they_list_a_kind_no_more() -> None:
    """One change of theirs is one consequence, of all paths that lose a policy."""
    second = policy("AuthPolicy", LOGIN, name="second").replace("name: cart", "name: other")
    documents = [gateway("hub"), route(), route("other", "b.shop.example"), HUB[2], second]
    text, fleet = "---\n".join([CLASS, *documents]), f"{FLEET}  output: clusters/\n"
    unlisted = text.replace("    - {group: kuadrant.io, version: v1, kind: AuthPolicy}\n", "")
    (gone,) = loud(compare(*(state(each, PLACE, fleet) for each in (text, unlisted))))
    assert gone.result.code == codes.ACCESS_REMOVED.code
    assert len(gone.paths) == 4
    assert gone.result.resource == Ref("", "ConfigMap", "infra", "params")
    assert gone.result.origin is not None
    assert unlisted.splitlines()[gone.result.origin.line - 1] == "  params: |"


def made(declarative: str, quota: str = QUOTA) -> FleetState:
    fleet = render(defined(definition(declarative), ROUTE, quota))
    return FleetState(fleet, judge(fleet, (), Aspect.POLICIES), ReviewedState("a", 1))


@cases(
    (limits("${spec.perMinute * 10}"), codes.LIMIT_RAISED),
    (
        limits().replace(
            "targetRef: ${spec.targetRef}",
            "targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: other}",
        ),
        codes.LIMIT_REMOVED,
    ),
    (limits().replace('- reason: "a fair share"', "- when: 'false'"), codes.LIMIT_REMOVED),
)
def test_the_cause_in_the_definition_of_a_metapolicy(after: str, code: FindingKind) -> None:
    review = compare(made(limits()), made(after))
    assert code.code in {item.result.code for item in review.consequences}
    sides = [definition(text).splitlines() for text in (limits(), after)]
    numbers = (n for n, (old, new) in enumerate(zip(*sides, strict=True), 1) if old != new)
    assert {str(item.result.origin) for item in review.consequences} == {
        f"quota.yaml:{next(numbers)}"
    }


def test_the_metapolicy_is_the_cause_where_it_changes() -> None:
    more = QUOTA.replace("perMinute: 3", "perMinute: 30")
    (consequence,) = compare(made(limits()), made(limits(), more)).consequences
    assert str(consequence.result.origin).startswith("hub/hub.yaml:")


def test_a_hostname_that_goes_is_told_once_whatever_routes_served_it() -> None:
    both = (*HUB, route("more", "a.shop.example, b.shop.example"))
    review = compare(state(hub("istio", *both), PLACE, SYNC), state(hub("istio", HUB[0])))
    gone = [item for item in review.consequences if item.result.code == codes.HOSTNAME_GONE.code]
    assert sorted(name for item in gone for name in item.hostnames) == [
        "a.shop.example",
        "b.shop.example",
    ]
    (first,) = [item for item in gone if "a.shop.example" in item.hostnames]
    assert len(first.paths) == 4


def test_a_rule_whose_name_begins_alike_is_no_cause() -> None:
    """Both policies change: the one whose limit is raised, and one that changes otherwise."""

    def documents(own: int, above: int) -> Hub:
        limits = f"{{all: {{rates: [{{limit: {above}, window: 10s}}]}}}}"
        text = f"defaults: {{strategy: merge, limits: {limits}}}"
        limit = LIMIT.replace("limit: 5", f"limit: {own}").replace("all:", "all-2:")
        return (
            *HUB[:3],
            policy("RateLimitPolicy", text, "gateway", "above"),
            policy("RateLimitPolicy", limit),
        )

    review = compare(state(hub("istio", *documents(5, 9))), state(hub("istio", *documents(7, 8))))
    raised = [item for item in review.consequences if item.result.code == codes.LIMIT_RAISED.code]
    assert {ref.name for item in raised for ref in item.policies} == {"own"}


def test_the_hub_is_the_cause_where_a_rule_writes_what_the_hub_changes() -> None:
    """The rule gives the spokes' hostnames, as it did before."""
    further = tuple(
        text.replace("[a.shop.example]", "[a.shop.example,b.shop.example]") for text in HUB
    )
    assert "b.shop.example" in told((NAMED, NAMED), codes.FURTHER_WAY, (HUB, further))[1]
    fewer = told((NAMED, NAMED), codes.HOSTNAME_GONE, (further, HUB))
    assert "b.shop.example" not in fewer[1]
    assert "hostnames: [a.shop.example]" in fewer[1]


def test_another_controller_of_a_class_is_the_cause_of_what_no_object_of_a_spoke_shows() -> None:
    limit = policy("SecurityPolicy", "jwt: {providers: [{name: a, issuer: https://id.example}]}")
    texts = [hub(name, gateway("eg"), route(), limit) for name in ("eg", "istio")]
    other = texts[1].replace("{name: istio}", "{name: eg}")
    review = compare(state(texts[0]), state(other))
    (gone,) = [c for c in review.consequences if c.result.code == codes.ACCESS_REMOVED.code]
    assert gone.result.resource == Ref("gateway.networking.k8s.io", "GatewayClass", "", "eg")
    assert str(gone.result.origin) == "hub/hub.yaml:1"


def test_the_fleet_file_is_the_cause_of_what_it_declares_no_more() -> None:
    external = "  external:\n  - {group: '', kind: Secret, namespace: infra, name: cert}\n"
    sides = [f"{SYNC}{more}  completeKinds: [Secret]\n" for more in (external, "")]
    review = compare(*(state(hub("eg", *HUB[:2]), PLACE, fleet) for fleet in sides))
    missing = [c for c in review.consequences if c.result.code == codes.NEEDED_MISSING.code]
    assert missing
    assert {str(item.result.origin).partition(":")[0] for item in missing} == {"fleet.yaml"}


def test_a_definition_is_no_cause_of_what_a_placement_takes_away() -> None:
    def placed(rules: str) -> FleetState:
        fleet = render(defined(definition(limits()), ROUTE, QUOTA, rules=rules))
        return FleetState(fleet, judge(fleet, (), Aspect.POLICIES), ReviewedState("a", 1))

    review = compare(placed(RULES), placed(RULES.replace("{all: true}", "{names: [eu]}")))
    gone = [c for c in review.consequences if c.result.code == codes.PRUNED.code]
    assert {str(item.result.origin).partition(":")[0] for item in gone} == {"placement.yaml"}


def test_a_metapolicy_is_no_cause_of_what_it_edits_no_more_as_its_target_is_gone() -> None:
    edit = """\
        change:
        - objects: self.findAuthPolicies()
          merge: {spec: {when: [{predicate: request.method == "GET"}]}}
    """
    login = policy("AuthPolicy", LOGIN, "gateway").replace("name: own", "name: own, labels: {a: b}")
    states = []
    for routes in ((ROUTE,), ()):
        fleet = render(defined(definition(edit), *routes, QUOTA, login))
        about = ReviewedState("a", 1)
        states.append(FleetState(fleet, judge(fleet, (), Aspect.POLICIES), about))
    causes = {item.result.resource for item in compare(*states).tightened}
    assert causes == {Ref("gateway.networking.k8s.io", "HTTPRoute", "shop", "cart")}


def test_the_cause_of_a_block_in_place_of_another_is_its_line() -> None:
    key = policy("AuthPolicy", "rules: {authentication: {key: {apiKey: {}}}}", name="key")
    block = "{rules: {authentication: {login: {jwt: {issuerUrl: https://id.example}}}}}"
    old, new = (
        hub("istio", *HUB[:2], key, policy("AuthPolicy", f"{side}: {block}", "gateway"))
        for side in ("defaults", "overrides")
    )
    origins = {item.result.origin for item in compare(state(old), state(new)).consequences}
    lines = [new.splitlines()[origin.line - 1].split(":")[0] for origin in origins if origin]
    assert lines == ["  overrides"]
