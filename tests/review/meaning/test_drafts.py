"""Values in a few words."""

from typing import Any

from spokerender.formats.comparing import ABSENT
from spokerender.review.meaning.drafts import write_sides, write_value
from tests.support import cases

RATE = {"limit": 2000, "window": "1h"}


@cases(
    (ABSENT, ""),
    (None, ""),
    ("a\n  b", "a b"),
    (5, "5"),
    ({}, "{}"),
    (RATE, "2000 in 1h"),
    ([RATE, {"limit": 5, "window": "1s"}], "2000 in 1h and 5 in 1s"),
    ({"requests": 9, "unit": "Hour"}, "9 per Hour"),
    ([{"name": "cart", "port": 8080}], "name: cart, port: 8080"),
    ({"jwt": {"issuerUrl": "https://id"}}, "jwt.issuerUrl: https://id"),
    (
        {"rates": [RATE], "counters": [{"expression": "source.address"}]},
        "rates: 2000 in 1h, counters.expression: source.address",
    ),
    ({"hosts": ["a"]}, 'hosts: ["a"]'),
    ({"hosts": ["a", "b"]}, 'hosts: ["a", "b"]'),
    ([{"name": "a"}, {"name": "b"}], '[{"name": "a"}, {"name": "b"}]'),
)
def test_a_value_is_written_as_its_leaves(value: Any, text: str) -> None:
    assert write_value(value) == text


def test_long_values_are_cut_around_their_difference() -> None:
    long = "x" * 300
    assert write_sides({"cookie": f"{long}; Secure{long}"}, {"cookie": f"{long}{long}"}) == (
        "…xxxxxxxxxxxxxxx; Securexxxxxxxxxxxxxxx…",
        "…xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…",
    )
    assert write_sides({"path": "/v1"}, None) == ("path: /v1", "")


def test_a_long_value_is_cut() -> None:
    assert write_value({"text": "x" * 500}) == f"text: {'x' * 154}…"
