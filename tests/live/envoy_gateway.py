"""Envoy Gateway's word on hubs, and ours, in one form: statuses, and what is in force where."""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any
from unittest.mock import patch

from msgspec import Struct
from msgspec.structs import replace

from spokerender import pipeline
from spokerender.explain.values import PolicyStatus
from spokerender.formats import yamlio
from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.fleet import judge
from spokerender.judging.fleet.blueprints import gather_knowledge
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.model import Ref
from spokerender.model.selectors import Selector
from spokerender.rendering.values.rendered import Rendered
from tests.live import asking
from tests.live.envoy_requests import translate
from tests.live.hub_policies import ENVOY, FEATURES, GATEWAY_API, find_marks
from tests.live.hub_routes import ROUTES
from tests.live.hubs import BACKENDS, COMPLETE, CONTROLLER, find_ages, is_declared
from tests.live.routing_statuses import read_written
from tests.support import end_to_end as e2e, rows_of
from tests.support.answers import statuses

Json = dict[str, Any]
Key = tuple[str, str, str]
"""A policy's kind and name, and an ancestor."""
Conditions = frozenset[tuple[str, str, str]]
"""Types of conditions with their statuses and reasons."""
Place = tuple[str, str, str, str]
"""A listener, a route, its rule, and a kind of policy; without route and rule the listener."""
Marks = frozenset[str]
"""Values in force at a place."""
FAILS = "500"
"""In place of a kind of policy: requests are answered with 500, so that nothing else counts."""
UNKNOWN, LIKELY = "Unknown", "by age"
UNVERIFIED = "Unverified"
"""The reason of what is refused in any case, where no file has what the reason depends on."""
MISAPPLIED = "theirs of a TCPRoute, on another route"
"""A SecurityPolicy for a TCPRoute that is in force on another route of its listener."""
SKIPPED = "skipped"
"""A mark of a place that is not compared."""
BROKEN = "broken"
"""A mark of a rule of which a backend is not to be had whatever policies there are."""
_TLS = "BackendTLSPolicy"
"""A place of this kind is marked as failing if one of the rule's backends is lost for a policy."""
TYPES = ("Accepted", "ResolvedRefs", "Overridden", "Merged")
POLICIES = tuple(FEATURES)
FIXED = (
    *("GatewayClass", "Namespace", "Service", "EndpointSlice", "Secret", "ConfigMap", "Backend"),
    *("EnvoyProxy", "HTTPRouteFilter"),
)
"""Kinds that a hub needs; it is not made smaller by them."""
_OUTSIDE = ("EndpointSlice",)
"""Kinds that a hub's files don't have."""
_PARTS = rows_of(__file__, "parts")
"""The parts of the IR of an HTTP route that policies make."""
_LAYER_4 = ("name", "destination", "tls", "metadata", "authorization", "statName")


class Word(Struct, frozen=True):
    """What is said about a hub; `doors` are its Gateways, ListenerSets and their listeners."""

    conditions: Mapping[Key, Conditions]
    in_force: Mapping[Place, Marks]
    routes: frozenset[tuple[str, str, str]] = frozenset()
    misapplied: frozenset[Place] = frozenset()
    doors: Mapping[Key, Conditions] = {}


def smallest_hub(objects: list[Json], differs: Callable[[list[Json]], bool]) -> str:
    """The fewest objects of a hub that differ, a Gateway among them, as YAML."""
    return asking.smallest_hub(
        objects,
        FIXED,
        lambda part: any(one["kind"] == "Gateway" for one in part) and differs(part),
    )


def ask(hubs: list[list[Json]]) -> list[Word]:
    """What the translator makes of each hub."""
    bare = [[one for one in hub if one["kind"] not in POLICIES] for hub in hubs]
    answers = translate([*hubs, *bare])
    pairs = zip(hubs, answers, answers[len(hubs) :], strict=False)
    return [_read_answer(*each) for each in pairs]


def _read_answer(hub: list[Json], answer: Json, base: Json) -> Word:
    in_force = _read_ir(hub, answer, base)
    return Word(
        read_conditions(answer),
        in_force,
        routes=frozenset(place[:3] for place, _ in _walk(answer, _name_rules(hub))),
        misapplied=frozenset(_find_misapplied(hub, in_force)),
        doors={
            ("", "", str(Ref("", *key))): frozenset(each for each in part if each[0] in TYPES)
            for key, part in read_written((), [*chain(*filter(None, answer["gateways"]))]).items()
        },
    )


def _find_misapplied(hub: list[Json], in_force: Mapping[Place, Marks]) -> Iterable[Place]:
    """Yield where a SecurityPolicy of other TCPRoutes is in force; marks end in its number."""
    targets = {
        policy["metadata"]["name"]: [one for one in hub if has_target(hub, policy, one)]
        for policy in hub
        if policy["kind"] == "SecurityPolicy"
    }
    tcp_only = {
        name: {f"tcproute/{one['metadata']['namespace']}/{one['metadata']['name']}" for one in them}
        for name, them in targets.items()
        if {one["kind"] for one in them} == {"TCPRoute"}
    }
    for place, marks in in_force.items():
        if place[3] == "SecurityPolicy":
            policies = {f"p{int(mark[-2:])}" for mark in marks - {SKIPPED}} & tcp_only.keys()
            if any(place[1] not in tcp_only[name] for name in policies):
                yield place


def _list_targets(policy: Json) -> list[Json]:
    """List what a policy names and what it selects by."""
    spec = policy["spec"]
    own = [spec["targetRef"]] if "targetRef" in spec else []
    return [*spec.get("targetRefs", ()), *own, *spec.get("targetSelectors", ())]


def has_target(hub: list[Json], policy: Json, target: Json) -> bool:
    """Tell whether a policy names or may select an object; ReferenceGrants are left aside."""
    metadata = target["metadata"]
    is_near = policy["metadata"]["namespace"] == metadata.get("namespace")
    for reference in _list_targets(policy):
        if reference["kind"] != target["kind"]:
            continue
        if "name" in reference:
            is_meant = is_near and reference["name"] == metadata["name"]
        else:
            is_meant = _selects(reference, metadata) and (
                is_near or _reaches(hub, reference, metadata)
            )
        if is_meant:
            return True
    return False


def _reaches(hub: list[Json], reference: Json, metadata: Json) -> bool:
    spaces = reference.get("namespaces", {"from": "Same"})
    return spaces["from"] == "All" or any(
        _selects(spaces.get("selector"), one["metadata"])
        for one in hub
        if one["kind"] == "Namespace" and one["metadata"]["name"] == metadata["namespace"]
    )


def _selects(selector: Json | None, metadata: Json) -> bool:
    return Selector.read(selector).matches(metadata.get("labels", {}))


def read_conditions(answer: Json) -> dict[Key, Conditions]:
    assert "error" not in answer, answer
    policies = [one for kind in answer["policies"] for one in kind or ()]
    return {
        (one["kind"], one["metadata"]["name"], _ancestor(entry["ancestorRef"], one)): frozenset(
            (item["type"], item["status"], item["reason"])
            for item in entry["conditions"]
            if item["type"] in TYPES
        )
        for one in policies
        for entry in one.get("status", {}).get("ancestors") or ()
    }


def _ancestor(ref: Json, policy: Json) -> str:
    """Name an ancestor; a route's reference is copied as it is, without its own namespace."""
    kind, section = ref.get("kind", "Gateway"), ref.get("sectionName", "")
    namespace = "" if kind == "GatewayClass" else policy["metadata"]["namespace"]
    return str(Ref("", kind, ref.get("namespace", namespace), ref["name"], section))


def _read_ir(hub: list[Json], answer: Json, base: Json) -> dict[Place, Marks]:
    """What is in force by the IR; `base` is the answer without policies."""
    names = _name_rules(hub)
    bare = [*_walk(base, names)]
    failing = {place for place, _ in bare if place[3] == FAILS}
    broken = {place for place, marks in bare if place[3] == _TLS and FAILS in marks}
    places: dict[Place, Marks] = {}
    for place, marks in _walk(answer, names):
        more = marks | {BROKEN} if place in broken else marks
        places[place] = places.get(place, frozenset()) | more
    # Nobody sees policies on a route that fails for its own backends.
    skipped = {place[:3] for place in failing}
    return {
        place: marks if place[:3] not in skipped else frozenset({SKIPPED})
        for place, marks in places.items()
        if marks or place[3] == FAILS
    }


def _name_rules(hub: list[Json]) -> dict[str, list[str]]:
    """Names of the rules of each route, by the beginning of their names in the IR."""
    return {
        f"{one['kind'].lower()}/{one['metadata']['namespace']}/{one['metadata']['name']}": [
            rule.get("name") or f"rule-{number}"
            for number, rule in enumerate(one["spec"]["rules"], 1)
        ]
        for one in hub
        if one["kind"] in ROUTES
    }


def _walk(answer: Json, names: Mapping[str, list[str]]) -> Iterable[tuple[Place, Marks]]:
    for gateway, xds in (answer["xds"] or {}).items():
        is_open = any(xds.get(protocol) for protocol in ("http", "tcp", "udp"))
        for patches in (xds.get("envoyPatchPolicies") or ()) if is_open else ():
            # Of Gateways that are merged it is about the class.
            owner = f"Gateway {gateway}" if "/" in gateway else f"GatewayClass {gateway}"
            place: Place = (owner, "", "", "EnvoyPatchPolicy")
            yield place, find_marks("EnvoyPatchPolicy", patches)
        for protocol in ("http", "tcp", "udp"):
            for listener in xds.get(protocol) or ():
                section = _name_listener(listener["name"])
                own = {key: part for key, part in listener.items() if not key.startswith("route")}
                yield (
                    (section, "", "", _CLIENT),
                    find_marks(_CLIENT, own),
                )
                routes = listener.get("routes") or [listener.get("route") or {}]
                for route in filter(None, routes):
                    yield from _walk_route(section, route, names, protocol == "http")


def _walk_route(
    section: str, route: Json, names: Mapping[str, list[str]], is_http: bool
) -> Iterable[tuple[Place, Marks]]:
    name = route["name"] if is_http else route.get("destination", {}).get("name", route["name"])
    kind, namespace, bare, *rest = name.split("/")
    rules = names[f"{kind}/{namespace}/{bare}"]
    if len(rest) > 1 and rest[1].isdigit():
        rules = [rules[int(rest[1])]]
    # Else all rules are one, with the backends of each (route.go, processTLSRouteParentRefs).
    for rule in rules:
        for policy_kind, marks in _walk_parts(route, is_http):
            yield (section, f"{kind}/{namespace}/{bare}", rule, policy_kind), marks


def _walk_parts(route: Json, is_http: bool) -> Iterable[tuple[str, Marks]]:
    """Yield the kinds of policies that make parts of a route of the IR, with what is in force."""
    # Without a backend, connections of TCP and UDP are closed.
    is_closed = not is_http and not route.get("destination", {}).get("settings")
    if is_closed or (route.get("directResponse") or {}).get("statusCode") == 500:
        yield FAILS, frozenset({FAILS})
    for part, policy_kind in _PARTS.items():
        if part in route:
            yield policy_kind, find_marks(policy_kind, route[part])
    settings = route.get("destination", {}).get("settings") or ()
    if is_http and not all(setting.get("endpoints") for setting in settings):
        yield _TLS, frozenset({FAILS})
    if not is_http:
        rest = [part for key, part in route.items() if key not in _LAYER_4]
        yield "BackendTrafficPolicy", find_marks("BackendTrafficPolicy", rest)


def _name_listener(name: str) -> str:
    namespace, gateway, *rest = name.split("/")
    if len(rest) == 1:
        return str(Ref("", "Gateway", namespace, gateway, rest[0]))
    return str(Ref("", "ListenerSet", rest[0], rest[1], rest[2]))


_CLIENT = "ClientTrafficPolicy"
"""The kind that is about a whole listener."""

FLEET_KINDS = tuple(
    (GATEWAY_API if kind in (*ROUTES, "ListenerSet", "BackendTLSPolicy") else ENVOY, kind)
    for kind in (*POLICIES, *ROUTES, "ListenerSet")
)


def write_settings(*, has_backends: bool) -> str:
    """What is on in the judge (main.go); both are off in a new installation."""
    on = str(has_backends).lower()
    apis = f"{{enableBackend: {on}, enableEnvoyPatchPolicy: true}}"
    return f"[{{name: {CONTROLLER}, settings: {{extensionApis: {apis}}}}}]"


def write_project(
    objects: list[Json], placement: str = "", more: tuple[tuple[str, str], ...] = ()
) -> dict[str, str]:
    """The files of a project with a hub; its Secrets are declared to be on the spokes, too.

    `more` are kinds that go to the spokes beside policies, routes and ListenerSets.
    """
    external = [
        f"{{group: '', kind: {one['kind']}, namespace: {one['metadata']['namespace']}, "
        f"name: {one['metadata']['name']}}}"
        for one in objects
        if one["kind"] == "Secret"
    ]
    kept = [one for one in objects if one["kind"] not in _OUTSIDE]
    names = [one["metadata"] for one in objects if one["kind"] == "Gateway"]
    gateways = [f"{name['namespace']}/{name['name']}" for name in names]
    return {
        "hub/all.yaml": "---\n".join(map(yamlio.emit, kept)),
        "fleet.yaml": e2e.fleet(
            *FLEET_KINDS,
            *more,
            external=f"[{', '.join(external)}]",
            completeKinds='["*"]' if is_declared(objects, COMPLETE) else "[]",
            controllers=write_settings(has_backends=is_declared(objects, BACKENDS)),
        ),
        "placement.yaml": placement or e2e.everywhere(*gateways),
    }


def tell(objects: list[Json]) -> Word:
    """What we say of a hub whose objects' ages are known, also of policies that no spoke gets."""
    fleet = judge_aged(e2e.rendered(write_project(objects)), find_ages(objects))
    return _read_word(fleet, "s1", statuses(fleet))


def judge_aged(rendered: Rendered, ages: Mapping[Ref, int]) -> JudgedFleet:
    """Judge a fleet if objects of the hub, and what they are on the spokes, have these ages."""
    ages = dict(ages)
    for bundle in rendered.bundles.values():
        places = [(place.hub, place.ref) for place in bundle.blueprint.placed]
        places += [(each.manifest.ref, each.ref) for each in bundle.blueprint.variants]
        for old, new in places:
            if old in ages:
                ages[new] = ages[bundle.ref(new)] = ages[old]
    knowledge = replace(gather_knowledge(rendered), ages=ages)
    with patch.object(judge, "gather_knowledge", return_value=knowledge):
        return pipeline.judge(rendered, (), "policies", with_routing=True)


def read_spoke(fleet: JudgedFleet, spoke: str) -> Word:
    """What we say of a spoke."""
    return _read_word(fleet, spoke, statuses(fleet, spoke))


def _read_word(fleet: JudgedFleet, spoke: str, policies: Iterable[PolicyStatus]) -> Word:
    judged, bundle, others = fleet.judged[spoke], fleet.bundles[spoke], find_others(fleet, spoke)
    conditions = {
        (status.policy.kind, status.policy.name, str(entry.ancestor)): frozenset(
            _condition(item) for item in entry.conditions if item.type in TYPES
        )
        for status in policies
        for entry in status.ancestors
        if entry.is_written and entry.ancestor.whole not in others
    }
    in_force = _read_judgement(judged)
    return Word(conditions, {bundle.filled(place): marks for place, marks in in_force.items()})


def find_others(fleet: JudgedFleet, spoke: str) -> frozenset[Ref]:
    """The Gateways of a spoke that another controller has, which may judge policies, too."""
    nodes = fleet.judged[spoke].judgement.topology.nodes
    return frozenset(
        fleet.bundles[spoke].ref(ref)
        for ref, node in nodes.items()
        if node.is_gateway and node.gateway_class == "other"
    )


def _condition(condition: Condition) -> tuple[str, str, str]:
    return (condition.type, str(condition.status.value), condition.reason)


def _read_judgement(judged: JudgedBlueprint) -> dict[Place, Marks]:
    places: dict[Place, Marks] = {}
    failing, unknown, open_places = set(), set(), set()
    unverified_listeners = find_unverified_listeners(judged)
    for item in judged.judgement.effective:
        path = item.path
        if path.gateway_class == "other":
            continue  # nobody but its controller can tell
        section, route = str(path.section), ""
        if path.route is not None:
            route = f"{path.route.kind.lower()}/{path.route.namespace}/{path.route.name}"
        place: Place = (section, route, path.rule, item.kind)
        if item.kind == "EnvoyPatchPolicy":
            owner = next((ref for ref in item.targets if ref.kind == "GatewayClass"), path.gateway)
            place = str(replace(owner, group="")), "", "", item.kind
        if not path.is_certain:
            open_places.add(place)
        outcome = item.likely
        marks = find_marks(item.kind, [rule.value for rule in outcome.rules])
        # What is hidden by others makes no difference.
        taking_part = {ref for each in (outcome, *item.others) for ref in each.policies}
        attachments = judged.judgement.attachments
        unverified = (attachments[ref].accepted.status for ref in taking_part)
        if section in unverified_listeners or outcome.unknown or Truth.UNKNOWN in unverified:
            # It is taken to be in force, unless the spoke lacks what it needs.
            marks = frozenset({UNKNOWN})
            unknown.add((*place[:3], FAILS))
        if outcome.failing and item.kind == _TLS:
            marks |= {FAILS}
        elif outcome.failing and section not in unverified_listeners:
            failing.add((*place[:3], FAILS))
        places[place] = places.get(place, frozenset()) | marks
    found = {place: marks for place, marks in places.items() if marks}
    return {
        **{
            place: marks | {LIKELY} if place in open_places else marks
            for place, marks in found.items()
        },
        **{place: frozenset({UNKNOWN}) for place in unknown},
        **{place: frozenset({FAILS}) for place in failing},
    }


def find_unverified_listeners(judged: JudgedBlueprint) -> frozenset[str]:
    """The listeners of which files can't tell whether they are opened."""
    holders = judged.routing.holders if judged.routing is not None else {}
    return frozenset(
        str(ref.section(listener.name))
        for ref, holder in holders.items()
        for listener in holder.listeners
        if any(
            item.type == "Programmed" and item.status is Truth.UNKNOWN
            for item in listener.conditions
        )
    )


def compare_statuses(ours: Word, theirs: Word) -> dict[Key, str]:
    """How our conditions are to theirs, one for each policy and ancestor that either names."""
    return {
        key: _compare(ours.conditions.get(key), theirs.conditions.get(key))
        for key in sorted(ours.conditions.keys() | theirs.conditions.keys())
    }


def _compare(ours: Conditions | None, theirs: Conditions | None) -> str:
    if ours is not None and all(kind != "ResolvedRefs" for kind, _, _ in theirs or ()):
        # Only policies for TLS to backends have this condition of Envoy Gateway.
        ours = frozenset(item for item in ours if item[0] != "ResolvedRefs")
    if ours == theirs:
        return "equal"
    if any({UNKNOWN, UNVERIFIED} & {status, reason} for _, status, reason in ours or ()):
        return UNKNOWN
    return f"ours {_words(ours)}, theirs {_words(theirs)}"


def _words(conditions: Conditions | None) -> str:
    if conditions is None:
        return "none"
    return " ".join(f"{kind}={status}/{reason}" for kind, status, reason in sorted(conditions))


def compare_in_force(ours: Word, theirs: Word) -> dict[Place, str]:
    """How the values in force by us are to theirs, one for each place where either has some."""
    failing = _find_failing(ours.in_force), _find_failing(theirs.in_force)
    lost, answers = {*_list_lost(ours, theirs)}, {}
    for place in sorted(ours.in_force.keys() | theirs.in_force.keys()):
        one = ours.in_force.get(place, frozenset())
        other = theirs.in_force.get(place, frozenset())
        if SKIPPED in other | theirs.in_force.get((*place[:3], FAILS), frozenset()):
            continue
        if place in theirs.misapplied:
            answers[place] = MISAPPLIED
            continue
        at_listener = ours.in_force.get((place[0], "", "", FAILS), frozenset())
        if place[3] == FAILS and UNKNOWN in one | at_listener:
            if _is_failing(place, failing[1]):
                answers[place] = UNKNOWN
        elif place[3] == FAILS and not place[1]:
            skipped = {key[:3] for key, marks in theirs.in_force.items() if SKIPPED in marks}
            on_it = {item for item in theirs.routes if item[0] == place[0] and item[1]}
            behind = on_it - skipped
            if behind:
                answers[place] = "equal" if behind <= failing[1] else "ours only"
        elif place[3] == FAILS:
            is_lost = place[:3] in lost
            answers[place] = _compare_marks(
                frozenset({FAILS} if is_lost or _is_failing(place, failing[0]) else ()),
                frozenset({FAILS} if _is_failing(place, failing[1]) else ()),
            )
        elif not any(_is_failing(place, places) for places in failing):
            answers |= _compare_values(place, ours, theirs)
    return answers


def _list_lost(ours: Word, theirs: Word) -> Iterable[tuple[str, ...]]:
    """Yield the rules of which we say that a backend is lost; of a TLSRoute all rules are one."""
    for place, marks in ours.in_force.items():
        if place[3] == _TLS and FAILS in marks:
            yield place[:3]
            if place[1].startswith("tlsroute/"):
                yield from (other[:3] for other in theirs.in_force if other[:2] == place[:2])


def _compare_values(place: Place, ours: Word, theirs: Word) -> dict[Place, str]:
    """How the values at a place are to theirs, if either has some."""
    one = ours.in_force.get(place, frozenset())
    other = theirs.in_force.get(place, frozenset())
    if place[3] == _TLS and place[1].startswith("tlsroute/"):
        # In the IR all rules of a TLSRoute are one, with the backends of each.
        rules = [
            marks for key, marks in ours.in_force.items() if _of_route(key) == _of_route(place)
        ]
        one = frozenset().union(*rules)
    if BROKEN in other:
        one, other = one - {FAILS}, other - {FAILS, BROKEN}
    # A listener whose own policy fails for what no file has is not opened.
    is_open = UNKNOWN not in ours.in_force.get((*place[:1], "", "", _CLIENT), frozenset())
    if not one | other:
        return {}
    return {place: _compare_marks(one, other) if is_open or other else UNKNOWN}


def _of_route(place: Place) -> tuple[str, str, str]:
    return place[0], place[1], place[3]


def _find_failing(places: Mapping[Place, Marks]) -> frozenset[tuple[str, str, str]]:
    return frozenset(
        place[:3] for place, marks in places.items() if FAILS in marks and place[3] != _TLS
    )


def _is_failing(place: Place, failing: frozenset[tuple[str, str, str]]) -> bool:
    """Requests fail there; at a listener as a whole too, with all of its routes."""
    return place[:3] in failing or (place[0], "", "") in failing


def _compare_marks(ours: Marks, theirs: Marks) -> str:
    if ours - {LIKELY} == theirs:
        return "equal"
    for answer in (UNKNOWN, LIKELY):
        if answer in ours:
            return answer
    more = [name for name, marks in (("ours", ours - theirs), ("theirs", theirs - ours)) if marks]
    return f"{' and '.join(more)} only"
