"""Law: nothing that is called in force is uncovered on any hostname, path or rule.

And the other way round: what covers a way is called in force there. A slow model of each process
says so from the objects alone.
"""

from collections.abc import Iterator

from hypothesis import given, strategies as st
from msgspec.structs import replace

from spokerender.judging.cluster import Cluster, ClusterObject, Knowledge
from spokerender.judging.effective.outcomes import EffectivePolicy
from spokerender.judging.judge import judge_cluster
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Ref
from spokerender.topology.reading import read_node
from tests.property.accepting import accepted, is_doubtful, levels_of, takes_listener, ways_of
from tests.property.clusters import World, worlds
from tests.property.hubs import Object
from tests.property.laws import law, ref_of
from tests.property.merges import Units
from tests.property.sorts import SORTS
from tests.property.ways import Level, Way
from tests.support import each

Key = tuple[Level, Level, str, Level | None, int, str, tuple[str, str, str] | None]
"""Gateway, what has the listener, the listener, route, rule, hostname and backend."""


@each(*SORTS)
@law
@given(data=st.data())
def test_what_is_in_force_covers_what_it_is_told_of(name: str, data: st.DataObject) -> None:
    world = data.draw(worlds(SORTS[name]))
    told, covering = dict(_told(world)), dict(_covering(world))
    for key, units in told.items():
        assert covering.get(key, {}) == units, key
    assert {key for key, units in covering.items() if units != {}} <= told.keys()


def _told(world: World) -> Iterator[tuple[Key, Units | None]]:
    """What is called in force by way; None where it is said that nobody knows."""
    catalogue = Catalogue.of([], world.sort.configured)
    refs = {_ref(item): item for item in world.objects}
    ages = {ref: world.ages[ref.name] for ref in refs if ref.name in world.ages}
    objects = (
        ClusterObject(ref, item, read_node(ref, item, catalogue)) for ref, item in refs.items()
    )
    judged = judge_cluster(Cluster(tuple(objects)), Knowledge(catalogue, ages=ages))
    routes = {ref_of(route): route for route in world.traffic.routes}
    for entry in judged.effective:
        if (entry.group, entry.kind) == world.sort.identity and _is_meant(world, entry.path.route):
            for hostname in entry.path.hostnames or ("",):
                yield _key(entry, hostname, routes), _units(world, entry)


def _is_meant(world: World, route: Ref | None) -> bool:
    return route is None or not world.sort.routes or route.kind in world.sort.routes


def _ref(item: Object) -> Ref:
    return replace(ref_of(item), namespace=item["metadata"].get("namespace", ""))


def _key(each: EffectivePolicy, hostname: str, routes: dict[Ref, Object]) -> Key:
    path = each.path
    rule = 0
    if path.route is not None:
        names = [entry.get("name", "") for entry in routes[path.route]["spec"]["rules"]]
        if path.rule in names:
            rule = names.index(path.rule)
        else:
            rule = int(path.rule.removeprefix("rule-")) - 1
    end = path.backend
    return (
        _level(path.gateway),
        _level(path.listener_set or path.gateway),
        path.listener,
        _level(path.route) if path.route is not None else None,
        rule,
        hostname,
        (end.namespace, end.name, end.section_name) if end is not None else None,
    )


def _level(ref: Ref) -> Level:
    return ref.kind, ref.namespace, ref.name, ""


def _units(world: World, each: EffectivePolicy) -> Units | None:
    if each.likely.unknown:
        return None
    units: Units = {}
    for rule in each.likely.rules:
        part = next(p for p in world.sort.parts if f"{rule.key}.".startswith(f"{p}."))
        units.setdefault(part, set()).add(rule.policy.name)
    return units


def _covering(world: World) -> Iterator[tuple[Key, Units | None]]:
    """What covers each way, by the model."""
    held = accepted(world)
    for way in ways_of(world, held):
        levels = levels_of(world, held, way)
        units = world.sort.model(levels, way) if levels else {}
        if units and way.protocol in ("TCP", "TLS"):
            units = {part: who for part, who in units.items() if part not in world.sort.on_http}
        # What a controller refuses is its own matter, and nobody knows whether this one is asked.
        is_refused = world.sort.has_ports and takes_listener(world, way)
        if (levels or is_refused) and is_doubtful(world, way.gateway):
            units = None
        yield _key_of(way), {} if way.wide and world.sort.within else units


def _key_of(way: Way) -> Key:
    end = way.end
    backend = (end.namespace, end.name, end.port) if end is not None else None
    return way.gateway, way.parent, way.listener, way.route, way.rule, way.hostname, backend
