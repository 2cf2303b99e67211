"""What a review says of random changes of hubs, beside what they do to requests by Envoy Gateway.

Each request of either state is tried in both. Where it loses authentication, authorization or a
rate limit, is taken by something else, is answered newly or not any more, a consequence has to be
told on its path; where no request is met otherwise, none may be told.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from spokerender.findings.results import ERROR, INFO
from spokerender.formats import yamlio
from spokerender.judging.fleet.blueprints import BlueprintJudge, gather_knowledge
from spokerender.judging.fleet.judged import JudgedFleet
from spokerender.review.changes.values import TreeDifferences
from spokerender.review.comparison.states import FleetState
from spokerender.review.reviewing import make_review
from spokerender.review.values import Consequence, Review, ReviewedState, Topic
from tests.live import agreement
from tests.live.asking import HUBS, SEED, smallest
from tests.live.building import ENGINES_BY_NAME
from tests.live.changes import change, turn_round
from tests.live.changes_of_parts import is_placed
from tests.live.envoy_gateway import FIXED, has_target, write_project
from tests.live.envoy_requests import (
    NEW,
    Fate,
    Request,
    Traffic,
    TranslatorError,
    read_traffic,
    stands_for,
)
from tests.live.hub_policies import ENVOY
from tests.live.hub_routes import ROUTES
from tests.live.hubs import COMPLETE, find_ages, hub, is_declared
from tests.live.sound_hubs import Sound
from tests.live.strictness import asks, asks_less, checks_less, limits_less
from tests.support import end_to_end as e2e

pytestmark = pytest.mark.live

Json = dict[str, Any]
Hub = list[Json]
Place = tuple[str, str]
"""A listener, and a rule of a route on it; empty where nothing takes requests."""
EQUAL, UNKNOWN = "equal", "Unknown"
SHIPPED = ((ENVOY, "Backend"), (ENVOY, "HTTPRouteFilter"))
"""What goes to the spokes beside policies and routes."""
FURTHER = "any further route"
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
ABOUT_LISTENERS = ("SR2513", "SR2523", "SR2526")
"""What a listener admits, listens to, or needs: it may have no route today."""
EXPLAINED = {
    "SR2531: told of nothing": "all Secrets have one certificate, and few backends ask for one",
    "SR2524 of filters: told of nothing": "the Gateway API has filters carried out in their order, "
    "if possible, and Envoy Gateway has an order of its own",
    **dict.fromkeys(
        ("SR2524 of connections: told of nothing", "SR2525 of connections: told of nothing"),
        "the Gateway API has the share of a broken backend refused; Envoy Gateway leaves it out",
    ),
    "of the policy of another TCPRoute: not told": "v1.9.1, internal/gatewayapi/securitypolicy.go:"
    "1394: the policy of a TCPRoute goes to every route of the listener",
    "SR2506 of infrastructure: told of nothing": "what parameters do to requests is not read",
}
"""Differences that are meant, with what is behind them; others fail."""
UNDECIDED = ("SR2553", "SR2562")
"""Consequences that say that files can't tell."""


def review(before: Hub, after: Hub) -> Review:
    """Review a change of a hub, all of whose objects have known ages."""
    return make_review(_state(before), _state(after), TreeDifferences(()))


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
        return
    if not new.is_served:
        yield "served no more"
        return
    yield from _list_weakened(old, new)
    if any(new.access.get(part, text) != text for part, text in old.access.items()):
        yield "access changed"
    if old.limits and new.limits and old.limits != new.limits:
        yield "limit changed"
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


def find_places(before: Traffic, after: Traffic) -> dict[tuple[str, Place, Place], Request]:
    """Each way in which requests are met otherwise, with a request."""
    found: dict[tuple[str, Place, Place], Request] = {}
    for request in dict.fromkeys((*before.requests(), *after.requests())):
        old, new = before.fate(request), after.fate(request)
        for what in differences(old, new):
            found.setdefault((what, _place(old), _place(new)), request)
    return found


def _place(fate: Fate) -> Place:
    return fate.listener, fate.rule


def find_new_names(before: Hub, after: Hub) -> dict[str, str]:
    """The earlier names of what has another name or namespace, each by its new name.

    It has the name of something else that goes, or says the same; a rule matches the same.
    """
    moving = [[one for one in side if one["kind"] in _MOVING] for side in (before, after)]
    sides = [{_name(one): one for one in side} for side in moving]
    gone = [one for name, one in sides[0].items() if name not in sides[1]]
    came = [one for name, one in sides[1].items() if name not in sides[0]]
    names: dict[str, str] = {}
    for new in came:
        same = [old for old in gone if _is_same(old, new)]
        if len(same) == 1:
            names[_name(new)] = _name(same[0])
            gone.remove(same[0])
    for new in (one for one in moving[1] if one["kind"] in ROUTES):
        was = names.get(_name(new), _name(new))
        rules = [read_rules(one) for one in (sides[0].get(was), new) if one]
        if len(rules) > 1:
            old = {matches: rule for rule, matches in rules[0].items() if rule not in rules[1]}
            names |= {
                f"{_name(new)} [{rule}]": f"{was} [{old[matches]}]"
                for rule, matches in rules[1].items()
                if rule not in rules[0] and matches in old
            }
    return names


def read_rules(route: Json) -> dict[str, str]:
    """What each rule of a route matches, by its name."""
    rules = enumerate(route["spec"]["rules"], 1)
    return {
        rule.get("name") or f"rule-{number}": str(rule.get("matches")) for number, rule in rules
    }


_HOLDERS = ("Gateway", "ListenerSet")
_MOVING = (*_HOLDERS, *ROUTES)


def _name(one: Json) -> str:
    metadata = one["metadata"]
    return f"{one['kind']} {metadata['namespace']}/{metadata['name']}"


def _is_same(old: Json, new: Json) -> bool:
    names = [one["metadata"]["name"].replace(NEW, "") for one in (old, new)]
    return bool(old["kind"] == new["kind"] and (names[0] == names[1] or old["spec"] == new["spec"]))


def _rename(level: str, names: Mapping[str, str]) -> str:
    """The name of a level before the change; sections are renamed by their end."""
    if level in names:
        return names[level].replace(NEW, "")
    whole, bracket, section = level.partition(" [")
    return f"{names.get(whole, whole)}{bracket}{section}".replace(NEW, "")


def _bare(level: str) -> str:
    """The name of a level; of TLSRoutes all rules are one."""
    return level.partition(" [")[0] if level.startswith("TLSRoute ") else level


def is_on(one: Consequence, place: Place, request: Request, names: Mapping[str, str]) -> bool:
    """Tell whether a consequence is on the path of a rule on a listener, or on what leads to it.

    That is the Gateway to which the request comes, too.

    The path through another listener of the Gateway is as good, if the hostname is told; and what
    has another name or namespace may be told under either (`names`).
    """
    listener, rule = (_bare(_rename(name, names)) for name in place)
    holders = listener.partition(" [")[0], f"Gateway {request.door[0]}"
    for path in one.paths:
        levels = [_bare(_rename(level, names)) for level in path.split(" > ")]
        if rule in levels and listener in levels:
            return True
        if levels[-1] in (listener, *holders):
            return True
        if rule in levels and any(stands_for(name, request.host) for name in one.hostnames):
            return True
    return False


def judge(before: Hub, after: Hub, traffic: tuple[Traffic, Traffic]) -> dict[Any, str]:
    """How a review is to what becomes of requests: one answer for each change of a place."""
    made = review(before, after)
    told = [*made.consequences, *made.tightened]
    unplaced = [one for one in told if not one.paths]
    hubs = before, after
    places, names = find_places(*traffic), find_new_names(before, after)
    answers: dict[Any, str] = {}
    for (what, old, new), request in places.items():
        on_path = [
            one for one in told if any(is_on(one, place, request, names) for place in (old, new))
        ]
        topics = TOPICS.get(what)
        is_same = [_rename(name, names) for name in old] == [_rename(name, names) for name in new]
        right = [
            one
            for one in on_path
            if (topics is None or one.topic in topics)
            and (what not in WEAKER or one.severity is not INFO)
            and (what != "opened" or not is_same or one.severity is ERROR)
        ]
        unknown = [one for one in (*on_path, *unplaced) if one.result.code in UNDECIDED]
        if right:
            answers[what, old, new] = EQUAL
        elif unknown or any(
            may_be_open(side, place, what) for side in hubs for place in (old, new)
        ):
            answers[what, old, new] = UNKNOWN
        elif all(is_misapplied(*side) for side in zip(hubs, (old, new), strict=True)):
            answers[what, old, new] = "of the policy of another TCPRoute: not told"
        else:
            answers[what, old, new] = f"{what}: not told"
    is_equal = traffic[0].text == traffic[1].text and traffic[0].backends == traffic[1].backends
    if not places and is_equal:
        others = find_other_gateways(before, after)
        served = {fate.rule for side in traffic for fate in side.fates() if fate.is_served}
        loud = [one for one in made.consequences if is_about_requests(one, served, others)]
        for one in loud:
            is_unknown = one.result.code in UNDECIDED or may_be_there((before, after), one)
            answers[one.result.code, one.paths, one.result.message] = (
                UNKNOWN if is_unknown else f"{name(one)}: told of nothing"
            )
        if not loud:
            answers["silence"] = EQUAL
    return answers


def is_misapplied(objects: Hub, place: Place) -> bool:
    """Tell whether a route has no SecurityPolicy, and other TCPRoutes have one that it may get."""
    routes = {_name(one): one for one in objects if one["kind"] == "TCPRoute"}
    own = routes.get(place[1].partition(" [")[0])
    policies = [one for one in objects if one["kind"] == "SecurityPolicy"]
    return (
        own is not None
        and not any(has_target(objects, one, own) for one in policies)
        and any(has_target(objects, one, other) for one in policies for other in routes.values())
    )


def may_be_open(objects: Hub, place: Place, what: str) -> bool:
    """Tell whether a listener needs a certificate that no file has, and the cluster may have.

    It may take HTTP/2 or not for the sake of another one of its port, so that counts there.
    """
    holder, _, section = place[0].partition(" [")
    listeners = [
        (_name(one) == holder and each["name"] == section[:-1], each)
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

    That is a backend, or clients of Gateways with such authorities. The translator finds none, and
    lets requests fail, or closes listeners; a cluster may have them. So may it have another
    certificate under another name.
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
    if one.result.code == "SR2525":
        return any(
            not is_declared(objects, COMPLETE)
            and each["kind"] == "Backend"
            and f"Backend {each['metadata']['namespace']}/{each['metadata']['name']} "
            in one.result.message
            and "'name': 'gone'" in str(each["spec"])
            for objects in hubs
            for each in objects
        )
    gateways = {path.split(" > ")[0].partition(" [")[0] for path in one.paths}
    return one.topic is Topic.ACCESS and any(
        not is_declared(objects, COMPLETE)
        and each["kind"] == "Gateway"
        and f"Gateway {each['metadata']['namespace']}/{each['metadata']['name']}" in gateways
        and "'name': 'gone'" in str(each["spec"].get("tls", {}).get("frontend"))
        for objects in hubs
        for each in objects
    )


def may_have_failed(hubs: Iterable[Hub], one: Consequence) -> bool:
    """Tell whether a rule of which something fails names a backend that no file has."""
    rules = {path.rpartition(" > ")[2] for path in one.paths}
    return any(
        f"{_name(each)} [{name}]" in rules and "'name': 'gone'" in str(rule.get("backendRefs"))
        for objects in hubs
        if not is_declared(objects, COMPLETE)
        for each in objects
        if each["kind"] in ROUTES
        for name, rule in zip(read_rules(each), each["spec"]["rules"], strict=True)
    )


def name(one: Consequence) -> str:
    """The code of a consequence, with the kind of policy that it is about, or else the field."""
    about = sorted({ref.kind for ref in one.policies}) or _FIELD.findall(one.result.message)
    if not about and one.result.code in ("SR2524", "SR2525"):
        about = sorted({_LAYER_4 for path in one.paths if _is_of_layer_4(path)})
    return " of ".join((one.result.code, *about[:1]))


_LAYER_4 = "connections"


def _is_of_layer_4(path: str) -> bool:
    return path.rsplit(" > ", maxsplit=1)[-1].startswith(("TCPRoute ", "TLSRoute ", "UDPRoute "))


_FIELD = re.compile(r": (?:the )?(\w+) (?:changes, and can't be ranked|of the rule change)")


def find_other_gateways(*hubs: Hub) -> frozenset[str]:
    """The Gateways of another class, which the translator does not look at."""
    return frozenset(
        f"Gateway {one['metadata']['namespace']}/{one['metadata']['name']}"
        for each in hubs
        for one in each
        if one["kind"] == "Gateway" and one["spec"]["gatewayClassName"] == "other"
    )


def is_about_requests(one: Consequence, served: set[str], others: frozenset[str]) -> bool:
    """Tell whether a consequence is about requests that some rule takes, or may take."""
    levels = [path.split(" > ") for path in one.paths]
    about = [
        each
        for each in levels
        if each[-1] != FURTHER
        and each[0].partition(" [")[0] not in others
        and (not is_of_rule(each) or not served.isdisjoint(each))
    ]
    return (
        one.severity is not INFO
        and one.topic not in (Topic.OBJECTS, Topic.POLICY)
        and one.result.code not in ABOUT_LISTENERS
        and (bool(about) or not levels)
    )


def is_of_rule(levels: list[str]) -> bool:
    """Tell whether a path leads to a rule of a route."""
    return any(level.partition(" ")[0] in ROUTES for level in levels)


TURNED = 0.3
"""So many changes are taken back: what was the later state is the earlier one."""
SOUND = 0.7
"""In so many hubs most of what is named is there."""
CANDIDATES = 8
"""So many changes are tried for one that does something to policies."""


def pairs(count: int) -> list[tuple[Hub, Hub, str]]:
    """Hubs, each with a change of it and the change's name.

    Most random changes do nothing to requests. So every other one is the strongest of several, on
    one of several hubs.
    """
    made: list[list[tuple[Hub, Hub, str]]] = []
    for index in range(count):
        count = CANDIDATES if index % 2 else 1
        made.append([_make_pair(f"{SEED} {index}", number) for number in range(count)])
    traffics = iter(ask([candidate[:2] for own in made for candidate in own]))
    return [max(own, key=lambda _: _weigh(*next(traffics))) for own in made]


def _make_pair(seed: str, number: int) -> tuple[Hub, Hub, str]:
    random = Random(f"{seed} change {number}")
    make = Sound if random.random() < SOUND else Random
    before = hub(make(f"{seed} {number // 2}"))
    after, what = change(random, before)
    if random.random() < TURNED:
        return *turn_round(before, after), f"not {what}"
    return before, after, what


def _weigh(before: Traffic, after: Traffic) -> int:
    """How much a change does to what is asked of requests."""
    found = {what for what, _, _ in find_places(before, after)}
    return sum(STRENGTHS.get(what, 1) for what in found)


STRENGTHS = {**dict.fromkeys(WEAKER, 8), "limit changed": 4, "access changed": 4}


def ask(hubs: list[tuple[Hub, Hub]]) -> list[tuple[Traffic, Traffic]]:
    """What the translator makes of hubs before and after a change, without what is not placed."""
    states = read_traffic([list(filter(is_placed, state)) for pair in hubs for state in pair])
    return list(zip(states[::2], states[1::2], strict=True))


def smallest_pair(before: Hub, after: Hub, how: str) -> str:
    """The fewest objects with a change about which we differ in this way, as YAML."""
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
            return how in judge(old, new, *ask([(old, new)])).values()
        except TranslatorError:
            return False

    left = smallest([list(range(len(side))) for side in sides], differs)
    texts = [
        "---\n".join(yamlio.emit(sides[side][index]) for index in indexes)
        for side, indexes in enumerate(left)
    ]
    return "\n=== after ===\n".join(texts)


def test_a_review_tells_what_becomes_of_requests(capsys: pytest.CaptureFixture[str]) -> None:
    hubs = pairs(HUBS)
    counts: Counter[str] = Counter()
    first: dict[str, int] = {}
    traffics = ask([pair[:2] for pair in hubs])
    for number, ((before, after, _), traffic) in enumerate(zip(hubs, traffics, strict=True)):
        for how in judge(before, after, traffic).values():
            counts[how] += 1
            first.setdefault(how, number)
    different = [how for how in counts if how not in (EQUAL, UNKNOWN)]
    row = agreement.Agreement(
        "Envoy Gateway",
        ENGINES_BY_NAME["envoy-gateway-judge"].version,
        "consequences of changes",
        HUBS,
        str(SEED),
        counts[EQUAL],
        counts[UNKNOWN],
        different=sum(counts[how] for how in different),
        explained=sum(counts[how] for how in different if how in EXPLAINED),
    )
    agreement.write([row])
    with capsys.disabled():
        print(f"\n{row}")  # noqa: T201  (it is asked for)
    shown = [
        f"{counts[how]} {how} (hub {first[how]}: {hubs[first[how]][2]})\n"
        f"{smallest_pair(*hubs[first[how]][:2], how)}"
        for how in different
        if how not in EXPLAINED
    ]
    assert not shown, "\n\n".join(shown)
