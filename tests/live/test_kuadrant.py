"""What Kuadrant's operator makes of random hubs, beside what we say of them.

What is in force on each path, rule by rule, and the conditions of policies are compared. So is what
it makes of them: AuthConfigs, limits, records and certificates, and what the plugin of each Gateway
is told: its action sets with ours, in order. Then the sets are looked
through for random requests as wasm-shim does it, with a real CEL, and the policies that a request
gets are compared with those that we find.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import pytest

from spokerender.judging.judgement import Judgement
from spokerender.judging.lookups import ActionSet, PluginLookup, rank_action
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Ref
from spokerender.topology.precedence import read_age
from spokerender.topology.requests import find_rule_paths
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED
from tests.live.building import ENGINES_BY_NAME
from tests.live.judges import SAME, Hub, Judge
from tests.live.kuadrant_hubs import kuadrant_hub, make_request
from tests.live.kuadrant_judge import (
    ask,
    compare_conditions,
    compare_paths,
    judge,
)
from tests.live.kuadrant_made import QUESTIONS, compare_made, read_theirs
from tests.live.kuadrant_plugin import FAILS, QUERY, find_set
from tests.support import cyaml

pytestmark = pytest.mark.live

Json = dict[str, Any]
Plugins = Mapping[str, list[Json]]
"""The action sets of each Gateway's plugin, by the Gateway's locator."""
Told = tuple[str, frozenset[str], frozenset[tuple[str, str]]]
"""A set's hostname, its predicates, and the policies that its actions come from."""
NAMES = {
    "authpolicy": "AuthPolicy",
    "ratelimitpolicy": "RateLimitPolicy",
    "tokenratelimitpolicy": "TokenRateLimitPolicy",
}
REQUESTS = 30
"""Requests to each Gateway."""


def read_set(one: Json) -> Told:
    """An action set of the operator's."""
    conditions = one["routeRuleConditions"]
    sources = {source for action in one["actions"] for source in action.get("sources") or ()}
    (hostname,) = conditions["hostnames"]
    policies = (re.fullmatch(r"(\w+)\.kuadrant\.io:\S+/(\S+)", source) for source in sources)
    named = frozenset((NAMES[found[1]], found[2]) for found in policies if found)
    return hostname, frozenset(conditions.get("predicates", ())), named


def tell(one: ActionSet) -> Told:
    """An action set of ours, with its match as predicates."""
    return one.hostname, frozenset(write_predicates(one.match)), name_policies(one)


def name_policies(one: ActionSet) -> frozenset[tuple[str, str]]:
    """The policies of a set: of limits those that have one, not those of conditions alone."""
    return frozenset(
        (item.kind, rule.policy.name)
        for item in one.policies
        for rule in item.likely.rules
        if item.kind == "AuthPolicy" or rule.path[0] == "limits"
    )


def write_predicates(match: Mapping[str, Any]) -> Iterator[str]:
    """The predicates of a match, by internal/wasm/utils.go of the operator."""
    method, path = match.get("method"), match.get("path")
    if isinstance(method, str):
        yield f"request.method == '{method}'"
    if isinstance(method, Mapping):
        yield from write_grpc(**{f"{key}_": value for key, value in method.items()})
    if path:
        yield {
            "Exact": "request.url_path == '{}'",
            "PathPrefix": "request.url_path.startsWith('{}')",
            "RegularExpression": "request.url_path.matches('{}')",
        }[path["type"]].format(path["value"])
    for item in match.get("headers", ()):
        found = f"h.lowerAscii() == '{item['name']}' && request.headers[h] == '{item['value']}'"
        yield f"request.headers.exists(h, {found})"
    for item in match.get("queryParams", ()):
        name, value = item["name"], item["value"]
        yield f"'{name}' in {QUERY} ? {QUERY}['{name}'] == '{value}' : false"


def write_grpc(type_: str, service_: str = "", method_: str = "") -> Iterator[str]:
    if type_ == "RegularExpression" or not service_:
        last = method_ or ".*"
        yield f"request.url_path.matches('^/{service_ or '[^/]+'}/{last}$')"
    elif method_:
        yield f"request.url_path == '/{service_}/{method_}'"
    else:
        yield f"request.url_path.startsWith('/{service_}/')"


def sort_sets(sets: Sequence[ActionSet], ages: Mapping[Ref, int]) -> list[list[Told]]:
    """Our action sets, sorted as the operator does; those that it does not tell apart together."""

    def place(one: ActionSet) -> tuple[Any, ...]:
        route, name = one.path.levels[-2], one.hostname
        host = -len(name.split(".")), name.startswith("*"), name
        return (
            host,
            rank_action(one.match),
            read_age(route, ages),
            f"{route.namespace}/{route.name}",
        )

    return [[*map(tell, same)] for _, same in groupby(sorted(sets, key=place), key=place)]


def compare_sets(mine: list[list[Told]], others: list[Told]) -> str:
    """How our sets are to the operator's, in order."""
    rest = others
    for same in mine:
        own, rest = rest[: len(same)], rest[len(same) :]
        if Counter(own) != Counter(same):
            return f"ours {_write(same)}, theirs {_write(own)}"
    return f"theirs alone {_write(rest)}" if rest else "equal"


def _write(sets: list[Told]) -> str:
    return "; ".join(
        f"{name} {sorted(predicates)} {sorted(policies)}" for name, predicates, policies in sets
    )


def differences(hub: Hub, answer: Json) -> list[dict[Any, str]]:
    """How our answers are to the operator's, by question."""
    ours = judge(hub)
    return [
        compare_paths(ours, answer),
        *(compare_conditions(ours, answer, kind) for kind in ("Accepted", "Enforced")),
        *compare_plugins(hub, ours.judgement, answer),
        *compare_made(ours.judgement, answer),
    ]


def compare_plugins(
    hub: Hub, judgement: Judgement, answer: Json
) -> tuple[dict[Any, str], dict[Any, str]]:
    """How our action sets are to the operator's, and what a request gets of ours to theirs."""
    plugins: Plugins = answer["plugins"]
    catalogue, topology = Catalogue.of([]), judgement.topology
    counted = (item for paths in judgement.counted.values() for item, _ in paths)
    items = ((item, catalogue.kind(item.group, item.kind)) for item in counted)
    lookup = PluginLookup(topology, items)
    sets, requests = {}, {}
    random = Random(json.dumps(hub, sort_keys=True))
    paths = {path.gateway: path for path in find_rule_paths(topology)}
    for gateway, path in paths.items():
        locator = f"gateway.gateway.networking.k8s.io:{gateway.namespace}/{gateway.name}"
        theirs = plugins.get(locator, [])
        mine = lookup.sets.get(gateway, [])
        sets[gateway] = compare_sets(sort_sets(mine, topology.ages), [*map(read_set, theirs)])
        for request in [make_request(random) for _ in range(REQUESTS)]:
            found = lookup.find(path, request, lambda value: value)
            taken = find_set(theirs, request)
            own = FAILS if found.failing else {name_policies(one) for one in found.sets} or None
            other = read_set(taken)[2] if isinstance(taken, dict) else taken
            is_equal = own == other or (isinstance(own, set) and other in own)
            requests[gateway, str(request)] = "equal" if is_equal else f"ours {own}, theirs {other}"
    return sets, requests


JUDGE = Judge(
    "Kuadrant",
    ENGINES_BY_NAME["kuadrant-judge"].version,
    (
        "effective policies, rule by rule",
        "`Accepted` of policies",
        "`Enforced` of policies",
        "action sets of each Gateway's plugin",
        "policies that a request gets",
        *QUESTIONS,
    ),
    ask,
    differences,
)
CERTAIN = 2
"""So many of the questions have one answer; of the others some hang on faults of shared ports."""
RARE = 0.005


def test_kuadrant_says_the_same(report: Report) -> None:
    """A hub takes a tenth of its CPU seconds, more than half of them for the action sets."""
    hubs = [kuadrant_hub(Random(f"{SEED} {index}")) for index in range(HUBS)]
    for number, counts in enumerate(JUDGE.count(hubs, report)):
        different = sum(count for how, count in counts.items() if how not in SAME)
        assert different <= (0 if number < CERTAIN else RARE * counts.total())


def test_the_everyday_cases_have_what_the_operator_makes(*, update_golden: bool) -> None:
    """Written with `--update-golden`."""
    data = Path(__file__).parents[1] / "judging" / "data"
    hubs = cyaml.safe_load((data / "made_hubs.yaml").read_text())["hubs"]
    made = dict(zip(hubs, map(read_theirs, ask([*hubs.values()])), strict=True))
    if update_golden:
        text = json.dumps(made, indent=1, ensure_ascii=False, sort_keys=True)
        (data / "made.json").write_text(f"{text}\n")
    assert json.loads((data / "made.json").read_text()) == made
