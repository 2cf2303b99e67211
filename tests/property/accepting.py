"""Which policies a controller takes, and what they are on, said a second time and from objects."""

from collections.abc import Iterator, Sequence

from tests.property.clusters import World
from tests.property.hubs import Object
from tests.property.sorts import TOGETHER
from tests.property.ways import End, Level, Way, level

SpokeSlots = list[tuple[Object, list[Level]]]
"""The policies that are accepted, the oldest first, and what each of them is on."""


def accepted(world: World) -> SpokeSlots:
    """The policies that are accepted."""
    sort = world.sort
    policies = sorted(world.policies, key=lambda policy: world.ages[policy["metadata"]["name"]])
    found: SpokeSlots = [(policy, list(_targets(world, policy))) for policy in policies]
    if sort.on_tcp:
        found = [(policy, on) for policy, on in found if _is_for_tcp(world, policy, on)]
    if sort.refuses_overlap:
        found = [(policy, on) for policy, on in found if not _overlaps(world, on)]
    match sort.one:
        case "oldest" | "equals":
            return [
                (policy, [at for at in on if _first(found, at) is policy]) for policy, on in found
            ]
        case "whole and sections":
            return [
                (policy, [at for at in on if _eldest(found, at) is policy]) for policy, on in found
            ]
        case "equal":
            return _agreeing(found)
    return _without_clashes(world, found)


def _targets(world: World, policy: Object) -> Iterator[Level]:
    spec, own = policy["spec"], policy["metadata"]["namespace"]
    for entry in spec.get("targetRefs", [spec.get("targetRef")]):
        section = entry.get("sectionName", "")
        place = (entry["kind"], own, entry["name"], section)
        for item in world.objects:
            is_there = level(item)[:3] == place[:3]
            is_there = is_there and (not section or section in _sections(world, item))
            if is_there and not _is_foreign(world, place):
                yield place


def _is_for_tcp(world: World, policy: Object, on: list[Level]) -> bool:
    """Whether a policy has nothing that its TCPRoutes can't have."""
    more = set(policy["spec"]) & (set(world.sort.parts) - set(world.sort.on_tcp))
    return not more or all(kind != "TCPRoute" for kind, *_ in on)


def _is_foreign(world: World, at: Level) -> bool:
    """Whether requests to a target come through other controllers' gateways only."""
    found = [way.gateway for way in _every_way(world) if at in _places(world, way)]
    whole = (*at[:3], "")
    found = found or [way.gateway for way in _every_way(world) if whole in _places(world, way)]
    found += [level(gateway) for gateway in world.traffic.gateways if level(gateway) == whole]
    return bool(found) and not any(_has_a_say(world, gateway) for gateway in found)


def _every_way(world: World) -> Iterator[Way]:
    yield from world.traffic.listeners()
    yield from world.traffic.rules()
    yield from world.traffic.backends()


def _has_a_say(world: World, at: Level) -> bool:
    """Whether the sort's controller has a say in what a gateway does."""
    of, own = _controller_of(world, at), world.sort.on
    return world.sort.elsewhere != "never" or of in (own, "example") or (own, of) in TOGETHER


def is_doubtful(world: World, at: Level) -> bool:
    """Whether nobody can tell what a gateway does with the sort's policies."""
    return world.sort.elsewhere == "never" and _controller_of(world, at) == "example"


def _controller_of(world: World, at: Level) -> str:
    gateway = next(each for each in world.traffic.gateways if level(each) == at)
    return world.controllers[gateway["spec"]["gatewayClassName"]]


def _sections(world: World, item: Object) -> list[str]:
    spec = item["spec"]
    if "ports" in spec:
        return [
            str(p["port"]) if world.sort.sections == "number" else p["name"] for p in spec["ports"]
        ]
    if "rules" in spec:
        names = [rule.get("name", "") for rule in spec["rules"]]
        if world.sort.sections == "positional":
            names = [name or f"rule-{place}" for place, name in enumerate(names, start=1)]
        return names
    return [listener["name"] for listener in spec["listeners"]]


def _first(found: SpokeSlots, at: Level) -> Object:
    return next(policy for policy, on in found if at in on)


def _eldest(found: SpokeSlots, at: Level) -> Object:
    """The oldest on a port or on the whole, where both compete."""
    whole = (*at[:3], "")
    return next(policy for policy, on in found if at in on or (at[3] and whole in on))


def _agreeing(found: SpokeSlots) -> SpokeSlots:
    """Of those on one rule that differ in their priority none is on that route any more."""
    gone: set[tuple[str, Level]] = set()
    for one, mine in found:
        for other, theirs in found:
            for a in mine:
                for b in theirs:
                    meet = a[:3] == b[:3] and ("" in (a[3], b[3]) or a[3] == b[3])
                    if meet and one["spec"]["priority"] != other["spec"]["priority"]:
                        gone |= {(each["metadata"]["name"], (*a[:3], "")) for each in (one, other)}
    return [
        (policy, [at for at in on if (policy["metadata"]["name"], (*at[:3], "")) not in gone])
        for policy, on in found
    ]


def _without_clashes(world: World, found: SpokeSlots) -> SpokeSlots:
    """One that has a part of an earlier one on a target of both is refused on all its targets."""
    held: SpokeSlots = []
    for policy, on in found:
        mine = _clashing(world, policy)
        if not any(
            mine & _clashing(world, other) and set(on) & set(there) for other, there in held
        ):
            held.append((policy, on))
    return held


def _clashing(world: World, policy: Object) -> set[str]:
    found = set()
    for part in world.sort.clash:
        value = policy["spec"]
        for key in part.split("."):
            value = value.get(key, {}) if isinstance(value, dict) else {}
        if value:
            found.add(part)
    return found


def _shares_port(world: World, at: Level, way: Way) -> bool:
    """Whether a plain-HTTP listener of a target has its port with one that is not the target's."""
    ports = {
        (level(gateway), level(parent)[:3], listener["name"]): listener["port"]
        for gateway, parent, listener in world.traffic.sound()
        if listener["protocol"] == "HTTP"
    }
    port = ports.get((way.gateway, way.parent[:3], way.listener))
    return any(
        port == other and gateway == way.gateway
        for (gateway, parent, name), other in ports.items()
        if at not in (gateway, (*parent, name), (*parent, ""))
    )


def _overlaps(world: World, on: Sequence[Level]) -> bool:
    """Whether a route that is not targeted has a hostname, port and path of one that is."""
    doors: dict[Level, set[object]] = {}
    routes = {level(route): route for route in world.traffic.routes}
    ports = {
        (level(parent), listener["name"]): (listener["port"], listener.get("hostname", ""))
        for _, parent, listener in world.traffic.opened()
    }
    for way in world.traffic.rules():
        assert way.route is not None
        port, hostname = ports[way.parent, way.listener]
        host = max(hostname.removeprefix("*"), way.hostname.removeprefix("*"), key=len)
        rule = routes[way.route]["spec"]["rules"][way.rule]
        for match in rule.get("matches", [{}]):
            default = "/" if way.route[0] == "HTTPRoute" else ""
            path = match.get("path", {}).get("value", default)
            doors.setdefault(way.route, set()).add((way.gateway, host, port, path))
    targeted = {at for at in on if at[0].endswith("Route")}
    return any(
        doors.get(at, set()) & others
        for at in targeted
        for route, others in doors.items()
        if route not in targeted
    )


def ways_of(world: World, held: SpokeSlots) -> Iterator[Way]:
    """The ways on which the sort has a say."""
    sort, traffic = world.sort, world.traffic
    if sort.ends == "listeners":
        ways = traffic.listeners()
    elif any(at[0] == "Service" for _, on in held for at in on):
        ends = list(traffic.backends())
        above = {_above(way) for way in ends}
        ways = iter([*ends, *(way for way in traffic.rules() if way not in above)])
    else:
        ways = traffic.rules()
    for way in ways:
        is_seen = sort.sees_sets or way.parent == way.gateway
        is_routed = not sort.routes or way.route is None or way.route[0] in sort.routes
        if not _has_a_say(world, way.gateway):
            continue
        if is_seen and is_routed and (not sort.protocols or way.protocol in sort.protocols):
            yield way


def _above(way: Way) -> Way:
    return Way(**{**vars(way), "end": None})


def levels_of(world: World, held: SpokeSlots, way: Way) -> list[tuple[Level, list[Object]]]:
    """The levels of a way that have policies, the least specific first."""
    places = _places(world, way)
    found = [(at, [policy for policy, on in held if at in on]) for at in places]
    levels = [(at, policies) for at, policies in found if policies]
    if world.sort.has_ports:
        levels = [(at, policies) for at, policies in levels if not _shares_port(world, at, way)]
        section = (*way.parent[:3], way.listener)
        if takes_listener(world, way):
            # Refused or not, it takes the listener from the policies above.
            levels = [(at, policies) for at, policies in levels if at == section]
    return levels


def takes_listener(world: World, way: Way) -> bool:
    """Whether a policy names the listener of a way, accepted or not."""
    section = (*way.parent[:3], way.listener)
    return any(section in _targets(world, policy) for policy in world.policies)


def _places(world: World, way: Way) -> list[Level]:
    sort = world.sort
    places: list[Level] = [way.gateway]
    places += [way.parent] if way.parent != way.gateway else []
    places.append((*way.parent[:3], way.listener))
    routes: list[Level] = []
    if way.route is not None:
        routes.append(way.route)
        name = way.rule_name
        if sort.sections == "positional":
            name = name or f"rule-{way.rule + 1}"
        if name and way.route[0] not in sort.no_rule_of:
            routes.append((*way.route[:3], name))
    ends = list(_ends(world, way.end)) if way.end is not None else []
    return [*places, *ends, *routes] if sort.backend_first else [*places, *routes, *ends]


def _ends(world: World, end: End) -> Iterator[Level]:
    whole = ("Service", end.namespace, end.name)
    yield (*whole, "")
    if end.port:
        yield (*whole, str(end.number) if world.sort.sections == "number" else end.port)
