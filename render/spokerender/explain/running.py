"""Answers requests on all spokes, once for spokes with the same answer."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from spokerender.explain.answered import RequestAnswer
from spokerender.explain.asking import AnswerReader, Asked, AskedBlueprint
from spokerender.explain.lookup import group_by_blueprint, list_bundles
from spokerender.explain.requests import RequestError, check_host
from spokerender.findings.phrasing import LISTED, did_you_mean, few_suggestions, joined
from spokerender.formats.templating.template import compile_template
from spokerender.formats.templating.values import TemplateProblem, write_as_text
from spokerender.judging.answers import RequestWay
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.model import grouped
from spokerender.model.memo import memoised
from spokerender.rendering.values.alike import Alike, AlikeFleet, AlikeSpokes
from spokerender.rendering.values.bundles import Bundle, find_slots
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.graph import Topology, find_class_controller
from spokerender.topology.hostnames import intersects, list_matching
from spokerender.topology.matches import Request, list_matches, read_matches
from spokerender.topology.requests import find_listener, find_listener_paths, find_rule_paths
from spokerender.topology.serving import HostnameServing

_Names = tuple[tuple[str, ...], ...]
"""The hostnames of a blueprint that match a host, the nearest first."""


class AskedSpokes(Struct, frozen=True, eq=False):
    """Spokes with the same answer to a request, except for their own values.

    `asked` is the request to the first spoke; `problem` says why it can't be evaluated there.
    `is_named` is True if a hostname of the spokes matches the request's host.
    """

    bundles: tuple[Bundle, ...]
    asked: Asked | None = None
    is_named: bool = True
    problem: str = ""


class _ServedAlike(Struct, eq=False):
    """Spokes with the same answers to all requests for a host."""

    prepared: AskedBlueprint
    serving: HostnameServing
    is_named: bool
    bundles: Sequence[Bundle]


class RequestRunner:
    """Answers requests on the spokes of a fleet, or on one spoke.

    The host of a request may contain expressions with values of the spoke.
    """

    def __init__(
        self, rendered: Rendered, fleet: JudgedFleet, spoke: str = "", *, with_lines: bool = True
    ) -> None:
        """Prepare the spokes; they are grouped once for each host."""
        self.reader = AnswerReader(rendered, with_lines=with_lines)
        self.bundles = list_bundles(fleet, spoke)
        self.by_blueprint = group_by_blueprint(fleet, spoke)
        # Tests name few hosts, and a fleet has many spokes: each template is compiled once.
        self._compile = cache(compile_template)

    def ask(
        self, request: Request, *, spokes: Collection[str] | None = None, limits: bool = True
    ) -> Iterator[AskedSpokes]:
        """Yield groups of spokes with the same answer; None in `spokes` selects all spokes.

        Without `limits`, spokes share an answer if only policies for admitted callers differ.
        """

        def select(bundles: Iterable[Bundle]) -> list[Bundle]:
            return [it for it in bundles if spokes is None or it.spoke.name in spokes]

        for problem, bundles in self._relate_spokes(request.host)[1].items():
            if own := select(bundles):
                yield AskedSpokes(tuple(own), problem=problem)
        ways: dict[HostnameServing, tuple[RequestWay, ...]] = {}
        for group in self._group_spokes(request.host, limits):
            own = select(group.bundles)
            # Policies may have values of the spoke, with which the client's address is compared.
            for some in [[it] for it in own] if request.client else [own] if own else []:
                filled = self.evaluate(request, some[0])
                asked = self.reader.follow(
                    group.prepared, some[0], filled, ways.get(group.serving, ()), group.serving
                )
                # Groups that differ in policies alone have the same ways.
                ways[group.serving] = asked.ways
                yield AskedSpokes(tuple(some), asked, group.is_named)

    def evaluate(self, request: Request, bundle: Bundle) -> Request:
        """Return the request; a host with expressions is evaluated. Raises `RequestError`."""
        host = self._evaluate(request.host, bundle)
        return replace(request, host=host, written=request.host)

    def suggest_hosts(self, request: Request) -> str:
        """Return where the host of a request is served, or similar hosts."""
        entrances: set[str] = set()
        names: set[str] = set()
        host = ""
        for judged, bundles in self.by_blueprint:
            topology = judged.judgement.topology
            served = {
                (name or "*", find_listener(topology, path))
                for path in find_rule_paths(topology)
                for name in path.hostnames or (find_listener(topology, path).hostname,)
            }
            for bundle in bundles:
                host = self.evaluate(request, bundle).host
                for name, listener in served:
                    # Every hostname is a candidate for a suggestion, and only those that meet the
                    # host are entrances.
                    names.add(bundle.text(name))
                    if name == "*" or intersects(bundle.text(name), host):
                        entrances.add(f"{listener.handling} on port {bundle.filled(listener.port)}")
        if entrances:
            return f"{host} is served by {joined(sorted(entrances), LISTED)}"
        with few_suggestions():
            return did_you_mean(host, sorted(names), "hosts here are")

    def _evaluate(self, text: str, bundle: Bundle, valid: Collection[str] = ()) -> str:
        """Return a host with a spoke's values; hosts in `valid` need no check."""
        # Hosts of a set of tests often share their text from the first expression on.
        before, mark, after = text.partition("{")
        host = f"{before}{self._evaluate_text(mark + after, bundle)}" if mark else text
        return host if host == text or host in valid else check_host(host)

    @memoised
    def _evaluate_text(self, text: str, bundle: Bundle) -> str:
        try:
            template = self._compile(text)
            return write_as_text(template.evaluate({"spoke": bundle.spoke.context}))
        except TemplateProblem as error:
            raise RequestError(str(error)) from None

    @memoised
    def _relate_spokes(
        self, text: str
    ) -> tuple[Sequence[_ServedAlike], Mapping[str, list[Bundle]]]:
        """Return groups of spokes that serve a host in the same way; other spokes by problem."""
        related: dict[tuple[AskedBlueprint, _Names, str], list[Bundle]] = {}
        problems: dict[str, list[Bundle]] = {}
        for judged, bundles in self.by_blueprint:
            prepared, topology = self.reader.prepare(judged), judged.judgement.topology
            # Other facts of a spoke's own (ports, matches, hosts of operations) set it apart.
            is_apart = bool(prepared.operations) or _is_apart(topology)
            for bundle in bundles:
                try:
                    # A host that is written in the spoke's own objects needs no check of its form.
                    host = self._evaluate(text, bundle, _index(bundle, topology))
                except RequestError as error:
                    problems.setdefault(str(error), []).append(bundle)
                    continue
                own = bundle.spoke.name if is_apart else ""
                key = prepared, _find_names(bundle, topology, host), own
                related.setdefault(key, []).append(bundle)
        # Blueprints with equal topologies share what is found out about their hostnames.
        served: dict[object, HostnameServing] = {}
        groups = []
        for (prepared, names, own), alike in related.items():
            judgement = prepared.judged.judgement
            # Identity is enough: judgements are shared, and live as long as the fleet.
            around = id(judgement.topology), id(judgement.faults), names, own
            if around not in served:
                host, fill = self._evaluate(text, alike[0]), alike[0].text
                topology, closed = judgement.topology, judgement.faults.closed
                served[around] = HostnameServing(topology, host, fill, closed)
            groups.append(_ServedAlike(prepared, served[around], any(names), alike))
        return groups, problems

    @memoised
    def _group_spokes(self, text: str, limits: bool) -> Collection[_ServedAlike]:
        """Return groups of spokes with the same policies on all paths for a host."""
        groups = grouped(
            ((each.serving, *self._list_deciding(each, limits=limits)), each)
            for each in self._relate_spokes(text)[0]
        )
        return [
            replace(alike[0], bundles=[bundle for each in alike for bundle in each.bundles])
            for alike in groups.values()
        ]

    def _list_deciding(self, alike: _ServedAlike, *, limits: bool) -> Iterator[object]:
        """Yield keys that are equal for spokes with the same routes and policies for a host."""
        judged, outcomes = alike.prepared.judged, self.reader.outcomes
        yield from alike.prepared.lookup.refused.items()
        for path in alike.serving.paths:
            # The route's object, as the answer shows its filters and backends.
            yield id(judged.variants.get(path.levels[-2]))
            for item in outcomes.list_on_path(judged, path):
                is_about, asks_callers = self.reader.read_kind(item.group, item.kind)
                # An uncertain policy may concern callers in one of its outcomes.
                is_sure = not (item.others or item.likely.unknown or item.likely.failing)
                if is_about and (limits or asks_callers or not is_sure):
                    yield from map(id, (item.likely, *item.others))
                elif is_about:  # a plugin finds a policy by the places of its rules
                    yield item.kind, *(rule.path for rule in item.likely.rules)


def share_request_answers(
    rendered: Rendered, fleet: JudgedFleet, request: Request, spoke: str = ""
) -> tuple[tuple[Alike[RequestAnswer], ...], str]:
    """Return the answers to a request on every spoke (or one), and a suggestion of hosts.

    Spokes that differ only in values share an answer. The suggestion is empty if a rule serves the
    request or nearly does. Raises `RequestError` if a spoke has no value for the request's host.
    """
    runner = RequestRunner(rendered, fleet, spoke)

    def read(each: AskedSpokes) -> tuple[RequestAnswer, Sequence[Bundle]]:
        if each.asked is None:
            raise RequestError(f"on {each.bundles[0].spoke.name}: {each.problem}")
        return runner.reader.read(each.asked), each.bundles

    def finish(answer: RequestAnswer, spokes: AlikeSpokes) -> RequestAnswer:
        return replace(runner.reader.describe(answer), spokes=spokes.names)

    answers = map(read, runner.ask(request))
    shared = [*AlikeFleet(runner.bundles).share(answers, lambda _: (), finish)]
    is_near = any(it.rules or it.passed for alike in shared for it in alike.value.proxies)
    hint = "" if is_near else runner.suggest_hosts(request)
    return tuple(sorted(shared, key=lambda alike: _place(alike.common))), hint


def _place(answer: RequestAnswer) -> tuple[bool, int, tuple[str, ...]]:
    """Return the sort key of an answer: served requests first, then answers of most spokes."""
    is_served = any(proxy.rules for proxy in answer.proxies)
    return not is_served, -len(answer.spokes), answer.spokes


@memoised
def _list_hostnames(topology: Topology) -> tuple[str, ...]:
    """Return the hostnames of listeners and routes, which may hold slots; "" matches any."""
    paths = find_listener_paths(topology)
    names = {name for path in find_rule_paths(topology) for name in path.hostnames}
    return tuple(names.union(find_listener(topology, path).hostname for path in paths))


@memoised
def _is_apart(topology: Topology) -> bool:
    """Return whether a host may be routed differently where the same hostnames match the host."""
    paths = find_listener_paths(topology)
    routes = [node for node in topology.nodes.values() if node.is_route]
    matches = [list_matches(it) for node in routes for it in read_matches(node).values()]
    ports = [find_listener(topology, path).port for path in paths]
    routings = [find_class_controller(topology, path.gateway_class).routing for path in paths]
    # Traefik prefers the longer hostname, which may not be the nearer one.
    by_length = any(it is not None and it.hostnames_last for it in routings)
    return by_length or bool(find_slots([*ports, *matches]))


def _find_names(bundle: Bundle, topology: Topology, host: str) -> _Names:
    """Return the hostnames that match a host on a spoke, the nearest first."""
    domain = host.partition(".")[2]
    return _index(bundle, topology).get(host, ()), *_find_wildcards(bundle, topology, domain)


@memoised
def _find_wildcards(bundle: Bundle, topology: Topology, domain: str) -> _Names:
    """Return the wildcards that match hosts of a domain; cached, as a spoke's hosts share them."""
    index = _index(bundle, topology)
    return tuple(index.get(name, ()) for name in (*list_matching(f"any.{domain}")[1:], ""))


@memoised
def _index(bundle: Bundle, topology: Topology) -> Mapping[str, tuple[str, ...]]:
    texts = grouped((bundle.text(name), name) for name in _list_hostnames(topology))
    return {text: tuple(sorted(slotted)) for text, slotted in texts.items()}
