"""What is told of adopted clusters: drift first, with its line; labels, values, pairs."""

from collections.abc import Callable
from copy import deepcopy

from spokerender.adopting.fleets.adopt import Adoption
from spokerender.adopting.fleets.telling import tell
from tests.support import cases, cyaml
from tests.support.fleets import Objects, adopt
from tests.support.objects import manifest

GATEWAY = manifest(
    "Gateway edge/public",
    "gatewayClassName: istio, listeners: [{name: web, port: 80, protocol: HTTP, "
    'hostname: "*.shop.example", allowedRoutes: {namespaces: {from: All}}}]',
)
ROUTE = manifest(
    "HTTPRoute shop/cart",
    "parentRefs: [{name: public, namespace: edge}], hostnames: [cart.shop.example], "
    "rules: [{backendRefs: [{name: cart, port: 80, weight: 1}]}]",
)
LIMIT = manifest(
    "RateLimitPolicy shop/cart",
    "targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}, "
    "limits: {all: {rates: [{limit: 100, window: 1m}]}}",
    metadata='annotations: {kuadrant.io/policy-synced: "true"}',
)
BASE: Objects = [cyaml.safe_load(text) for text in (GATEWAY, ROUTE, LIMIT)]
TWELVE = tuple(f"c{number}" for number in range(12))
TIERS = ("eu-1-prod", "eu-2-prod", "us-1-prod", "eu-1-staging", "us-1-staging")


def adopted(names: tuple[str, ...], change: Callable[[str, Objects], object]) -> Adoption:
    clusters = {name: deepcopy(BASE) for name in names}
    for name, objects in clusters.items():
        change(name, objects)
    return adopt(clusters)


def told(of: Adoption) -> dict[str, list[list[str]]]:
    """The entries of each section by the first words of its title."""
    sections = tell(of, "placement.yaml")
    return {title.partition(" (")[0]: entries for title, entries in sections.items()}


def limit(objects: Objects, number: int) -> None:
    objects[2]["spec"]["limits"]["all"]["rates"][0]["limit"] = number


def test_one_value_that_one_of_many_has_is_drift_and_told_first() -> None:
    found = told(adopted(TWELVE, lambda name, each: limit(each, 10 if name == "c7" else 100)))
    assert next(iter(found.items())) == (
        "DRIFT",
        [
            [
                "RateLimitPolicy shop/cart, spec.limits.all.rates[0].limit",
                ("100 on 11; 10 on c7: live/c7.yaml:49, kept at placement.yaml:20"),
            ]
        ],
    )


def test_a_policy_that_one_of_many_lacks_is_drift() -> None:
    found = told(adopted(TWELVE, lambda name, each: each.pop() if name == "c7" else None))
    assert found["DRIFT"] == [
        [
            "RateLimitPolicy shop/cart",
            "there on 11; absent on c7: live/c7.yaml:1, kept at placement.yaml:20",
        ]
    ]


def test_what_follows_a_word_of_names_is_by_label() -> None:
    result = adopted(TIERS, lambda name, each: limit(each, 9 if "staging" in name else 100))
    assert "DRIFT" not in (found := told(result))
    assert found["BY LABEL"] == [
        [
            "RateLimitPolicy shop/cart, spec.limits.all.rates[0].limit",
            "100 on 3; 9 on tier=staging, kept at placement.yaml:13",
        ]
    ]
    assert b"{name: eu-1-prod, labels: {tier: prod}}" in result.files["placement.yaml"]


def host(objects: Objects, domain: str) -> None:
    objects[0]["spec"]["listeners"][0]["hostname"] = f"*.{domain}"
    objects[1]["spec"]["hostnames"] = [f"cart.{domain}"]


@cases(
    ("{name}.shop.example", "*.{{ spoke.name }}.shop.example"),
    ("shop{digit}.example", "*.{{ spoke.values.domain }}"),
)
def test_a_domain_of_each_cluster_is_a_hostname_of_the_rule(domain: str, expected: str) -> None:
    result = adopted(
        TWELVE, lambda name, each: host(each, domain.format(name=name, digit=int(name[1:]) % 3))
    )
    (rule,) = cyaml.safe_load(result.files["placement.yaml"])["spec"]["rules"]
    assert list(rule["as"]["hostnames"].values()) == [expected]
    assert told(result).get("DRIFT") is None
    assert b"overrides" not in result.files["placement.yaml"]


def test_a_text_is_a_value_only_as_a_word() -> None:
    """The cluster `eu` is not in `queue`."""

    def change(name: str, objects: Objects) -> None:
        objects[1]["metadata"]["labels"] = {"app": f"queue-{name}"}

    (override,) = cyaml.safe_load(adopted(("eu", "us"), change).files["placement.yaml"])["spec"][
        "overrides"
    ]
    assert override["merge"] == {"metadata": {"labels": {"app": "queue-{{ spoke.name }}"}}}


def test_defaults_are_no_difference() -> None:
    def change(name: str, objects: Objects) -> None:
        if name == "c1":
            objects[1]["spec"]["parentRefs"][0]["kind"] = "Gateway"
            del objects[1]["spec"]["rules"][0]["backendRefs"][0]["weight"]

    result = adopted(TWELVE, change)
    assert result.decider.departures == []


def rename(objects: Objects, name: str) -> None:
    objects[0]["metadata"]["name"] = name
    objects[1]["spec"]["parentRefs"][0]["name"] = name


def test_a_gateway_of_another_name_is_paired_by_what_hangs_on_it() -> None:
    found = adopted(TWELVE, lambda name, each: rename(each, "front" if name == "c3" else "public"))
    assert told(found)["PAIRED"] == [
        ["Gateway edge/front on c3 is Gateway edge/public: the same hangs on it"]
    ]
    assert b"spokes: {names: [c3]}, as: {name: front}" in found.files["placement.yaml"]


def test_a_gateway_named_by_its_cluster_is_one() -> None:
    found = adopted(TWELVE, lambda name, each: rename(each, f"public-{name}"))
    assert b'as: {name: "public-{{ spoke.name }}"}' in found.files["placement.yaml"]
    assert "hub/edge/gateway.gateway.networking.k8s.io_public.yaml" in found.files


def test_a_gateway_that_is_nowhere_is_one_that_clusters_have() -> None:
    found = adopted(("eu", "us"), lambda _, each: each.pop(0))
    assert told(found)["EXISTING"] == [["Gateway edge/public on eu and us, of 2 clusters"]]
    assert b"mode: existing" in found.files["placement.yaml"]
    assert cyaml.safe_load(found.files["fleet.yaml"])["spec"]["external"] == [
        {"kind": "Gateway", "namespace": "edge", "name": "public", "listeners": ["http"]}
    ]


def test_what_no_override_can_say_is_left_to_its_cluster_and_told() -> None:
    other = manifest("HTTPRoute shop/pay", "parentRefs: [{name: public, namespace: edge}]")

    def change(name: str, objects: Objects) -> None:
        objects.append(cyaml.safe_load(other))
        if name == "c2":
            objects[2]["spec"]["targetRef"]["name"] = "pay"

    found = adopted(TWELVE, change)
    assert told(found)["LEFT THERE"] == [["RateLimitPolicy shop/cart on c2"]]


def test_a_gateway_that_no_project_may_have_stays_on_its_cluster() -> None:
    """What hangs on it comes back all the same, with its listener's name there."""

    def change(name: str, objects: Objects) -> None:
        if name == "c2":
            objects[0]["spec"]["listeners"][0] = {"name": f"web-{name}", "port": 80}
            objects[1]["spec"]["parentRefs"][0]["sectionName"] = f"web-{name}"
        else:
            objects[1]["spec"]["parentRefs"][0]["sectionName"] = "web"

    found = adopted(TWELVE, change)
    assert told(found)["LEFT THERE"] == [["Gateway edge/public on c2"]]
    _, rule = cyaml.safe_load(found.files["placement.yaml"])["spec"]["rules"]
    assert (rule["mode"], rule["as"]["listeners"][0]["name"]) == ("existing", "web-c2")


def test_a_mark_that_no_cluster_has_is_taken_out_and_told() -> None:
    """By one override for all policies of a kind."""
    found = adopted(TWELVE, lambda _, each: each[2]["metadata"].pop("annotations"))
    mark, place = '{"kuadrant.io/policy-synced": "true"}', "placement.yaml:20"
    says = f"{mark}: delete the override at {place} to have it"
    assert told(found)["TAKEN OUT"] == [["RateLimitPolicy, metadata.annotations", says]]
    assert found.files["placement.yaml"].count(b"target:") == 1


def test_listeners_of_a_gateway_from_elsewhere_are_named_as_most_objects_do() -> None:
    """One policy hangs on another listener there: no two of them get one name."""
    section = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "public"}

    def change(name: str, objects: Objects) -> None:
        names = ("www", "api") if name == "us" else ("web", "other")
        for number, each in enumerate((0, 1, 1, 0 if name == "us" else 1)):
            policy = deepcopy(BASE[2])
            policy["metadata"] |= {"name": f"limit-{number}", "namespace": "edge"}
            policy["spec"]["targetRef"] = {**section, "sectionName": names[each]}
            objects.append(policy)
        if name == "us":
            objects.pop(0)
        else:
            second = {**objects[0]["spec"]["listeners"][0], "name": "other", "port": 81}
            objects[0]["spec"]["listeners"].append(second)

    found = adopted(("eu", "us"), change)
    _, rule = cyaml.safe_load(found.files["placement.yaml"])["spec"]["rules"]
    listeners = {item["for"]: item["name"] for item in rule["as"]["listeners"]}
    assert listeners == {"web": "www", "other": "api"}
    assert told(found)["LEFT THERE"] == [["RateLimitPolicy edge/limit-3 on us"]]


def test_what_hangs_on_no_gateway_is_not_taken() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "a"}}
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "a"}}
    found = adopted(("eu", "us"), lambda _, each: each.extend([secret, other]))
    assert told(found)["NOT TAKEN"] == [["1 ConfigMap"], ["2 Secrets"]]
