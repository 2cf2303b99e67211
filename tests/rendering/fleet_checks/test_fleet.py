"""What is told of a whole fleet: once, with the spokes that it concerns."""

from collections.abc import Sequence

from spokerender.findings.causes import families
from spokerender.findings.codes.attachment import DANGLING
from spokerender.findings.codes.placement import EMPTY_SPOKE
from spokerender.findings.codes.shipping import FREE_STRING, NOT_SHIPPED, OVERRIDE_UNUSED
from spokerender.findings.occurrences import merge_occurrences
from spokerender.findings.results import Result, Severity
from spokerender.model import Origin, Ref, Spoke
from spokerender.model.slots import text_slot
from spokerender.rendering.fleet_checks.fleet import check_bundles
from spokerender.rendering.values.bundles import Blueprint, Bundle, in_blueprints, with_values
from tests.support import case, cases, manifest, rows_of, text_of
from tests.support.project import PLACEMENT, rendered
from tests.support.stages import (
    CLASS,
    EVERYWHERE,
    GATEWAY,
    auth,
    everywhere,
    gateway,
    hub,
    objects,
    render,
    route,
    told,
)


def spokes(*names: str) -> str:
    """Spokes without labels or values."""
    return "".join(f'- {{name: "{name}"}}\n' for name in names)


ON_LISTENER = auth("guard", "kind: Gateway, name: web, sectionName: absent")
ABSENT = (
    'SR1701 AuthPolicy infra/guard spec.targetRef.sectionName: "absent" is not in Gateway {0} on '
    'the spoke (it has "http") (correct the section name, or declare the listener in the rule\'s '
    "`as.listeners`) [{1}]"
)


@cases(
    case("sorted", ["b", "a", "c"], EVERYWHERE, [ABSENT.format("infra/web", "a b c")]),
    case("only those that it concerns", ["a", "b"],
         "- {gateways: {names: [infra/web]}, spokes: {names: [b]}}\n",
         [ABSENT.format("infra/web", "b")]),
    # Names that are words, or parts of words, of the finding itself.
    case("spokes named like words", ["web", "on", "spoke", "infra"], EVERYWHERE,
         [ABSENT.format("infra/web", "infra on spoke web")]),
    case("with each spoke's own name: all are shown", ["eu", "us", "a"],
         EVERYWHERE.replace("}}\n", '}, as: {namespace: "edge-{{ spoke.name }}"}}\n'),
         [ABSENT.format("edge-a/web (elsewhere edge-eu/web, edge-us/web)", "a eu us")]),
    case(
        "with the name that a rule gives: all are shown",
        ["eu", "us", "a"],
        """\
            - {gateways: {names: [infra/web]}, spokes: {names: [eu, a]}}
            - {gateways: {names: [infra/web]}, spokes: {names: [us]}, as: {name: other}}
            """,
        [ABSENT.format("infra/web (elsewhere infra/other)", "a eu us")],
    ),
)  # fmt: skip
def test_one_finding_for_all_spokes(names: list[str], rules: str, expected: list[str]) -> None:
    found = render([CLASS, GATEWAY, ON_LISTENER], rules, spokes=spokes(*names))
    assert told(found.results) == expected


def blueprint(*results: Result) -> Blueprint:
    """A blueprint of a spoke to which nothing ships."""
    return Blueprint((), (), (), results)


def bundle(name: str, told_of: Blueprint, value: str = "", *results: Result) -> Bundle:
    """A spoke whose value, if there is one, is held in no slot."""
    spoke = Spoke(name, {}, {"value": value}, lambda: Origin("placement.yaml"))
    return Bundle(spoke, told_of, {}, results)


def of_bundles(*bundles: Bundle) -> list[tuple[str, tuple[str, ...]]]:
    """Messages and spokes of what the bundles have to tell."""
    found = check_bundles(bundles, (), {}, ())
    return [(r.message, r.spokes) for r in found if r.code != EMPTY_SPOKE.code]


def failed(text: str) -> Result:
    """An error."""
    return DANGLING.result(text)


@cases(
    case("nothing", [], []),
    case(
        "their values tell them apart",
        [
            bundle("x", blueprint(failed("of one")), "one"),
            bundle("y", blueprint(failed("of two")), "two"),
        ],
        [("of one (elsewhere two)", ("x", "y"))],
    ),
    case(
        "something else tells them apart",
        [
            bundle("x", blueprint(failed("of one")), "one"),
            bundle("y", blueprint(failed("of two")), "three"),
        ],
        [("of one", ("x",)), ("of two", ("y",))],
    ),
    case(
        "equal and alike",
        [
            bundle("x", blueprint(failed("of one")), "one"),
            bundle("y", blueprint(failed("of one")), "two"),
            bundle("z", blueprint(failed("of two")), "two"),
        ],
        [("of one (elsewhere two)", ("x", "y", "z"))],
    ),
    case("equal, though their values are different words of it",
         [bundle("x", blueprint(failed("on one")), "on"),
          bundle("y", blueprint(failed("on one")), "one")], [("on one", ("x", "y"))]),
    case(
        "in the order in which they are told first",
        [
            bundle("x", blueprint(failed("1"), failed("2"))),
            bundle("y", blueprint(failed("2"), failed("3"))),
        ],
        [("1", ("x",)), ("2", ("x", "y")), ("3", ("y",))],
    ),
    case("a spoke's own value that is wrong is its own finding",
         [bundle("x", blueprint(), "one", failed("one")),
          bundle("y", blueprint(), "two", failed("two"))], [("one", ("x",)), ("two", ("y",))]),
    case("a spoke is named once", [bundle("x", blueprint(failed("1")), "", failed("1"))],
         [("1", ("x",))]),
)  # fmt: skip
def test_findings_that_are_one(
    bundles: Sequence[Bundle], expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert of_bundles(*bundles) == expected


def test_equal_results_of_different_objects_are_two() -> None:
    results = [DANGLING.result("gone", resource=Ref("", "Service", "shop", name)) for name in "ab"]
    assert of_bundles(bundle("x", blueprint(*results))) == [("gone", ("x",)), ("gone", ("x",))]


CART = route("cart")
OF_CLASS = [
    "SR1501 ConfigMap infra/params: not shipped: it hangs on no gateway of the hub",
    "SR1501 GatewayClass hub: not shipped: a GatewayClass is never rendered",
]
EXISTING = """\
- gateways: {{names: [infra/web]}}
  spokes: {{{}}}
  mode: existing
  as: {{listeners: [{{name: http, allowedRoutes: {{namespaces: {{from: All}}}}}}]}}
"""
TO_EU = "- {gateways: {names: [infra/web]}, spokes: {names: [eu]}}\n"


@cases(
    case("all of it ships", [GATEWAY, CART], EVERYWHERE, []),
    case("it ships to one spoke", [GATEWAY, CART], TO_EU, []),
    case("a gateway that is not placed", [GATEWAY, gateway("api"), CART], EVERYWHERE,
         ["SR1501 Gateway infra/api: not shipped: it is not placed there"]),
    case("a gateway that the spokes have", [GATEWAY, CART], EXISTING.format("all: true"),
         ["SR1501 Gateway infra/web: not shipped: the spoke has its own gateway"]),
    case("each reason once", [GATEWAY, CART], EXISTING.format("names: [eu]"),
         [("SR1501 Gateway infra/web: not shipped: the spoke has its own gateway; "
           "it is not placed there")]),
    case("a Secret",
         [GATEWAY, "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: infra}}\n"],
         EVERYWHERE, ["SR1501 Secret infra/s: not shipped: a Secret is never rendered"]),
    case("a policy that is left behind is told as a warning, not twice",
         [GATEWAY, auth("limit", "kind: Gateway, name: web", kind="RateLimitPolicy")], EVERYWHERE,
         []),
)  # fmt: skip
def test_every_object_ships_or_is_told(
    documents: list[str], rules: str, expected: list[str]
) -> None:
    found = render([CLASS, *documents], rules)
    assert sorted(told(found.results, NOT_SHIPPED.code)) == sorted([*OF_CLASS, *expected])


MOVED = everywhere("{name: edge, namespace: gw}")
LISTING_AUTH = "  policiesToSync:\n  - {group: kuadrant.io, kind: AuthPolicy}\n"
ONE_CLASS = CLASS.replace("  parametersRef:", "  unused:").partition("---\n")[0]
ON_CART = auth("pay", "kind: HTTPRoute, name: cart", "shop")
TAKE_OUT = "attach it to a Gateway that is placed, or take it out of the hub"


@cases(
    case(
        "a route without a parent",
        [route("lost", "[]")],
        [
            (
                f"SR1513 HTTPRoute shop/lost: not shipped: it hangs on no gateway of the hub "
                f"({TAKE_OUT})"
            )
        ],
    ),
    case(
        "a policy on it follows from it: the route is the cause",
        [auth("mesh", "kind: HTTPRoute, name: lost", "shop"), route("lost", "[]")],
        [
            (
                f"SR1513 AuthPolicy shop/mesh: not shipped: it hangs on no gateway of the hub "
                f"({TAKE_OUT})"
            ),
            (
                f"SR1513 HTTPRoute shop/lost: not shipped: it hangs on no gateway of the hub "
                f"({TAKE_OUT})"
            ),
        ],
    ),
    case(
        "a policy on a gateway that no rule places, which is told itself",
        [gateway("api"), auth("beside", "kind: Gateway, name: api")],
        [],
    ),
    case(
        "a policy that is meant to stay",
        [
            auth(
                "mine",
                "kind: HTTPRoute, name: lost",
                "shop",
                metadata=('annotations: {config.kubernetes.io/local-config: "true"}'),
            ),
            route("lost"),
        ],
        [],
    ),
)
def test_what_is_listed_and_ships_nowhere_is_a_warning(
    documents: list[str], expected: list[str]
) -> None:
    found = render([CLASS, GATEWAY, *documents], EVERYWHERE)
    assert sorted(told(found.results, "SR1513")) == expected


ODD = rows_of(__file__, "odd")
OPENED = text_of(__file__, "fleet_opened.txt")
OTHERWISE = "{properties: {spec: {properties: {attachTo: {type: object}}}}}"
LISTING_ODD = "policiesToSync: [{group: example.com, kind: OddPolicy}]\n"
AS_ODD = "policyKinds: [{group: example.com, kind: OddPolicy, %s}]\n"


@cases(*rows_of(__file__, "a_listed_policy_ships_whatever_its_crd_says"))
def test_a_listed_policy_ships_whatever_its_crd_says(schema: str, configured: str) -> None:
    documents = [gateway("web"), ODD, *([OPENED % schema] if schema else ())]
    settings = LISTING_ODD + (AS_ODD % configured if configured else "")
    found = render(documents, MOVED, settings=settings)
    assert told(found.results, "SR1513") == []
    spec = objects(found)["OddPolicy gw/odd"]["spec"]
    taken = "attachTo" if configured else "targetRef"
    assert {key: spec[key]["name"] for key in ("attachTo", "targetRef")} == {
        key: "edge" if key == taken else "web" for key in ("attachTo", "targetRef")
    }


@cases(
    (ODD, "", Severity.WARNING),
    (ODD, "security: true", Severity.ERROR),
    (ODD, "targetPaths: [spec.off], security: true", Severity.ERROR),
    (auth("p", "kind: HTTPRoute, name: lost", "shop"), "", Severity.ERROR),
    (auth("p", "kind: HTTPRoute, name: lost", "shop", kind="DNSPolicy"), "", Severity.WARNING),
    (ON_CART.replace("targetRef", "targetref"), "", Severity.ERROR),
    # It may be for the pods of applications, which no Gateway of the hub is.
    (("apiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\n"
      "metadata: {name: p, namespace: shop}\n"
      "spec: {selector: {matchLabels: {app: cart}}}\n"), "", Severity.WARNING),
    (("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
      "metadata: {name: p, namespace: shop}\nspec: {podSelector: {}}\n"), "", Severity.WARNING),
)  # fmt: skip
def test_a_security_policy_without_a_gateway_is_an_error(
    document: str, configured: str, severity: Severity
) -> None:
    documents = [CLASS, GATEWAY, route("lost", "[]"), OPENED % OTHERWISE, document]
    settings = LISTING_ODD + (AS_ODD % configured if configured else "")
    left = [each for each in render(documents, settings=settings).results if each.code == "SR1513"]
    policies = [each for each in left if each.resource and each.resource.kind != "HTTPRoute"]
    assert [each.severity for each in policies] == [severity]


@cases(
    ("group: gateway.networking.k8s.io, ", "group", "write group: gateway.networking.k8s.io"),
    ("group: gateway.networking.k8s.io, kind: Gateway, ", "group and kind", "write it"),
)
def test_a_part_that_a_target_lacks_is_named(lacking: str, lacks: str, cure: str) -> None:
    """Kuadrant's RFCs write their targets without a group, which their CRDs would have to add."""
    odd = ODD.replace(f"targetRef: {{{lacking}", "targetRef: {")
    (line,) = told(render([gateway("web"), odd], MOVED, settings=LISTING_ODD).results, "SR1513")
    assert f"(spec.targetRef has no {lacks}, and no CRD has a default: {cure})" in line


def test_what_follows_from_what_is_left() -> None:
    mesh = auth("mesh", "kind: HTTPRoute, name: lost", "shop", kind="DNSPolicy")
    found = render([CLASS, GATEWAY, mesh, route("lost", "[]")], EVERYWHERE)
    left = [result for result in found.results if result.code == "SR1513"]
    (root, others), *_ = families(left)
    assert (str(root.resource), [str(other.resource) for other in others]) == (
        "HTTPRoute shop/lost",
        ["DNSPolicy shop/mesh"],
    )


def test_a_route_whose_kind_is_not_listed_while_its_policies_ship_is_a_warning() -> None:
    found = render([ONE_CLASS, GATEWAY, CART, ON_CART], EVERYWHERE, settings=LISTING_AUTH)
    assert told(found.results, "SR1513") == [
        (
            "SR1513 HTTPRoute shop/cart: not shipped: its kind is not listed, and AuthPolicy "
            "shop/pay on it ships (list the kind in the GatewayClass's parameters or in "
            "fleet.yaml; if the spokes have their own route of this name, suppress this and say so)"
        )
    ]
    without = render([ONE_CLASS, GATEWAY, CART], EVERYWHERE, settings=LISTING_AUTH)
    assert told(without.results, "SR1513") == []


@cases(
    (route("lost", '[{group: "", kind: Service, name: cart}]'), "HTTPRoute"),
    (manifest("EnvoyProxy infra/unused", ""), "EnvoyProxy"),
)
def test_what_need_not_be_on_a_gateway_is_no_warning(document: str, kind: str) -> None:
    """A route of a mesh, and an object that others name: nobody can attach them to a Gateway."""
    listing = LISTING_AUTH + (
        "  - {group: gateway.networking.k8s.io, kind: HTTPRoute}\n"
        "  - {group: gateway.envoyproxy.io, kind: EnvoyProxy}\n"
    )
    found = render([ONE_CLASS, GATEWAY, document], EVERYWHERE, settings=listing)
    assert told(found.results, "SR1513") == []
    assert any(f"SR1501 {kind} " in line for line in told(found.results, "SR1501"))


def test_a_policy_that_is_left_behind_names_the_gateway() -> None:
    limit = auth("limit", "kind: Gateway, name: web", kind="RateLimitPolicy")
    assert told(render([CLASS, GATEWAY, limit]).results) == [
        (
            "SR1502 RateLimitPolicy infra/limit: not shipped: RateLimitPolicy.kuadrant.io is not "
            "listed to sync, so gateway infra/web is without it (list the kind in the "
            "GatewayClass's parameters or in fleet.yaml, or take the policy out of the hub) [eu us]"
        )
    ]


def test_without_spokes_nothing_ships() -> None:
    found = rendered(hub(CLASS, GATEWAY), PLACEMENT + "  spokes: []\n  rules: []\n")
    assert "SR1501 Gateway infra/web: not shipped: no spoke is declared" in told(
        found.results, NOT_SHIPPED.code
    )


def test_spokes_that_get_nothing() -> None:
    rules = "- {gateways: {names: [infra/web]}, spokes: {names: [b]}}\n"
    found = render([CLASS, GATEWAY], rules, spokes=spokes("c", "b", "a"))
    assert told(found.results, EMPTY_SPOKE.code) == [
        (
            f"SR1408: spoke {name} gets nothing; its folder stays, with an empty list (name the "
            f"spoke in a rule, or take it out of the placement) [{name}]"
        )
        for name in ("a", "c")
    ]


def override(target: str, more: str = "") -> str:
    """An override of every spoke that sets a field."""
    return f"- {{target: {{{target}}}, spokes: {{all: true}}, merge: {{spec: {{x: y}}}}{more}}}\n"


@cases(*rows_of(__file__, "overrides_that_change_nothing"))
def test_overrides_that_change_nothing(overrides: str, unused: list[str]) -> None:
    found = render([CLASS, GATEWAY, CART], overrides=overrides)
    assert [
        result.field for result in found.results if result.code == OVERRIDE_UNUSED.code
    ] == unused


def holding(name: str, held: dict[str, str], values: dict[str, str] | None = None) -> Bundle:
    """A spoke with slots, and with values of its own."""
    spoke = Spoke(name, {}, values or {}, lambda: Origin("placement.yaml"))
    return Bundle(spoke, Blueprint((), (), (), ()), held, ())


def test_findings_of_blueprints_are_told_with_the_values_of_all() -> None:
    """Equal with slots is one; a spoke without it is not among those that it concerns."""
    held = FREE_STRING.result(f"still has {text_slot(0)}", cure=f"write {text_slot(0)}")
    other = FREE_STRING.result("still has x")
    bundles = [holding(name, {text_slot(0): f"edge-{name}"}) for name in ("eu", "us", "ap")]
    found = merge_occurrences(
        in_blueprints([(bundles[0], [held]), (bundles[1], [held, other]), (bundles[2], [])])
    )
    assert [(r.message, r.cure, r.spokes) for r in found] == [
        ("still has edge-eu (elsewhere edge-us)", "write edge-eu", ("eu", "us")),
        ("still has x", "", ("us",)),
    ]


def test_findings_with_values_differ_by_more_than_values() -> None:
    """Values are written out: those of each spoke's own are blanks when they are compared."""
    eu, us = (holding(name, {}, {"weight": f"{name}9"}) for name in ("eu", "us"))
    texts = [(eu, "eu9 is too much"), (us, "us9 is too much"), (us, "eu9 is too much")]
    found = merge_occurrences(with_values((b, FREE_STRING.result(text)) for b, text in texts))
    assert [(result.message, result.spokes) for result in found] == [
        ("eu9 (elsewhere us9) is too much", ("eu", "us"))
    ]
    at = Origin("placement.yaml", 0, 3)
    apart = [(eu, FREE_STRING.result("eu9", origin=at)), (us, FREE_STRING.result("us9"))]
    assert [result.spokes for result in merge_occurrences(with_values(apart))] == [("eu",), ("us",)]
