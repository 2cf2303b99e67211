"""Spokes that give one answer, but for their own values, to each request for a host."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.explain.asking import AnswerReader, AskedBlueprint
from spokerender.explain.lookup import group_by_blueprint
from spokerender.judging.effective.outcomes import EffectivePolicy
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.model import grouped
from spokerender.model.memo import memoised
from spokerender.rendering.values.bundles import Bundle, Filler
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.hostnames import split_suffixes
from spokerender.topology.matches import list_matches, read_matches
from spokerender.topology.requests import find_listener, find_listener_paths, find_rule_paths
from spokerender.topology.serving import HostnameServing


class AlikeForHost(Struct, eq=False):
    """Spokes that give one answer to a request for a host; `is_named` if any hostname is for it."""

    asked: AskedBlueprint
    is_named: bool
    bundles: list[Bundle]


def group_by_host(
    fleet: JudgedFleet, reader: AnswerReader, hosts: Mapping[str, str]
) -> list[list[AlikeForHost]]:
    """Group spokes by how routes decide about their hosts, then by their blueprint.

    What else is each one's own (ports, matches, the hosts of operations) sets a spoke apart.
    """
    families: dict[tuple[Any, ...], dict[int, AlikeForHost]] = {}
    for judged, bundles in group_by_blueprint(fleet):
        asked, topology = reader.prepare(judged), judged.judgement.topology
        is_apart = bool(asked.operations) or _is_apart(topology)
        common = id(topology), id(judged.judgement.faults)
        for bundle in bundles:
            if bundle.spoke.name in hosts:
                names = _relate(bundle, topology, hosts[bundle.spoke.name])
                key = *common, names, bundle.spoke.name if is_apart else ""
                new = AlikeForHost(asked, any(names), [])
                family = families.setdefault(key, {})
                family.setdefault(id(judged), new).bundles.append(bundle)
    return [[*family.values()] for family in families.values()]


def join_blueprints(
    groups: Sequence[AlikeForHost],
    reader: AnswerReader,
    host: str,
    weigh: Callable[[EffectivePolicy], object],
) -> list[AlikeForHost]:
    """Join blueprints that have the same in force wherever requests for the host may go.

    `host` is that of the first spoke; `weigh` returns what counts of a policy.
    """
    bundle, topology = groups[0].bundles[0], groups[0].asked.judged.judgement.topology
    serving = HostnameServing(topology, host, bundle.text)
    paths = [path for path in find_rule_paths(topology) if serving.may_serve(path)]
    joined: list[tuple[object, AlikeForHost]] = []
    for group in groups:
        judged, list_on = group.asked.judged, reader.outcomes.list_on_path
        in_force = [[*map(weigh, list_on(judged, path))] for path in paths]
        routes = [id(judged.variants.get(path.levels[-2])) for path in paths]
        decides = routes, in_force, group.asked.lookup.refused
        same = next((other for own, other in joined if own == decides), None)
        if same is None:
            joined.append((decides, AlikeForHost(group.asked, group.is_named, [*group.bundles])))
        else:
            same.bundles += group.bundles
    return [group for _, group in joined]


@memoised
def list_hostnames(topology: Topology) -> tuple[str, ...]:
    """Return the hostnames of listeners and routes, which may hold slots; empty for any."""
    paths = find_listener_paths(topology)
    names = {name for path in find_rule_paths(topology) for name in path.hostnames}
    return tuple(names.union(find_listener(topology, path).hostname for path in paths))


@memoised
def _is_apart(topology: Topology) -> bool:
    """Tell whether matches or ports have slots, or the length of hostnames counts."""
    paths = find_listener_paths(topology)
    routes = [node for node in topology.nodes.values() if node.is_route]
    matches = [list_matches(it) for node in routes for it in read_matches(node).values()]
    ports = [find_listener(topology, path).port for path in paths]
    routings = [find_class_controller(topology, path.gateway_class).routing for path in paths]
    by_length = any(it is not None and it.hostnames_last for it in routings)
    return by_length or Filler().has_slots([*ports, *matches])


def _relate(bundle: Bundle, topology: Topology, host: str) -> tuple[tuple[str, ...], ...]:
    """Return the hostnames that stand for a host on a spoke, by how near they are to it."""
    index = _index(bundle, list_hostnames(topology))
    above = [f"*{suffix}" for suffix in split_suffixes(host)]
    return tuple([index.get(name, ()) for name in ("", host, *above, "*")])


@memoised
def _index(bundle: Bundle, names: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    texts = grouped((bundle.text(name), name) for name in names)
    return {text: tuple(sorted(slotted)) for text, slotted in texts.items()}
