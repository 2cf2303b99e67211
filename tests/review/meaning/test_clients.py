"""A change of the certificates that listeners ask of their clients is told (GEP-91)."""

from spokerender.findings.codes import review as codes
from spokerender.findings.results import ERROR, INFO
from spokerender.review.values import Consequence
from tests.review.meaning.scenes import compare, gateway, hub, policy, route, state
from tests.support import cases, each, manifest, named_rows_of, rows_of

LISTENER = (
    "{name: %s, port: %s, protocol: %s, hostname: '*.shop.example', "
    "tls: {certificateRefs: [{name: cert}]%s}, allowedRoutes: {namespaces: {from: All}}}"
)
OTHER_NAME = (LISTENER % ("two", "%s", "HTTPS", "")).replace("*.shop", "*.other")
CA = "{group: '', kind: ConfigMap, name: ca}"
OTHER = "{group: '', kind: ConfigMap, name: other}"
HAS_TO = "validation: {caCertificateRefs: [%s]}"
ASKED = HAS_TO % CA
LENIENT = ASKED.replace("{ca", "{mode: AllowInsecureFallback, ca")
FIRST, SECOND = "Gateway infra/web [one]", "Gateway infra/web [two]"
OWN = "frontendValidation: {caCertificateRefs: [%s]}"


def web(default: str = "", ports: str = "", own: str = "", port: int = 8443) -> str:
    """A Gateway with two listeners of HTTPS and a plain one."""
    listeners = ", ".join(
        (
            LISTENER % ("one", 443, "HTTPS", own and f", {own}"),
            LISTENER % ("two", port, "HTTPS", ""),
            "{name: plain, port: 80, protocol: HTTP}",
        )
    )
    fields = [f"default: {{{default}}}"] if default else []
    fields += [f"perPort: [{ports}]"] if ports else []
    tls = f"tls: {{frontend: {{{', '.join(fields)}}}}}, " if fields else ""
    return gateway("eg", listeners=listeners).replace("spec: {", f"spec: {{{tls}")


def review(before: str, after: str) -> list[Consequence]:
    sides = (state(hub("eg", one, route())) for one in (before, after))
    return list(compare(*sides).consequences)


def on_port(number: int, asked: str = "") -> str:
    return f"{{port: {number}, tls: {{{asked}}}}}"


GATEWAYS: dict[str, str] = {
    name: web(**asked) for name, asked in rows_of(__file__, "gateways").items()
}


@cases(*named_rows_of(__file__, "what_clients_have_to_show_no_more_is_told_on_its_listeners"))
def test_what_clients_have_to_show_no_more_is_told_on_its_listeners(
    before: str, after: str, code: str, places: list[str]
) -> None:
    changed = review(GATEWAYS[before], GATEWAYS[after])
    reported = [item for item in changed if item.result.code == code]
    assert sorted(path for item in reported for path in item.paths) == places
    if code == codes.ACCESS_REMOVED.code:
        assert {item.severity for item in reported} == {ERROR}


@cases(*named_rows_of(__file__, "what_lets_nobody_else_in_is_silent"))
def test_what_lets_nobody_else_in_is_silent(before: str, after: str) -> None:
    changed = review(GATEWAYS[before], GATEWAYS[after])
    assert [item for item in changed if item.severity is not INFO] == []


def test_of_clients_of_a_listener_that_is_closed_nothing_is_told() -> None:
    """No kind of route that it allows is for its protocol (`InvalidRouteKinds`)."""
    closed = "allowedRoutes: {kinds: [{kind: UDPRoute}], "
    before, after = (web(text).replace("allowedRoutes: {", closed) for text in (ASKED, ""))
    assert {item.result.code for item in review(before, after)} == set()


def test_another_certificate_for_backends_is_told_of_its_gateway() -> None:
    shown = "spec: {tls: {backend: {clientCertificateRef: {name: %s}}}, "
    before, after = (web().replace("spec: {", shown % name) for name in ("cert", "other"))
    (told,) = review(before, after)
    assert (told.result.code, told.paths) == ("SR2531", ("Gateway infra/web",))


CONFIG_MAP = manifest("ConfigMap infra/ca")
CA_DATA = CONFIG_MAP + "data: {ca.crt: text}\n"


@cases(
    ((web(LENIENT),), (web(),), {FIRST, SECOND}),
    ((web(LENIENT),), (web(LENIENT, on_port(443)),), {FIRST}),
    ((web(ASKED),), (web(ASKED), CA_DATA), {FIRST, SECOND}),
    ((web(LENIENT), CA_DATA), (web(), CA_DATA), set()),
    ((web(ASKED),), (web(LENIENT),), set()),
    ((web(),), (web(ASKED),), set()),
)
def test_listeners_that_may_have_been_closed_for_lack_of_authorities_are_told_to_open(
    before: tuple[str, ...], after: tuple[str, ...], places: set[str]
) -> None:
    """Envoy Gateway closes a listener whose CA certificates are not there."""
    sides = (state(hub("eg", *each, route())) for each in (before, after))
    opened = [
        one for one in compare(*sides).consequences if one.result.code == codes.ADMITS_MORE.code
    ]
    assert {path for one in opened for path in one.paths} == places
    assert {one.severity for one in opened} <= {INFO}


@each("HTTP", "TCP", "TLS, tls: {mode: Passthrough}")
def test_what_a_policy_asks_of_tls_counts_for_nothing_without_tls(protocol: str) -> None:
    """Envoy Gateway, clienttrafficpolicy.go, buildListenerTLSParameters: it returns at once."""
    plain = gateway("eg", listeners=f"{{name: https, port: 80, protocol: {protocol}}}")
    spec = f"tls: {{clientValidation: {{caCertificateRefs: [{CA}]}}, minVersion: '1.3'}}"
    asking = policy("ClientTrafficPolicy", spec, "gateway")
    before, after = (state(hub("eg", plain, route(), *each)) for each in ((asking,), ()))
    assert [item.severity for item in compare(before, after).consequences if item.paths] == []


@cases(
    ("enableProxyProtocol: true", 443, {FIRST, SECOND}),
    ("enableProxyProtocol: true", 8443, {FIRST}),
    ("connection: {bufferLimit: 64Ki}", 443, {FIRST, SECOND}),
    ("connection: {connectionLimit: {value: 5}}", 443, {FIRST}),
    ("path: {disableMergeSlashes: true}", 443, {FIRST}),
)
def test_what_a_policy_of_one_listener_does_to_its_port_is_told_on_all_of_its_listeners(
    spec: str, port: int, places: set[str]
) -> None:
    """Envoy Gateway, translator.go: the listeners of one port are one listener of Envoy."""
    listeners = LISTENER % ("one", 443, "HTTPS", ""), OTHER_NAME % port
    web = gateway("eg", listeners=", ".join(listeners))
    asking = policy("ClientTrafficPolicy", spec, "listener").replace("https", "one")
    sides = [state(hub("eg", web, route(), *each)) for each in ((), (asking,))]
    for before, after in (sides, sides[::-1]):
        told = compare(before, after)
        every = (*told.consequences, *told.tightened)
        assert {path for one in every for path in one.paths if path in (FIRST, SECOND)} == places


def test_a_listener_that_takes_its_effect_on_a_port_to_another_one_is_told_on_the_others() -> None:
    asking = policy("ClientTrafficPolicy", "proxyProtocol: {}", "listener").replace("https", "one")
    listeners = (
        ", ".join(
            (
                LISTENER % ("one", port, "HTTPS", ""),
                OTHER_NAME % 443,
                OTHER_NAME.replace("two", "three") % 8443,
            )
        )
        for port in (443, 8443)
    )
    before, after = (
        state(hub("eg", gateway("eg", listeners=it), route(hosts=""), asking)) for it in listeners
    )
    told = (
        it for it in compare(before, after).consequences if "proxyProtocol" in it.result.message
    )
    assert {path for one in told for path in one.paths} == {SECOND, "Gateway infra/web [three]"}


@cases(("eg", True), ("istio", False))
def test_a_listener_beside_which_another_one_may_have_its_certificate_may_lose_http2(
    class_name: str, told: bool
) -> None:
    """Envoy Gateway, listener.go, checkOverlappingCertificates."""
    one, other = (LISTENER % (name, 443, "HTTPS", "") for name in ("one", "two"))
    other = other.replace("*.shop.example", "*.other.example")
    alone, beside, away = (
        state(hub(class_name, gateway(class_name, listeners=text), route()))
        for text in (one, f"{one}, {other}", f"{one}, {other.replace('443', '8443')}")
    )
    for before, after, word in (
        (alone, beside, "no HTTP/2 any more"),
        (beside, away, "HTTP/2 again"),
        (alone, away, ""),
    ):
        items = compare(before, after).consequences
        on_one = [item for item in items if item.paths == (FIRST,) and "HTTP/2" in str(item.result)]
        assert [word in item.result.message for item in on_one] == [True] * (told and bool(word))
        assert {item.severity for item in on_one} <= {INFO}
