"""Requests that rules are for, made from what rules ask."""

from spokerender.rendering.values.bundles import Bundle
from spokerender.topology.graph import Topology
from spokerender.topology.matches import Request, list_matches, read_matches
from spokerender.topology.paths import RequestPath

SCHEMES = {"HTTP": "http", "HTTPS": "https", "TLS": "tls", "TCP": "tcp", "UDP": "udp"}


def make_witness(topology: Topology, path: RequestPath, bundle: Bundle) -> Request | None:
    """A request that the first match of a rule is for; None for one that no text stands for."""
    assert path.route is not None
    holder = topology.nodes[path.listener_set or path.gateway]
    listener = next(one for one in holder.listeners if one.name == path.listener)
    name = bundle.text((path.hostnames or (listener.hostname or "any.example",))[0])
    match = bundle.filled(list_matches(read_matches(topology.nodes[path.levels[-2]])[path.rule]))[0]
    texts = (match.get("path", {}), *match.get("headers", ()), *match.get("queryParams", ()))
    is_odd = listener.protocol not in SCHEMES or not listener.port
    if is_odd or any(item.get("type") == "RegularExpression" for item in texts):
        return None
    method = match.get("method", "GET")
    return Request(
        SCHEMES[listener.protocol],
        name.replace("*", "any"),
        int(bundle.filled(listener.port)),
        "POST" if isinstance(method, dict) else method,
        "/{service}/{method}".format(**{"service": "S", "method": "M", **method})
        if isinstance(method, dict)
        else match.get("path", {}).get("value", "/"),
        {item["name"]: item["value"] for item in match.get("queryParams", ())},
        {item["name"]: item["value"] for item in match.get("headers", ())},
    )
