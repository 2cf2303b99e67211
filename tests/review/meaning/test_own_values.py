"""Spokes that differ in their own values alone have each consequence once, true of all of them."""

from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import judge, render
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.changes import diff_text
from spokerender.report.reports import DiffReport, Look
from spokerender.review.changes.differences import group_differences
from spokerender.review.comparison.states import FleetState
from spokerender.review.values import Consequence, ReviewedState
from tests.review.meaning.scenes import compare, explain, gateway, hub, policy, route, state
from tests.support import cases, each, text_of
from tests.support.changing import pairs
from tests.support.metapolicies import QUOTA, ROUTE, defined, definition, limits
from tests.support.project import PLACEMENT

LOGIN = policy("AuthPolicy", "rules: {authentication: {a: {jwt: {issuerUrl: https://id.example}}}}")
OPEN = policy("AuthPolicy", "rules: {authentication: {a: {anonymous: {}}}}")
NAME, HOSTS = "web-{{ spoke.name }}", "*.{{ spoke.values.domain }}"
CHANGES = {
    "a policy asks nobody any more": ((NAME, HOSTS, LOGIN), (NAME, HOSTS, OPEN)),
    "a policy goes": ((NAME, HOSTS, LOGIN), (NAME, HOSTS, "")),
    "hostnames change": ((NAME, HOSTS, LOGIN), (NAME, f"{HOSTS}.test", LOGIN)),
    "gateways are renamed": ((NAME, HOSTS, LOGIN), ("new-{{ spoke.name }}", HOSTS, LOGIN)),
    "hostnames change to those of others": (
        (NAME, HOSTS, LOGIN), (NAME, HOSTS.replace("domain", "other"), LOGIN),
    ),
}  # fmt: skip
Side = tuple[str, str, str]


def place(spokes: int, name: str, hosts: str) -> str:
    """A Gateway that has another name and other hostnames on each spoke."""
    names = range(17, 17 + spokes)
    entries = "".join(
        f"  - {{name: sp-{n}, values: {{domain: d{n}.example, other: d{n + 1}.example}}}}\n"
        for n in names
    )
    return f"""{PLACEMENT}  spokes:
{entries}  rules:
  - gateways: {{names: [infra/web]}}
    spokes: {{all: true}}
    as: {{name: "{name}", hostnames: {{"*.shop.example": "{hosts}"}}}}
"""


def reviewed(spokes: int, before: Side, after: Side) -> tuple[Consequence, ...]:
    """What a change means on so many spokes."""
    old, new = (
        state(hub("istio", gateway("istio"), route(), *filter(None, [text])), place(spokes, *rest))
        for *rest, text in (before, after)
    )
    return compare(old, new).consequences


@each(*CHANGES.values(), ids=CHANGES)
def test_a_consequence_of_many_spokes_is_told_once_and_holds_of_each(
    change: tuple[Side, Side],
) -> None:
    alone = reviewed(1, *change)
    for spokes in (2, 30):
        together = reviewed(spokes, *change)
        assert sorted(item.result.code for item in together) == sorted(
            item.result.code for item in alone
        )
        for item in together:
            assert len(item.result.spokes) == spokes
            texts = (*item.paths, *map(str, item.policies), item.was, item.now)
            assert not [text for text in texts if "-17" in text or "d17." in text], item


def test_the_texts_of_one_spoke_have_its_values() -> None:
    (removed, *_) = reviewed(1, *CHANGES["a policy goes"])
    assert removed.paths[0].startswith("Gateway infra/web-sp-17 [https]")
    assert removed.hostnames == ("a.d17.example",)


def test_the_texts_of_several_spokes_say_whose_value_it_is() -> None:
    (removed, *_) = reviewed(3, *CHANGES["a policy goes"])
    assert removed.paths[0].startswith("Gateway infra/web-{{ spoke.name }} [https]")
    assert removed.hostnames == ("a.d17.example", "a.d18.example", "a.d19.example")


NUMBERS = text_of(__file__, "own_values_numbers.yaml")
STAGED = text_of(__file__, "own_values_staged.yaml")


def test_spokes_with_more_values_of_their_own_are_told_with_the_others() -> None:
    extra = gateway("istio").replace("name: web", "name: extra").replace("shop", "extra")
    old, new = (
        state(hub("istio", gateway("istio"), extra, route(), text), STAGED)
        for text in (LOGIN, OPEN)
    )
    (opened,) = (item for item in compare(old, new).consequences if item.result.code == "SR2501")
    assert opened.result.spokes == ("eu", "eu-staging", "us")
    assert opened.example == "GET https://a.{{ spoke.values.domain }}/"


PROVIDER = "providerRefs: [{name: dns}]"
WEIGHED = policy("DNSPolicy", f"{PROVIDER}\nloadBalancing: {{geo: EU, weight: 1}}", "gateway")


@cases(
    ((gateway("istio"), route(), WEIGHED), NUMBERS.replace('"{{ spoke.values.weight }}"', "7"),
     "{{ spoke.values.weight }}"),
    ((gateway("istio"), route(), policy("DNSPolicy", PROVIDER, "gateway")),
     NUMBERS.partition("  overrides:")[0], "geo: EU, weight: {{ spoke.values.weight }}"),
    ids=["alone", "in a field that goes"],
)  # fmt: skip
def test_a_number_of_each_spoke_is_told_by_its_name(
    after: tuple[str, ...], place: str, shown: str
) -> None:
    old = state(hub("istio", gateway("istio"), route(), WEIGHED), NUMBERS)
    new = state(hub("istio", *after), place)
    assert shown in [item.was for item in compare(old, new).consequences]


LABELS = "labels: {edge: 'yes'}, "


@each("another value", "a label gone")
def test_lines_of_several_spokes_that_change_alike_are_one_cause(change: str) -> None:
    base = place(3, "web", HOSTS).replace("values:", f"{LABELS}values:")
    base = base.replace("{all: true}", "{selector: {matchLabels: {edge: 'yes'}}}")
    _, *gone = (line for line in base.splitlines(keepends=True) if "name: sp-" in line)
    lines_after = {
        "another value": [line.replace("domain: d", "domain: x") for line in gone],
        "a label gone": [line.replace(LABELS, "") for line in gone],
    }[change]
    edited = base.replace("".join(gone), "".join(lines_after))
    old, new = (state(hub("istio", gateway("istio"), route()), text) for text in (base, edited))
    lines = [base.splitlines().index(line.strip("\n")) + 1 for line in gone]
    consequences = explain(old, new).consequences
    assert consequences
    for item in consequences:
        assert item.result.spokes == ("sp-18", "sp-19")
        assert [origin.line for origin in item.lines] == lines


FAIR = limits("${spec.perMinute * spoke.values.clients}").replace(
    "fair: {", "'${spoke.values.domain}': {"
)
"""Limits that each spoke has under another name, in three sizes, with a reason of its own."""


def diff(before: Rendered, after: Rendered) -> str:
    differences = group_differences(pairs(before, after), (), after).items
    return diff_text(DiffReport(differences=differences, rendered=after), Look())


def shared(quota: str) -> Rendered:
    spokes = "".join(
        f"- {{name: sp-{n}, values: {{ns: edge, domain: d{n}.example, clients: {n % 3 + 2}}}}}\n"
        for n in range(17, 47)
    )
    fair = FAIR.replace('"a fair share"', "a share of ${spoke.name}")
    return render(defined(definition(fair), ROUTE, quota, spokes=spokes))


def test_fields_that_are_named_by_own_values_are_told_once_for_what_is_equal() -> None:
    before, after = (shared(QUOTA.replace("perMinute: 3", f"perMinute: {n}")) for n in (70, 90))
    states = (
        FleetState(side, judge(side, (), Aspect.POLICIES), ReviewedState("a", 1))
        for side in (before, after)
    )
    consequences = compare(*states).consequences
    assert [(item.was, item.now, len(item.result.spokes)) for item in consequences] == [
        (f"{70 * n} in 1m", f"{90 * n} in 1m", 10) for n in (4, 2, 3)
    ]
    text = diff(before, after)
    assert [line.strip().replace("  ", " ") for line in text.splitlines()] == [
        "changed RateLimitPolicy shop/fair-limits on all 30 spokes",
        (
            "spec.limits[{{ spoke.values.domain }}].rates[0].limit: 3 different changes "
            "(hub/hub.yaml:42, QuotaPolicy shop/fair: a share of {{ spoke.name }})"
        ),
        *(
            f"{70 * n} -> {90 * n} on 10 spokes: " + ", ".join(names) + " and 5 more"
            for n, first in ((4, 17), (2, 18), (3, 19))
            for names in [[f"sp-{first + 3 * step}" for step in range(5)]]
        ),
        "1 difference (1 changed) on 30 spokes",
    ]


def test_gateways_that_each_spoke_names_otherwise_are_changed_and_renamed_once() -> None:
    two = gateway("istio"), gateway("istio", "api").replace("*.shop", "*.api")
    rules = place(9, NAME, HOSTS) + "  - gateways: {names: [infra/api]}\n"
    rules += "    spokes: {names: [sp-18, sp-20]}\n    as: {name: 'api-{{ spoke.name }}'}\n"
    renamed = rules.replace("web-{{ spoke.name }}", "{{ spoke.name }}-web")
    other = [text.replace("port: 443", "port: 8443") for text in two]
    before, after, moved = (
        state(hub("istio", *gateways, route(), LOGIN), text).rendered
        for gateways, text in ((two, rules), (other, rules), (two, renamed))
    )
    assert [line for line in diff(before, after).splitlines() if "changed" in line] == [
        "changed Gateway infra/web-{{ spoke.name }} on all 9 spokes",
        "changed Gateway infra/api-{{ spoke.name }} on 2 spokes: sp-18, sp-20",
        "2 differences (2 changed) on 9 spokes",
    ]
    line = renamed.splitlines().index("  - gateways: {names: [infra/web]}") + 1
    assert diff(before, moved).splitlines() == [
        (
            "moved Gateway infra/web-{{ spoke.name }} to Gateway infra/{{ spoke.name }}-web "
            "on all 9 spokes"
        ),
        (
            '    metadata.name: "web-{{ spoke.name }}" -> "{{ spoke.name }}-web"  '
            f"(hub/hub.yaml:8, placement rule placement.yaml:{line})"
        ),
        "    so named by 1 object: HTTPRoute infra/cart",
        "1 difference (1 moved) on 9 spokes",
    ]
