"""The answers that we expect of a proxy, by what we say of a request, for each sort of caller."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from spokerender.explain.answered import AnsweringRule, AnswerOfProxy
from spokerender.model import Ref
from spokerender.topology.matches import Request
from tests.live.envoy_callers import (
    Caller,
    asks_certificate,
    list_filters,
    list_origins,
    list_parameters,
    may_read,
    read_spec,
    refuse,
)
from tests.live.envoy_process import Seen
from tests.live.envoy_static import place_address, read_hostname
from tests.live.hub_routes import ROUTES
from tests.live.hubs import COMPLETE, is_declared

Json = dict[str, Any]
EQUAL, UNKNOWN = "equal", "Unknown"
JOINED = "several ports of one parent: the last one counts"
OF_PREFLIGHT = "a route of its own for preflights"
MERGED = "all rules of a TLSRoute are one"
CLOSED, OF_GRPC, NOT_TOLD = 0, -1, -2
"""In place of a status: there is no answer, an error for gRPC, and what we should have said."""
_DIRECT = {"answer": 503, "told": 503, "success": 200}
"""The answers of filters of Envoy Gateway's, by their names (`hubs.filters`)."""
_OF_SERVICE = "kubernetes.io/service-name"
_OF_CONNECTIONS = ("TCPRoute", "TLSRoute")
_UNREACHED = ("dynamic", "socket")
"""Backends that are not on loopback."""
_GRPC_STATUS = {"16": 401, "7": 403, "12": 404}
"""Envoy, common/grpc/status.cc: how gRPC is told of an answer; others are 2 and 14."""


class Scene:
    """What is around a hub: where its backends are, and what its rules are written like.

    Of listeners and policies that are `unverified`, files can't tell whether they are accepted.
    """

    def __init__(self, objects: list[Json], net: int, unverified: Collection[str]) -> None:
        self.unverified = frozenset(unverified)
        self.is_complete = is_declared(objects, COMPLETE)
        self.addresses = {
            key: f"{place_address(address, net)}:{port}"
            for one in objects
            for key, address, port in _list_addresses(one)
        }
        self._joined = {
            (one["kind"], one["metadata"]["namespace"], one["metadata"]["name"])
            for one in objects
            if one["kind"] in ROUTES and _names_ports(one["spec"]["parentRefs"])
        }
        self._rules = {
            (one["kind"], own["namespace"], own["name"], rule.get("name") or f"rule-{number}"): (
                number - 1,
                rule,
            )
            for one in objects
            for own in (one["metadata"],)
            if one["kind"] in ROUTES
            for number, rule in enumerate(one["spec"]["rules"], 1)
        }

    def is_of(self, route: str, rule: Ref) -> bool:
        """Tell whether a route of the proxy is one of a rule."""
        name = f"{rule.kind.lower()}/{rule.namespace}/{rule.name}/rule/{self._find(rule)[0]}"
        return f"{route}/".startswith(f"{name}/")

    def find_written(self, rule: Ref) -> Json:
        """A rule as it is written."""
        return self._find(rule)[1]

    def explain(self, rule: Ref) -> str:
        """Say what Envoy Gateway does otherwise with a rule's route; empty if it does nothing."""
        route = rule.kind, rule.namespace, rule.name
        if route in self._joined:
            return JOINED
        has_more = sum(key[:3] == route for key in self._rules) > 1
        return MERGED if rule.kind == "TLSRoute" and has_more else ""

    def find_address(self, ref: Ref, port: int | str | None) -> str:
        """The address of a backend; empty where it is not there."""
        key = ref.kind, ref.namespace, ref.name, port if ref.kind == "Service" else None
        return self.addresses.get(key, "")

    def has_mirrors(self, rule: AnsweringRule) -> bool:
        """Tell whether backends that get a rule's requests besides are there."""
        named = (one["requestMirror"]["backendRef"] for one in list_filters(rule, "requestMirror"))
        return all(
            one["name"] in _UNREACHED
            or self.find_address(
                Ref("", one["kind"], one.get("namespace", rule.rule.namespace), one["name"]),
                one.get("port"),
            )
            for one in named
        )

    def _find(self, rule: Ref) -> tuple[int, Json]:
        return self._rules[rule.kind, rule.namespace, rule.name, rule.section_name]


def _names_ports(parents: list[Json]) -> bool:
    """Tell whether one parent is named by several of its ports."""
    whole = Counter(
        (one["kind"], one.get("namespace"), one["name"]) for one in parents if "port" in one
    )
    return max(whole.values(), default=0) > 1


_Key = tuple[str, str, str, int | str | None]


def _list_addresses(one: Json) -> Iterator[tuple[_Key, str, int]]:
    """Yield the addresses of a backend that has all it needs: by kind, namespace, name and port."""
    namespace, name = one["metadata"].get("namespace", ""), one["metadata"]["name"]
    if one["kind"] == "EndpointSlice":
        for port in one["ports"]:
            key = "Service", namespace, one["metadata"]["labels"][_OF_SERVICE], port["port"]
            yield key, one["endpoints"][0]["addresses"][0], port["port"]
    if one["kind"] == "Backend" and "'name': 'gone'" not in str(one["spec"]):
        for endpoint in one["spec"].get("endpoints", ()):
            if "ip" in endpoint:
                yield ("Backend", namespace, name, None), endpoint["ip"]["address"], 8080
            if "fqdn" in endpoint:
                address = read_hostname(endpoint["fqdn"]["hostname"])
                yield ("Backend", namespace, name, None), address, 8080


class Expected(Struct, frozen=True):
    """An answer: its status, and what a backend gets; empty parts are not compared."""

    status: int
    backend: str = ""
    path: str = ""
    host: str = ""
    headers: Mapping[str, str] = {}
    location: str = ""
    limit: str = ""
    origin: str | None = None
    """The origin whose pages may read answers."""


def compare(
    scene: Scene, answer: AnswerOfProxy | None, request: Request, caller: Caller, seen: Seen
) -> str:
    """How our answer is to what was seen; of several that may be given, one is enough.

    Of listeners and policies that need something of which no file tells, we don't know whether they
    are opened, or accepted.
    """
    if answer is None or not answer.rules:
        how = _compare_refusal(answer, request, seen)
    elif any(item.unknown for rule in answer.rules for item in rule.policies):
        how = UNKNOWN
    else:
        verdicts = [_compare_rule(scene, rule, request, caller, seen) for rule in answer.rules]
        if answer.refused:
            verdicts.append(_compare_refusal(answer, request, seen))
        how = EQUAL if EQUAL in verdicts else verdicts[0]
    names = {str(one) for one in _list_names(answer)} if answer is not None else set()
    return UNKNOWN if how != EQUAL and names & scene.unverified else how


def _list_names(answer: AnswerOfProxy) -> Iterator[Ref]:
    """Yield the listeners of an answer, and the policies in force."""
    yield from (one.listener for one in answer.listeners)
    for rule in answer.rules:
        yield from (one.rule.policy for policy in rule.policies for one in policy.rules)


def compare_verdict(rule: AnsweringRule, caller: Caller, seen: Seen) -> str:
    """How our verdict on a caller is to what became of its request; empty if there is none."""
    is_bare = not (caller.has_certificate and asks_certificate(rule))
    is_failing = rule.failing or any(item.failing for item in rule.policies)
    if not (caller.credential and is_bare) or is_failing or rule.rule.kind in _OF_CONNECTIONS:
        return ""
    verdict, status = rule.verdict.is_admitted, read_status(seen)
    if verdict is None:
        return UNKNOWN
    is_redirected = status == 302 and "set-cookie" in seen.headers
    is_for_login = status == OF_GRPC and "oidc" in read_spec(rule, "SecurityPolicy")
    is_refused = is_redirected or is_for_login or status in (CLOSED, 401, 403)
    if verdict is not is_refused:
        return EQUAL
    return f"verdict: ours {rule.verdict.why or 'let in'}, theirs {status}"


def read_status(seen: Seen) -> int:
    """The status of an answer, also of one to gRPC."""
    if "grpc-status" not in seen.headers:
        return seen.status
    return _GRPC_STATUS.get(seen.headers["grpc-status"], OF_GRPC)


def _compare_refusal(answer: AnswerOfProxy | None, request: Request, seen: Seen) -> str:
    listeners = answer.listeners if answer is not None else ()
    is_answered = any(one.protocol.startswith("HTTP") for one in listeners)
    is_request = request.scheme in ("http", "https")
    if not is_request and (seen.route or seen.status != 200 or not seen.backend):
        return EQUAL  # it is a port for requests
    if seen.status == CLOSED:
        return "ours 404, theirs closed" if is_answered and is_request else EQUAL
    if read_status(seen) == 404 and not seen.route and is_request:
        is_closed = answer is not None and not is_answered and request.scheme == "https"
        return "ours closed, theirs 404" if is_closed else EQUAL
    return f"ours refused, theirs {seen.status} of {'a rule' if seen.route else 'none'}"


def _compare_rule(
    scene: Scene, rule: AnsweringRule, request: Request, caller: Caller, seen: Seen
) -> str:
    if seen.route and not scene.is_of(seen.route, rule.rule):
        return "another rule"
    is_connection = rule.rule.kind in _OF_CONNECTIONS
    if request.scheme == "tls" and not is_connection:
        return "closed" if seen.status == CLOSED else EQUAL
    if is_connection and request.scheme == "https" and seen.status == CLOSED:
        return EQUAL  # what passes TLS through speaks no TLS itself
    meant = replace(request, method="") if is_connection else request
    expected = [*expect(scene, rule, meant, caller)]
    if is_connection:
        verdicts = [_compare_connection(one, seen) for one in expected]
    else:
        verdicts = [_compare_answer(one, seen) for one in expected]
    return EQUAL if EQUAL in verdicts else verdicts[0]


def _compare_connection(one: Expected, seen: Seen) -> str:
    if bool(one.backend) != bool(seen.backend):
        return "connection: ours closed, theirs not" if seen.backend else "connection: closed"
    return EQUAL if one.backend == seen.backend else "backend"


def _compare_answer(one: Expected, seen: Seen) -> str:
    wanted, status = one.status, read_status(seen)
    if status == OF_GRPC and not one.backend and wanted not in _GRPC_STATUS.values():
        status = wanted
    location = seen.headers.get("location", "")
    parts = [
        ("status", wanted, status),
        ("origin", one.origin, seen.headers.get("access-control-allow-origin", "")),
        ("location", one.location, _bare(location)),
        ("backend", one.backend, seen.backend),
        ("path", one.path, seen.path),
        ("host", one.host, seen.sent.get("host")),
        ("limit", one.limit, seen.headers.get("x-ratelimit-limit", "").partition(",")[0]),
        *((f"header {key}", text, seen.sent.get(key, "")) for key, text in one.headers.items()),
    ]
    for name, own, theirs in parts:
        is_compared = own or name.startswith("header") or (name == "origin" and own is not None)
        if own != theirs and (is_compared or name == "status"):
            return f"{name}: ours {own}, theirs {theirs}"
    return EQUAL


def _bare(location: str) -> str:
    parts = urlsplit(location)
    return f"{parts.hostname}{parts.path}"


def expect(
    scene: Scene, rule: AnsweringRule, request: Request, caller: Caller
) -> Iterator[Expected]:
    """Yield the answers that a caller may get of a rule."""
    if asks_certificate(rule) and not caller.has_certificate:
        yield Expected(CLOSED)
        return
    is_failing = any(item.failing for item in rule.policies if item.path.backend is None)
    passed = [] if is_failing else [*_pass(scene, rule, request, caller)]
    if list_origins(rule) and caller.origin and request.method == "OPTIONS":
        yield Expected(200, origin=caller.origin if may_read(rule, caller) else "")
        if any(one.backend for one in passed):
            return  # else the proxy has no route to a backend, and asks nothing
    if is_failing:
        yield from map(Expected, (500, 401, 403, 302))  # what else it asks comes first
        return
    status = refuse(rule, request, caller)
    if status is not None:
        yield Expected(status)
        return
    yield from passed


def _pass(
    scene: Scene, rule: AnsweringRule, request: Request, caller: Caller
) -> Iterator[Expected]:
    """Yield what becomes of a request that is let in."""
    filters: list[Json] = [*rule.does.get("filters", ())]
    named = [one["extensionRef"]["name"] for one in filters if "extensionRef" in one]
    has_all = scene.is_complete or ("gone" not in named and scene.has_mirrors(rule))
    if rule.failing or not has_all:
        yield Expected(500)
        return
    direct = next((_DIRECT[name] for name in named if name in _DIRECT), None)
    if direct is not None:
        yield Expected(direct)
        return
    written = scene.find_written(rule.rule)
    host, path = request.host, request.path
    for one in filters:
        rewrite = one.get("urlRewrite") or one.get("requestRedirect") or {}
        host = rewrite.get("hostname", host)
        path = _rewrite(written, rewrite.get("path", {}), path)
    redirect = next(iter(list_filters(rule, "requestRedirect")), None)
    if redirect is not None:
        status = redirect["requestRedirect"]["statusCode"]
        yield Expected(status, location=f"{host}{path}")
        return
    target = write_target(replace(request, path=path), rule, caller)
    is_changed_beside = any("filters" in one for one in written.get("backendRefs", ()))
    headers = {} if is_changed_beside else _change_headers(filters, request)
    host = "" if is_changed_beside else host
    used = [one for one in rule.backends if not one.share.startswith("0/")]
    if not used:
        yield Expected(500)
    for backend in used:
        address = scene.find_address(backend.backend, backend.port)
        if backend.failing:
            yield Expected(500)
        elif backend.backend.name in _UNREACHED:
            yield Expected(503)
        elif address:
            yield Expected(200, address, target, host, headers, limit=_read_limit(rule))
        else:
            yield Expected(NOT_TOLD if scene.is_complete else 500)


def _read_limit(rule: AnsweringRule) -> str:
    """The limit that a proxy tells, if there is one for all requests of a rule."""
    local = read_spec(rule, "BackendTrafficPolicy").get("rateLimit", {}).get("local", {})
    rules = local.get("rules", ())
    is_of_all = len(rules) == 1 and "clientSelectors" not in rules[0]
    return str(rules[0]["limit"]["requests"]) if is_of_all else ""


def _change_headers(filters: list[Json], request: Request) -> dict[str, str]:
    headers = {name: request.headers.get(name, "") for name in ("x-one", "x-two", "x-three")}
    for one in filters:
        change = one.get("requestHeaderModifier", {})
        for each in change.get("set", ()):
            headers[each["name"].lower()] = each["value"]
        for each in change.get("add", ()):
            name = each["name"].lower()
            headers[name] = ",".join(filter(None, (headers.get(name), each["value"])))
        for name in change.get("remove", ()):
            headers[name.lower()] = ""
    return headers


def _rewrite(written: Json, change: Json, path: str) -> str:
    """The path after a change of it (HTTPPathModifier)."""
    if "replaceFullPath" in change:
        return str(change["replaceFullPath"])
    if "replacePrefixMatch" not in change:
        return path
    matches: list[Json] = written.get("matches") or [{}]
    prefix = matches[0].get("path", {"value": "/"})["value"].rstrip("/")
    rest, new = path.removeprefix(prefix).lstrip("/"), change["replacePrefixMatch"].rstrip("/")
    return f"{new}/{rest}" if rest or path.endswith("/") or not new else new


def write_target(request: Request, rule: AnsweringRule | None, caller: Caller) -> str:
    """The path and query of a request, as it is sent."""
    more = list_parameters(rule, caller) if rule is not None else ()
    query = "&".join(f"{name}={text}" for name, text in (*request.query.items(), *more))
    return f"{request.path}?{query}" if query else request.path
