"""kgateway and agentgateway, as their own tests have them: what is told, and what is not known.

Sources: kgateway 48460f7, pkg/kgateway/translator/gateway/testutils; agentgateway 75b4e6c,
controller/pkg/agentgateway/plugins/testdata. Nothing of them stands here.
"""

from collections.abc import Mapping

from spokerender.explain.values import PathQuestion
from spokerender.pipeline import judge
from tests.support import cases, rows_of, text_of
from tests.support.answers import in_force, statuses
from tests.support.end_to_end import built, everywhere, fleet, objects, rendered

CLASS = text_of(__file__, "kgateway_class.txt")
GATEWAY = text_of(__file__, "kgateway_gateway.txt")
PARENT = text_of(__file__, "kgateway.yaml")
TRAFFIC = ("gateway.kgateway.dev", "TrafficPolicy")
AGENT = ("agentgateway.dev", "AgentgatewayPolicy")
EXTENSION = ("gateway.kgateway.dev", "GatewayExtension")
ROUTES = ("gateway.networking.k8s.io", "HTTPRoute")


def policy(of: tuple[str, str], name: str, target: str, spec: str = "") -> str:
    kind, _, rest = target.partition(" ")
    target, _, section = rest.partition("#")
    group = "" if kind == "Service" else "gateway.networking.k8s.io"
    more = f", sectionName: {section}" if section else ""
    targets = f'targetRefs: [{{group: "{group}", kind: {kind}, name: {target}{more}}}]'
    return (
        f"apiVersion: {of[0]}/v1alpha1\nkind: {of[1]}\n"
        f"metadata: {{name: {name}, namespace: infra}}\nspec: {{{targets}, {spec}}}\n---\n"
    )


def files(controller: str, *documents: str) -> Mapping[str, str]:
    hub = "".join((CLASS.replace("CONTROLLER", controller), GATEWAY, *documents))
    listed = (TRAFFIC, AGENT, EXTENSION, ROUTES, ("", "Service"))
    return {
        "hub/hub.yaml": hub,
        "placement.yaml": everywhere("infra/web"),
        "fleet.yaml": fleet(*listed),
    }


def told(controller: str, *documents: str) -> dict[str, dict[str, str]]:
    """By policy and ancestor, what is said there."""
    found = rendered(files(controller, *documents))
    return {
        each.policy.name: {
            str(ancestor.ancestor).strip(): " ".join(
                f"{item.type}={item.status}/{item.reason}"
                for item in ancestor.conditions
                if item.type in ("Accepted", "Attached")
            )
            for ancestor in each.ancestors
        }
        for each in statuses(judge(found), "", "", found.results)
    }


KGATEWAY, AGENTGATEWAY = "kgateway.dev/kgateway", "agentgateway.dev/agentgateway"
FINE = "Accepted=True/Valid Attached=True/Attached"
NOWHERE = "Accepted=True/Valid Attached=False/Pending"
ROUTE = text_of(__file__, "kgateway_route.txt")


@cases(*rows_of(__file__, "agentgateway_accepts_what_attaches_to_nothing"))
def test_agentgateway_accepts_what_attaches_to_nothing(
    target: str, expected: dict[str, str]
) -> None:
    """traffic_plugin.go, resolvePolicyAncestorRefs: an entry of no object tells of it."""
    found = told(AGENTGATEWAY, policy(AGENT, "p", target, "traffic: {timeouts: {request: 1s}}"))
    assert found["p"] == expected


def test_agentgateway_tells_of_the_rest_of_the_targets_besides() -> None:
    one = policy(AGENT, "p", "Gateway web")
    both = one.replace(
        "name: web}", "name: web}, {group: gateway.networking.k8s.io, kind: Gateway, name: gone}"
    )
    assert set(told(AGENTGATEWAY, both)["p"].values()) == {FINE, NOWHERE}


LIMITED = "timeouts: {request: %s}"


def given(said: str, *documents: str) -> tuple[dict[str, str], str]:
    """On the child's path: by unit the policy that gives it; and why nobody can tell."""
    annotations = f"kgateway.dev/inherited-policy-priority: {said}" if said else ""
    project = files(KGATEWAY, PARENT.replace("SAID", annotations), *documents)
    found = built(project)
    answers = in_force(found, judge(found), PathQuestion("", "child", "TrafficPolicy", ""))
    (answer,) = answers
    return {each.rule.key: each.rule.policy.name for each in answer.rules}, answer.unknown


@cases(("", "child"), ("ShallowMergePreferChild", "child"), ("ShallowMergePreferParent", "parent"))
def test_a_parent_says_whose_policy_is_preferred(said: str, gives: str) -> None:
    """api/annotations/policy.go: field by field; what only one of them has is in force."""
    both = (
        policy(TRAFFIC, "gw", "Gateway web", "buffer: {maxRequestSize: 1Ki}"),
        policy(TRAFFIC, "parent", "HTTPRoute parent", "timeouts: {request: 1s}, statPrefix: b"),
        policy(TRAFFIC, "child", "HTTPRoute child", "timeouts: {request: 2s}, retry: {}"),
    )
    expected = {"buffer": "gw", "statPrefix": "parent", "timeouts": gives, "retry": "child"}
    assert given(said, *both) == (expected, "")


def test_what_a_deep_merge_gives_is_not_known() -> None:
    parent = policy(TRAFFIC, "parent", "HTTPRoute parent", "transformation: {request: {}}")
    child = policy(TRAFFIC, "child", "HTTPRoute child", "transformation: {response: {}}")
    rules, unknown = given("DeepMergePreferChild", parent, child)
    assert rules == {}
    assert "HTTPRoute infra/parent asks for a deep merge" in unknown


def test_what_several_access_lists_come_to_is_not_known() -> None:
    """api/v1alpha1/kgateway, ACL: they are united, unless they differ in their default."""
    lists = [
        policy(TRAFFIC, name, "HTTPRoute child", f"acl: {{defaultAction: {action}}}")
        for name, action in (("one", "deny"), ("two", "allow"))
    ]
    rules, unknown = given("", *lists)
    assert rules == {}
    assert unknown.startswith("what several policies with acl come to is not known")
    assert given("", lists[0]) == ({"acl": "one"}, "")


@cases(
    ("Gateway web", {"Gateway infra/web"}),
    ("Gateway web#http", {"Gateway infra/web"}),
    ("HTTPRoute parent", {"Gateway infra/web"}),
)
def test_kgateway_s_ancestors_are_whole(target: str, ancestors: set[str]) -> None:
    found = told(KGATEWAY, ROUTE, policy(TRAFFIC, "p", target, "buffer: {maxRequestSize: 1Ki}"))
    assert found["p"] == dict.fromkeys(ancestors, FINE)


def test_what_the_controller_may_be_set_to_merge_is_attached_or_not() -> None:
    """extensions2/plugins/trafficpolicy/merge.go: `policyMerge`, of which no file tells."""
    two = [
        policy(TRAFFIC, name, "Gateway web", f"extAuth: {{contextExtensions: {{{name}: a}}}}")
        for name in ("one", "two")
    ]
    others = [
        policy(TRAFFIC, name, "Gateway web", LIMITED % each)
        for name, each in (("three", "1s"), ("four", "2s"))
    ]
    assert told(KGATEWAY, ROUTE, *two)["two"] == {
        "Gateway infra/web": "Accepted=True/Valid Attached=Unknown/NotKnown"
    }
    assert told(KGATEWAY, ROUTE, *others)["three"] == {
        "Gateway infra/web": "Accepted=True/Valid Attached=Unknown/DecidedByAge"
    }


GRANT = text_of(__file__, "kgateway_grant.txt")
ASKED = text_of(__file__, "kgateway_asked.txt")


def test_what_a_policy_works_through_goes_along() -> None:
    guard = policy(TRAFFIC, "p", "Gateway web", "extAuth: {extensionRef: {name: asked}}")
    found = objects(built(files(KGATEWAY, GRANT, ASKED, guard)))
    assert {"GatewayExtension infra/asked", "Service auth/judge"} <= found.keys()


@cases((GRANT, True), ("", False))
def test_what_a_policy_works_through_may_need_a_grant(grants: str, accepted: bool) -> None:
    guard = policy(TRAFFIC, "p", "Gateway web", "extAuth: {extensionRef: {name: asked}}")
    (said,) = told(KGATEWAY, grants, ASKED, guard)["p"].values()
    assert said.startswith(f"Accepted={accepted}/{'Valid' if accepted else 'Invalid'}")
