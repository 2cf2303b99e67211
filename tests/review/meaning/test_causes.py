"""The line that a consequence names is the one that was changed."""

from collections.abc import Collection

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.errors import InputError
from spokerender.findings.results import FindingKind
from spokerender.model import Ref
from spokerender.pipeline import Project, render
from spokerender.review.meaning.hunks import list_hunks, take_back
from spokerender.review.values import Consequence, Review
from spokerender.wings.metapolicies.config import load_metapolicies
from tests.property.laws import law
from tests.review.meaning.scenes import (
    NAMES,
    PLACE,
    SYNC,
    Files,
    compare,
    explain,
    explain_files,
    gateway,
    hub,
    judge_fleet,
    loud,
    policy,
    route,
    state,
)
from tests.support import cases, rows_of, text_of
from tests.support.metapolicies import (
    QUOTA,
    ROUTE,
    RULES,
    defined,
    definition,
    limits,
    with_definitions,
)
from tests.support.profiles import examples
from tests.support.project import FLEET
from tests.support.stages import CLASS

LOGIN = "rules: {authentication: {login: {jwt: {issuerUrl: https://id.example}}}}"
LIMIT = "limits: {all: {rates: [{limit: 5, window: 10s}]}}"
HUB = (gateway("istio"), route(), policy("AuthPolicy", LOGIN), policy("RateLimitPolicy", LIMIT))
EU = "{name: eu, labels: {tier: a}, values: {limit: 2, domain: eu.example}}"
US = "{name: us, labels: {tier: a}, values: {limit: 2, domain: us.example}}"
DECLARED = PLACE.replace("{name: eu}", EU).replace("{name: us}", US)
SELECTED = DECLARED.replace("all: true", "selector: {matchLabels: {tier: a}}")
NAMED = DECLARED + "    as: {hostnames: {'*.shop.example': '*.{{ spoke.values.domain }}'}}\n"
OVERRIDDEN = DECLARED + rows_of(__file__, "overridden")
COUNTED = OVERRIDDEN.replace("limit: 3,", "limit: '{{ spoke.values.limit | int }}',")
RULE_BY_RULE = text_of(__file__, "causes_rule_by_rule.yaml")
OVERRIDE, OVERRIDES = "merge: {spec: {limits:", "overrides:"
Hub = tuple[str, ...]


def told(places: tuple[str, str], code: FindingKind, hubs: tuple[Hub, Hub] = (HUB, HUB)) -> str:
    """The text of the line of the one consequence of a code."""
    texts = [hub("istio", *each) for each in hubs]
    review = explain(*(state(text, place) for text, place in zip(texts, places, strict=True)))
    origins = [item.result.origin for item in review.consequences if item.result.code == code.code]
    (origin,) = dict.fromkeys(origins)
    assert origin is not None
    sides = texts if "hub/" in origin.path else places
    return sides[not origin.path.startswith("before/")].splitlines()[origin.line - 1]


@cases(
    (
        DECLARED,
        DECLARED.replace("all: true", "names: [eu]"),
        codes.HOSTNAME_GONE,
        "spokes: {names: [eu]}",
    ),
    (
        SELECTED,
        SELECTED.replace(US, US.replace("tier: a", "tier: b")),
        codes.HOSTNAME_GONE,
        "tier: b",
    ),
    (NAMED, NAMED.replace("us.example", "uk.example"), codes.HOSTNAME_GONE, "- {name: us"),
    (NAMED, NAMED.replace("'*.{{", "'*.x.{{"), codes.HOSTNAME_GONE, "'*.x.{{"),
    (OVERRIDDEN, OVERRIDDEN.replace("limit: 3,", "limit: 30,"), codes.LIMIT_RAISED, OVERRIDE),
    (DECLARED, OVERRIDDEN.replace("limit: 3,", "limit: 30,"), codes.LIMIT_RAISED, OVERRIDE),
    (OVERRIDDEN, DECLARED, codes.LIMIT_RAISED, OVERRIDES),
    (
        COUNTED,
        COUNTED.replace(US, US.replace("limit: 2", "limit: 9")),
        codes.LIMIT_RAISED,
        "limit: 9",
    ),
    (DECLARED.replace("all: true", "names: [eu]"), DECLARED, codes.FURTHER_WAY, "all: true"),
    (
        SELECTED.replace(US, US.replace("tier: a", "tier: b")),
        SELECTED,
        codes.FURTHER_WAY,
        "tier: a",
    ),
)
def test_the_cause_in_a_placement(before: str, after: str, code: FindingKind, line: str) -> None:
    assert line in told((before, after), code)


def test_the_hub_is_the_cause_where_its_object_changes() -> None:
    raised = tuple(text.replace("limit: 5", "limit: 9") for text in HUB)
    assert "limit: 9" in told((DECLARED, DECLARED), codes.LIMIT_RAISED, (HUB, raised))
    gone = told((DECLARED, DECLARED), codes.ACCESS_REMOVED, (HUB, (*HUB[:2], HUB[3])))
    assert gone.startswith("apiVersion: kuadrant.io/v1")


def test_the_line_is_that_of_the_rule_that_changes() -> None:
    """Though all rules of a route change, and none has a name."""
    before = hub("istio", gateway("istio"), RULE_BY_RULE)
    after = before.replace("/a}", "/c}").replace("/b}", "/d}")
    review = explain(state(before), state(after))
    lines = {
        item.paths[0][-7:-1]: after.splitlines()[item.result.origin.line - 1]
        for item in review.consequences
        if item.result.origin is not None
    }
    assert lines == {"rule-1": "    - path: {value: /c}", "rule-2": "    - path: {value: /d}"}


DECIDED = text_of(__file__, "causes_decided.yaml")
BOTH, ONE = (
    DECIDED + "".join(f"  - {{clusterName: {name}, reason: ''}}\n" for name in names)
    for names in (("eu", "us"), ("eu",))
)
BY_DECISION = PLACE.replace("all: true", "placement: infra/prod")


@cases(
    (BY_DECISION, BOTH, ONE, codes.HOSTNAME_GONE),
    (BY_DECISION, ONE, BOTH, codes.FURTHER_WAY),
    (OVERRIDDEN.replace("names: [us]", "placement: infra/prod"), BOTH, ONE, codes.LIMIT_RAISED),
)
def test_the_decision_of_a_hub_is_the_cause_of_what_it_places_elsewhere(
    place: str, old: str, new: str, code: FindingKind
) -> None:
    assert "clusterName: us" in told((place, place), code, ((*HUB, old), (*HUB, new)))


def test_a_rule_is_the_cause_where_it_asks_for_another_decision() -> None:
    other = BY_DECISION.replace("infra/prod", "infra/test")
    decided = (*HUB, BOTH, ONE.replace("prod", "test"))
    line = told((BY_DECISION, other), codes.HOSTNAME_GONE, (decided, decided))
    assert line.strip() == "spokes: {placement: infra/test}"


def test_the_list_in_the_fleet_file_is_the_cause_where_a_kind_is_in_it_no_more() -> None:
    unlisted = SYNC.replace("  - {group: kuadrant.io, kind: AuthPolicy}\n", "")
    (gone,) = loud(explain(state(hub("istio", *HUB)), state(hub("istio", *HUB), PLACE, unlisted)))
    assert gone.result.code == codes.ACCESS_REMOVED.code
    assert gone.result.resource == Ref("kuadrant.io", "AuthPolicy", "infra", "own")
    assert gone.result.origin is not None
    assert gone.result.origin.path == "before/fleet.yaml"


def test_the_list_in_the_fleet_file_is_the_cause_where_a_kind_is_new_in_it() -> None:
    unlisted = SYNC.replace("  - {group: gateway.networking.k8s.io, kind: HTTPRoute}\n", "")
    text = hub("istio", *HUB)
    (added,) = explain(state(text, PLACE, unlisted), state(text)).consequences
    assert added.result.code == codes.FURTHER_WAY.code
    assert added.result.resource == Ref("gateway.networking.k8s.io", "HTTPRoute", "infra", "cart")
    assert added.result.origin is not None
    assert added.result.origin.path == "fleet.yaml"


def test_the_parameters_are_the_cause_where_they_list_a_kind_no_more() -> None:
    second = policy("AuthPolicy", LOGIN, name="second").replace("name: cart", "name: other")
    documents = [gateway("hub"), route(), route("other", "b.shop.example"), HUB[2], second]
    text, fleet = "---\n".join([CLASS, *documents]), f"{FLEET}  output: clusters/\n"
    listed = "    - {group: kuadrant.io, version: v1, kind: AuthPolicy}\n"
    both = (state(each, PLACE, fleet) for each in (text, text.replace(listed, "")))
    gone = loud(explain(*both))
    assert {item.result.code for item in gone} == {codes.ACCESS_REMOVED.code}
    assert sum(len(item.paths) for item in gone) == 4
    assert {item.result.resource for item in gone} == {Ref("", "ConfigMap", "infra", "params")}
    number = text.splitlines().index(listed.strip("\n")) + 1
    assert {str(item.result.origin) for item in gone} == {f"before/hub/hub.yaml:{number}"}


Made = tuple[str, tuple[str, ...], str]


def explain_made(old: Made, new: Made) -> Review:
    """A review of definitions, each with the documents of a hub and the rules of a placement."""
    projects = [defined(text, *hub, rules=rules) for text, hub, rules in (old, new)]
    both = [
        {**dict(it.hub_files), **dict(it.placement_files), "quota.yaml": text.encode()}
        for it, (text, *_) in zip(projects, (old, new), strict=True)
    ]

    def read(files: Files, folder: str = "") -> Project:
        hub_files, placement_files = (
            [(f"{folder}{name}", files[name]) for name, _ in of]
            for of in (projects[1].hub_files, projects[1].placement_files)
        )
        later = replace(projects[1], hub_files=hub_files, placement_files=placement_files)
        definitions = load_metapolicies([(f"{folder}quota.yaml", files["quota.yaml"])])
        return with_definitions(later, definitions)

    before, after = (
        judge_fleet(render(read(files, folder)))
        for files, folder in zip(both, ("before/", ""), strict=True)
    )
    return explain_files(before, after, (both[0], both[1]), read)


MADE: Made = (definition(limits()), (ROUTE, QUOTA), RULES)


@cases(
    (limits("${spec.perMinute * 10}"), codes.LIMIT_RAISED),
    (
        limits().replace(
            "targetRef: ${spec.targetRef}",
            "targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: other}",
        ),
        codes.LIMIT_REMOVED,
    ),
    (limits().replace('- reason: "a fair share"', "- when: 'false'"), codes.LIMIT_REMOVED),
)
def test_the_cause_in_the_definition_of_a_metapolicy(after: str, code: FindingKind) -> None:
    review = explain_made(MADE, (definition(after), *MADE[1:]))
    assert code.code in {item.result.code for item in review.consequences}
    sides = [definition(text).splitlines() for text in (limits(), after)]
    numbers = (n for n, (old, new) in enumerate(zip(*sides, strict=True), 1) if old != new)
    assert {item.cause for item in review.consequences} == {f"quota.yaml:{next(numbers)}"}


def test_the_metapolicy_is_the_cause_where_it_changes() -> None:
    more = QUOTA.replace("perMinute: 3", "perMinute: 30")
    (consequence,) = explain_made(MADE, (MADE[0], (ROUTE, more), RULES)).consequences
    assert str(consequence.result.origin).startswith("hub/hub.yaml:")


def test_a_hostname_that_goes_is_told_once_whatever_routes_served_it() -> None:
    both = (*HUB, route("more", "a.shop.example, b.shop.example"))
    review = compare(state(hub("istio", *both), PLACE, SYNC), state(hub("istio", HUB[0])))
    gone = [item for item in review.consequences if item.result.code == codes.HOSTNAME_GONE.code]
    assert sorted(name for item in gone for name in item.hostnames) == [
        "a.shop.example",
        "b.shop.example",
    ]
    (first,) = [item for item in gone if "a.shop.example" in item.hostnames]
    assert len(first.paths) == 4


def test_a_rule_whose_name_begins_alike_is_no_cause() -> None:
    """Both policies change: the one whose limit is raised, and one that changes otherwise."""

    def documents(own: int, above: int) -> Hub:
        limits = f"{{all: {{rates: [{{limit: {above}, window: 10s}}]}}}}"
        text = f"defaults: {{strategy: merge, limits: {limits}}}"
        limit = LIMIT.replace("limit: 5", f"limit: {own}").replace("all:", "all-2:")
        return (
            *HUB[:3],
            policy("RateLimitPolicy", text, "gateway", "above"),
            policy("RateLimitPolicy", limit),
        )

    review = compare(state(hub("istio", *documents(5, 9))), state(hub("istio", *documents(7, 8))))
    raised = [item for item in review.consequences if item.result.code == codes.LIMIT_RAISED.code]
    assert {ref.name for item in raised for ref in item.policies} == {"own"}


def test_the_hub_is_the_cause_where_a_rule_writes_what_the_hub_changes() -> None:
    """The rule gives the spokes' hostnames, as it did before."""
    further = tuple(
        text.replace("[a.shop.example]", "[a.shop.example,b.shop.example]") for text in HUB
    )
    assert "b.shop.example" in told((NAMED, NAMED), codes.FURTHER_WAY, (HUB, further))
    fewer = told((NAMED, NAMED), codes.HOSTNAME_GONE, (further, HUB))
    assert "hostnames: [a.shop.example]" in fewer


def test_another_controller_of_a_class_is_the_cause_of_what_no_object_of_a_spoke_shows() -> None:
    limit = policy("SecurityPolicy", "jwt: {providers: [{name: a, issuer: https://id.example}]}")
    texts = [hub(name, gateway("eg"), route(), limit) for name in ("eg", "istio")]
    other = texts[1].replace("{name: istio}", "{name: eg}")
    review = explain(state(texts[0]), state(other))
    (gone,) = [c for c in review.consequences if c.result.code == codes.ACCESS_REMOVED.code]
    assert gone.result.resource == Ref("gateway.networking.k8s.io", "GatewayClass", "", "eg")
    assert "controllerName" in other.splitlines()[int(gone.cause.partition(":")[2]) - 1]


def test_the_fleet_file_is_the_cause_of_what_it_declares_no_more() -> None:
    external = "  external:\n  - {group: '', kind: Secret, namespace: infra, name: cert}\n"
    sides = [f"{SYNC}{more}  completeKinds: [Secret]\n" for more in (external, "")]
    review = explain(*(state(hub("eg", *HUB[:2]), PLACE, fleet) for fleet in sides))
    missing = [c for c in review.consequences if c.result.code == codes.NEEDED_MISSING.code]
    assert {item.cause.partition(":")[0] for item in missing} == {"before/fleet.yaml"}


def test_a_definition_is_no_cause_of_what_a_placement_takes_away() -> None:
    fewer = RULES.replace("{all: true}", "{names: [eu]}")
    review = explain_made(MADE, (*MADE[:2], fewer))
    gone = [c for c in review.consequences if c.result.code == codes.PRUNED.code]
    assert {item.cause.partition(":")[0] for item in gone} == {"placement.yaml"}


def test_a_metapolicy_is_no_cause_of_what_it_edits_no_more_as_its_target_is_gone() -> None:
    edit = """\
        change:
        - objects: self.findAuthPolicies()
          merge: {spec: {when: [{predicate: request.method == "GET"}]}}
    """
    login = policy("AuthPolicy", LOGIN, "gateway").replace("name: own", "name: own, labels: {a: b}")
    sides = [(definition(edit), (*routes, QUOTA, login), RULES) for routes in ((ROUTE,), ())]
    causes = {item.result.resource for item in explain_made(*sides).tightened}
    assert causes == {Ref("gateway.networking.k8s.io", "HTTPRoute", "shop", "cart")}


def test_the_cause_of_a_block_in_place_of_another_is_its_line() -> None:
    key = policy("AuthPolicy", "rules: {authentication: {key: {apiKey: {}}}}", name="key")
    block = "{rules: {authentication: {login: {jwt: {issuerUrl: https://id.example}}}}}"
    old, new = (
        hub("istio", *HUB[:2], key, policy("AuthPolicy", f"{side}: {block}", "gateway"))
        for side in ("defaults", "overrides")
    )
    origins = {item.result.origin for item in explain(state(old), state(new)).consequences}
    lines = [new.splitlines()[origin.line - 1].split(":")[0] for origin in origins if origin]
    assert lines == ["  overrides"]


MIXED = (
    *HUB,
    route("other", "b.shop.example"),
    policy("AuthPolicy", LOGIN, name="second").replace("name: cart", "name: other"),
)
UNLISTED = SYNC.replace("  - {group: kuadrant.io, kind: AuthPolicy}\n", "")
US_LOSES = (codes.HOSTNAME_GONE, codes.LISTENER_GONE, codes.PRUNED)
UNLABELLED = SELECTED.replace(US, US.replace("tier: a", ""))


def test_each_change_of_several_is_named_for_what_it_brings() -> None:
    """A label that goes, and a kind that is listed no more, beside an annotation and a limit."""
    text, annotated = hub("istio", *MIXED), "{annotations: {a.b/c: d}, name: web"
    edited = text.replace("limit: 5", "limit: 9").replace(
        "{name: web, namespace", f"{annotated}, namespace"
    )
    assert annotated in edited
    review = explain(state(text, SELECTED), state(edited, UNLABELLED, UNLISTED))
    causes = {(item.result.code, item.result.spokes): item.cause for item in loud(review)}

    def find(path: str, lines: str, words: str) -> str:
        return f"{path}:{next(n for n, line in enumerate(lines.splitlines(), 1) if words in line)}"

    label = find("placement.yaml", UNLABELLED, "name: us")
    assert causes == {
        (codes.ACCESS_REMOVED.code, ("eu",)): find("before/fleet.yaml", SYNC, "kind: AuthPolicy"),
        (codes.LIMIT_RAISED.code, ("eu",)): find("hub/hub.yaml", edited, "limit: 9"),
        **{(kind.code, ("us",)): label for kind in US_LOSES},
    }


HUB_FILE, PLACEMENT_FILE, FLEET_FILE = NAMES
FURTHER = policy("AuthPolicy", LOGIN, "gateway", "all")
EDITS = {
    "a limit": (HUB_FILE, "limit: 5", "limit: 9"),
    "an anonymous login": (HUB_FILE, "jwt: {issuerUrl: https://id.example}", "anonymous: {}"),
    "a hostname more": (HUB_FILE, "[b.shop.example]", "[b.shop.example, c.shop.example]"),
    "another hostname": (HUB_FILE, "[a.shop.example]", "[d.shop.example]"),
    "another port": (HUB_FILE, "port: 80}", "port: 81}"),
    "an annotation": (HUB_FILE, "{name: web, names", "{annotations: {a.b/c: d}, name: web, names"),
    "a policy gone": (HUB_FILE, MIXED[3], ""),
    "a policy more": (HUB_FILE, MIXED[-1], f"{MIXED[-1]}---\n{FURTHER}"),
    "another certificate": (HUB_FILE, "name: cert}", "name: other}"),
    "a label": (PLACEMENT_FILE, US, US.replace("tier: a", "tier: b")),
    "a value": (PLACEMENT_FILE, EU, EU.replace("limit: 2", "limit: 7")),
    "a spoke gone": (PLACEMENT_FILE, f"  - {US}\n", ""),
    "an override": (PLACEMENT_FILE, "limit: '{{", "limit: '{{ 2 * "),
    "a rule": (PLACEMENT_FILE, "{matchLabels: {tier: a}}", "{matchLabels: {other: a}}"),
    "a login not listed": (FLEET_FILE, "  - {group: kuadrant.io, kind: AuthPolicy}\n", ""),
    "a limit not listed": (FLEET_FILE, "  - {group: kuadrant.io, kind: RateLimitPolicy}\n", ""),
}


def files_of(texts: Files, names: Collection[str]) -> Files:
    """The files of a project after some edits."""
    edited = dict(texts)
    for path, old, new in (EDITS[name] for name in names):
        edited[path] = edited[path].replace(old.encode(), new.encode(), 1)
    return edited


PLACED = COUNTED.replace("all: true", "selector: {matchLabels: {tier: a}}", 1)
WHOLE = {
    name: text.encode()
    for name, text in zip(NAMES, (hub("istio", *MIXED), PLACED, SYNC), strict=True)
}


def list_parts(item: Consequence) -> set[tuple[str, ...]]:
    return {
        (item.result.code, spoke, path, str(policy))
        for spoke in item.result.spokes
        for path in item.paths or (item.result.message,)
        for policy in item.policies or ("",)
    }


@pytest.mark.property
@settings(law, max_examples=examples(300, house=3))
@given(st.lists(st.sampled_from([*EDITS]), unique=True, min_size=2, max_size=6))
def test_without_the_lines_that_are_named_a_consequence_is_gone(names: list[str]) -> None:
    later = files_of(WHOLE, names)
    before, after = (state(*(files[name].decode() for name in NAMES)) for files in (WHOLE, later))
    review = explain(before, after)
    hunks = list_hunks(WHOLE, later)
    touched = {
        f"{folder}{hunk.path}:{number}": hunk
        for hunk in hunks
        for folder, lines in (("before/", hunk.old), ("", hunk.new))
        for number in lines.numbers
    }
    for item in (*review.consequences, *review.tightened):
        causes = [touched[str(line)] for line in item.lines]
        assert item.hunks
        if item.hunks > 1:
            continue
        files = {**later, **take_back(later, {*causes})}
        try:
            without = state(*(files[name].decode() for name in NAMES))
        except InputError:
            continue
        left = compare(before, without)
        parts = (list_parts(other) for other in (*left.consequences, *left.tightened))
        assert list_parts(item).isdisjoint(set().union(*parts)), (item.cause, item.result.message)
