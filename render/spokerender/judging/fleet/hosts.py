"""Lists the requests that each hostname of a spoke serves, as sets of which the first match counts.

`judging.answers` follows one request; this module lists all. The hosts are the hostnames in files
(of routes and listeners); a request belongs to the narrowest hostname that it matches.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats.regexes import guess_text
from spokerender.judging.trials import LOCAL, RuleMatches, RuleTrial, choose_rules, prepare_rule
from spokerender.model import grouped
from spokerender.model.memo import memoised
from spokerender.model.slots import consult, has_slot
from spokerender.topology import matches
from spokerender.topology.graph import Topology, find_class_controller, find_proxy
from spokerender.topology.hostnames import make_host
from spokerender.topology.matches import EVERY_REQUEST, MatchFields
from spokerender.topology.paths import Entrance, RequestPath
from spokerender.topology.precedence import find_orders
from spokerender.topology.requests import find_listener, find_listener_paths
from spokerender.topology.serving import HostIndex, Port, list_addresses

_Chosen = tuple[tuple[MatchFields, tuple[Any, ...]], ...]
"""Of each rule on a path (delegating rules, then the last rule), one match with its rank."""
_DISTINCT = ("Exact", "PathPrefix")
"""Types of path matches: two different paths of one type and rank have no request in common."""
_ROOT = ("PathPrefix", "/")


class RequestSet(Struct, frozen=True, eq=False):
    """The requests that fit `match` and are in no earlier set.

    `place` is the rank of the match and a key: matches of one rank with different keys have no
    request in common. `paths` lead to the rules that may serve the requests, the likely rule first.
    If `is_sure`, one of these rules certainly does. `witness` is an example, without a caller.
    """

    place: tuple[tuple[Any, ...], tuple[str, str]]
    match: str
    paths: tuple[RequestPath, ...]
    is_sure: bool
    witness: matches.Request


class ExposedHost(Struct, frozen=True, eq=False):
    """A hostname at an entrance (proxy, port and protocol), with its sets of requests in any order.

    `listeners` serve the hostname; `own` are those with exactly this hostname.
    """

    entrance: Entrance
    name: str
    listeners: tuple[RequestPath, ...]
    own: tuple[RequestPath, ...]
    sets: tuple[RequestSet, ...]

    @property
    def paths(self) -> tuple[RequestPath, ...]:
        """The paths to the host's listeners and rules."""
        return (*self.listeners, *(path for each in self.sets for path in each.paths))


@memoised
def list_hosts(topology: Topology) -> tuple[ExposedHost, ...]:
    """Return the hosts of a spoke; a listener has a host even if it has no routes."""
    index = HostIndex[RequestPath]()
    entrances: dict[Entrance, tuple[dict[Port, None], dict[str, list[RequestPath]]]] = {}
    """The ports of each entrance, and the listeners that have each of its hostnames."""
    for path, port, names, snis in list_addresses(topology):
        # Listeners choose connections, and only rules take requests.
        index.add(port, snis, *([(names, path)] if path.route is not None else []))
        listener, proxy = find_listener(topology, path), find_proxy(topology, path.gateway)
        entrance = proxy, listener.port, listener.protocol
        ports, by_name = entrances.setdefault(entrance, ({}, {}))
        ports[port] = None
        for name in names:
            by_name.setdefault(name, []).extend([path] if path.route is None else [])
    hosts = []
    for entrance, (ports, by_name) in entrances.items():
        # Whether names are equal or nested decides which host is the nearest, and slots may change
        # it: those of domains, unless a first label has some.
        split = ((name, *name.partition(".")) for name in by_name)
        asked = (name if has_slot(label) else f"*.{domain}" for name, label, _, domain in split)
        consult(_compare_names, tuple(dict.fromkeys(asked)))
        for name, own in by_name.items():
            host = make_host(name, by_name)
            nearest = (it for port in ports for it in enumerate(index.find(port, host)))
            rules = [
                path
                for number, (_, paths) in nearest
                for path in paths
                if not number or _read_routing(topology, path)[0]
                # Listeners of another protocol on the port have their own entrances.
                if find_listener(topology, path).protocol == entrance[-1]
            ]
            if own or rules:
                hosts.append(_read_host(topology, entrance, (name, host), own, rules))
    return tuple(hosts)


def _compare_names(names: tuple[str, ...]) -> tuple[object, ...]:
    """Return how many names are distinct, and for each two of their domains if one is nested."""
    domains = tuple(dict.fromkeys(name.partition(".")[2] or name for name in names))
    nested = (one.endswith(f".{other}") for one in domains for other in domains)
    return len(set(names)), *nested


def _read_routing(topology: Topology, path: RequestPath) -> tuple[bool, bool]:
    """Return whether a path's controller compares hostnames last, and if methods affect rank."""
    routing = find_class_controller(topology, path.gateway_class).routing
    if routing is None:
        return False, False
    # Traefik compares hostnames after paths, and by length (httproute.go, buildMatchRule).
    return routing.hostnames_last, routing.counts_method


def _read_host(
    topology: Topology,
    entrance: Entrance,
    named: tuple[str, str],
    own: Sequence[RequestPath],
    paths: Sequence[RequestPath],
) -> ExposedHost:
    """Return a host; `named` is its hostname in files, and an example of a name it serves.

    `own` are the listeners with exactly this hostname; `paths` lead to the host's rules.
    """
    name, host = named
    # One proxy has one controller, so any path tells its rules.
    is_by_length, counts_method = _read_routing(topology, (*own, *paths)[0])
    texts = tuple(sorted({it for path in paths for it in path.hostnames} if is_by_length else ()))
    # Lengths are compared for values, as slots stand for hostnames of other lengths.
    lengths = dict(zip(texts, consult(_order_by_length, texts), strict=True))
    rules = [
        _MatchedRule.read(rule, chosen, length, counts_method=counts_method)
        for path in paths
        for length in (max((lengths.get(it, 0) for it in path.hostnames), default=0),)
        for rule in (prepare_rule(topology, path, lambda value: value),)
        for chosen in product(*rule.chain)
    ]
    connection = matches.connect(host, *entrance[1:])
    methods = [fields.get("method") for rule in rules for fields in rule.fields]
    # A method that no match names, so that only rules without a method take it.
    method = next((it for it in matches.METHODS if it not in methods), "ANY")
    plain = replace(connection, method=method, credential=matches.ANONYMOUS)
    # Matches of different places have no request in common, or the rank decides between them.
    rivals = grouped((rule.place, rule) for rule in rules).values()
    sets = chain.from_iterable(_order_rivals(topology, alike, plain) for alike in rivals)
    serving = {path.section for path in (*own, *paths)}
    listeners = tuple(it for it in find_listener_paths(topology) if it.section in serving)
    return ExposedHost(entrance, name, listeners, tuple(own), tuple(sets))


def _order_by_length(names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the rank of each hostname by its length, from 1 for the shortest."""
    lengths = sorted({len(name) for name in names})
    return tuple(1 + lengths.index(len(name)) for name in names)


class _MatchedRule(Struct, frozen=True, eq=False):
    """A rule with one of its matches, and one match of each rule that delegates to it."""

    path: RequestPath
    fields: tuple[MatchFields, ...]
    place: tuple[tuple[Any, ...], tuple[str, str]]
    match: str

    @staticmethod
    def read(
        rule: RuleMatches, chosen: _Chosen, length: int, *, counts_method: bool
    ) -> "_MatchedRule":
        """Return a rule with its `chosen` matches; the text omits paths that every request has."""
        fields, ranks = zip(*chosen, strict=True)
        kind, path = matches.read_target(fields[-1])
        method = "" if counts_method else str(fields[-1].get("method"))
        # Paths of one type and rank are equal or apart; expressions may overlap.
        common = path if kind in _DISTINCT else kind, method
        bare = [{**it, "path": None} if matches.read_path(it) == _ROOT else it for it in fields]
        texts = [text for it in bare if (text := matches.write_fields(it)) != EVERY_REQUEST]
        narrowing = [f"filter {rule.narrowing}"] if rule.narrowing else []
        match = " and ".join((*texts, *narrowing)) or EVERY_REQUEST
        return _MatchedRule(
            rule.path, fields, ((*chain.from_iterable(ranks), length), common), match
        )


def _order_rivals(
    topology: Topology, rivals: Sequence[_MatchedRule], plain: matches.Request
) -> Iterator[RequestSet]:
    """Yield the sets of `rivals`, matches that may fit the same request, in order of precedence."""
    every = (RuleTrial(rule.path, (), "", is_sure=False) for rule in rivals)
    order = {id(path): n for n, path in enumerate(choose_rules(topology, every, topology.ages))}
    by_match = grouped(
        (rule.match, rule) for rule in sorted(rivals, key=lambda it: order[id(it.path)])
    )
    routes = find_orders({rule.path.levels[-2] for rule in rivals}, topology.ages, LOCAL)
    is_decided = len(by_match) == 1 or len(routes.firsts) == 1
    for match, alike in by_match.items():
        trials = (RuleTrial(it.path, (), "", it.path.is_certain) for it in alike)
        paths = tuple(choose_rules(topology, trials, topology.ages))
        is_sure = is_decided and any(path.is_certain for path in paths)
        yield RequestSet(alike[0].place, match, paths, is_sure, _make_witness(alike[0], plain))


def _make_witness(rule: _MatchedRule, plain: matches.Request) -> matches.Request:
    """Return a request that fits a match, and as few other matches as possible."""
    kind, path = matches.read_target(rule.fields[-1])
    if kind == "RegularExpression":
        path = f"/{guess_text(path).removeprefix('/')}"
    # Below the prefix: the prefix itself may be an exact match of another rule.
    elif kind != "Exact":
        path = f"{path.rstrip('/')}/any"
    headers, query = (
        {
            str(item.get("name")): guess_text(text) if matches.has_pattern(item) else text
            for fields in rule.fields
            for item in fields.get(field, ())
            for text in (str(item.get("value")),)
        }
        for field in ("headers", "queryParams")
    )
    method = next((it["method"] for it in rule.fields if it.get("method")), plain.method)
    own = method if isinstance(method, str) else "POST"  # a call of gRPC
    return replace(plain, method=own, path=path, query=query, headers=headers)
