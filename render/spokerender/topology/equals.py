"""Routes with equal matches, of which the oldest serves all requests (HTTPRoute, `matches`)."""

from collections.abc import Iterator, Mapping

from spokerender.model.memo import memoised
from spokerender.model.refs import Ref
from spokerender.topology.graph import Topology
from spokerender.topology.hostnames import is_within
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import find_narrowing, find_rule_paths

RequestKey = tuple[Ref, str, str, str]
"""A set of requests: a listener (a section), a kind of route, a hostname, and a match as text."""


@memoised
def find_equal_routes(topology: Topology) -> Mapping[RequestKey, Mapping[Ref, RequestPath]]:
    """Return each set of requests that several routes match, with the first path of each route."""
    routes: dict[RequestKey, dict[Ref, RequestPath]] = {}
    for path, keys in list_requests(topology):
        for requests in keys:
            routes.setdefault(requests, {}).setdefault(path.levels[-1].whole, path)
    return {requests: on for requests, on in routes.items() if len(on) > 1}


@memoised
def list_requests(topology: Topology) -> tuple[tuple[RequestPath, tuple[RequestKey, ...]], ...]:
    """Return each path to a rule with the requests it matches, except paths of delegated routes."""
    listed: list[tuple[RequestPath, tuple[RequestKey, ...]]] = []
    for path in find_rule_paths(topology):
        if path.route is not None and not path.parents:
            hostnames = _hostnames_by_listener(topology, path.listener_set or path.gateway)
            listener = hostnames[path.listener] or "*"
            listed.append((path, tuple(_requests(topology, path, path.route, listener))))
    return tuple(listed)


@memoised
def _hostnames_by_listener(topology: Topology, parent: Ref) -> Mapping[str, str]:
    """Return hostnames by listener name; of listeners with equal names, the first counts."""
    return {
        listener.name: listener.hostname for listener in reversed(topology.nodes[parent].listeners)
    }


def _requests(topology: Topology, path: RequestPath, ref: Ref, own: str) -> Iterator[RequestKey]:
    """Yield the sets of requests that a path's rule matches; `own` is the listener's hostname."""
    route = topology.nodes[ref]
    index = (route.sections or (path.rule,)).index(path.rule)
    narrowed = find_narrowing(topology, path)
    for match in route.matches[index] if index < len(route.matches) else ():
        for hostname in _hostnames(own, path):
            yield path.section, ref.kind, hostname, match.text + narrowed


def _hostnames(own: str, path: RequestPath) -> Iterator[str]:
    """Yield the hostnames of a path's requests, each narrowed to `own` if that is more specific."""
    for name in path.hostnames or (own,):
        yield own if own != "*" and is_within(own, name) else name
