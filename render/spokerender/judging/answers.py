"""The one evaluator of requests: which rule takes a request on a spoke, or why none does.

A connection comes in at a proxy by its port; in TLS the name that it asks for chooses the listener.
Then the hostname chooses, then the rule's match (HTTPRouteRule, `matches`): an exact path, the
longest prefix, the method, most headers, most parameters; then the older route, then its name, and
within a route the first rule.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.kinds.merging import Names, Precedence
from spokerender.model import Ref, grouped
from spokerender.topology.graph import Topology, find_class_controller, find_proxy
from spokerender.topology.matches import (
    Request,
    find_mismatch,
    list_matches,
    rank_match,
    read_matches,
)
from spokerender.topology.node import Listener
from spokerender.topology.paths import RequestPath
from spokerender.topology.precedence import find_orders
from spokerender.topology.requests import (
    find_filters,
    find_listener,
    find_listener_paths,
    find_rule_paths,
)
from spokerender.topology.serving import HostnameServing

_SPOKEN = {
    "http": ("HTTP", "TCP"),
    "https": ("HTTPS", "TLS", "TCP"),
    "tls": ("TLS", "HTTPS", "TCP"),
    "tcp": ("TCP",),
    "udp": ("UDP",),
}
"""The protocols of listeners that a client's scheme goes with; one of TCP passes all of it on."""
_UNKNOWN = ""
"""The port or protocol of a listener that a spoke has of its own, where no file has it."""
_MOST_PASSED = 3
_LOCAL = Precedence(names=Names.PAIR)
"""The order of routes with equal matches: by age, then by namespace and name (HTTPRouteRule)."""


class RequestWay(Struct, frozen=True):
    """The way of a request through one proxy, or the reason for which it has none.

    `proxy` is a Gateway, or the GatewayClass of Gateways that share one. The connection comes in at
    one of `listeners`. `rules` are the rules that may take the request, the likely one first: more
    than one where ages decide, or an expression that is not judged here. `passed` are the most
    specific rules for the same hostname that would come first, each with the field that the request
    does not fulfil, and then the listeners and the rule that would be next, with the reason why
    others come before them. `refused` says why no rule takes it, or why none may.
    """

    proxy: Ref
    listeners: tuple[RequestPath, ...] = ()
    rules: tuple[RequestPath, ...] = ()
    passed: tuple[tuple[RequestPath, str], ...] = ()
    refused: str = ""


class _Trial(Struct, frozen=True, eq=False):
    """A rule, how specific it is for a request, and the field that the request lacks, if any.

    `rank` begins with whether its hostname is the most specific one.
    """

    path: RequestPath
    rank: tuple[Any, ...]
    lacking: str
    is_sure: bool


def find_request_ways(
    topology: Topology,
    request: Request,
    fill: Callable[[Any], Any],
    closed: Mapping[Ref, str] = {},
) -> tuple[RequestWay, ...]:
    """Return the ways of a request on a spoke: through each proxy that has a rule for it.

    Where none has, all proxies that listen on its port are there, each with the reason. `fill` puts
    a spoke's values in the place of slots. `closed` says of listeners that have a fault of their
    own why they are not opened.
    """
    evaluation = _RequestEvaluation(topology, request, fill, closed)
    ways = [
        evaluation.enter(proxy, on) for proxy, on in grouped(evaluation.list_entrances()).items()
    ]
    return tuple([way for way in ways if way.rules] or ways)


class _RequestEvaluation:
    """One request on one spoke."""

    def __init__(
        self,
        topology: Topology,
        request: Request,
        fill: Callable[[Any], Any],
        closed: Mapping[Ref, str],
    ) -> None:
        self._topology, self._request, self._fill, self._closed = topology, request, fill, closed
        self._serving = HostnameServing(topology, request.host, fill, closed)

    def list_entrances(self) -> Iterator[tuple[Ref, tuple[RequestPath, Listener]]]:
        """Yield the listeners on the request's port, or on one unknown, each with its proxy."""
        for path in find_listener_paths(self._topology):
            listener = find_listener(self._topology, path)
            if self._fill(listener.port) in (_UNKNOWN, self._request.port):
                yield find_proxy(self._topology, path.gateway), (path, listener)

    def enter(self, proxy: Ref, on_port: Sequence[tuple[RequestPath, Listener]]) -> RequestWay:
        """Follow the request through a proxy, whose listeners on the port these are."""
        request = self._request
        protocols = (_UNKNOWN, *_SPOKEN[request.scheme])
        spoken = [path for path, listener in on_port if listener.protocol in protocols]
        if not spoken:
            others = ", ".join(sorted({listener.protocol for _, listener in on_port}))
            why = f"port {request.port} is for {others}, not {request.scheme}"
            return RequestWay(proxy, refused=why)
        opened = [path for path in spoken if path.section not in self._closed]
        if not opened:
            why = self._fill(self._closed[spoken[0].section])
            return RequestWay(proxy, refused=f"port {request.port} is not opened: {why}")
        listeners = tuple(path for path in opened if self._serving.serves(path))
        if not listeners:
            why = f"no listener on port {request.port} is for {request.host}"
            is_tls = request.scheme in ("https", "tls")
            then = "the TLS handshake fails" if is_tls else _NOT_FOUND
            return RequestWay(proxy, refused=f"{why}: {then}")
        sections = {path.section for path in listeners}
        trials = [
            self._try(path)
            for path in find_rule_paths(self._topology)
            if path.section in sections and self._serving.may_serve(path)
        ]
        fitting = [trial for trial in trials if not trial.lacking]
        rules = tuple(self._choose([trial for trial in fitting if trial.rank[0]]))
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
        left = [trial for trial in fitting if trial.path not in rules]
        if left:
            passed.append(_tell_apart(max(left, key=lambda trial: trial.rank), first))
        lacks = "no rule is for this request" if trials else f"no route is for {request.host}"
        is_sure = any(trial.is_sure for trial in trials if trial.path in rules)
        if rules:
            by = {path.section for path in rules}
            listeners = tuple(path for path in listeners if path.section in by)
        is_http = any(on.protocol in _ANSWERED for on in map(self._listener, listeners))
        refused = "" if is_sure else f"{lacks}: {_NOT_FOUND if is_http else _ENDED}"
        return RequestWay(proxy, listeners, rules, tuple(passed), refused)

    def _listener(self, path: RequestPath) -> Listener:
        return find_listener(self._topology, path)

    def _try(self, path: RequestPath) -> _Trial:
        """Hold the matches of a rule against the request, and of those that delegate to it."""
        rank: tuple[Any, ...] = (self._serving.serves(path),)
        filters = [self._topology.find(ref) for ref in find_filters(self._topology, path)]
        is_sure = path.is_certain and not any(node and node.narrows for node in filters)
        lacking = ""
        routing = find_class_controller(self._topology, path.gateway_class).routing
        is_whole = routing is not None and routing.whole_expressions
        counts = routing is not None and routing.counts_method
        rules = [ref for ref in path.parents if ref.section_name]
        for rule in (*rules, path.levels[-1]):
            matches = read_matches(self._topology.nodes[rule.whole]).get(rule.section_name, ())
            fields = self._fill(list_matches(matches))
            verdicts = [
                (
                    find_mismatch(each, self._request, is_whole=is_whole),
                    rank_match(each, counts_method=counts),
                )
                for each in fields
            ]
            met = [each for each in verdicts if not each[0]]
            verdict, nearest = max(met or verdicts, key=lambda each: (each[0] == "", each[1]))
            rank += nearest
            is_sure = is_sure and verdict is not None
            lacking = lacking or verdict or ""
        return _Trial(path, rank, lacking, is_sure)

    def _choose(self, trials: Sequence[_Trial]) -> Iterator[RequestPath]:
        """Yield the rules that may take the request, down to the first that surely does."""
        by_rank = grouped((trial.rank, trial) for trial in trials)
        for rank in sorted(by_rank, reverse=True):
            by_route = grouped((trial.path.levels[-2], trial) for trial in by_rank[rank])
            while by_route:
                is_sure = True
                for ref in find_orders(by_route, self._topology.ages, _LOCAL).firsts:
                    for trial in sorted(by_route.pop(ref), key=self._place):
                        yield trial.path
                        if trial.is_sure:
                            break
                    else:
                        is_sure = False
                if is_sure:
                    return

    def _place(self, trial: _Trial) -> int:
        rules = [*read_matches(self._topology.nodes[trial.path.levels[-2]])]
        return rules.index(trial.path.rule)


def _tell_apart(trial: _Trial, first: tuple[Any, ...]) -> tuple[RequestPath, str]:
    """Return a rule that is for the request, and why another one comes before it."""
    if not trial.rank[0]:
        return trial.path, _WIDER
    equal = "an earlier rule, or a route that is older or first by name, has an equal match"
    return trial.path, "its match is less specific" if trial.rank < first else equal


_WIDER = "a more specific hostname is served"
_ANSWERED = (_UNKNOWN, "HTTP", "HTTPS")
"""Protocols of listeners that answer requests for which there is no rule."""
_NOT_FOUND, _ENDED = "it is answered with 404", "the connection is closed"
