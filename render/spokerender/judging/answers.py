"""The evaluator of requests: it finds the rule that serves a request, or says why none does.

The port of the connection selects listeners of a proxy; with TLS, so does the name that the client
requests (SNI). Then the hostname selects routes, unless it comes last (`RoutingRules`), and then
the best match selects the rule (HTTPRouteRule, `matches`): an exact path, the longest prefix, the
method, most headers, most parameters; then the older route, its name, and the first rule in it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.trials import RuleTrial, choose_rules, prepare_rule, try_rule
from spokerender.model import Ref, grouped
from spokerender.topology.graph import Topology, find_proxy
from spokerender.topology.matches import Request
from spokerender.topology.node import Listener
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_listener, find_listener_paths
from spokerender.topology.serving import HostnameServing

_SPOKEN = {
    "http": ("HTTP", "TCP"),
    "https": ("HTTPS", "TLS", "TCP"),
    "tls": ("TLS", "HTTPS", "TCP"),
    "tcp": ("TCP",),
    "udp": ("UDP",),
}
"""The protocols of listeners that accept each scheme; a TCP listener forwards any bytes."""
_UNKNOWN = ""
"""The port or protocol of a listener that only the spoke has, so that no file describes it."""
_MOST_PASSED = 3


class RequestWay(Struct, frozen=True):
    """The path of a request through one proxy, or the reason why no rule there serves the request.

    `proxy` is a Gateway, or the GatewayClass of Gateways that are merged into one proxy.
    `listeners` may accept the connection. `rules` may serve the request, the likely rule first;
    there are several if creation times of routes decide, or an expression that is not evaluated
    here. `passed` are rules and listeners that do not serve the request, with reasons: first more
    specific rules, whose reason is the field that the request lacks. `refused` says why no rule
    serves the request, or why possibly none does.
    """

    proxy: Ref
    listeners: tuple[RequestPath, ...] = ()
    rules: tuple[RequestPath, ...] = ()
    passed: tuple[tuple[RequestPath, str], ...] = ()
    refused: str = ""


def find_request_ways(
    topology: Topology,
    request: Request,
    fill: Callable[[Any], Any],
    closed: Mapping[Ref, str] = {},
    serving: HostnameServing | None = None,
) -> tuple[RequestWay, ...]:
    """Return the path of a request on a spoke through each proxy that has a rule for the request.

    If no proxy has one, return a path with the reason for each proxy that listens on the port.
    `fill` replaces placeholders (slots) by the spoke's values. `closed` maps listeners that a fault
    closes to the fault. `serving` says which listeners serve the request's host; None: compute it.
    """
    evaluation = _RequestEvaluation(topology, request, fill, closed, serving)
    ways = [
        evaluation.enter(proxy, on) for proxy, on in grouped(evaluation.list_entrances()).items()
    ]
    return tuple([way for way in ways if way.rules] or ways)


class _RequestEvaluation:
    """The evaluation of one request on one spoke."""

    def __init__(
        self,
        topology: Topology,
        request: Request,
        fill: Callable[[Any], Any],
        closed: Mapping[Ref, str],
        serving: HostnameServing | None,
    ) -> None:
        self._topology, self._request, self._fill, self._closed = topology, request, fill, closed
        self._serving = serving or HostnameServing(topology, request.host, fill, closed)

    def list_entrances(self) -> Iterator[tuple[Ref, tuple[RequestPath, Listener]]]:
        """Yield (proxy, (path, listener)) for listeners on the request's or an unknown port."""
        for path in find_listener_paths(self._topology):
            listener = find_listener(self._topology, path)
            if self._fill(listener.port) in (_UNKNOWN, self._request.port):
                yield find_proxy(self._topology, path.gateway), (path, listener)

    def enter(self, proxy: Ref, on_port: Sequence[tuple[RequestPath, Listener]]) -> RequestWay:
        """Return the path through a proxy; `on_port` are its listeners on the request's port."""
        request, host = self._request, self._request.written or self._request.host
        possible = (_UNKNOWN, *_SPOKEN[request.scheme])
        spoken = [path for path, listener in on_port if listener.protocol in possible]
        if not spoken:
            others = ", ".join(sorted({listener.protocol for _, listener in on_port}))
            why = f"port {request.port} is for {others}, not {request.scheme}"
            return RequestWay(proxy, refused=why)
        # A proxy has no configuration of a listener with a fault: requests never reach its rules.
        opened = [path for path in spoken if path.section not in self._closed]
        if not opened:
            why = self._fill(self._closed[spoken[0].section])
            return RequestWay(proxy, refused=f"port {request.port} is not opened: {why}")
        listeners = tuple(path for path in opened if self._serving.serves(path))
        if not listeners:
            why = f"no listener on port {request.port} is for {host}"
            # A TLS client names its host before it sends a request (SNI), so no one answers 404.
            is_tls = request.scheme in ("https", "tls")
            then = "the TLS handshake fails" if is_tls else _NOT_FOUND
            return RequestWay(proxy, refused=f"{why}: {then}")
        sections = {path.section for path in listeners}
        trials = [self._try(path) for path in self._serving.paths if path.section in sections]
        fitting = [trial for trial in trials if not trial.lacking]
        nearest = [trial for trial in fitting if trial.rank[0]]
        rules = tuple(choose_rules(self._topology, nearest, self._topology.ages))
        first = max((trial.rank for trial in trials if trial.path in rules), default=())
        near = sorted(
            (trial for trial in trials if trial.lacking and trial.rank[0] and trial.rank > first),
            key=lambda trial: trial.rank,
            reverse=True,
        )
        passed = [(trial.path, f"it wants {trial.lacking}") for trial in near[:_MOST_PASSED]]
        serving = self._serving
        wider = (it for it in opened if serving.may_serve(it) and not serving.serves(it))
        passed += ((path, _WIDER) for path in wider)
        # Of rules that fit the request and come later, only the next best rule is shown.
        left = [trial for trial in fitting if trial.path not in rules]
        if left:
            passed.append(_tell_apart(max(left, key=lambda trial: trial.rank), first))
        lacks = "no rule is for this request" if trials else f"no route is for {host}"
        is_sure = any(trial.is_sure for trial in trials if trial.path in rules)
        if rules:
            by = {path.section for path in rules}
            listeners = tuple(path for path in listeners if path.section in by)
        protocols = {find_listener(self._topology, path).protocol for path in listeners}
        refused = "" if is_sure else f"{lacks}: {find_rest(protocols)}"
        return RequestWay(proxy, listeners, rules, tuple(passed), refused)

    def _try(self, path: RequestPath) -> RuleTrial:
        """Return the trial of a path's rule; a rule for the most specific hostname ranks first."""
        rule = prepare_rule(self._topology, path, self._fill)
        trial = try_rule(rule, self._request)
        is_first = rule.longest is not None or self._serving.serves(path)
        return replace(trial, rank=(is_first, *trial.rank))


def _tell_apart(trial: RuleTrial, first: tuple[Any, ...]) -> tuple[RequestPath, str]:
    """Return the path of a fitting rule, and why the rule with rank `first` has precedence."""
    if not trial.rank[0]:
        return trial.path, _WIDER
    equal = "an earlier rule, or a route that is older or first by name, has an equal match"
    return trial.path, "its match is less specific" if trial.rank < first else equal


def find_rest(protocols: Collection[str]) -> str:
    """Return as text how listeners of these protocols end a request that no rule serves."""
    return _ENDED if _ANSWERED.isdisjoint(protocols) else _NOT_FOUND


_WIDER = "a more specific hostname is served"
_ANSWERED = frozenset({_UNKNOWN, "HTTP", "HTTPS"})
"""Protocols of listeners that answer a request even if no rule serves it."""
_NOT_FOUND, _ENDED = "it is answered with 404", "the connection is closed"
