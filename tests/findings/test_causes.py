"""One root with what follows from it: mend that first."""

from __future__ import annotations

from render.findings.causes import FOLLOWS, families, marked, missing
from render.findings.codes.hub import MISSING_TARGET, UNREADABLE
from render.findings.codes.shipping import UNLISTED_POLICY
from render.findings.codes.sync import UNKNOWN_CLASS
from render.findings.results import Result
from render.model import GATEWAY_API, Origin, Ref
from tests.support.end_to_end import fleet, placement, rendered

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
    a = lost("a", "the hub's files")
    first, second = marked([BROKEN, a])
    assert first == BROKEN
    assert dict(second.tags)[FOLLOWS] == "SR1001 hub/a.yaml:3"


def test_a_misspelt_kind_is_the_cause_of_what_names_the_object() -> None:
    files = {
        "hub/web.yaml": "apiVersion: gateway.networking.k8s.io/v1\nkind: Gatway\n"
        "metadata: {name: web, namespace: infra}\nspec: {gatewayClassName: istio}\n",
        "hub/shop.yaml": "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n"
        "metadata: {name: shop, namespace: infra}\nspec: {parentRefs: [{name: web}]}\n",
        "fleet.yaml": fleet(("gateway.networking.k8s.io", "HTTPRoute")),
        "placement.yaml": placement(
            "[{name: eu}]", "[{gateways: {names: [infra/web]}, spokes: {all: true}}]"
        ),
    }
    errors = [each for each in rendered(files).results if each.severity == "error"]
    ((root, others),) = families(errors)
    assert (root.code, root.origin) == ("SR1015", Origin("hub/web.yaml"))
    assert sorted(other.code for other in others) == ["SR1010", "SR1401"]
