"""Tests of requests on three spokes: what holds, what fails and why, and what is not known."""

from tests.requests.asking import HUB, PROJECT, told
from tests.support import case, cases, each, rows_of
from tests.support.texts import text_of

PAY = "POST https://api.{{ spoke.values.domain }}/pay/1"
ISSUER = "https://id.example"
BOTH = f"authentication: {{jwt: [{ISSUER}/customers, {ISSUER}/partners]}}"


def make_test(asked: str, expect: str, more: str = "") -> str:
    return f"{{name: it, request: '{asked}', expect: {{{expect}}}{more}}}"


def url(path: str) -> str:
    return f"https://api.{{{{ spoke.values.domain }}}}{path}"


@cases(*rows_of(__file__, "what_holds"))
def test_what_holds(asked: str, expect: str) -> None:
    assert told(make_test(asked, expect)) == []


_WINE = 'it holds where request.query.contains("wine")'


@cases(*rows_of(__file__, "what_fails"))
def test_what_fails(asked: str, expect: str, reason: str, spokes: str) -> None:
    (line,) = told(make_test(asked, expect))
    key = expect.partition(":")[0]
    assert line.startswith((f"SR3101 spec.tests[0].expect.{key}: ", "SR3102 "))
    assert line.startswith("SR3102") == (_WINE in reason)
    assert line.endswith(f"{reason} [{spokes}]")


def test_the_line_of_an_override_decides() -> None:
    tight = "limit: {atMost: 10/1m, per: auth.identity.sub}"
    (line,) = told(make_test(PAY, tight))
    assert line == (
        'SR3101 spec.tests[0].expect.limit: "it": limit: expected {atMost: "10/1m", '
        "per: auth.identity.sub}, is 20 per 1m for each auth.identity.sub and 1 per 1h where "
        'request.query.contains("wine") (placement.yaml:7) [us]'
    )


def test_of_many_requests_the_failing_one_is_named() -> None:
    hosts = "hosts: ['api.{{ spoke.values.domain }}'], paths: [old, /v1], methods: [GET, PUT]"
    lines = told(f"{{name: many, {hosts}, expect: {{backend: [shop/a, shop/b]}}}}")
    assert [line.partition('"many": ')[2].partition(": backend")[0] for line in lines] == [
        f"{method} {url('/old')}" for method in ("GET", "PUT")
    ]


@cases(
    case("by labels", "selector: {matchLabels: {tier: prod}}", "eu us"),
    case("by name", "names: [us]", "us"),
    case("but one", "all: true, except: [us]", "dev eu"),
)
def test_spokes_are_selected(spokes: str, names: str) -> None:
    (line,) = told(make_test(PAY, "served: false", f", spokes: {{{spokes}}}"))
    assert line.endswith(f"[{names}]")


@cases(*rows_of(__file__, "a_test_without_a_spoke_is_wrong"))
def test_a_test_without_a_spoke_is_wrong(spokes: str, message: str) -> None:
    assert told(make_test(PAY, "served: true", f", {spokes}")) == [f"SR3103 {message} []"]


@each("https://api.shop.example/", "https://api.{{ spoke.values.domain }}.com/")
def test_a_test_of_a_host_that_no_spoke_has_is_wrong(asked: str) -> None:
    """Else it would hold for ever that nothing is served there."""
    assert told(make_test(asked, "served: false")) == [
        'SR3103 spec.tests[0].request: "it": no spoke has this host []'
    ]


def test_a_value_that_a_spoke_lacks_is_told_with_the_spokes() -> None:
    (line,) = told(make_test("https://{{ spoke.values.zone }}/", "served: false"))
    assert line.startswith('SR3101 spec.tests[0].request: "it": ')
    assert line.endswith("[dev eu us]")


@cases(
    ("192.0.2.7", True),
    ("198.51.100.1", False),
)
def test_an_address_counts(client: str, is_in: bool) -> None:
    files = {**PROJECT, "hub/office.yaml": text_of(__file__, "office.yaml")}
    files["fleet.yaml"] = files["fleet.yaml"].replace(
        "policiesToSync:\n",
        "policiesToSync:\n    - {group: security.istio.io, kind: AuthorizationPolicy}\n",
    )
    test = make_test(
        url("/v1"), f"anonymous: {'served' if is_in else 'refused'}", f", from: {client}"
    )
    assert told(test, files=files) == []


def test_what_only_the_age_of_routes_decides_is_not_known() -> None:
    """Both routes may take the request, and one of them is for nobody."""
    other = HUB.split("---\n")[1].replace("name: api,", "name: zed,", 1)
    files = {**PROJECT, "hub/other.yaml": other.replace("{name: pay, port", "{name: zed, port")}
    (line,) = told(make_test(PAY, "backend: shop/pay:8080"), files=files)
    assert line.startswith("SR3102 ")
    assert "as only the cluster can decide, perhaps shop/zed:8080" in line


def test_a_route_that_other_tools_may_bring_is_not_known() -> None:
    files = {
        **PROJECT,
        "fleet.yaml": PROJECT["fleet.yaml"].replace("kind: HTTPRoute", "kind: GRPCRoute"),
    }
    (line,) = told(make_test(url("/v1"), "served: false"), files=files)
    assert line.startswith("SR3102 ")
    assert "other tools may bring a route (completeKinds)" in line
