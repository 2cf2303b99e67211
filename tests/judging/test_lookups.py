"""The policies that Kuadrant's plugin finds for a request, beside the rule that the proxy chose.

What is expected was read in kuadrant-operator v1.5.2 and wasm-shim v0.14.1, and is what
`tests/live/test_kuadrant.py` compares with the operator's own code.
"""

from typing import Any

from spokerender.explain.requests import read_request
from spokerender.judging.answers import find_request_ways
from spokerender.judging.effective.callers import judge_caller
from spokerender.judging.lookups import PluginAnswer, PluginLookup
from spokerender.kinds.catalogue import Catalogue
from spokerender.topology.paths import RequestPath
from tests.judging.advice.spokes import GATEWAY, auth, gateway, limits, listener, route, view
from tests.support import rows_of
from tests.support.cases import cases, each

PAY = "{name: pay, matches: [{path: {value: /pay}}]}"
SLASH = "{name: slash, matches: [{path: {value: /slash/}}]}"
GOLD = "{name: x-tier, value: 'g.*', type: RegularExpression}"
TIER = f"{{name: tier, matches: [{{path: {{value: /tier}}, headers: [{GOLD}]}}]}}"
FIND = "{name: find, matches: [{path: {value: /find}, queryParams: [{name: q, value: '1'}]}]}"
NUMBER = "{type: RegularExpression, value: '/v[0-9]'}"
EXPRESSED = f"{{name: expressed, matches: [{{path: {NUMBER}}}]}}"
GET = "{name: get, matches: [{path: {value: /get}, method: GET}]}"
ANY = "{name: any, matches: [{path: {value: /get}}]}"
RULES = f"{PAY}, {SLASH}, {TIER}, {FIND}, {EXPRESSED}, {GET}, {ANY}, {{name: rest}}"
GUARDED = ("pay", "slash", "tier", "find", "expressed", "get", "any")


def on(name: str, section: str = "") -> str:
    """An AuthPolicy with the name of the section that it is for."""
    target = f"HTTPRoute/{name}/{section}" if section else f"HTTPRoute/{name}"
    own = section or name
    return auth(own, target, f"rules: {{authentication: {{{own}: {{}}}}}}", "shop")


def at(name: str, hostname: str, rules: str = "[{name: rest}]") -> str:
    return route(name, f"hostnames: ['{hostname}'], rules: {rules}")


SHOP = (at("shop", "shop.example", f"[{RULES}]"), *(on("shop", name) for name in GUARDED))


def find(documents: tuple[str, ...], asked: str, *headers: str, **ages: int) -> PluginAnswer:
    """What the plugin finds for a request."""
    return follow(documents, asked, *headers, **ages)[1]


def follow(
    documents: tuple[str, ...], asked: str, *headers: str, **ages: int
) -> tuple[RequestPath, PluginAnswer]:
    """The path that a request takes, the likely one, and what the plugin finds there."""
    spoke = view(*documents)
    spoke.topology.ages = {ref: ages[ref.name] for ref in spoke.topology.nodes if ref.name in ages}
    request = read_request(asked, headers)
    (way,) = find_request_ways(spoke.topology, request, lambda value: value)
    lookup = PluginLookup(spoke.topology, ((it, spoke.kind(it)) for it in spoke.effective))
    return way.rules[0], lookup.find(way.rules[0], request, lambda value: value)


def names(answer: PluginAnswer) -> list[list[str]]:
    """The policies that may be in force, outcome by outcome."""
    return [
        [policy.name for policy in outcome.policies]
        for item in answer.join()
        for outcome in (item.likely, *item.others)
    ]


@cases(*rows_of(__file__, "predicates_hold_of_the_path"))
def test_predicates_hold_of_the_path(path: str, expected: Any) -> None:
    assert names(find((GATEWAY, *SHOP), f"http://shop.example{path}")) == expected


@cases(("gold", []), ("g.*", [["tier"]]))
def test_a_header_is_compared_as_it_is_whatever_its_type(value: str, expected: Any) -> None:
    assert names(find((GATEWAY, *SHOP), "http://shop.example/tier", f"x-tier: {value}")) == expected


@each("", "?q=1", "?q=2")
def test_a_query_parameter_makes_requests_fail(query: str) -> None:
    """`queryMap` is declared in no production code of wasm-shim from 0.12 on."""
    answer = find((GATEWAY, *SHOP), f"http://shop.example/find{query}")
    assert answer.failing == "wasm-shim lacks the function for query parameters"
    (item,) = answer.join()
    assert (item.likely.rules, item.likely.failing) == ((), answer.failing)
    kind = Catalogue.of([]).kind(item.group, item.kind)
    request = read_request("http://a/")
    verdict = judge_caller(kind, [item.likely], request, lambda outcome: outcome)
    assert verdict.why == "answered with 500"


@each("/v\\d", "it's")
def test_a_text_that_is_none_of_cel_is_the_end_of_all(value: str) -> None:
    match = f'{{path: {{value: /}}, headers: [{{name: x-a, value: "{value}"}}]}}'
    broken = at("broken", "other.example", f"[{{name: one, matches: [{match}]}}]")
    documents = (GATEWAY, *SHOP, broken.replace("\\", "\\\\"), on("broken"))
    assert find(documents, "http://shop.example/pay").failing == (
        f"the plugin refuses all that is for Gateway infra/web: {value} is no text of CEL"
    )


@cases(*rows_of(__file__, "the_nearest_hostname_that_has_policies_counts"))
def test_the_nearest_hostname_that_has_policies_counts(host: str, expected: Any) -> None:
    """A route without a policy is guarded by the policy of a wider one."""
    documents = (at("wide", "*.example"), at("bank", "bank.example"), at("own", "own.example"))
    apex = at("apex", "example")
    guards = (on("wide"), on("own"))
    assert names(find((GATEWAY, apex, *documents, *guards), f"http://{host}/")) == expected


def test_a_limit_alone_takes_the_place_of_the_policies_of_a_wider_hostname() -> None:
    documents = (GATEWAY, at("wide", "*.example"), on("wide"), at("bank", "bank.example"))
    answer = find((*documents, limits("few", "HTTPRoute/bank", "", "shop")), "http://bank.example/")
    assert names(answer) == [["few"]]


def test_listeners_are_not_told_apart() -> None:
    """A policy for one listener is in force on the others, and of several there is no order."""
    both = gateway(listener("a"), listener("b", more="port: 81, protocol: HTTP"))
    rules = "rules: {{authentication: {{{}: {{}}}}}}"
    own = [auth(name, f"Gateway/web/{name}", rules.format(name)) for name in "ab"]
    shop = at("shop", "shop.example")
    assert names(find((both, shop, own[0]), "http://shop.example:81/")) == [["a"]]
    assert names(find((both, shop, *own), "http://shop.example:81/")) == [["b"], ["a"]]


def test_the_older_of_two_routes_comes_first() -> None:
    documents = (GATEWAY, at("one", "h.example"), at("two", "h.example"), on("one"), on("two"))
    assert names(find(documents, "http://h.example/")) == [["one"], ["two"]]
    assert names(find(documents, "http://h.example/", one=2, two=1)) == [["two"]]


@cases(*rows_of(__file__, "what_is_said_where_rule_and_policies_disagree"))
def test_what_is_said_where_rule_and_policies_disagree(asked: str, expected: str) -> None:
    path, answer = follow((GATEWAY, *SHOP), f"http://shop.example{asked}")
    assert answer.explain(path, path.rule in GUARDED) == expected
