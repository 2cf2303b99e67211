"""What Envoy Gateway makes of a spoke's rendered tree: what it makes of the hub, but for names.

Each hub goes to four spokes: unchanged, with its gateways renamed, with them in another namespace,
and with their routes there as well. Objects of the spoke have the ages of the hub's, so that no age
decides otherwise. Where a build tells of something that it is on less or more than on the hub, or
on something else, the spoke shall be something else to Envoy Gateway, too; and without what
it names, it is what the hub is without that.

What we say of the spokes' policies is held against its word, too. A difference between hub and
spoke that no request sees is explained only where we say it as well.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from msgspec import Struct

from spokerender.findings.codes.attachment import ATTACHES_MORE, OTHER_BACKEND, SHARED_GRANT
from spokerender.findings.results import Severity
from spokerender.model import Ref
from spokerender.rendering.values.rendered import Rendered
from tests.live import agreement
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED
from tests.live.building import ENGINES_BY_NAME
from tests.live.envoy_gateway import (
    FIXED,
    SKIPPED,
    UNKNOWN,
    Conditions,
    Word,
    ask,
    compare_in_force,
    compare_statuses,
    judge_aged,
    read_spoke,
    write_project,
)
from tests.live.hub_policies import PARENTS
from tests.live.hubs import COMPLETE, age, find_ages, hub, is_declared
from tests.live.test_envoy_gateway import EXPLAINED as OUR_EXPLAINED, Tally, name_kinds
from tests.support import end_to_end as e2e

pytestmark = pytest.mark.live

Json = dict[str, Any]
Told = tuple[str, Ref, str]
"""A finding: its code, object and field."""
ELSEWHERE = "edge-system"
"""The namespace that gateways move to, with the labels of `infra`."""
_MOVED = f"{{namespace: {ELSEWHERE}, name: '{{{{ gateway.namespace }}}}-{{{{ gateway.name }}}}'}}"
SPOKES = {
    "unchanged": "as: {}",
    "renamed": "as: {name: 'new-{{ gateway.name }}'}",
    "moved": f"as: {_MOVED}",
    "moved with routes": f"as: {_MOVED}, routes: follow",
}
EQUAL = "equal"
FORESEEN = "a status for what has no requests, as we tell it of the spoke"
HIDDEN = "a listener that is not the most specific one of its port for the route"
EXPLAINED = {
    FORESEEN: "v1.9.1 asks the namespace of a route, before its hostnames, for whose sake it is on "
    "no listener: if it is admitted, policies for it are told to be merged and what they name is "
    "looked for; on the spoke its namespace is another one than the Gateway's",
    HIDDEN: "the most specific listener takes the requests (Gateway API, Listener.hostname)",
}
"""Differences that a move makes and no request sees."""
SEEN = "spokes of which something is told, and another thing to Envoy Gateway"
UNSEEN = "spokes of which something is told that Envoy Gateway does not see"
MORE = {ATTACHES_MORE.code, SHARED_GRANT.code}
"""Warnings that something is on more objects of a spoke, or gets more of them."""
RIGHTLY = 0.8
"""The part of what is told that Envoy Gateway has to see as well.

It doesn't see which pods a Service of that name has, nor what a route that fails would lose.
"""
ACCEPTED = "Accepted"
_REF = re.compile(r"(?P<kind>\w+) (?P<namespace>[^/ ]+)/(?P<name>[^ ]+)(?: \[(?P<section>.*)\])?")


class Placed(Struct, frozen=True):
    """A hub, or what is left of it, on a spoke: what is told of it, and what its tree has.

    `names` are the identities of the tree's objects, by those of the hub's; `ours` is what we say
    of the spoke.
    """

    hub: int
    spoke: str
    objects: list[Json]
    told: frozenset[Told]
    names: Mapping[Ref, Ref]
    tree: list[Json]
    ours: Word

    @property
    def codes(self) -> str:
        return " ".join(sorted({code for code, _, _ in self.told}))


def place(objects: list[Json]) -> str:
    """A placement of all gateways on every spoke."""
    names = [one["metadata"] for one in objects if one["kind"] == "Gateway"]
    gateways = ", ".join(f"{name['namespace']}/{name['name']}" for name in names)
    rules = (
        f"{{gateways: {{names: [{gateways}]}}, spokes: {{names: [{spoke}]}}, {settings}}}"
        for spoke, settings in zip(_folders(), SPOKES.values(), strict=True)
    )
    spokes = ", ".join(f"{{name: {spoke}}}" for spoke in _folders())
    labels = f"{{{ELSEWHERE}: {{tier: gold}}}}"
    return e2e.placement(f"[{spokes}]\n  namespaces: {labels}", f"[{', '.join(rules)}]")


def _folders() -> list[str]:
    return [spoke.replace(" ", "-") for spoke in SPOKES]


def place_hub(number: int, objects: list[Json], spokes: Iterable[str]) -> Iterator[Placed]:
    """Yield a hub on spokes, and without what is told there of its objects."""
    rendered = e2e.rendered(write_project(objects, place(objects)))
    fleet = judge_aged(rendered, find_ages(objects))
    for spoke in spokes:
        folder = spoke.replace(" ", "-")
        told = find_told(rendered, folder)
        names, tree = read_names(rendered, folder), make_spoke(objects, rendered, folder)
        yield Placed(number, spoke, objects, told, names, tree, read_spoke(fleet, folder))
        named = {_name(ref) for _, ref, _ in told}
        rest = [one for one in objects if _identity(one) not in named]
        if len(rest) < len(objects) and any(one["kind"] == "Gateway" for one in rest):
            yield from place_hub(number, rest, [spoke])


def find_told(rendered: Rendered, spoke: str) -> frozenset[Told]:
    """Errors of a spoke, and that something is on more there, which the unchanged one has not."""
    told: dict[str, set[Told]] = {folder: set() for folder in _folders()}
    for result in rendered.results:
        if result.severity is Severity.ERROR or result.code in MORE:
            assert result.resource is not None, result
            for folder in result.spokes or told:
                told[folder].add((result.code, result.resource, result.field))
    return frozenset(told[spoke] - told["unchanged"])


def read_names(rendered: Rendered, spoke: str) -> dict[Ref, Ref]:
    """What is what on a spoke: its objects by the hub's."""
    bundle = rendered.bundles[spoke]
    return {
        **{item.hub: bundle.filled(item.ref) for item in bundle.blueprint.placed},
        **{item.manifest.ref: bundle.filled(item.ref) for item in bundle.blueprint.variants},
    }


def make_spoke(objects: list[Json], rendered: Rendered, spoke: str) -> list[Json]:
    """The objects of a spoke: its tree, and what the hub has that a spoke has to have."""
    times = {_identity(one): one["metadata"].get("creationTimestamp") for one in objects}
    origins = {_name(new): _name(old) for old, new in read_names(rendered, spoke).items()}
    made = []
    for one in e2e.objects(rendered, spoke).values():
        time = times.get(origins.get(_identity(one), _identity(one)))
        metadata = {**one["metadata"], **({"creationTimestamp": time} if time else {})}
        made.append({**one, "metadata": metadata})
    there = {_identity(one) for one in made}
    return [*made, *(one for one in objects if is_there(one) and _identity(one) not in there)]


def _identity(one: Json) -> tuple[str, str, str]:
    return one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


def _name(ref: Ref) -> tuple[str, str, str]:
    return ref.kind, ref.namespace, ref.name


def is_there(one: Json) -> bool:
    """Tell whether an object is on each spoke though it is not rendered."""
    return one["kind"] in (*FIXED, "ReferenceGrant")


def equip(objects: list[Json]) -> list[Json]:
    """The hub with what is needed in the new namespace: there is all that `infra` has."""
    copies = [
        deepcopy(one)
        for one in objects
        if one["kind"] in FIXED and "infra" in (one["metadata"].get("namespace"), _identity(one)[2])
    ]
    for copy in copies:
        metadata = copy["metadata"]
        if copy["kind"] == "Namespace":
            metadata["name"] = metadata["labels"]["kubernetes.io/metadata.name"] = ELSEWHERE
        else:
            metadata["namespace"] = ELSEWHERE
    return [*objects, *copies]


def rename(word: Word, names: Mapping[Ref, Ref]) -> Word:
    """What is said of the hub, with the names of a spoke, about what is there."""
    by_name = {_name(old): new for old, new in names.items()}
    routes = {
        f"{old.kind.lower()}/{old.namespace}/{old.name}": f"{new.namespace}/{new.name}"
        for old, new in names.items()
    }

    def renamed(text: str) -> str | None:
        match = _REF.fullmatch(text)
        if match is None:
            return text
        new = by_name.get((match["kind"], match["namespace"], match["name"]))
        return str(new.section(match["section"] or "")) if new is not None else None

    def route(text: str) -> str | None:
        if not text:
            return text
        return f"{text.partition('/')[0]}/{routes[text]}" if text in routes else None

    conditions, doors = (
        {
            (kind, name, str(renamed(ancestor))): item
            for (kind, name, ancestor), item in part.items()
            if renamed(ancestor) is not None
        }
        for part in (word.conditions, word.doors)
    )
    places: dict[tuple[str, ...], Any] = {
        place: (str(renamed(place[0])), str(route(place[1])), *place[2:])
        for place in (*word.in_force, *word.routes)
        if renamed(place[0]) is not None and route(place[1]) is not None
    }
    in_force = {places[place]: marks for place, marks in word.in_force.items() if place in places}
    on_spoke = frozenset(places[place] for place in word.routes if place in places)
    return Word(conditions, in_force, routes=on_spoke, doors=doors)


def compare(hub_word: Word, placed: Placed, spoke_word: Word) -> Iterator[str]:
    """How the spoke's word is to that of the hub: by condition, place, route and listener."""
    pairs: tuple[tuple[Mapping[Any, Any], Mapping[Any, Any]], ...] = (
        (hub_word.conditions, spoke_word.conditions),
        (hub_word.in_force, spoke_word.in_force),
        (hub_word.doors, spoke_word.doors),
        (dict.fromkeys(hub_word.routes, True), dict.fromkeys(spoke_word.routes, True)),
    )
    ports = dict(list_ports(placed.tree))
    ours = compare_statuses(placed.ours, spoke_word)
    on_ports = {(ports.get(place[0]), *place[1:]) for place in spoke_word.routes if place[1]}
    served = {place[0] for place in hub_word.routes | spoke_word.routes if place[1]}
    for before, after in pairs:
        for key in before.keys() | after.keys():
            old, new = before.get(key), after.get(key)
            if any(isinstance(each, frozenset) and SKIPPED in each for each in (old, new)):
                continue
            if key[2].startswith("GatewayClass ") and key[2] != "GatewayClass eg":
                continue  # it has the name of a Gateway that is merged with others
            if old == new:
                yield EQUAL
            elif before is hub_word.conditions and is_idle(key, served, old, new):
                yield FORESEEN if ours.get(key, EQUAL) == EQUAL else f"{key}: {ours[key]}"
            elif new is None and (ports.get(key[0]), *key[1:3]) in on_ports:
                yield HIDDEN
            else:
                yield f"{key}: {old} -> {new}"


def list_ports(tree: list[Json]) -> Iterator[tuple[str, tuple[str, int]]]:
    """Yield each listener's name, with its Gateway and port; those of merged Gateways apart."""
    for one in tree:
        metadata = one["metadata"]
        for each in one["spec"].get("listeners") or () if one["kind"] in PARENTS else ():
            ref = Ref("", one["kind"], metadata["namespace"], metadata["name"], each["name"])
            gateway = one["spec"].get("parentRef", metadata)
            yield str(ref), (f"{gateway.get('namespace')}/{gateway['name']}", each["port"])


def is_idle(
    key: tuple[str, ...], served: set[str], old: Conditions | None, new: Conditions | None
) -> bool:
    """Tell whether no route is on an ancestor of a policy, and nothing that holds there differs.

    It may be invalid for what it names, which is not looked for where no route can be.
    """
    if _is_served(key[2], served):
        return False
    accepted = [{each[1] for each in part or () if each[0] == ACCEPTED} for part in (old, new)]
    is_unread = (old or frozenset()) ^ (new or frozenset()) == {
        (ACCEPTED, "False", "Invalid"),
        (ACCEPTED, "True", ACCEPTED),
    }
    return is_unread or accepted[0] == accepted[1] or {"True"} not in accepted


def _is_served(ancestor: str, served: set[str]) -> bool:
    return any(each == ancestor or each.startswith(f"{ancestor} [") for each in served)


def write_rows(counts: Mapping[str, Counter[str]]) -> list[agreement.Agreement]:
    rows = [
        agreement.Agreement(
            "Envoy Gateway",
            ENGINES_BY_NAME["envoy-gateway-judge"].version,
            f"on a spoke: {spoke}",
            HUBS,
            str(SEED),
            count[EQUAL],
            different=count.total() - count[EQUAL],
            explained=sum(count[how] for how in EXPLAINED),
        )
        for spoke, count in counts.items()
    ]
    agreement.write(rows)
    return rows


@pytest.fixture(scope="module")
def spokes() -> list[tuple[Placed, Word, Word]]:
    """Hubs on their spokes, with Envoy Gateway's word on the hub, by a spoke's names, and there."""
    hubs = [hub(Random(f"{SEED} {index}")) for index in range(HUBS)]
    for objects in hubs:
        age("ordered", [one for one in objects if one["kind"] not in FIXED])
    equipped = enumerate(map(equip, hubs))
    placed = [each for number, one in equipped for each in place_hub(number, one, SPOKES)]
    parts = {id(each.objects): each.objects for each in placed}
    words = dict(zip(parts, ask(list(parts.values())), strict=True))
    there = ask([each.tree for each in placed])
    return [
        (each, rename(words[id(each.objects)], each.names), word)
        for each, word in zip(placed, there, strict=True)
    ]


def test_a_spoke_is_to_envoy_gateway_what_the_hub_is(
    spokes: list[tuple[Placed, Word, Word]], report: Report
) -> None:
    counts: dict[str, Counter[str]] = {spoke: Counter() for spoke in SPOKES}
    told: dict[str, Counter[str]] = {SEEN: Counter(), UNSEEN: Counter()}
    wrong = []
    for each, before, after in spokes:
        answers = Counter(compare(before, each, after))
        if each.told:
            is_seen = answers.keys() > {EQUAL}
            told[SEEN if is_seen else UNSEEN][f"{each.spoke}: {each.codes}"] += 1
            continue
        counts[each.spoke].update(answers)
        wrong += [
            f"hub {each.hub}, {each.spoke}: {how}"
            for how in answers
            if how not in (EQUAL, *EXPLAINED)
        ]
    for row in write_rows(counts):
        report(row)
    for what, codes in told.items():
        report(f"{codes.total():6} {what}")
        for code, count in sorted(codes.items()):
            report(f"{count:6}   {code}")
    assert not wrong, "\n".join(wrong[:40]) + f"\n{len(wrong)}"
    seen, unseen = (
        sum(count for code, count in codes.items() if not code.endswith(f": {OTHER_BACKEND.code}"))
        for codes in told.values()
    )
    assert seen >= RIGHTLY * (seen + unseen)


def test_our_word_of_a_spoke_is_envoy_gateways(
    spokes: list[tuple[Placed, Word, Word]], report: Report
) -> None:
    questions: dict[str, Callable[[Word, Word], Mapping[Any, str]]] = {
        "statuses of policies, on spokes": name_kinds(compare_statuses, 0),
        "values in force, on spokes": name_kinds(compare_in_force, 3),
    }
    tallies = [Tally(question, HUBS) for question in questions]
    for number, (each, _, theirs) in enumerate(spokes):
        is_complete = is_declared(each.objects, COMPLETE)
        for tally in tallies:
            answers = questions[tally.question](each.ours, theirs)
            tally.add(number, answers, is_complete=is_complete)
    agreement.write(tally.row() for tally in tallies)
    for tally in tallies:
        report(tally.row())
        for how in tally.different:
            report(f"{tally.counts[how]:6} {how}")
    wrong = [
        f"hub {spokes[tally.first[how]][0].hub}, {spokes[tally.first[how]][0].spoke}: {how}"
        for tally in tallies
        for how in tally.different
        if how not in OUR_EXPLAINED
    ]
    assert not wrong, "\n".join(wrong)
    if HUBS >= agreement.ENOUGH:
        for tally in tallies:
            assert tally.counts[UNKNOWN] <= 0.05 * sum(tally.counts.values()), tally.row()
