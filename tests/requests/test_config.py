"""Files of tests of requests: what is wrong with them is told with its line, all at once."""

from typing import get_args

import pytest

from spokerender.config.requests import Credentials
from spokerender.findings.errors import InputError
from spokerender.kinds.columns import Credential
from tests.requests.asking import written
from tests.support import cases, rows_of

TEST = "{{name: it, {}, expect: {{{}}}}}"
ANY, SERVED = "request: https://a/", "served: true"


def test_it_knows_all_credentials() -> None:
    assert get_args(Credentials) == get_args(Credential)


def faults(*tests: str) -> list[str]:
    with pytest.raises(InputError) as raised:
        written(*tests)
    return [
        f"{it.origin} {it.code} {it.field}: {'; '.join(filter(None, (it.message, it.cure)))}"
        for it in raised.value.results
    ]


@cases(*rows_of(__file__, "what_is_no_request"))
def test_what_is_no_request(way: str, message: str) -> None:
    (fault,) = faults(TEST.format(way, SERVED))
    assert fault.startswith("tests.yaml:5 SR1105 spec.tests[0].")
    assert message in fault


@cases(*rows_of(__file__, "what_nothing_can_be"))
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
        'tests.yaml:5 SR1105 spec.tests[0]: "a": the tests have 10,001 requests, and 10,000 are '
        "allowed; leave some out: this test has 5,000 of them"
    )
