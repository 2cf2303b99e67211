"""Filters of rules that guard access or limit requests: taken off, weakened, added, reordered."""

import json
from itertools import product
from pathlib import Path
from typing import Any

from spokerender.findings.codes import review as codes
from spokerender.findings.results import ERROR, FindingKind
from spokerender.review.values import Consequence, Review
from tests.review.meaning.scenes import SYNC, codes_of, compare, gateway, hub, loud, route, state
from tests.review.meaning.test_laws import refuse
from tests.support import cases, cyaml, each, manifest, rows_of

CASES = cyaml.safe_load((Path(__file__).parent / "filters.yaml").read_text(encoding="utf-8"))
VERSIONS: dict[str, str] = CASES["versions"]
PATH = "Gateway infra/web [https] > HTTPRoute infra/cart [read]"
FLEET = SYNC + "".join(
    f"  - {{group: {version.partition('/')[0]}, kind: {kind}}}\n"
    for kind, version in VERSIONS.items()
    if kind != "TrafficPolicy"  # it is in SYNC
)
FLEET += "  - {group: configuration.konghq.com, kind: KongClusterPlugin}\n"
Case = dict[str, Any]
ERRORS = (codes.ACCESS_REMOVED.code, codes.LIMIT_REMOVED.code)


def name(case: Case) -> str:
    return f"{case['class']}, {case['kind']}: {case['old']} -> {case['new']}"


def filters(kind: str, specs: list[str] | None) -> str:
    """A rule's filters, one for each spec."""
    group = VERSIONS[kind].partition("/")[0] if kind in VERSIONS else ""
    if not group:
        return ", ".join(f"{{type: {kind}, {spec}}}" for spec in specs or ())
    return ", ".join(
        f"{{type: ExtensionRef, extensionRef: {{group: {group}, kind: {kind}, name: f{i}}}}}"
        for i, _ in enumerate(specs or ())
    )


def body(kind: str, spec: str) -> str:
    """What an object says: Kong's plugins have no `spec`, but its fields."""
    if kind != "KongPlugin":
        return f"spec: {spec}"
    return "\n".join(f"{key}: {json.dumps(value)}" for key, value in cyaml.safe_load(spec).items())


def objects(kind: str, specs: list[str] | None) -> tuple[str, ...]:
    return tuple(
        f"apiVersion: {VERSIONS[kind]}\nkind: {kind}\n"
        f"metadata: {{name: f{i}, namespace: infra}}\n{body(kind, spec)}\n"
        for i, spec in enumerate(specs or ())
        if kind in VERSIONS
    )


def scene(case: Case, specs: list[str] | None) -> str:
    kind = case["kind"]
    rule = (
        f"{{name: read, filters: [{filters(kind, specs)}], backendRefs: [{{name: app, port: 80}}]}}"
    )
    own = route(rules=rule, kind=case.get("route", "HTTPRoute"))
    return hub(case["class"], gateway(case["class"]), own, *objects(kind, specs))


def change(case: Case, *sides: str) -> Review:
    return compare(*(state(scene(case, case[side]), fleet=FLEET) for side in sides))


def reported(case: Case) -> list[Consequence]:
    return loud(change(case, "old", "new"))


@each(*CASES["weaker"], ids=name)
def test_a_rule_whose_filter_guards_less_is_told(case: Case) -> None:
    found = reported(case)
    assert codes_of(found) == {case["code"]}, found
    path = PATH.replace("HTTPRoute", case.get("route", "HTTPRoute"))
    assert all(each.startswith(path) for item in found for each in item.paths)
    assert all(item.severity is ERROR for item in found) is (case["code"] in ERRORS)
    assert {spoke for item in found for spoke in item.result.spokes} == {"eu", "us"}


NAMED = [case for case in CASES["weaker"] if case["kind"] == "KongPlugin"]


@cases(
    *product(("KongPlugin", "KongClusterPlugin"), ("HTTPRoute", "GRPCRoute", "Service")),
)
def test_plugins_that_an_annotation_names_count_for_its_rules(kind: str, namer: str) -> None:
    """Kong/kubernetes-ingress-controller 1fa68f8, kongstate.go, getPluginRelations."""
    own_kind = "HTTPRoute" if namer == "Service" else namer
    service = manifest("Service infra/app", "ports: [{port: 80}]", api="v1")

    def annotated(case: Case, specs: list[str] | None) -> str:
        names = ", ".join(f"f{i}" for i, _ in enumerate(specs or ()))
        own = f", annotations: {{konghq.com/plugins: '{names}'}}}}"
        text = scene(case, specs).replace(f"filters: [{filters(case['kind'], specs)}], ", "")
        text = text.replace("kind: KongPlugin", f"kind: {kind}").replace("HTTPRoute", own_kind)
        named = f"{{name: {'app' if namer == 'Service' else 'cart'}, namespace: infra}}"
        text += f"---\n{service}"
        return text.replace(named, named.replace("}", own))

    fleet = FLEET + "  - {group: '', kind: Service}\n"
    for case in NAMED:
        before, after = (state(annotated(case, case[side]), fleet=fleet) for side in ("old", "new"))
        told = loud(compare(before, after))
        assert codes_of(told) == {case["code"]}, case
        path = f"{PATH.replace('HTTPRoute', own_kind)} > Service infra/app"
        assert {one for item in told for one in item.paths} == {path}
        assert refuse(before, after) or case["code"] != codes.ACCESS_REMOVED.code


@each(*CASES["silent"], ids=name)
def test_a_rule_whose_filter_guards_as_much_is_silent(case: Case) -> None:
    assert reported(case) == []


@each(*(case for case in CASES["weaker"] if case["code"] in ERRORS), ids=name)
def test_a_filter_that_comes_where_none_guarded_is_silent(case: Case) -> None:
    found = change(case, "new", "old")
    assert loud(found) == []
    assert codes.ASKS_MORE.code in codes_of(found.tightened)


@each(*(case for case in CASES["weaker"] if case["code"] == "SR2501"), ids=name)
def test_a_new_route_is_open_to_all_where_its_filters_do_not_guard(case: Case) -> None:
    """The first state has no route, as the one that it has is of another gateway."""
    elsewhere = scene(case, case["old"]).replace("parentRefs: [{name: web}]", "parentRefs: []")
    for side, is_open in (("old", False), ("new", True)):
        found = compare(
            *(state(text, fleet=FLEET) for text in (elsewhere, scene(case, case[side])))
        )
        assert (codes.NEWLY_PUBLIC.code in codes_of(loud(found))) is is_open, side


@each(
    *(
        case
        for case in CASES["weaker"]
        if case["code"] == "SR2501" and not case["new"] and case["kind"] in VERSIONS
    ),
    ids=name,
)
def test_a_filter_that_no_spoke_gets_from_the_hub_is_told_when_a_rule_names_it_no_more(
    case: Case,
) -> None:
    """Only a cluster knows what it does."""
    before, after = (
        state(scene(case, case[side]).partition("---\napiVersion: " + VERSIONS[case["kind"]])[0])
        for side in ("old", "new")
    )
    found = loud(compare(before, after))
    assert codes_of(found) == {codes.ROUTED_ELSEWHERE.code}, found
    assert {path for item in found for path in item.paths} == {
        PATH.replace("HTTPRoute", case.get("route", "HTTPRoute"))
    }


@each(codes.ROUTED_ELSEWHERE, codes.EFFECT_NOT_KNOWN)
def test_what_a_filter_of_one_backend_does_is_told_as_not_known(code: FindingKind) -> None:
    """No row says which controllers carry out filters of backends."""
    case: Case = {"class": "traefik", "kind": "Middleware"}
    specs = ["{basicAuth: {secret: users}}"]
    named = filters("Middleware", specs)
    rule = f"{{name: read, backendRefs: [{{name: app, port: 80, filters: [{named}]}}]}}"
    before = hub("traefik", gateway("traefik"), route(rules=rule), *objects(case["kind"], specs))
    after = (
        before.replace(f"filters: [{named}]", "filters: []")
        if code is codes.ROUTED_ELSEWHERE
        else before.replace("users", "guests")
    )
    found = loud(compare(*(state(text, fleet=FLEET) for text in (before, after))))
    assert codes_of(found) == {code.code}
    texts = [item.result.message for item in found]
    is_named = [
        "other weights or filters" in text or "Middleware infra/f0 changes" in text
        for text in texts
    ]
    assert all(is_named), texts


CHAIN = "{chain: {middlewares: [{name: f1}]}}"
LIST = "{ipAllowList: {sourceRange: [10.0.0.0/8]}}"


@cases(
    (CHAIN, LIST.replace("[", "[11.0.0.0/8, "), codes.ACCESS_WEAKENED),
    (CHAIN, "{stripPrefix: {prefixes: [/a]}}", codes.ACCESS_REMOVED),
    ("{chain: {middlewares: []}}", LIST, codes.ACCESS_REMOVED),
)
def test_what_a_chain_leads_to_guards_the_rule(chain: str, member: str, code: FindingKind) -> None:
    """Only the chain is named by the rule (Traefik)."""
    case: Case = {"class": "traefik", "kind": "Middleware"}
    served = scene(case, [CHAIN]).partition("---\napiVersion: traefik")[0]
    before, after = (
        state("---\n".join((served, *objects("Middleware", specs))), fleet=FLEET)
        for specs in ([CHAIN, LIST], [chain, member])
    )
    assert code.code in codes_of(loud(compare(before, after)))


@cases(*rows_of(__file__, "the_guard_refuses_the_loss_of_a_filter_that_restricts_something"))
def test_the_guard_refuses_the_loss_of_a_filter_that_restricts_something(
    spec: str, is_refused: bool
) -> None:
    case: Case = {"class": "traefik", "kind": "Middleware"}
    before, after = (state(scene(case, specs), fleet=FLEET) for specs in ([spec], None))
    assert bool(refuse(before, after)) is is_refused
