"""Files of tests of requests: what is wrong with them is told with its line, all at once."""

from typing import get_args

import pytest

from spokerender.config.requests import Credentials
from spokerender.findings.errors import InputError
from spokerender.kinds.columns import Credential
from tests.requests.asking import written
from tests.support import cases

TEST = "{{name: it, {}, expect: {{{}}}}}"
ANY, SERVED = "request: https://a/", "served: true"
CONTRADICT = "contradict each other; keep the one that you mean"
EVERY_KEY = (
    "served, anonymous, authentication, authorization, limit, backend, rewrite, redirect, status"
)


def test_it_knows_all_credentials() -> None:
    assert get_args(Credentials) == get_args(Credential)


def faults(*tests: str) -> list[str]:
    with pytest.raises(InputError) as raised:
        written(*tests)
    return [
        f"{it.origin} {it.code} {it.field}: {'; '.join(filter(None, (it.message, it.cure)))}"
        for it in raised.value.results
    ]


@cases(
    ("request: 'GET ftp://a'", 'request: "it": "ftp" is none of http, https, tls, tcp, udp'),
    ("request: get https://a/", 'request: "it": "get" is no method: write GET'),
    (
        "request: 'https://{{ spoke.name/'",
        (
            'request: "it": "https://{{ spoke.name/" is no request: write it like GET '
            "https://shop.example.com/"
        ),
    ),
    ("request: 'https://{{ spoke.name ~ }}/'", 'request: "it": not a valid expression: unexpected'),
    ("request: https://*.a/", 'request: "it": "*.a" is many hosts: name one of them'),
    ("hosts: ['a b']", 'hosts: "it": "GET https://a b/" is no request'),
    ("hosts: [a], paths: [/, '/x y']", 'hosts: "it": "GET https://a/x y" is no request'),
    ("hosts: [a], methods: [get]", 'hosts: "it": "get" is no method: write GET'),
    ("request: https://a/, headers: [x]", 'request: "it": "x" is no header: write it like'),
    ("request: https://a/, from: x", 'from: "it": "x" is no address; write one like 192.0.2.1'),
    ("request: https://a/, hosts: [a]", "hosts: request and hosts can't be set together"),
    ("request: https://a/, paths: [/]", "paths: paths has no effect with request"),
    ("request: https://a/, spokes: {names: []}", "spokes.names: must not be empty"),
)
def test_what_is_no_request(way: str, message: str) -> None:
    (fault,) = faults(TEST.format(way, SERVED))
    assert fault.startswith("tests.yaml:5 SR1105 spec.tests[0].")
    assert message in fault


@cases(
    ("anonymus: served", 'SR1103 anonymus: unknown key "anonymus"; did you mean "anonymous"?'),
    (
        "anonymous: maybe",
        "SR1105 anonymous: must be one of refused, served",
    ),
    (
        "authentication: {jtw: a}",
        (
            "SR1105 authentication.jtw: must be one of apiKey, basic, certificate, jwt, oauth2, "
            'oidc, token, but is the text "jtw"; did you mean "jwt"?'
        ),
    ),
    (
        "limit: {atMost: ten}",
        (
            "SR1105 limit.atMost: must be a number of requests and a time such as 10/1m; "
            'it is the text "ten"'
        ),
    ),
    ("", f"SR1105 : nothing is expected; write one of {EVERY_KEY}"),
    ("status: 200", "SR1105 status: must be at least 300, but is 200"),
    ("served: false, backend: a/b", f"SR1105 backend: served: false and backend {CONTRADICT}"),
    (
        "served: false, anonymous: served",
        f"SR1105 anonymous: served: false and anonymous: served {CONTRADICT}",
    ),
    (
        "anonymous: served, status: 401",
        f"SR1105 status: anonymous: served and status: 401 {CONTRADICT}",
    ),
    ("redirect: /a, rewrite: /b", f"SR1105 rewrite: redirect and rewrite {CONTRADICT}"),
)
def test_what_nothing_can_be(expect: str, message: str) -> None:
    (fault,) = faults(TEST.format(ANY, expect))
    code, _, rest = message.partition(" ")
    place, _, text = rest.partition(": ")
    field = "spec.tests[0].expect" + (f".{place}" if place else "")
    assert fault.startswith(f"tests.yaml:5 {code} {field}: {text}")


@cases(
    ("request: x y", "request: http:/", (5, 6)),
    ("request: x y", "request: https://a/, foo: 1", (5, 6)),
    ("request: https://a/, foo: 1", "request: https://a/, bar: 2, baz: 3", (5, 6, 6)),
)
def test_all_faults_are_told_at_once(one: str, other: str, lines: tuple[int, ...]) -> None:
    both = (TEST.format(one, SERVED), TEST.format(other, SERVED).replace("it", "other", 1))
    told = faults(*both)
    assert [line.split()[0] for line in told] == [f"tests.yaml:{number}" for number in lines]


def test_names_are_unique() -> None:
    (fault,) = faults(TEST.format(ANY, SERVED), TEST.format(ANY, "served: false"))
    assert fault == (
        'tests.yaml:6 SR1107 spec.tests[1].name: the test "it" is also in tests.yaml:5; '
        "rename or remove one of the two tests"
    )


def test_ten_thousand_requests_are_enough() -> None:
    many = "hosts: [a], paths: [{}]".format(", ".join(f"/{number}" for number in range(5000)))
    tests = [f"{{name: {name}, {many}, expect: {{{SERVED}}}}}" for name in "ab"]
    assert len(written(*tests)) == 2
    (fault,) = faults(*tests, f"{{name: c, {ANY}, expect: {{{SERVED}}}}}")
    assert fault == (
        'tests.yaml:7 SR1105 spec.tests[2]: "c": the tests have 10,001 requests, and 10,000 are '
        "allowed; shorten their lists"
    )
