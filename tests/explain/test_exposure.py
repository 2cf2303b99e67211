"""The exposure as files: what changes a request changes their lines, and what does not, none."""

from collections.abc import Mapping
from functools import cache
from typing import Any
from unittest.mock import patch

from hypothesis import example, given, settings, strategies as st

from spokerender.adopting.functions import FleetItems
from spokerender.explain.exposure import name_file, write_exposure
from spokerender.formats import yamlio
from spokerender.pipeline import judge
from spokerender.rendering.values.bundles import sharing
from spokerender.rendering.values.joining import join_limits
from spokerender.review.values import Consequence, Topic
from tests.review.comparison.test_overlay import ALPHABET, LISTENERS, follow, routes
from tests.review.meaning.scenes import (
    PLACE,
    PROXY_CLASS,
    SYNC,
    compare,
    gateway,
    hub,
    policy,
    route,
    state,
)
from tests.review.meaning.test_fleets import (
    BASE,
    HARMLESS,
    HTTP,
    HTTPS,
    LIMIT,
    LOGIN,
    WEAKER,
    Documents,
    sides as documents_of,
)
from tests.support import cases, each, manifest, rows_of, text_of
from tests.support.profiles import examples
from tests.support.project import PLACEMENT, rendered

FOLDER = "exposure/"
Exposure = Mapping[str, dict[str, Any]]
"""The documents by hostname."""


@cache
def expose(hub_text: str, place: str = PLACE, fleet: str = SYNC) -> Mapping[str, bytes]:
    """The files of the exposure by path."""
    files = rendered(hub_text, place, f"{fleet}  exposure: true\n").tree.files("_fleet")
    return {path: data for path, data in files.items() if path.startswith(FOLDER)}


def read(files: Mapping[str, bytes]) -> Exposure:
    documents = [yamlio.read(data, path)[0][0].value for path, data in files.items()]
    return {it["host"]: it for it in documents}


def sides(before: Documents, after: Documents) -> tuple[Mapping[str, bytes], Mapping[str, bytes]]:
    one, other = (expose(hub("istio", *documents)) for documents in (before, after))
    return one, other


NOT_OF_REQUESTS: Mapping[str, str] = rows_of(__file__, "not_of_requests")
"""Weakenings that no request of today notices, and why."""
STRICTER = ("a guarded route comes", "a route is closed", "a limit comes")
"""Changes that the review need not tell of, and that requests notice."""
RULES = {"read": {"GET"}, "write": {"POST", "PUT"}}
"""What the rules of the scenes are for, before a change and after it."""


def is_allowed(host: str, told: Consequence) -> bool:
    """Whether a consequence is about a host: all are about those of a listener, or of a Gateway."""
    is_of_rules = bool(told.paths) and all(" > HTTPRoute" in path for path in told.paths)
    return not is_of_rules or host in (*told.hostnames, "*.shop.example", "*")


def find_changed(before: Exposure, after: Exposure) -> set[str]:
    return {host for host in {**before, **after} if before.get(host) != after.get(host)}


def list_sets(document: dict[str, Any] | None) -> dict[str, list[dict[str, Any]]]:
    """The sets of a host by match, of all entrances."""
    by_match: dict[str, list[dict[str, Any]]] = {}
    for entrance in (document or {"entrances": []})["entrances"]:
        for each_set in entrance["requests"]:
            match = each_set["match"]
            for name in match if isinstance(match, list) else [match]:
                by_match.setdefault(name, []).append({**each_set, "match": name})
    return by_match


@each(*(name for name in WEAKER if name not in NOT_OF_REQUESTS))
def test_a_weakening_changes_the_lines_of_its_requests_alone(case: str) -> None:
    before, after = documents_of(WEAKER[case])
    old, new = map(read, sides(before, after))
    changed = find_changed(old, new)
    review = compare(*(state(hub("istio", *documents)) for documents in (before, after)))
    told = (*review.consequences, *review.tightened)
    assert changed
    assert all(any(is_allowed(host, it) for it in told) for host in changed)
    assert all(changed.intersection(it.hostnames) for it in told if it.hostnames)
    paths = " ".join(path for it in told for path in it.paths)
    if all(path.endswith(("[read]", "[write]")) for it in told for path in it.paths):
        rules = {match for rule, own in RULES.items() if f"[{rule}]" in paths for match in own}
        rules.add("every other request")  # at an entrance that comes or goes
        for host in changed & old.keys() & new.keys():
            was, now = list_sets(old[host]), list_sets(new[host])
            assert {match for match in {**was, **now} if was.get(match) != now.get(match)} <= rules


@each(*NOT_OF_REQUESTS, *(name for name in HARMLESS if name not in STRICTER))
def test_what_no_request_notices_changes_no_byte(case: str) -> None:
    old, new = sides(*documents_of((HARMLESS | WEAKER)[case]))
    assert old == new != {}


@each(*STRICTER)
def test_what_closes_is_shown_as_well(case: str) -> None:
    old, new = sides(*documents_of(HARMLESS[case]))
    assert old != new


VALUES = PLACEMENT + text_of(__file__, "exposure_values.yaml")
LIMITED = rows_of(__file__, "limited")


def limits_of(place: str) -> Any:
    (files,) = (expose(hub("istio", *BASE), place),)
    assert [*files] == [f"{FOLDER}_._domain_.yaml", f"{FOLDER}a._domain_.yaml"]
    (entrance,) = read(files)["a.{{ spoke.values.domain }}"]["entrances"]
    assert entrance["spokes"] == "all"
    first, rest = entrance["requests"]
    assert (first["match"], rest["served"]) == (["GET", "POST"], False)
    return first["limit"], first.get("except", [])


def limit(calls: Any) -> list[str]:
    return [f"{calls} per 10s, counted over the whole route"]


@cases(*rows_of(__file__, "alike_spokes_are_told_once"))
def test_alike_spokes_are_told_once(overrides: str, usual: Any, other: list[Any]) -> None:
    assert limits_of(VALUES + overrides) == (limit(usual), other)


@settings(max_examples=examples(60, house=4))
@example([4, 5, 9])
@given(st.lists(st.sampled_from((4, 5, 9, 10, 443)), min_size=3, max_size=6))
def test_blueprints_that_are_joined_give_the_same_files(limits: list[int]) -> None:
    """Each spoke has limits of its own, some of which stand elsewhere, too."""
    names, more = ("eu-1", "eu-2", "us-1"), policy("RateLimitPolicy", LIMIT, "gateway", "all")
    each_limit = "".join(
        (LIMITED.partition("\n")[2] % (f"{{names: [{names[n % 3]}]}}", it)).replace(
            "name: own", f"name: {('own', 'all')[n // 3]}"
        )
        for n, it in enumerate(limits)
    )
    fleet = rendered(hub("istio", *BASE, more), f"{VALUES}  overrides:\n{each_limit}", SYNC)
    joined = write_exposure(fleet, judge)
    with patch("spokerender.explain.exposure.join_limits", lambda it: it):
        assert write_exposure(fleet, judge) == joined != {}
    if sorted(limits) == [4, 5, 9]:
        shared, every = (sharing(it.bundles.values()) for it in (join_limits(fleet), fleet))
        assert len(shared) < len(every)


def test_spokes_that_a_label_selects_are_called_by_it() -> None:
    place = VALUES + LIMITED % ("{selector: {matchLabels: {region: eu}}}", 9)
    usual, other = limits_of(place)
    assert (usual, other) == (limit(9), [{"spokes": ["us-1"], "limit": limit(5)}])
    more = place.replace(
        "  rules:",
        "  - {name: us-2, labels: {region: us}, values: "
        "{domain: us-2.shop.example, calls: 7}}\n"
        "  - {name: us-3, labels: {region: us}, values: "
        "{domain: us-3.shop.example, calls: 7}}\n  rules:",
    )
    usual, other = limits_of(more)
    assert (usual, other) == (limit(5), [{"spokes": "region=eu", "limit": limit(9)}])


def test_a_spoke_is_called_by_its_name_rather_than_by_a_label_that_is_part_of_it() -> None:
    place = PLACEMENT + rows_of(
        __file__, "a_spoke_is_called_by_its_name_rather_than_by_a_label_that_is_part_of_it"
    )
    hosts = {"*.{{ spoke.name }}.shop.example", "a.{{ spoke.name }}.shop.example"}
    assert read(expose(hub("istio", *BASE), place)).keys() == hosts


QUOTED = rows_of(__file__, "quoted")


def test_a_spoke_is_like_the_others_although_the_hub_spells_out_its_value() -> None:
    """Rendering has no slot for such a value, and one for a text with quotes elsewhere."""
    spelled = edit(BASE, [("{name: cart,", "{annotations: {at: eu-1.shop.example}, name: cart,")])
    one, other = (expose(hub("istio", *each), VALUES + QUOTED) for each in (BASE, spelled))
    assert one == other != {}
    (first, _) = read(one)["a.{{ spoke.values.domain }}"]["entrances"][0]["requests"]
    text = r"{\"at\": \"a.{{ spoke.values.domain }}\"}"
    assert first["AuthPolicy"] == [f'rules.response.unauthorized.body.value: "{text}"']


BARE = rows_of(__file__, "bare")


def test_a_spoke_is_like_the_others_although_the_hub_spells_out_its_number() -> None:
    limited = VALUES + LIMITED % ("{all: true}", "'{{ spoke.values.calls }}'")
    spelled = edit(BASE, [("{name: cart,", "{annotations: {at: '7'}, name: cart,")])
    one, other = (expose(hub("istio", *each), limited) for each in (BASE, spelled))
    assert one == other != {}


def test_what_a_spoke_lacks_is_none() -> None:
    slow = "{name: read, timeouts: {request: 9s}, backendRefs: [{name: app, port: 80}]}"
    files = expose(hub("istio", BASE[0], route(rules=slow)), VALUES + BARE)
    (first,) = read(files)["a.{{ spoke.values.domain }}"]["entrances"][0]["requests"]
    assert first == {
        "match": EVERY,
        "anonymous": "served",
        "does": ['timeouts.request: "9s"'],
        "to": ["Service infra/app:80"],
        "except": [{"spokes": ["us-1"], "does": "none"}],
    }


def test_routes_of_which_the_older_one_takes_requests_are_both_told() -> None:
    routes = (route(name, rules=f"{{backendRefs: [{{name: {name}, port: 1}}]}}") for name in "ab")
    (entrance,) = read(expose(hub("istio", BASE[0], *routes)))["a.shop.example"]["entrances"]
    to_a, to_b = ({"anonymous": "served", "to": [f"Service infra/{it}:1"]} for it in "ab")
    assert entrance["requests"] == [{"match": EVERY, **to_a, "or": [to_b]}]


def test_a_krm_function_passes_on_objects_alone() -> None:
    fleet = f"{SYNC}  exposure: true\n"
    items = b"".join(FleetItems(rendered(hub("istio", *BASE), PLACE, fleet)).beside("clusters"))
    assert b"kind: Kustomization" in items
    assert b"entrances" not in items


def test_what_only_the_cluster_can_decide_is_unknown() -> None:
    other = policy("AuthPolicy", LOGIN.replace("id.example", "other.example"), name="two")
    (entrance,) = read(expose(hub("istio", *BASE[:3], other)))["a.shop.example"]["entrances"]
    first, _ = entrance["requests"]
    (unknown,) = first["unknown"]
    told = "or, as only the cluster can decide, AuthPolicy: "
    assert {*first["who"], unknown.removeprefix(told)} == {
        "jwt of https://id.example",
        "jwt of https://other.example",
    }


def test_a_policy_of_a_kind_that_nobody_has_described_is_unknown() -> None:
    own = manifest(
        "OwnPolicy infra/own",
        "targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}",
        api="policies.example.com/v1",
    )
    fleet = f"{SYNC}  - {{group: policies.example.com, kind: OwnPolicy}}\n"
    (entrance,) = read(expose(hub("istio", *BASE, own), fleet=fleet))["a.shop.example"]["entrances"]
    (unknown,) = entrance["requests"][0]["unknown"]
    assert unknown.startswith("OwnPolicy: ")


ON_PORT = (
    "{name: http, port: 80, protocol: HTTP, hostname: %s, allowedRoutes: {namespaces: {from: All}}}"
)
MERGED = rows_of(__file__, "merged")


def test_gateways_that_share_a_proxy_are_named_by_the_listener_of_the_host() -> None:
    documents = (
        PROXY_CLASS,
        MERGED,
        gateway("eg", "web", ON_PORT % "b.shop.example"),
        gateway("eg", "other", ON_PORT % "a.shop.example"),
        route("cart", "b.shop.example"),
        route("more", "a.shop.example", parent="other"),
    )
    place = PLACE.replace("infra/web", "infra/web, infra/other")
    exposed = read(expose("---\n".join(documents), place))
    entrances = {host: [it["gateway"] for it in exposed[host]["entrances"]] for host in exposed}
    assert entrances == {"a.shop.example": ["infra/other"], "b.shop.example": ["infra/web"]}


def test_other_requests_are_refused_where_there_are_any() -> None:
    every = route(rules="{name: all, backendRefs: [{name: app, port: 80}]}")
    for documents, matches in ((BASE, [["GET", "POST"], REST]), ((BASE[0], every), [EVERY])):
        (entrance,) = read(expose(hub("istio", *documents)))["a.shop.example"]["entrances"]
        assert [it["match"] for it in entrance["requests"]] == matches


EVERY, REST = "every request", "every other request"


def test_a_rule_has_no_name_where_a_plugin_finds_its_policies_for_another() -> None:
    """Kuadrant's plugin finds the policies of every request for one that no rule guards."""
    rules = (
        "{name: health, matches: [{path: {type: Exact, value: /healthz}}]}, "
        "{name: read, backendRefs: [{name: app, port: 80}]}"
    )
    documents = (BASE[0], route(rules=rules), policy("AuthPolicy", LOGIN, "rule"))
    one, other = sides(documents, edit(documents, [("ame: read", "ame: rest")]))
    assert one == other
    first = read(one)["a.shop.example"]["entrances"][0]["requests"][0]
    assert (first["match"], first["anonymous"]) == ("Exact /healthz", "refused")
    assert first["who"] == [BY_PLUGIN, "jwt of https://id.example"]


BY_PLUGIN = "as the gateway's plugin finds policies, which are not those of the rule"


def test_the_files_are_of_all_spokes_whatever_wave_they_wait_for() -> None:
    groups = "groups: [{name: canary, spokes: {names: [eu]}}, {name: rest}]"
    rollout = f"{SYNC}  rollout: {{{groups}}}\n"
    assert expose(hub("istio", *BASE), fleet=rollout) == expose(hub("istio", *BASE)) != {}


@cases(*rows_of(__file__, "each_host_has_a_file_of_its_own"))
def test_each_host_has_a_file_of_its_own(host: str, name: str) -> None:
    assert name_file(host) == f"{FOLDER}{name}.yaml"


REQUESTS = (Topic.ACCESS, Topic.LIMITS, Topic.EXPOSURE, Topic.TRAFFIC, Topic.ENCRYPTION)
EDITS = [*map(tuple, rows_of(__file__, "edits"))]
SCENES = (
    BASE,
    (*BASE, route("more", "b.shop.example")),
    (*BASE[:2], policy("AuthPolicy", LOGIN, "gateway", "all"), BASE[3]),
    (gateway("istio", listeners=f"{HTTPS}, {HTTP}"), *BASE[1:]),
    (*BASE[:2], policy("AuthPolicy", LOGIN, "rule"), BASE[3]),
)


def edit(documents: Documents, edits: list[tuple[str, str]]) -> Documents:
    for old, new in edits:
        documents = tuple(text.replace(old, new) for text in documents)
    return documents


@settings(max_examples=examples(400, house=8))
@given(
    st.sampled_from(SCENES),
    *(st.lists(st.sampled_from(EDITS), max_size=2, unique=True) for _ in range(2)),
)
def test_equal_exposures_have_no_consequence_for_requests(
    scene: Documents, before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    """Reach, access, limits, TLS, rewrites and backends are the same, by the review's overlay."""
    states = edit(scene, before), edit(scene, after)
    old, new = sides(*states)
    review = compare(*(state(hub("istio", *documents)) for documents in states))
    told = [it for it in review.consequences if it.topic in REQUESTS]
    assert old != new or told == []


PASSED = (
    "{name: %s, port: 443, protocol: TLS, hostname: '%s', tls: {mode: Passthrough}, "
    "allowedRoutes: {namespaces: {from: All}}}"
)


@cases(("eg", ["Service infra/wide:1"]), ("traefik", None))
def test_routes_choose_connections_of_tls_as_ask_says(name: str, of_narrow: Any) -> None:
    """Envoy Gateway looks at the hostnames of routes alone; others take the listener first."""
    doors = PASSED % ("narrow", "a.shop.example"), PASSED % ("wide", "*.shop.example")
    routes = [
        route(it, host, f"{{backendRefs: [{{name: {it}, port: 1}}]}}").replace(
            "HTTPRoute", "TLSRoute"
        )
        for it, host in (("wide", "'*.shop.example'"), ("near", "b.shop.example"))
    ]
    routes = [it.replace("name: web", "name: web, sectionName: wide") for it in routes]
    sync = SYNC.replace("HTTPRoute", "TLSRoute")
    files = expose(hub(name, gateway(name, listeners=", ".join(doors)), *routes), fleet=sync)
    taken = {
        host: document["entrances"][0]["requests"][0].get("to")
        for host, document in read(files).items()
    }
    wide, near = ([f"Service infra/{it}:1"] for it in ("wide", "near"))
    assert taken == {"*.shop.example": wide, "a.shop.example": of_narrow, "b.shop.example": near}


def fits(match: str, request: Any) -> bool:
    """Whether a request fits a match in words, of the few sorts that are drawn."""
    words = iter(match.split())
    tests = []
    for word in words if not match.startswith("every ") else ():
        if word == "header":
            name = next(words).rstrip(":")
            tests.append(request.headers.get(name) == next(words))
        elif word in ("PathPrefix", "Exact"):
            path = next(words)
            below = f"{request.path}/".startswith(f"{path.rstrip('/')}/")
            tests.append(below if word == "PathPrefix" else request.path == path)
        else:
            tests.append(request.method == word)
    return all(tests)


ALL = "{name: r0, backendRefs: [{name: %s-r0, port: 1}]}"
OF_ONE_LENGTH = (("one", "a.shop.example"), ("two", "'*.shop.example'"))


@settings(max_examples=examples(600, house=8))
@example("traefik", "---\n".join(route(name, it, ALL % name) for name, it in OF_ONE_LENGTH))
@given(st.sampled_from(("eg", "traefik")), routes(("one", "two"), 3, with_backends=True))
def test_the_first_set_that_fits_takes_a_request(name: str, drawn: str) -> None:
    """The files say of each request of a small alphabet what the evaluator of `ask` says.

    A request that fits no route of its hostname falls through to wider ones in Traefik alone.
    """
    text = hub(name, gateway(name, listeners=LISTENERS), drawn)
    documents = read(expose(text))
    view = state(text).view(state(text).bundles["eu"], "eu")
    for request in ALPHABET:
        suffixes = ["." + request.host.split(".", n)[-1] for n in range(1, 4)]
        names = (request.host, *(f"*{suffix}" for suffix in suffixes), "*")
        (entrance,) = next(documents[name] for name in names if name in documents)["entrances"]
        by_match = ((each_set, it) for each_set in entrance["requests"] for it in listed(each_set))
        first = next(each_set for each_set, match in by_match if fits(match, request))
        rules = follow(view, request)
        taken = [f"Service infra/{rule.name}-{rule.section_name}:1" for rule in rules[:1]]
        assert first.get("to", []) == taken, (str(request), entrance)
        assert len(rules) < 2 or "or" in first, (str(request), entrance)


def listed(each_set: dict[str, Any]) -> list[str]:
    match = each_set["match"]
    return match if isinstance(match, list) else [match]
