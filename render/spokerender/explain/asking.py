"""Answers requests: their paths, the effective policies there, and the effects of the rule."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.explain.answered import (
    AnsweringBackend,
    AnsweringListener,
    AnsweringRule,
    AnswerOfProxy,
    AskedOfCaller,
    PassedRule,
    RequestAnswer,
)
from spokerender.explain.outcomes import JudgedOutcome, OutcomeReader
from spokerender.explain.values import EffectiveAnswer, RuleInForce
from spokerender.explain.words import RuleWords, label_rule, read_words
from spokerender.formats.yamlio.emit import settle_marks
from spokerender.judging.answers import RequestWay, find_request_ways
from spokerender.judging.effective.callers import CallerVerdict, join_verdicts
from spokerender.judging.effective.outcomes import EffectivePolicy, EffectiveRule
from spokerender.judging.effective.scales import traits_of_policies
from spokerender.judging.fleet.judged import JudgedBlueprint
from spokerender.judging.lookups import PluginAnswer, PluginLookup
from spokerender.judging.workloads import list_operations, narrow_policy
from spokerender.kinds.kind import FoundBy, Kind
from spokerender.model import Ref
from spokerender.model.memo import memoised, remembered
from spokerender.model.refs import GATEWAY_API
from spokerender.model.shapes import as_mapping, as_mappings, as_text
from spokerender.rendering.values.bundles import Bundle, find_slots
from spokerender.rendering.values.own_texts import map_texts
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.matches import (
    ANONYMOUS,
    NOBODY,
    Request,
    find_prefix,
    list_matches,
    read_matches,
)
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import asks_service, find_listener
from spokerender.topology.serving import HostnameServing

_ROUTES = {"tls": "TLSRoute", "tcp": "TCPRoute", "udp": "UDPRoute"}
_SHOWN_ELSEWHERE = ("name", "matches", "backendRefs")
_WORKLOAD = FoundBy.WORKLOAD
Ways = tuple[RequestWay, ...]


class AskedBlueprint(Struct, frozen=True, eq=False):
    """A judged blueprint, and further facts that decide about requests.

    `operations` are the operations (methods and paths) in policies for workloads.
    """

    judged: JudgedBlueprint
    lookup: PluginLookup
    operations: list[Mapping[str, Any]]


class Asked(Struct, frozen=True, eq=False):
    """A request to a spoke: its paths, and the policies that plugins find on each path."""

    judged: JudgedBlueprint
    bundle: Bundle
    request: Request
    ways: Ways
    plugin: Mapping[RequestPath, PluginAnswer]


class Restriction(Struct, frozen=True):
    """A rule that is or may be effective, as text; `label` names the sort of restriction."""

    policy: EffectiveAnswer
    item: RuleInForce
    label: str
    words: RuleWords


class AnswerReader:
    """Reads which rules serve a request, with lines, policies and backends, for people."""

    def __init__(self, rendered: Rendered, *, with_lines: bool = True) -> None:
        """Start to read; `with_lines` has the same meaning as for `OutcomeReader`."""
        self._rendered = rendered
        self.outcomes = OutcomeReader(rendered, with_lines=with_lines)
        # Requests to a rule share its policies.
        self._restrict = remembered(self._list_restrictions)

    @memoised
    def prepare(self, judged: JudgedBlueprint) -> AskedBlueprint:
        """Return a judged blueprint with the facts that answers about requests need."""
        by_kind = [*map(self.add_kind, judged.judgement.effective)]
        operations = list_operations(it for it, kind in by_kind if kind.found_by is _WORKLOAD)
        counted = (item for paths in judged.judgement.counted.values() for item, _ in paths)
        lookup = PluginLookup(judged.judgement.topology, map(self.add_kind, counted))
        return AskedBlueprint(judged, lookup, operations)

    def follow(
        self,
        prepared: AskedBlueprint,
        bundle: Bundle,
        request: Request,
        ways: Ways,
        serving: HostnameServing,
    ) -> Asked:
        """Return a request's paths on a spoke; `ways` are the paths on an equal spoke, or empty."""
        fill, judgement = bundle.filled, prepared.judged.judgement
        around = judgement.topology, request, fill, judgement.faults.closed
        # The ways of an alike spoke are reused: they depend on hostnames and listeners alone.
        ways = ways or find_request_ways(*around, serving)
        # Proxies without a listener for the request count only if no proxy has one.
        ways = tuple(way for way in ways if way.listeners) or ways
        paths = [path for way in ways for path in way.rules]
        plugin = {path: prepared.lookup.find(path, request, fill) for path in paths}
        return Asked(prepared.judged, bundle, request, ways, plugin)

    @memoised
    def read_kind(self, group: str, kind: str) -> tuple[bool, bool]:
        """Return whether a kind's policies are about requests, and whether they affect callers."""
        row = self._rendered.hub.catalogue.kind(group, kind)
        traits = traits_of_policies(row)
        parts = (part.about for part in (*traits.guarding, *traits.besides))
        return is_about_requests(row), traits.guards or bool(traits.checks) or "access" in parts

    def add_kind(self, item: EffectivePolicy) -> tuple[EffectivePolicy, Kind]:
        """Return an effective policy with the row of its kind."""
        return item, self._rendered.hub.catalogue.kind(item.group, item.kind)

    def read(self, asked: Asked) -> RequestAnswer:
        """Return the answer to a request on a spoke."""
        ways, port = asked.ways, asked.request.port
        refused = "" if ways else f"nothing in these files listens on port {port}"
        return RequestAnswer(tuple(self._read_way(asked, way) for way in ways), refused)

    def describe(self, answer: RequestAnswer) -> RequestAnswer:
        """Return an answer, which must have no slots, with the restrictions added as texts."""

        def describe(rule: AnsweringRule) -> AnsweringRule:
            asked = self.list_restrictions(rule.policies)
            texts = (AskedOfCaller(it.label, str(it.words), it.item.origin) for it in asked)
            return replace(rule, asked=tuple(texts))

        proxies = (replace(it, rules=tuple(map(describe, it.rules))) for it in answer.proxies)
        return replace(answer, proxies=tuple(proxies))

    def list_restrictions(self, policies: Iterable[EffectiveAnswer]) -> Iterator[Restriction]:
        """Yield the effective and the possible rules of policies as texts, which may have slots."""
        return chain.from_iterable(map(self._restrict, policies))

    def _list_restrictions(self, policy: EffectiveAnswer) -> tuple[Restriction, ...]:
        kind = self._rendered.hub.catalogue.kind(policy.group, policy.kind)
        # Without a known outcome, each candidate may restrict the request.
        return tuple(
            Restriction(policy, item, label_rule(kind, item.rule), _read_words(kind, item.rule))
            for item in policy.rules or policy.candidates
        )

    def _read_way(self, asked: Asked, way: RequestWay) -> AnswerOfProxy:
        refused = way.refused
        # Other tools may bring routes to spokes.
        if refused and way.listeners:
            refused += find_further_routes(self._rendered, asked.request)
        return AnswerOfProxy(
            way.proxy,
            tuple(self._read_listener(asked.judged, path) for path in way.listeners),
            tuple(self.read_rule(asked, path) for path in way.rules),
            tuple(PassedRule(path.levels[-1], why) for path, why in way.passed),
            refused,
            refused == way.refused,
        )

    def _read_listener(self, judged: JudgedBlueprint, path: RequestPath) -> AnsweringListener:
        listener = find_listener(judged.judgement.topology, path)
        field = "spec", "listeners", listener.index
        variant = judged.variants.get(path.section.whole)
        origin = self.outcomes.line(variant.manifest, field) if variant is not None else None
        return AnsweringListener(path.section, listener.handling, listener.port, origin)

    def read_rule(
        self, asked: Asked, path: RequestPath, *, is_sample: bool = False
    ) -> AnsweringRule:
        """Return the answer of a rule to a request, or with `is_sample` to all similar requests."""
        judged, request, route = asked.judged, asked.request, path.levels[-2]
        matches = read_matches(judged.judgement.topology.nodes[route])
        index = [*matches].index(path.rule)
        variant = judged.variants[route]
        rules = as_mappings(as_mapping(variant.object.get("spec")).get("rules"))
        # A route without rules has one by default, and no fields of it.
        fields = as_mapping(self.outcomes.redact(variant, rules[index])) if rules else {}
        own = [*map(self.add_kind, self.outcomes.list_on_path(judged, path))]
        fill = asked.bundle.filled
        by_rule = (
            narrow_policy(it, request, fill) if kind.found_by is _WORKLOAD and not is_sample else it
            for it, kind in own
            if is_about_requests(kind) and kind.found_by is not FoundBy.PLUGIN
        )
        answer = asked.plugin[path]
        in_force = [JudgedOutcome(judged, asked.bundle, it) for it in (*by_rule, *answer.join())]
        # A service that authorizes may refuse any caller, and files do not say which.
        service = [CallerVerdict(None, "a service")] * asks_service(judged.judgement.topology, path)
        # The caller of the request is asked separately only if it differs from nobody.
        is_nobody = (request.credential, request.client) == (ANONYMOUS, "")
        nobody = NOBODY if is_sample else replace(request, credential=ANONYMOUS, client="")
        anonymous, verdict = (
            join_verdicts([*service, *self.outcomes.judge_caller(in_force, each)])
            for each in (nobody, nobody if is_nobody else request)
        )
        failing, backends = _read_backends(judged, path, fields)
        return AnsweringRule(
            path.levels[-1],
            self.outcomes.line(variant.manifest, ("spec", "rules", index)),
            anonymous,
            verdict,
            tuple(map(self.outcomes.read, in_force)),
            {key: value for key, value in fields.items() if key not in _SHOWN_ELSEWHERE},
            tuple(backends),
            failing,
            plugin=answer.explain(path, any(kind.found_by is FoundBy.PLUGIN for _, kind in own)),
            prefix=find_prefix(fill(list_matches(matches[path.rule])), request),
        )


@remembered
def _read_words(kind: Kind, rule: EffectiveRule) -> RuleWords:
    words: RuleWords = map_texts(read_words(kind, rule), settle_marks)
    return words


def find_further_routes(rendered: Rendered, request: Request) -> str:
    """Return a text about routes that may be in no file (`completeKinds`, synced kinds), or ""."""
    kind = GATEWAY_API, _ROUTES.get(request.scheme, "HTTPRoute")
    is_complete = rendered.settings.external.is_complete(*kind)
    if is_complete or kind in rendered.sync.listed_anywhere:
        return ""
    return ", unless the spoke has a route that is not in these files"


def is_about_requests(kind: Kind) -> bool:
    """Return whether a kind's policies are about requests, and not about DNS or certificates."""
    return kind.traits.records is None and not kind.traits.certificates


def _read_backends(
    judged: JudgedBlueprint, path: RequestPath, rule: Mapping[str, Any]
) -> tuple[str, Iterator[AnsweringBackend]]:
    """Return why all requests to a rule fail, or "", and the backends of the rule."""
    parts = [
        part
        for part in judged.judgement.faults.parts
        if part.rule == path.levels[-1] and part.gateway == path.gateway and part.is_used
    ]
    route = path.levels[-2]
    failing = {part.field[-1]: part.why for part in parts if part.part != route}
    why = next((part.why for part in parts if part.part == route), "")
    return why, _list_backends(route, rule, failing)


def _list_backends(
    route: Ref, rule: Mapping[str, Any], failing: Mapping[str | int, str]
) -> Iterator[AnsweringBackend]:
    """Yield the backends of a rule; `failing` has the reasons of failing backends by index."""
    entries = as_mappings(rule.get("backendRefs"))
    # The API's default weight is 1.
    weights = [entry.get("weight", 1) for entry in entries]
    # The number of a slot can't be added.
    total = "" if find_slots(weights) else f"/{sum(weights)}"
    for number, entry in enumerate(entries):
        ref = Ref(
            as_text(entry.get("group", "")),
            as_text(entry.get("kind", "Service")),
            as_text(entry.get("namespace", route.namespace)),
            as_text(entry.get("name")),
        )
        share = f"{'' if total else 'weight '}{weights[number]}{total}" if entries[1:] else ""
        yield AnsweringBackend(ref, entry.get("port"), share, failing.get(number, ""))
