"""Reads requests as people write them: a method and a URL, and headers as curl accepts them.

The host may contain expressions with values of the spoke, which are evaluated later.
"""

import re
from collections.abc import Collection, Mapping

from spokerender.formats.templating.template import compile_template, is_template
from spokerender.formats.templating.values import TemplateProblem
from spokerender.model.names import hostname_fault
from spokerender.topology.matches import METHODS, Request

_PORTS: Mapping[str, int | None] = {"http": 80, "https": 443, "tls": 443, "tcp": None, "udp": None}
_REQUESTS = ("http", "https")
_LAST_PORT = 65_535
_FORM = re.compile(
    r"(?:([A-Za-z]+)\s+)?(?:([A-Za-z]+)://)?((?:{}|[^\s/:?#@{{])+)(?::([0-9]{{1,9}}))?"
    r"(/(?:{}|[^\s?#])*)?(?:\?((?:{}|[^\s#])*))?".format(*[r"\{\{.*?\}\}"] * 3)
)
"""The pattern of a request: method, scheme, host, port, path and query."""
_NO_REQUEST = '"{}" is no request: write it like GET https://shop.example.com/'
_EXPRESSION = re.compile(r"\{\{.*?\}\}")


class RequestError(ValueError):
    """Raised if a text is not a request; the message says why."""


def read_request(text: str, headers: Collection[str] = ()) -> Request:
    """Return the request for `[METHOD] URL`; like curl, the defaults are GET and http.

    Raises `RequestError`.
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise RequestError(_NO_REQUEST.format(text))
    method, scheme, host, port, path, query = match.group(*range(1, 7))
    scheme, host = (scheme or "http").casefold(), check_host(host)
    if method and not method.isupper():
        is_known = method.upper() in METHODS
        cure = f'"{method}" is no method: write {method.upper()}'
        raise RequestError(cure if is_known else _NO_REQUEST.format(text))
    if scheme not in _PORTS:
        raise RequestError(f'"{scheme}" is none of {", ".join(_PORTS)}')
    is_request = scheme in _REQUESTS
    if not is_request and (method or path or query or headers):
        raise RequestError(f"{scheme}:// is a connection: it has a host and a port alone")
    # Paths select rules before spokes are known, so they must be the same on all.
    if is_template(f"{path}{query}"):
        raise RequestError("values of spokes can be in the host alone: write the path as it is")
    return Request(
        scheme,
        host,
        _read_port(scheme, port),
        (method or "GET") if is_request else "",
        # As a browser does.
        path or "/",
        _read_query(query or ""),
        _read_headers(headers),
    )


def check_host(text: str) -> str:
    """Return a host in lower case, except its expressions. Raises `RequestError`."""
    # A final dot means the DNS root, and names the same host.
    host = text if is_template(text) else text.casefold().rstrip(".")
    # An expression stands for one label or a part of it, so the rest can be checked.
    plain = _EXPRESSION.sub("x", host)
    if fault := hostname_fault(plain):
        raise RequestError(fault.replace(plain, host))
    if "*" in plain:
        raise RequestError(f'"{host}" is many hosts: name one of them')
    try:
        if host != plain:
            compile_template(host)
    except TemplateProblem as error:
        raise RequestError(str(error)) from None
    return host


def _read_port(scheme: str, port: str | None) -> int:
    number = int(port) if port else _PORTS[scheme]
    if number is None:
        raise RequestError(f"{scheme}:// has no usual port: write one after the host")
    if not 0 < number <= _LAST_PORT:
        raise RequestError(f"{number} is no port: ports are 1 to {_LAST_PORT}")
    return number


def _read_query(query: str) -> dict[str, str]:
    read: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        name, _, value = part.partition("=")
        # The Gateway API recommends to match the first value (`HTTPQueryParamMatch`).
        read.setdefault(name, value)
    return read


def _read_headers(headers: Collection[str]) -> dict[str, str]:
    read: dict[str, str] = {}
    for header in headers:
        name, colon, value = header.partition(":")
        if not colon or not name.strip():
            raise RequestError(f'"{header}" is no header: write it like "name: value"')
        key = name.strip().casefold()
        # RFC 9110, section 5.3: repeated headers are one list.
        read[key] = ", ".join(filter(None, (read.get(key), value.strip())))
    return read
