"""The matches of rules: which requests they match, and their order of precedence."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from spokerender.formats.regexes import PatternError, compile_pattern
from spokerender.topology.node import Match, Node, name_rules

ANONYMOUS = "anonymous"
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "CONNECT", "TRACE", "ANY")
EVERY_REQUEST = "every request"
MatchFields = Mapping[str, Any]
_ANY = Match("", "{}")


class Request(Struct, frozen=True):
    """A request as a client sends it, or only a connection, which has no method.

    `scheme` is the client's protocol: http, https, tls, tcp or udp. The client connects to `port`,
    and names `host` both in TLS (SNI) and in the request. Names of headers are in lower case;
    headers with equal names are joined. Of a repeated query parameter the first value counts
    (Envoy). `credential` is a kind of credential that policies require, or `anonymous`; `client` is
    the address of the client, as the proxy sees it; both are empty if unknown. `written` is the
    host with its expressions, if it has any, so that spokes with equal answers have equal reasons.
    """

    scheme: str
    host: str
    port: int
    method: str = ""
    path: str = "/"
    query: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    credential: str = ""
    client: str = ""
    written: str = ""

    @property
    def authority(self) -> str:
        """Return the host, with the port unless it is the usual one."""
        port = "" if self.port == USUAL_PORTS.get(self.scheme) else f":{self.port}"
        return f"{self.host}{port}"

    @property
    def target(self) -> str:
        """Return the path and the query."""
        query = "&".join(f"{name}={value}" for name, value in self.query.items())
        return f"{self.path}{'?' if query else ''}{query}"

    def __str__(self) -> str:
        """Return the request in the form of `ask`: method and URL, and headers as for curl."""
        place = f"{self.scheme}://{self.authority}"
        if not self.method:
            return place
        url = f"{self.method} {place}{self.target}"
        return " ".join((url, *(f"-H '{n}: {value}'" for n, value in self.headers.items())))


NOBODY = Request("", "", 0, credential=ANONYMOUS)
"""A request of which only the caller matters, who has no credential."""
USUAL_PORTS = {"http": 80, "https": 443, "tls": 443}
_SCHEMES = {"HTTPS": "https", "TLS": "tls", "TCP": "tcp", "UDP": "udp"}


def connect(host: str, port: int | str, protocol: str) -> Request:
    """Return a connection to a host at a listener; an unknown port is 0."""
    return Request(_SCHEMES.get(protocol, "http"), host, port if isinstance(port, int) else 0)


def read_matches(route: Node) -> Mapping[str, tuple[Match, ...]]:
    """Return the matches of each rule of a route, by the rule's name."""
    names = name_rules(route.rules) if route.rules else ("rule-1",)
    # A route without rules has no matches either; its only rule gets an empty tuple.
    return dict(zip(names, (*route.matches, *((),) * len(names)), strict=False))


def list_matches(matches: Sequence[Match]) -> list[MatchFields]:
    """Return the fields of a rule's matches; a rule without matches matches every request."""
    return [_read_text(match.text) for match in matches or (_ANY,)]


# Many routes share a few matches, such as the prefix /.
@lru_cache(8_192)
def _read_text(text: str) -> MatchFields:
    data = json.loads(text)
    return data if isinstance(data, dict) else {}


def write_matches(matches: Sequence[Match]) -> str:
    """Return the matches of a rule in a few words: `POST PathPrefix /pay or Exact /refunds`."""
    return " or ".join(map(write_fields, list_matches(matches)))


def write_fields(match: MatchFields) -> str:
    """Return a match in a few words; `~` marks a regular expression, except in a path."""
    method = match.get("method", "")
    if isinstance(method, Mapping):  # of gRPC
        call = "/".join(str(method.get(key, "*")) for key in ("service", "method"))
        method = f"{'~' * has_pattern(method)}{call}"
    entries = (
        f"{field[:-1]} {item.get('name')}: {'~' * has_pattern(item)}{item.get('value')}"
        for field in _LISTS
        for item in match.get(field, ())
    )
    return " ".join(filter(None, (method, *read_path(match), *entries))) or EVERY_REQUEST


_PATHS = ("PathPrefix", "RegularExpression", "Exact")
"""The types of path matches, in order; implementations decide where expressions come."""


def find_mismatch(match: MatchFields, request: Request, *, is_whole: bool = False) -> str | None:
    """Return the first field of a match that a request does not meet; empty if it meets all.

    None if it depends on the implementation: a regular expression matches only a part of a text
    (HTTPRoute, `RegularExpression`). If `is_whole`, an expression has to match the whole text.
    """
    tests = dict(_test_fields(match, request))
    refusing = (False, None) if is_whole else (False,)
    refused = next((field for field, is_met in tests.items() if is_met in refusing), "")
    # A certain refusal by one field decides, whatever the others are.
    return refused if refused or None not in tests.values() else None


def find_prefix(matches: Iterable[MatchFields], request: Request) -> str:
    """Return the longest `PathPrefix` value with which a match matches the request; else empty."""
    # None means an expression, which has no prefix anyway.
    met = (read_path(match) for match in matches if not find_mismatch(match, request))
    return max((path for kind, path in met if kind == "PathPrefix"), key=len, default="")


def _test_fields(match: MatchFields, request: Request) -> Iterator[tuple[str, bool | None]]:
    kind, path = read_target(match)
    if kind == "RegularExpression":
        yield f"path {path}", _is_expressed(path, request.path)
    else:
        yield f"path {path}", _reaches((kind, path), request.path)
    method = match.get("method")
    if isinstance(method, Mapping):  # gRPC is POST to /<service>/<method>
        yield "method POST", request.method == "POST"
    elif method is not None:
        yield f"method {method}", method == request.method
    for field, values in (("headers", request.headers), ("queryParams", request.query)):
        for item in match.get(field, ()):
            value = values.get(str(item.get("name")))
            is_met = value is not None and _is_valued(item, value)
            yield f"{field[:-1]} {item.get('name')}: {item.get('value')}", is_met


def _is_valued(item: Mapping[str, Any], value: str) -> bool | None:
    own = str(item.get("value"))
    return _is_expressed(own, value) if has_pattern(item) else own == value


def has_pattern(item: Mapping[str, Any]) -> bool:
    """Return whether an entry of a match has a regular expression."""
    return item.get("type") == "RegularExpression"


def _is_expressed(pattern: str, text: str) -> bool | None:
    try:
        if not compile_pattern(pattern).matches(text):
            return False
        # It matches a part of the text; implementations differ in whether that is enough.
        return compile_pattern(f"^(?:{pattern})$").matches(text) or None
    except PatternError:
        # Python cannot read every expression that RE2 or another engine can.
        return None


def rank_match(match: MatchFields, *, counts_method: bool = False) -> tuple[Any, ...]:
    """Return a sort key that is greater for a more specific match (HTTPRouteRule, `matches`).

    If `counts_method`, the method counts as a header, and among equal numbers of headers, more
    exact values come first. The service and method of gRPC are compared as a path (GRPCRouteRule).
    """
    kind, path = read_target(match)
    headers, parameters = match.get("headers", ()), match.get("queryParams", ())
    method = int(isinstance(match.get("method"), str))
    rest: tuple[int, ...] = (method, len(headers), len(parameters))
    if counts_method:
        exact = _count_exact(headers) + method
        rest = (len(headers) + method, exact, len(parameters), _count_exact(parameters))
    # The prefix / is what a rule without a path gets, so it ranks as none.
    return (_PATHS.index(kind) if kind in _PATHS else 0, len(path) if path != "/" else 0, *rest)


def _count_exact(entries: Iterable[Mapping[str, Any]]) -> int:
    return sum(not has_pattern(entry) for entry in entries)


def rank_path(match: MatchFields, path: str) -> tuple[int, ...]:
    """Return how specific a match is for a path; empty if it does not match the path.

    A regular expression counts as matching.
    """
    own = read_path(match)
    is_for = own[0] == "RegularExpression" or _reaches(own, path)
    return rank_match({"path": match.get("path")})[:2] if is_for else ()


def read_path(match: MatchFields) -> tuple[str, str]:
    """Return the type and value of a match's path; empty texts if it has none."""
    path = match.get("path")
    if not isinstance(path, Mapping):
        return "", ""
    return str(path.get("type")), str(path.get("value"))


def read_target(match: MatchFields) -> tuple[str, str]:
    """Return the type and value of a match's path; for gRPC, the path is /<service>/<method>."""
    method = match.get("method")
    if not isinstance(method, Mapping):
        return read_path(match)
    service, name = (str(method.get(key, "")) for key in ("service", "method"))
    if not (service or name):
        return "", ""
    # A method without a service may be in any service, which takes an expression.
    if method.get("type") == "RegularExpression" or not service:
        every = "[^/]+"
        return "RegularExpression", f"/{service or every}/{name or every}"
    return ("Exact", f"/{service}/{name}") if name else ("PathPrefix", f"/{service}")


_LISTS = ("headers", "queryParams")


def _reaches(own: tuple[str, str], path: str) -> bool:
    """Return whether `own`, a match's path, matches `path`; False for a regular expression."""
    kind, prefix = own
    if kind == "PathPrefix":
        # By elements: /foo is a prefix of /foo/bar, and not of /foobar (HTTPPathMatch).
        return f"{path.rstrip('/')}/".startswith(f"{prefix.rstrip('/')}/")
    return not kind or own == ("Exact", path)
