"""What becomes of requests to Gateways of the small API server: `ask` says which rule takes them.

The rest is what a proxy does by the fields of that rule, and an echo server behind it.
"""

import re
from http import HTTPStatus
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from spokerender.explain.answered import AnsweringBackend, AnsweringRule
from spokerender.model import Ref
from spokerender.topology.matches import USUAL_PORTS, Request
from tests.live.envoy_judge import AskedHub
from tests.live.small_api import SmallApi
from tests.live.small_api_statuses import list_addresses, list_read

Json = dict[str, Any]
_ECHOED = "x-echo-set-header"
"""The header that tells the suite's echo server which headers to answer with."""
_SERVICE = "kubernetes.io/service-name"
"""The label of an EndpointSlice that names its Service."""
_MILLISECONDS = {"ms": 1, "s": 1000}


class Proxies:
    """Answers requests as the proxies of all Gateways do together."""

    def __init__(self, api: SmallApi) -> None:
        self._api = api
        self._asked: tuple[int, AskedHub] | None = None
        self._random = Random(0)

    def handle(self, _method: str, _target: str, sent: Json) -> tuple[HTTPStatus, Json]:
        """Answer a request that the suite describes (`main.go`)."""
        return HTTPStatus.OK, self._answer(sent)

    def _answer(self, sent: Json) -> Json:
        address, _, port = sent["Address"].partition(":")
        gateways = [one for one in self._api.objects.values() if one["kind"] == "Gateway"]
        gateway = next((one for one in gateways if address in list_addresses(one)), None)
        if gateway is None:
            return {"Error": f"nothing is at {address}"}
        scheme, url = sent["Scheme"], urlsplit(sent["Target"])
        request = Request(
            scheme,
            (sent["Host"] or address).partition(":")[0],
            int(port or USUAL_PORTS[scheme]),
            sent["Method"],
            url.path,
            dict(reversed(parse_qsl(url.query, keep_blank_values=True))),
            sent["Headers"],
        )
        own = gateway["metadata"]
        answer = self._ask().answer_at(f"{own['namespace']}/{own['name']}", request)
        if answer is not None and answer.rules:
            return self._follow(answer.rules[0], request, sent)
        # In TLS the handshake fails where no listener has the name of a host.
        is_closed = scheme == "https" and not (answer and answer.listeners)
        return {"Error": "the handshake fails"} if is_closed else _respond(404)

    def _ask(self) -> AskedHub:
        """Return what answers questions about the objects as they are."""
        revision = self._api.revision
        if self._asked is None or self._asked[0] != revision:
            self._asked = revision, AskedHub(list_read([*self._api.objects.values()]))
        return self._asked[1]

    def _follow(self, rule: AnsweringRule, request: Request, sent: Json) -> Json:
        """Do what a rule says; the filters of a backend come after its own."""
        filters: list[Json] = [*rule.does.get("filters", ())]
        shared = _share(next((one["cors"] for one in filters if "cors" in one), {}), request)
        if request.method == "OPTIONS" and any("cors" in one for one in filters):
            return _respond(200, **shared) | {"Request": {"method": "OPTIONS"}}
        for one in filters:
            if "requestRedirect" in one and not rule.failing:
                status = one["requestRedirect"].get("statusCode", 302)
                location = _redirect(one["requestRedirect"], rule, request)
                return _respond(status, Location=location)
        backend = self._choose(rule)
        if rule.failing or backend is None or backend.failing:
            return _respond(500)
        delay = _count(request.query.get("delay", "0s"))
        limits = map(_count, rule.does.get("timeouts", {}).values())
        if any(0 < limit < delay for limit in limits):
            return _respond(504)
        filters += self._read_filters(rule, backend)
        headers, host, path = {**request.headers}, sent["Host"], request.path
        for one in filters:
            _change(headers, one.get("requestHeaderModifier", {}))
            rewrite = one.get("urlRewrite", {})
            host, path = rewrite.get("hostname", host), _rewrite(rewrite, rule, path)
        told = (part.split(":", 1) for part in headers.get(_ECHOED, "").split(",") if part)
        answered = {name.lower(): text for name, text in told}
        for one in filters:
            _change(answered, one.get("responseHeaderModifier", {}))
        query = urlsplit(sent["Target"]).query
        names = (
            one.rule.value["hostname"]
            for item in rule.policies
            if item.kind == "BackendTLSPolicy" and item.path.backend is not None
            for one in item.rules
            if item.path.backend.whole == backend.backend and one.rule.path == ("validation",)
        )
        got = {
            "path": f"{path}?{query}" if query else path,
            "host": host,
            "method": request.method,
            "proto": "HTTP/1.1",
            "headers": {name.title(): [text] for name, text in headers.items()},
            "namespace": backend.backend.namespace,
            "pod": self._find_pod(backend.backend),
            "tls": {"serverName": next(names, "")},
        }
        return _respond(200, **answered, **shared) | {"Request": got}

    def _choose(self, rule: AnsweringRule) -> AnsweringBackend | None:
        """Choose one of the backends by their shares of the requests."""
        shares = [int(one.share.partition("/")[0] or 1) for one in rule.backends]
        return self._random.choices(rule.backends, shares)[0] if sum(shares) else None

    def _read_filters(self, rule: AnsweringRule, backend: AnsweringBackend) -> list[Json]:
        """Read the filters beside a backend."""
        ref = rule.rule
        route = self._api.objects[ref.group, f"{ref.kind.lower()}s", ref.namespace, ref.name]
        named = {
            one.get("name") or f"rule-{number}": one
            for number, one in enumerate(route["spec"]["rules"], 1)
        }
        entry = named[ref.section_name]["backendRefs"][rule.backends.index(backend)]
        filters: list[Json] = entry.get("filters", [])
        return filters

    def _find_pod(self, service: Ref) -> str:
        """Find a Pod of a Service by its selector, or by the addresses in its EndpointSlices."""
        spec = self._api.objects["", "services", service.namespace, service.name]["spec"]
        slices = self._list("discovery.k8s.io", "endpointslices", {_SERVICE: service.name}, service)
        endpoints = [each for one in slices for each in one.get("endpoints") or ()]
        addresses = {address for each in endpoints for address in each["addresses"]}
        for pod in self._list("", "pods", spec.get("selector", {}), service):
            own = {each["ip"] for each in pod["status"]["podIPs"]}
            if "selector" in spec or not addresses.isdisjoint(own):
                return str(pod["metadata"]["name"])
        return ""

    def _list(self, group: str, plural: str, labels: dict[str, str], near: Ref) -> list[Json]:
        return self._api.list(self._api.find(group, plural), near.namespace, labels)


def _respond(status: int, **headers: str) -> Json:
    texts = {name: [text] for name, text in headers.items()}
    return {"Response": {"StatusCode": status, "Protocol": "HTTP/1.1", "Headers": texts}}


def _share(cors: Json, request: Request) -> dict[str, str]:
    """Return the headers that let pages of other origins read an answer (HTTPCORSFilter)."""
    origin = request.headers.get("origin", "")
    allowed = (re.escape(each).replace(r"\*", ".*") for each in cors.get("allowOrigins", ()))
    if not any(re.fullmatch(each, origin) for each in allowed):
        return {}
    headers = {"origin": origin}
    if cors.get("allowCredentials"):
        headers["credentials"] = "true"
    for field, asked in (("methods", "method"), ("headers", "headers")):
        names = ", ".join(cors.get(f"allow{field.title()}", ()))
        own = request.headers.get(f"access-control-request-{asked}", "")
        headers[field] = own if names == "*" else names
    headers = {f"access-control-allow-{name}": text for name, text in headers.items() if text}
    headers["access-control-max-age"] = str(cors.get("maxAge", 5))
    exposed = ", ".join(cors.get("exposeHeaders", ()))
    return headers | ({"access-control-expose-headers": exposed} if exposed else {})


def _change(headers: dict[str, str], change: Json) -> None:
    """Change headers by a filter (HTTPHeaderFilter)."""
    for each in change.get("set", ()):
        headers[each["name"].lower()] = each["value"]
    for each in change.get("add", ()):
        name = each["name"].lower()
        headers[name] = ",".join(filter(None, (headers.get(name), each["value"])))
    for name in change.get("remove", ()):
        headers.pop(name.lower(), None)


def _rewrite(filter_: Json, rule: AnsweringRule, path: str) -> str:
    """Return the path after a change of it (HTTPPathModifier)."""
    change = filter_.get("path", {})
    if "replacePrefixMatch" not in change:
        return str(change.get("replaceFullPath", path))
    rest = path.removeprefix(rule.prefix.rstrip("/")).lstrip("/")
    new = change["replacePrefixMatch"].rstrip("/")
    return f"{new}/{rest}" if rest or path.endswith("/") or not new else new


def _redirect(redirect: Json, rule: AnsweringRule, request: Request) -> str:
    """Return where a client is sent to (HTTPRequestRedirectFilter)."""
    scheme = redirect.get("scheme", request.scheme)
    usual = USUAL_PORTS[scheme]
    port = redirect.get("port", usual if "scheme" in redirect else request.port)
    place = redirect.get("hostname", request.host) + (f":{port}" if port != usual else "")
    return f"{scheme}://{place}{_rewrite(redirect, rule, request.path)}"


def _count(duration: str) -> int:
    """Return the milliseconds of a duration, such as `500ms`."""
    unit = duration.lstrip("0123456789")
    return int(duration.removesuffix(unit)) * _MILLISECONDS[unit]
