"""One root with what follows from it: mend that first."""

from spokerender.findings.causes import FOLLOWS, families, marked, missing, unshipped
from spokerender.findings.codes.hub import MISSING_TARGET, UNREADABLE
from spokerender.findings.codes.placement import UNKNOWN_CLASS
from spokerender.findings.codes.shipping import OVERRIDE_UNUSED, UNLISTED_POLICY
from spokerender.findings.results import Result
from spokerender.model import GATEWAY_API, Origin, Ref
from tests.support import manifest
from tests.support.end_to_end import fleet, placement, rendered
from tests.support.stages import hub

WEB = Ref(GATEWAY_API, "Gateway", "infra", "web")
BROKEN = UNREADABLE.result("not YAML", origin=Origin("hub/a.yaml", line=3))
UNKNOWN = UNKNOWN_CLASS.result("no class")


def lost(name: str, *causes: str) -> Result:
    return MISSING_TARGET.result(f"{name} is not in the hub", causes=causes)


def left(name: str, *causes: str) -> Result:
    return UNLISTED_POLICY.result(f"{name} is not shipped", causes=causes)


def told(*results: Result, smallest: int = 1) -> list[tuple[str, list[str]]]:
    found = families(results, smallest=smallest)
    return [(root.message, [other.message for other in others]) for root, others in found]


def test_what_shares_a_cause_is_below_the_first() -> None:
    a, b, c = lost("a", missing(WEB)), lost("b", missing(WEB)), lost("c", "another")
    assert told(a, b, c) == [(a.message, [b.message]), (c.message, [])]


def test_a_file_that_cannot_be_read_may_be_the_cause_of_all_that_is_missing() -> None:
    a, b = lost("a", missing(WEB), "the hub's files"), lost("b", "other", "the hub's files")
    assert told(BROKEN, a, b) == [("not YAML", [a.message, b.message])]
    assert told(a, b) == [(a.message, []), (b.message, [])]


def test_a_cause_is_below_nothing() -> None:
    assert told(BROKEN, BROKEN) == [("not YAML", []), ("not YAML", [])]


def test_an_error_is_never_below_a_warning() -> None:
    warning, error = left("a", "x"), lost("b", "x")
    assert told(warning, error) == [(error.message, [warning.message])]


def test_few_stand_alone() -> None:
    a = left("a", "the list of what is synced")
    assert told(UNKNOWN, a, smallest=2) == [("no class", []), (a.message, [])]
    assert told(UNKNOWN, a, a, smallest=2) == [("no class", [a.message, a.message])]


def test_every_finding_is_kept_and_names_what_it_follows_from() -> None:
    first, second = marked([BROKEN, lost("a", "the hub's files")])
    assert first == BROKEN
    assert dict(second.tags)[FOLLOWS] == "SR1001 hub/a.yaml:3"


def test_a_misspelt_kind_is_the_cause_of_what_names_the_object() -> None:
    files = {
        "hub/web.yaml": manifest(
            "Gatway infra/web", "gatewayClassName: istio", api="gateway.networking.k8s.io/v1"
        ),
        "hub/shop.yaml": manifest("HTTPRoute infra/shop", "parentRefs: [{name: web}]"),
        "fleet.yaml": fleet(("gateway.networking.k8s.io", "HTTPRoute")),
        "placement.yaml": placement(
            "[{name: eu}]", "[{gateways: {names: [infra/web]}, spokes: {all: true}}]"
        ),
    }
    errors = [each for each in rendered(files).results if each.severity == "error"]
    ((root, others),) = families(errors)
    assert (root.code, root.origin) == ("SR1015", Origin("hub/web.yaml", line=2))
    assert sorted(other.code for other in others) == ["SR1010", "SR1401"]


PARAMETERS = manifest(
    "GatewayClass istio",
    "controllerName: istio.io/gateway-controller, parametersRef: {group: '', "
    "kind: ConfigMap, namespace: infra, name: params}",
)
LIST = manifest(
    "ConfigMap infra/params",
    data='{params: "policiesToSync: [{group: gateway.networking.k8s.io, kind: HTTPRoute}]"}',
)
ROUTED = hub(
    manifest(
        "Gateway infra/web",
        "gatewayClassName: istio, listeners: [{name: http, port: 80, protocol: HTTP}]",
    ),
    manifest("HTTPRoute infra/shop", "parentRefs: [{name: web}]"),
)
OVERRIDDEN = placement(
    "[{name: eu}]",
    "[{gateways: {names: [infra/web]}, spokes: {all: true}}]",
    "[{target: {kind: HTTPRoute, name: shop}, spokes: {all: true}, merge: {spec: {x: 1}}}]",
)
NO_LIST = "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\n"


def family(files: dict[str, str]) -> tuple[str, list[str]]:
    """The code of the one error that follows from none, and those of the others."""
    given = {"fleet.yaml": NO_LIST, **files, "placement.yaml": OVERRIDDEN}
    errors = [each for each in rendered(given).results if each.severity == "error"]
    ((root, others),) = families(errors)
    return root.code, sorted(other.code for other in others)


def test_a_list_in_a_file_that_cannot_be_read_is_no_cause_of_its_own() -> None:
    """Nor is the override of what would have been shipped."""
    files = {"hub/class.yaml": PARAMETERS, "hub/list.yaml": f"{LIST} a: [", "hub/web.yaml": ROUTED}
    assert family(files) == ("SR1001", ["SR1302", "SR1601"])


def test_an_override_follows_from_what_keeps_its_object_on_the_hub() -> None:
    web = ROUTED.replace("parentRefs: [{name: web}]", "parentRefs: [{name: wbe}]")
    listed = fleet((GATEWAY_API, "HTTPRoute"))
    assert family({"hub/web.yaml": web, "fleet.yaml": listed}) == ("SR1010", ["SR1601"])


def test_an_override_of_nothing_explains_nothing() -> None:
    """Whichever comes first."""
    shop = Ref(GATEWAY_API, "HTTPRoute", "infra", "shop")
    unused = OVERRIDE_UNUSED.result("matches nothing", causes=(unshipped(shop),))
    gone = lost("a", missing(WEB), unshipped(shop))
    assert told(unused, gone) == [(gone.message, [unused.message])]
    assert told(unused) == [(unused.message, [])]
