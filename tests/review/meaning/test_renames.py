"""What routes and policies name has another name, or a ReferenceGrant permits less."""

from spokerender.findings.codes import review as codes
from spokerender.findings.results import INFO, FindingKind
from spokerender.review.values import Consequence
from tests.review.meaning.scenes import (
    SYNC,
    codes_of,
    compare,
    gateway,
    hub,
    loud,
    policy,
    route,
    state as state_of,
)
from tests.support import cases, each, rows_of

KINDS = {
    "HTTPRouteFilter": "gateway.envoyproxy.io/v1alpha1",
    "GatewayExtension": "gateway.kgateway.dev/v1alpha1",
    "AuthenticationFilter": "gateway.nginx.org/v1alpha1",
    "ReferenceGrant": "gateway.networking.k8s.io/v1beta1",
}
FLEET = SYNC + "".join(
    f"  - {{group: {version.partition('/')[0]}, kind: {kind}}}\n" for kind, version in KINDS.items()
)
NAMED = {
    "eg": ("HTTPRouteFilter", "{urlRewrite: {hostname: {type: Header}}}"),
    "kgateway": ("GatewayExtension", "{type: ExtAuth, extAuth: {grpcService: {}}}"),
    "nginx": ("AuthenticationFilter", "{type: Basic, basic: {secretRef: {name: users}}}"),
}


def thing(kind: str, spec: str, name: str, namespace: str = "infra") -> str:
    return (
        f"apiVersion: {KINDS[kind]}\nkind: {kind}\n"
        f"metadata: {{name: {name}, namespace: {namespace}}}\nspec: {spec}\n"
    )


def scene(class_name: str, name: str, spec: str = "") -> str:
    """An object that a policy names, or a filter of a route."""
    kind, usual = NAMED[class_name]
    own = route(rules=filtered(kind, name))
    if class_name == "kgateway":
        guard = policy("TrafficPolicy", f"extAuth: {{extensionRef: {{name: {name}}}}}")
        own = f"{route()}---\n{guard}"
    return hub(class_name, gateway(class_name), own, thing(kind, spec or usual, name))


def filtered(kind: str, name: str) -> str:
    named = f"{{group: {KINDS[kind].partition('/')[0]}, kind: {kind}, name: {name}}}"
    backends = "backendRefs: [{name: app, port: 80}]"
    return f"{{filters: [{{type: ExtensionRef, extensionRef: {named}}}], {backends}}}"


def review(before: str, after: str) -> list[Consequence]:
    return loud(compare(*(state_of(text, fleet=FLEET) for text in (before, after))))


@each(*NAMED)
def test_what_gets_another_name_together_with_what_names_it_is_silent(class_name: str) -> None:
    assert review(scene(class_name, "one"), scene(class_name, "other")) == []


@each(*NAMED)
def test_another_object_under_another_name_is_told(class_name: str) -> None:
    assert review(scene(class_name, "one"), scene(class_name, "other", "{type: None}"))


@cases(("eg", codes.ROUTED_ELSEWHERE), ("nginx", codes.ACCESS_REMOVED))
def test_another_object_that_the_spoke_has_is_told(class_name: str, code: FindingKind) -> None:
    kind, spec = NAMED[class_name]
    both = (
        thing(kind, "{type: None}", "other"),
        thing(kind, spec, "one"),
        route("two", "b.shop.example", filtered(kind, "other")),
        route("three", "c.shop.example", filtered(kind, "one")),
    )
    before, after = (
        hub(class_name, gateway(class_name), route(rules=filtered(kind, name)), *both)
        for name in ("one", "other")
    )
    assert codes_of(review(before, after)) == {code.code}


ROUTES = "{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: %s}"
GRANTED = hub(
    "istio",
    gateway("istio"),
    route(rules="{backendRefs: [{name: app, namespace: apps, port: 80}]}"),
)


def granting(referrers: str, referents: str) -> str:
    spec = f"{{from: [{referrers}], to: [{referents}]}}"
    return f"{GRANTED}---\n{thing('ReferenceGrant', spec, 'own', 'apps')}"


INFRA, SERVICES = ROUTES % "infra", "{group: '', kind: Service}"
APP, SHOP = (SERVICES.replace("}", f", name: {name}}}") for name in ("app", "shop"))
WIDE = granting(f"{INFRA}, {ROUTES % 'team'}", SERVICES)


@each((INFRA, SERVICES), (INFRA, APP), (f"{INFRA}, {ROUTES % 'team'}", f"{APP}, {SHOP}"))
def test_a_grant_for_fewer_objects_is_silent_and_a_wider_one_is_told(
    narrow: tuple[str, str],
) -> None:
    assert review(WIDE, granting(*narrow)) == []
    assert codes.EFFECT_NOT_KNOWN.code in codes_of(review(granting(*narrow), WIDE))


def test_a_grant_that_is_too_narrow_is_told() -> None:
    assert codes.ANSWERED_WITH_500.code in codes_of(review(WIDE, granting(INFRA, SHOP)))


def test_backends_of_a_route_in_another_namespace_are_named_with_theirs() -> None:
    before, after = route(), route().replace("namespace: infra", "namespace: shop")
    after = after.replace("parentRefs: [{name: web", "parentRefs: [{namespace: infra, name: web")
    found = compare(*(state_of(hub("istio", gateway("istio"), each)) for each in (before, after)))
    (routed,) = (item for item in found.consequences if item.result.code == "SR2524")
    assert (routed.was, routed.now) == (
        "namespace: infra, name: app, port: 80",
        "namespace: shop, name: app, port: 80",
    )


@cases(*rows_of(__file__, "a_policy_that_moves_asks_another_service_of_the_same_name"))
def test_a_policy_that_moves_asks_another_service_of_the_same_name(kind: str, spec: str) -> None:
    """What it names without a namespace is in its own one, in the old one and in the new one."""
    hosted = route().replace("{name: web}", "{name: web, namespace: infra}")
    before = gateway("eg"), hosted, policy(kind, spec)
    after = [
        each.replace(", namespace: infra}\nspec", ", namespace: shop}\nspec") for each in before
    ]
    sides = (state_of(hub("eg", *each)) for each in (before, (before[0], *after[1:])))
    asked = [item for item in compare(*sides).consequences if item.policies]
    (changed,) = [item for item in asked if item.severity is not INFO]
    assert changed.result.code == codes.NOT_RANKED.code
    assert set(changed.paths) == {
        f"Gateway infra/web [https] > HTTPRoute shop/cart [{rule}]" for rule in ("read", "write")
    }


@each("infra", "shop")
def test_a_route_is_no_other_one_that_is_for_other_requests(place: str) -> None:
    """All that they have in common is that neither names a hostname."""
    rules = "{name: read, matches: [{path: {value: /%s}}], backendRefs: [{name: app, port: 80}]}"
    own, other = (route(name, "", rules % name) for name in ("own", "other"))
    other = other.replace("namespace: infra", f"namespace: {place}")
    other = other.replace("[{name: web", "[{namespace: infra, name: web")
    found = compare(*(state_of(hub("istio", gateway("istio"), each)) for each in (own, other)))
    told = {path: item.result.code for item in found.consequences for path in item.paths}
    assert told == {
        "Gateway infra/web [https] > HTTPRoute infra/own [read]": codes.WAY_GONE.code,
        f"Gateway infra/web [https] > HTTPRoute {place}/other [read]": codes.NEWLY_PUBLIC.code,
    }
