"""What Kuadrant's operator 1.5.2 made of its metapolicies (tests/data/extensions), is made here."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from spokerender.edge.templates import carried_metapolicies
from spokerender.findings.results import Severity
from spokerender.judging.cluster import Cluster, Knowledge
from spokerender.judging.judge import judge_cluster
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Manifest, Origin, Ref, identity
from spokerender.pipeline import Project, render
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.stages import Given
from spokerender.topology.graph import Topology
from spokerender.wings.metapolicies.config import load_metapolicies
from spokerender.wings.metapolicies.expressions import evaluate_source, expressions_budget
from spokerender.wings.metapolicies.shared_topology import SharedTopology
from spokerender.wings.metapolicies.topology_view import TopologyView, TrackedValues
from tests.support import cases, cyaml, each, rows_of
from tests.support.metapolicies import with_definitions
from tests.support.project import project
from tests.support.stages import fleet, objects, placement

SYNC = "{group: gateway.networking.k8s.io, kind: %s}"
SETTINGS = (
    "policiesToSync: [{group: kuadrant.io, kind: AuthPolicy}, {group: extensions.kuadrant.io, "
    "kind: TelemetryPolicy}, {group: extensions.kuadrant.io, kind: ThreatPolicy}, "
    f"{SYNC % 'HTTPRoute'}, {SYNC % 'GRPCRoute'}]"
)
GROUP = "gateway.networking.k8s.io"


@pytest.fixture
def extensions(fixtures: Path) -> Path:
    return fixtures / "extensions"


def documents(path: Path) -> list[dict[str, Any]]:
    return [each for each in cyaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


def gateway(name: str = "external", namespace: str = "gateway-system") -> dict[str, Any]:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Gateway",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "gatewayClassName": "istio",
            "listeners": [
                {
                    "name": "web",
                    "port": 80,
                    "protocol": "HTTP",
                    "hostname": "shop.example.com",
                    "allowedRoutes": {"namespaces": {"from": "All"}},
                }
            ],
        },
    }


def route(policy: dict[str, Any], above: dict[str, Any], name: str = "") -> dict[str, Any]:
    target, parent = policy["spec"]["targetRef"], above["metadata"]
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": target["kind"],
        "metadata": {
            "name": name or target["name"],
            "namespace": policy["metadata"].get("namespace", "default"),
        },
        "spec": {"parentRefs": [{"name": parent["name"], "namespace": parent["namespace"]}]},
    }


def made(*data: dict[str, Any], settings: str = "") -> Rendered:
    names = [
        f"{each['metadata']['namespace']}/{each['metadata']['name']}"
        for each in data
        if each["kind"] == "Gateway"
    ]
    rules = f"- {{gateways: {{names: {names}}}, spokes: {{all: true}}}}"
    return render(planned(yaml.safe_dump_all(data), rules, settings))


def planned(text: str, rules: str, settings: str = "") -> Project:
    found = project(text, placement(rules, spokes="- {name: eu}"), fleet(f"{SETTINGS}\n{settings}"))
    return with_definitions(found, load_metapolicies(carried_metapolicies("1.5.2")))


def expected(path: Path) -> dict[str, dict[str, Any]]:
    """What the API server stored, without the owner's identity, which no file can know."""
    found = {}
    for item in documents(path):
        item["metadata"].pop("ownerReferences", None)
        found[f"{item['kind']} {item['metadata']['namespace']}/{item['metadata']['name']}"] = item
    return found


def codes(found: Rendered, least: Severity = Severity.WARNING) -> list[str]:
    wanted = {Severity.ERROR} if least is Severity.ERROR else {Severity.ERROR, Severity.WARNING}
    return sorted({each.code for each in found.results if each.severity in wanted})


OIDC = ["01-keycloak-userguide-http", "02-gitlab-issuer-only-https", "03-claims-single",
        "05-token-authheader", "06-token-customheader"]  # fmt: skip


@each(*OIDC)
def test_oidc_policies_become_what_the_operator_makes(name: str, extensions: Path) -> None:
    folder = extensions / "oidcpolicy" / name
    policy, above = documents(folder / "input.yaml")
    found = made(policy, above, route(policy, above))
    wanted = expected(folder / "expected.canonical.yaml")
    rendered = objects(found)
    assert {key: rendered[key] for key in wanted} == wanted
    assert codes(found) == []


PLANS = ["01-sample-httproute", "02-userguide-toystore", "04-grpcroute-multiline-nolimits"]


@each(*PLANS)
def test_plan_policies_become_what_the_operator_makes(name: str, extensions: Path) -> None:
    folder = extensions / "planpolicy" / name
    (policy,) = documents(folder / "input.yaml")
    above = gateway()
    auth = auth_policy("auth", above, {"rules": RULES})
    rendered = objects(made(policy, above, route(policy, above), auth))
    wanted = expected(folder / "expected.stored.yaml")
    assert {key: rendered[key] for key in wanted} == wanted
    mutation = documents(folder / "expected.authconfig-mutation.yaml")[0]["spec"]["response"]
    filters = rendered["AuthPolicy gateway-system/auth"]["spec"]["rules"]["response"]["success"]
    kuadrant = mutation["success"]["dynamicMetadata"]["kuadrant"]["json"]["properties"]["plan"]
    text = filters["filters"]["kuadrant"]["json"]["properties"]["plan"]["expression"]
    assert text == kuadrant["expression"]
    assert text == (folder / "expected.plan-expression.cel").read_text(encoding="utf-8")


def test_a_plan_is_written_into_the_policy_that_is_in_force(extensions: Path) -> None:
    folder = extensions / "planpolicy-static" / "toystore"
    auth, policy = documents(folder / "input.yaml")
    rendered = objects(made(auth, policy, gateway(), route(policy, gateway())))
    (wanted,) = documents(folder / "derived.authpolicy-in-place.yaml")
    found = rendered["AuthPolicy gateway-system/toystore"]
    found["metadata"].pop("annotations")  # the mark of a synced copy
    assert found == wanted


RULES: dict[str, Any] = {"authentication": {"api-key": {"anonymous": {}}}}


def auth_policy(name: str, on: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    target = {"group": GROUP, "kind": on["kind"], "name": on["metadata"]["name"]}
    return {
        "apiVersion": "kuadrant.io/v1",
        "kind": "AuthPolicy",
        "metadata": {"name": name, "namespace": on["metadata"]["namespace"]},
        "spec": {"targetRef": target, **spec},
    }


def plan_policy(name: str, on: dict[str, Any], tier: str) -> dict[str, Any]:
    found = auth_policy(name, on, {"plans": [{"tier": tier, "predicate": "true"}]})
    return {**found, "apiVersion": "extensions.kuadrant.io/v1alpha1", "kind": "PlanPolicy"}


def plans_in(policy: dict[str, Any], block: str = "rules") -> str:
    rules = policy["spec"][block]
    rules = rules if block == "rules" else rules["rules"]
    success = rules.get("response", {}).get("success", {})
    text = success.get("filters", {}).get("kuadrant", {}).get("json", {})
    return str(text.get("properties", {}).get("plan", {}).get("expression", "")).partition("\n")[0]


def test_policies_of_two_routes_are_copied_and_none_is_shadowed() -> None:
    above = gateway()
    one, two = (route(plan_policy("x", above, "x"), above, name) for name in ("one", "two"))
    for item in (one, two):
        item.update(kind="HTTPRoute", metadata={**item["metadata"], "namespace": "shop"})
    auth = auth_policy("auth", above, {"rules": RULES})
    plans = [plan_policy("one", one, "gold"), plan_policy("two", two, "silver")]
    rendered = objects(made(above, one, two, auth, *plans))
    assert plans_in(rendered["AuthPolicy gateway-system/auth"]) == ""
    for name, tier in (("one", "gold"), ("two", "silver")):
        copy = rendered[f"AuthPolicy shop/auth-{name}"]
        assert copy["spec"]["targetRef"] == {"group": GROUP, "kind": "HTTPRoute", "name": name}
        assert copy["spec"]["rules"]["authentication"] == RULES["authentication"]
        assert plans_in(copy) == f'["{tier}"]'


def test_equal_plans_are_written_in_place() -> None:
    above = gateway()
    one, two = (route(plan_policy("x", above, "x"), above, name) for name in ("one", "two"))
    for item in (one, two):
        item.update(kind="HTTPRoute", metadata={**item["metadata"], "namespace": "shop"})
    auth = auth_policy("auth", above, {"defaults": {"rules": RULES, "strategy": "merge"}})
    plans = [plan_policy("one", one, "gold"), plan_policy("two", two, "gold")]
    rendered = objects(made(above, one, two, auth, *plans))
    assert plans_in(rendered["AuthPolicy gateway-system/auth"], "defaults") == '["gold"]'
    assert [name for name in rendered if name.startswith("AuthPolicy")] == [
        "AuthPolicy gateway-system/auth"
    ]


def test_a_routes_plan_counts_on_the_route_and_the_gateways_elsewhere() -> None:
    above = gateway()
    one = route(plan_policy("x", above, "x"), above, "one")
    one.update(kind="HTTPRoute", metadata={**one["metadata"], "namespace": "shop"})
    both = auth_policy("auth", above, {"rules": RULES}), auth_policy("own", one, {"rules": RULES})
    plans = [plan_policy("all", above, "silver"), plan_policy("one", one, "gold")]
    found = made(above, one, *both, *plans)
    assert plans_in(objects(found)["AuthPolicy shop/own"]) == '["gold"]'
    assert "SR2829" in codes(found)


@cases(*rows_of(__file__, "what_can_not_be_composed_is_an_error"))
def test_what_can_not_be_composed_is_an_error(spec: dict[str, Any], code: str) -> None:
    above = gateway()
    one, two = (route(plan_policy("x", above, "x"), above, name) for name in ("one", "two"))
    for item in (one, two):
        item.update(kind="HTTPRoute", metadata={**item["metadata"], "namespace": "shop"})
    plans = [plan_policy("one", one, "gold"), plan_policy("two", two, "silver")]
    found = made(above, one, two, auth_policy("auth", above, spec), *plans)
    assert code in codes(found, Severity.ERROR)


def test_the_operators_graph_gives_the_same_gateways_and_policies(extensions: Path) -> None:
    data = documents(extensions / "dag" / "topology.yaml")
    catalogue = Catalogue.of([])
    manifests = tuple(
        Manifest.read(ref, each, Origin("topology.yaml"))
        for each in data
        if (ref := identity(each)) is not None
    )
    shared = SharedTopology(Given((), manifests), catalogue, Topology(()))
    groups = {(each.ref.kind, each.ref.name): each.ref for each in manifests}
    asked = {}
    for key, wanted in documents(extensions / "dag" / "expected.yaml")[0].items():
        kind, name = key.split("/")
        ref = groups[kind, name]
        target = (
            f'kuadrant.v1.TargetRef{{group: "{ref.group}", kind: "{kind}", '
            f'namespace: "{ref.namespace}", name: "{name}"}}'
        )
        places = f"{target}.findGateways().map(g, g.metadata.namespace + '/' + g.metadata.name)"
        policies = f"{target}.findPolicies('TestPolicy').map(p, p.metadata.name)"
        asked[key] = wanted
        spoke = {"name": "eu", "labels": {}, "values": {}}
        assert ask(places, shared, spoke) == wanted["findGateways(sorted)"], key
        assert ask(policies, shared, spoke) == wanted["findPolicies(sorted)"], key
    assert len(asked) == 23


def ask(expression: str, shared: SharedTopology, spoke: dict[str, Any]) -> Any:
    nobody = Manifest(Ref("", "", "", ""), {"metadata": {}}, None)
    view = TopologyView(shared, nobody, spoke, TrackedValues({}), expressions_budget())
    return evaluate_source(expression, view, {"spoke": "dyn"})


def test_the_samples_have_the_verdicts_that_were_written_by_hand(extensions: Path) -> None:
    """Before anything was run: what is wrong with each, as kuadrant-operator carries it out."""
    verdicts = {
        "planpolicy.yaml": ["SR2824", "SR2825", "SR2827"],  # no identity, no tier for the rest
        "oidcpolicy.INVALID-typo.yaml": ["SR2831", "SR2838"],  # cliendID; a slash at the end
        "threatpolicy.yaml": [],  # passes through
        "overview-telemetrypolicy.yaml": [],  # passes through
        "userguide-plan-based-rate-limiting.yaml": ["SR2824", "SR2825"],
        "userguide-oidc-keycloak.yaml": [],
    }
    for name, wanted in verdicts.items():
        policy, found = sample(extensions / "samples" / name)
        assert [code for code in codes(found) if code.startswith("SR28")] == wanted, name
        if policy["kind"] in ("ThreatPolicy", "TelemetryPolicy"):
            assert any(each.startswith(policy["kind"]) for each in objects(found))


def test_samples_with_placeholders_have_theirs(extensions: Path) -> None:
    """By hand: `[YOUR_CLIENT_ID]` is a list to YAML, and no URL can be made of one."""
    found = documents(extensions / "samples" / "userguide-oidc-gitlab.yaml")
    logins = [each for each in found if each["kind"] == "OIDCPolicy"]
    for policy in logins:
        policy["metadata"]["namespace"] = "gateway-system"
        above = gateway()
        told = made(policy, above, route(policy, above)).results
        assert [each.code for each in told if each.severity is Severity.ERROR] == ["SR2802"]
    assert len(logins) == 2


def sample(path: Path) -> tuple[dict[str, Any], Rendered]:
    """The metapolicy of a sample, its namespaces filled in, with what it needs around it."""
    text = path.read_text(encoding="utf-8")
    for variable in ("${KUADRANT_GATEWAY_NS}", "${KUADRANT_DEVELOPER_NS}"):
        text = text.replace(variable, "gateway-system")
    text = text.replace("${KUADRANT_GATEWAY_NAME}", "external").replace("$INGRESS_IP", "10.0.0.1")
    data = [item for item in cyaml.safe_load_all(text) if item]
    kinds = ("PlanPolicy", "OIDCPolicy", "TelemetryPolicy", "ThreatPolicy", "AuthPolicy")
    kept = [item for item in data if item["kind"] in kinds]
    (policy,) = [item for item in kept if item["kind"] != "AuthPolicy"]
    for item in kept:
        item["metadata"].setdefault("namespace", "gateway-system")
        item["metadata"]["namespace"] = "gateway-system"
    above = gateway(policy["spec"]["targetRef"]["name"]) if is_for_gateway(policy) else gateway()
    below = [] if is_for_gateway(policy) else [route(policy, above)]
    return policy, made(*kept, above, *below)


def is_for_gateway(policy: dict[str, Any]) -> bool:
    return bool(policy["spec"]["targetRef"]["kind"] == "Gateway")


COMPOSED = [
    "A", "B", "B2", "C", "D", "D2", "E", "E2", "F", "F2", "G", "H", "H2", "I", "J",
]  # fmt: skip
PARTS: dict[str, dict[str, Any]] = rows_of(__file__, "parts")


@each(*COMPOSED)
def test_policies_come_together_as_the_operator_has_them(case: str, extensions: Path) -> None:
    found: Any = documents(extensions / "effective" / "authpolicy-composition.yaml")[0]
    told = next(each for each in found if each["id"] == case)
    above = gateway()
    below = route(plan_policy("x", above, "x"), above, "r")
    below.update(kind="HTTPRoute", metadata={"name": "r", "namespace": "shop"})
    policies, ages = [], {}
    for on, key in ((above, "gateway"), (below, "route")):
        for said in told.get(key, ()):
            part, mode, *rest = said.split()
            block, _, strategy = mode.partition("/")
            rules = {"rules": PARTS[part]}
            spec = rules if block == "implicit" else {block: {**rules, "strategy": strategy}}
            policy = auth_policy(part, on, spec)
            policies.append(policy)
            ref = identity(policy)
            assert ref is not None
            ages[ref] = int(rest[0].removeprefix("age")) if rest else 0
    catalogue = Catalogue.of([])
    data = [above, below, *policies]
    manifests = [
        Manifest.read(ref, each, Origin("case.yaml"))
        for each in data
        if (ref := identity(each)) is not None
    ]
    judged = judge_cluster(Cluster.of(manifests, catalogue), Knowledge(catalogue, ages=ages))
    names = {
        rule.key.rpartition(".")[2]
        for each in judged.effective
        if each.kind == "AuthPolicy" and each.path.route is not None
        for rule in each.likely.rules
    }
    assert sorted(names) == sorted(told["effective"])
