"""Requests as people write them."""

import pytest

from spokerender.explain.requests import RequestError, read_request
from spokerender.topology.matches import Request
from tests.support import rows_of
from tests.support.cases import cases


@cases(
    (
        "GET https://h.example/a?b=1&b=2&c",
        Request("https", "h.example", 443, "GET", "/a", {"b": "1", "c": ""}),
    ),
    ("h.example", Request("http", "h.example", 80, "GET")),
    ("POST  h.example:8080/x", Request("http", "h.example", 8080, "POST", "/x")),
    ("https://H.Example.", Request("https", "h.example", 443, "GET")),
    ("tls://h.example", Request("tls", "h.example", 443)),
    ("tcp://h.example:5432", Request("tcp", "h.example", 5432)),
)
def test_a_request_is_read(text: str, expected: Request) -> None:
    assert read_request(text) == expected


def test_headers_of_one_name_are_one() -> None:
    request = read_request("h.example", ("X-A: 1", "accept: text/html", "x-a:2"))
    assert request.headers == {"x-a": "1, 2", "accept": "text/html"}


@cases(*rows_of(__file__, "a_text_is_no_request"))
def test_a_text_is_no_request(text: str, reason: str) -> None:
    with pytest.raises(RequestError, match=reason.replace("*", ".")):
        read_request(text)


def test_a_text_is_no_header() -> None:
    with pytest.raises(RequestError, match="is no header"):
        read_request("h.example", ["x"])
