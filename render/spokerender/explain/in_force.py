"""Answers which policy is effective on each path, rule by rule, each with its line in the hub."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, repeat

from msgspec import field
from msgspec.structs import replace

from spokerender.explain import lookup
from spokerender.explain.outcomes import JudgedOutcome, OutcomeReader
from spokerender.explain.values import EffectiveAnswer, PathQuestion, RuleInForce
from spokerender.judging.effective.outcomes import EffectivePolicy, MadePart, PolicyOutcome
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.judging.made import list_made
from spokerender.model import Origin, Ref, grouped
from spokerender.rendering.values.alike import Alike, AlikeFleet, AlikeSpokes
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.hostnames import intersects
from spokerender.topology.matches import NOBODY
from spokerender.topology.node import Listener
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import (
    asks_service,
    find_listener,
    find_listener_paths,
    find_rule_paths,
)
from spokerender.topology.serving import HostnameServing


def share_in_force(
    rendered: Rendered, fleet: JudgedFleet, question: PathQuestion
) -> tuple[Alike[EffectiveAnswer], ...]:
    """Return the answers for every path that a user asks about.

    Equal answers for several spokes are joined, also if they differ only in the spokes' own values.
    """
    findings = lookup.ObjectFindings(rendered.results, fleet.results)
    answers = _Answers(rendered, question, findings)
    for judged, bundles in lookup.group_by_blueprint(fleet, question.spoke):
        answers.add(judged, bundles)
    shared = answers.shared(AlikeFleet(lookup.list_bundles(fleet, question.spoke)))
    return tuple(sorted(shared, key=lambda alike: place_answer(alike.common)))


def place_answer(answer: EffectiveAnswer) -> tuple[object, ...]:
    """Return the sort key of an answer: path, kind of policy, spokes."""
    return answer.path.levels[1:], answer.group, answer.kind, answer.spokes


def left_out(fleet: JudgedFleet, question: PathQuestion) -> tuple[Ref, ...]:
    """Return the policies that their controller or an API server would refuse, by hub name.

    Only `spoke` and `kind` of the question count, because such a policy is on no known path.
    """
    selected = {id(j): j for name, j in fleet.judged.items() if question.spoke in ("", name)}
    refs = {
        judged.variants[ref].manifest.ref
        for judged in selected.values()
        for ref, attachment in judged.judgement.attachments.items()
        if question.kind in ("", ref.kind) and not attachment.is_accepted
    }
    return tuple(sorted(refs))


_Way = tuple[Ref | None, str, Ref | None]
"""A Gateway of the hub, a listener, and a route."""


class _Group(JudgedOutcome, eq=False):
    """An answer, and the spokes that share it."""

    way: _Way
    listener: Listener | None
    bundles: list[Bundle] = field(default_factory=list)


class _Answers:
    """Answers for the spokes of one blueprint after another; equal answers are merged."""

    def __init__(
        self, rendered: Rendered, question: PathQuestion, findings: lookup.ObjectFindings
    ) -> None:
        self._findings = findings
        self._reader = OutcomeReader(rendered)
        self._catalogue = rendered.hub.catalogue
        self._question = question
        self._groups: dict[tuple[object, ...], _Group] = {}
        self._hostnames: dict[_Way, dict[tuple[str, ...], dict[Bundle, None]]] = {}

    def add(self, judged: JudgedBlueprint, bundles: Sequence[Bundle]) -> None:
        """Add the answers of spokes that share a judgement."""
        serving = {bundle: self._find_serving(judged, bundle) for bundle in bundles}
        # Everything is computed on slots: a fleet may have 100 spokes on each of 100 paths.
        # Outcomes of no kind stand for open paths, and for listeners without a route.
        open_ = () if self._question.kind else self._list_open(judged, bundles[0])
        closed = judged.judgement.faults.closed
        for effective in chain(judged.judgement.effective, open_):
            if self._question.kind.casefold() not in ("", effective.kind.casefold()):
                continue
            if effective.path.section in closed:
                continue
            names = find_hostnames(judged, effective.path)
            selected = [
                bundle
                for bundle in bundles
                if serving[bundle](effective.path)
                and _is_selected(effective.path, names, self._question, bundle)
            ]
            if selected:
                # Hostnames differ between blueprints that are otherwise equal, so they are merged.
                path = replace(effective.path, hostnames=(), beyond=())
                way = _find_way(judged, path)
                is_shown = self._question.made and path.listener and path.route is None
                topology = judged.judgement.topology
                listener = find_listener(topology, path) if is_shown else None
                group = _Group(judged, bundles[0], replace(effective, path=path), way, listener)
                self._groups.setdefault(self._key(group), group).bundles.extend(selected)
                sharing = self._hostnames.setdefault(way, {}).setdefault(names, {})
                sharing.update(dict.fromkeys(selected))

    def _list_open(self, judged: JudgedBlueprint, bundle: Bundle) -> Iterator[EffectivePolicy]:
        """Yield a policy with an empty kind for each path or listener that nothing guards."""
        topology, reader = judged.judgement.topology, self._reader
        paths = [path for path in find_rule_paths(topology) if not asks_service(topology, path)]
        served = {path.section for path in find_rule_paths(topology)}
        bare = [path for path in find_listener_paths(topology) if path.section not in served]
        for path in (*bare, *paths):
            items = reader.list_on_path(judged, path)
            in_force = (JudgedOutcome(judged, bundle, item) for item in items)
            verdicts = reader.judge_caller(in_force, NOBODY)
            is_open = all(verdict.is_admitted for verdict in verdicts)
            if is_open if path.route is not None else not items:
                yield EffectivePolicy(path, "", "", (), (), PolicyOutcome(()))

    def _find_serving(
        self, judged: JudgedBlueprint, bundle: Bundle
    ) -> Callable[[RequestPath], bool]:
        hostname = self._question.hostname
        # A wildcard asks for many hosts, which no single evaluation of a request answers.
        if not hostname or hostname.startswith("*"):
            return lambda _: True
        return HostnameServing(judged.judgement.topology, hostname, bundle.text).serves

    def shared(self, fleet: AlikeFleet) -> Iterator[Alike[EffectiveAnswer]]:
        """Yield the answers, each with all spokes that share it."""
        hostnames = {
            way: {
                bundle.spoke.name: names
                for names, bundles in fleet.join(sharing.items())
                for bundle in bundles
            }
            for way, sharing in self._hostnames.items()
        }
        places: dict[tuple[object, ...], list[_Group]] = {}
        for group in self._groups.values():
            path, refs = group.effective.path, tuple(self._hub_refs(group))
            # Grouped by place before joining, so that only answers about one thing are compared.
            place = group.way, path.rule, group.effective.kind, refs
            places.setdefault(place, []).append(group)
        for groups in places.values():
            first = groups[0]
            finish = partial(self._finish, tuple(self._hub_refs(first)), hostnames[first.way])
            entries = [
                (replace(self._reader.read(group), listener=group.listener), group.bundles)
                for group in groups
            ]
            # An override that changes nothing on a spoke does not make a different answer there.
            changed = {
                bundle.spoke.name: tuple(rule.changed_by for rule in _list_rules(answer))
                for answer, bundles in entries
                for bundle in bundles
            }
            plain = ((_with_changes(answer, repeat(())), bundles) for answer, bundles in entries)
            for alike in fleet.share(plain, lambda _: (), finish):
                parts = grouped(
                    (changed[bundle.spoke.name], bundle) for bundle in alike.spokes.bundles
                )
                for changes, bundles in parts.items():
                    value = _with_changes(alike.value, changes)
                    yield Alike(value, alike.spokes.select(bundles), finish)

    def _finish(
        self,
        refs: tuple[Ref, ...],
        hostnames: Mapping[str, tuple[str, ...]],
        answer: EffectiveAnswer,
        spokes: AlikeSpokes,
    ) -> EffectiveAnswer:
        """Return an answer with its spokes, their hostnames and findings."""
        alike = grouped((hostnames[bundle.spoke.name], bundle) for bundle in spokes.bundles)
        served = dict.fromkeys(
            name
            for names, bundles in alike.items()
            for filled, _ in spokes.select(bundles).fill(names)
            for name in filled
        )
        names = spokes.names
        results = self._findings.select(refs, names)
        made: tuple[MadePart, ...] = ()
        if self._question.made:
            # After spokes have their values, as hashes of names are among it.
            kind = self._catalogue.kind(answer.group, answer.kind)
            rules = [rule.rule for rule in answer.rules]
            made = list_made(kind, answer.path, rules, answer.listener)
        return replace(answer, hostnames=tuple(served), spokes=names, results=results, made=made)

    def _hub_refs(self, group: _Group) -> Iterator[Ref]:
        """Yield the hub objects that an answer is about."""
        for policy in group.effective.stack:
            yield group.judged.variants[policy].manifest.ref
        route = group.effective.path.route
        if route is not None and route in group.judged.variants:
            yield group.judged.variants[route].manifest.ref

    def _key(self, group: _Group) -> tuple[object, ...]:
        """Return a key that equal answers share: the effective rules, and their overrides."""
        outcome = group.effective.likely
        rules = (*outcome.rules, *outcome.candidates)
        # The whole outcome as text: its values are dicts, which have no hash.
        return repr((group.effective, group.listener)), tuple(
            self._reader.find_changes(group, rule) for rule in rules
        )


def _list_rules(answer: EffectiveAnswer) -> Iterator[RuleInForce]:
    yield from (*answer.rules, *answer.candidates)
    for other in answer.others:
        yield from other


def _with_changes(
    answer: EffectiveAnswer, changes: Iterable[tuple[Origin, ...]]
) -> EffectiveAnswer:
    """Return an answer with `changes`, the overrides of its rules, `candidates` and `others`."""
    left = iter(changes)

    def changed(rules: Iterable[RuleInForce]) -> tuple[RuleInForce, ...]:
        return tuple(replace(rule, changed_by=next(left)) for rule in rules)

    return replace(
        answer,
        rules=changed(answer.rules),
        candidates=changed(answer.candidates),
        others=tuple(map(changed, answer.others)),
    )


def _find_way(judged: JudgedBlueprint, path: RequestPath) -> _Way:
    hubs = {place.ref: place.hub for place in judged.blueprint.placed}
    variant = judged.variants.get(path.route) if path.route is not None else None
    route = variant.manifest.ref if variant is not None else path.route
    return hubs.get(path.gateway, path.gateway), path.listener, route


def find_hostnames(judged: JudgedBlueprint, path: RequestPath) -> tuple[str, ...]:
    """Return the hostnames that a path serves; empty if it serves all."""
    if path.hostnames:
        return path.hostnames
    node = judged.judgement.topology.nodes.get(path.listener_set or path.gateway)
    return tuple(
        listener.hostname
        for listener in (node.listeners if node is not None else ())
        if listener.name == path.listener and listener.hostname
    )


def _is_selected(
    path: RequestPath, hostnames: tuple[str, ...], question: PathQuestion, bundle: Bundle
) -> bool:
    route = path.route
    if question.route and (
        route is None or not lookup.matches_route(bundle.ref(route), question.route)
    ):
        return False
    return (
        not question.hostname
        or not hostnames
        or any(intersects(bundle.text(name), question.hostname) for name in hostnames)
    )
