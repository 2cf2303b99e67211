"""Requests as people write them."""

import pytest

from spokerender.explain.requests import RequestError, read_request
from spokerender.topology.matches import Request
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


@cases(
    ("", "is no request"),
    ("get h.example", '"get" is no method: write GET'),
    ("ftp://h.example", '"ftp" is none of http, https, tls, tcp, udp'),
    ("http://*.example", "is many hosts"),
    ("http://h_example", "h_example"),
    ("http://h.example:0", "0 is no port"),
    ("http://h.example:70000", "70000 is no port"),
    ("tcp://h.example", "has no usual port"),
    ("GET tls://h.example", "is a connection"),
    ("tls://h.example/a", "is a connection"),
    ("http://h.example/{{ spoke.name }}", "can be in the host alone"),
    ("http://h.example/?a={{ spoke.name }}", "can be in the host alone"),
)
def test_a_text_is_no_request(text: str, reason: str) -> None:
    with pytest.raises(RequestError, match=reason.replace("*", ".")):
        read_request(text)


def test_a_text_is_no_header() -> None:
    with pytest.raises(RequestError, match="is no header"):
        read_request("h.example", ["x"])
