"""Listeners that take no HTTP/2 beside others of their port (GEP-3567, connection coalescing).

Of two listeners with certificates for the same names, a client may send the requests of one through
a connection to the other. Some controllers take HTTP/1.1 alone then. Which names a certificate is
for is in a Secret, which no file has.
"""

from collections.abc import Iterator, Mapping

from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import listed
from spokerender.findings.results import INFO
from spokerender.model import Ref, grouped
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import SpokeView
from spokerender.review.meaning.drafts import Draft
from spokerender.review.meaning.objects import ObjectChanges
from spokerender.review.values import Topic
from spokerender.topology.graph import find_class_controller


def find_coalescing(successors: Successors, objects: ObjectChanges) -> Iterator[Draft]:
    """Yield listeners of HTTPS that may take no HTTP/2 any more, or may take it again."""
    before, after = (_list_neighbours(view) for view in (successors.old, successors.new))
    for old, new in successors.listeners if before or after else ():
        if new is None or old.address[2] != new.address[2] or new.is_closed:
            continue
        was, now = before.get(old.levels[-1], []), after.get(new.levels[-1], [])
        if bool(was) is bool(now):
            continue
        others = listed(sorted(map(str, now or was)))
        does = "may take no HTTP/2 any more" if now else "may take HTTP/2 again"
        why = "there" if now else "there no more"
        message = (
            f"{new.levels[-1]} {does}: {others}, which may have a certificate for the same names, "
            f"is {why} on its port"
        )
        cause = objects.cause((*(ref.whole for ref in now), new.levels[-1]), was)
        cure = "give the listeners certificates for different names, or set alpnProtocols"
        about = codes.EFFECT_NOT_KNOWN, Topic.ENCRYPTION, message
        yield Draft.on(new, *about, cause, cure=cure, severity=INFO)


def _list_neighbours(view: SpokeView) -> Mapping[Ref, list[Ref]]:
    """Return, by listeners of HTTPS, the others of their port and proxy, where that counts."""
    ways = [way for way in view.listeners.values() if way.address[2] == "HTTPS"]
    if len(ways) < 2:  # noqa: PLR2004  (one alone has no neighbours)
        return {}
    careful = {view.fill(ref) for ref in view.topology.gateways if _is_careful(view, ref)}
    doors = grouped(
        (way.entrance, way) for way in ways if way.levels[0] in careful and not way.is_closed
    )
    return {
        way.levels[-1]: [other.levels[-1] for other in alike if other is not way]
        for alike in doors.values()
        for way in alike
        if len(alike) > 1
    }


def _is_careful(view: SpokeView, gateway: Ref) -> bool:
    node = view.topology.nodes[gateway]
    rules = find_class_controller(view.topology, node.gateway_class).routing
    return rules is not None and rules.avoids_coalescing
