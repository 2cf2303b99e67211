"""What Envoy Gateway makes of a spoke's rendered tree: what it makes of the hub, but for names.

Each hub goes to three spokes: unchanged, with its gateways renamed, and with them in another
namespace. Objects of the spoke have the ages of the hub's, so that no age decides otherwise. Where
a build refuses what is placed, with errors that the unchanged spoke has not, there is no tree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from spokerender.findings.results import Severity
from spokerender.model import Ref
from spokerender.rendering.values.rendered import Rendered
from tests.live import agreement
from tests.live.asking import HUBS, SEED
from tests.live.building import ENGINES_BY_NAME
from tests.live.envoy_gateway import FIXED, SKIPPED, Word, ask, write_project
from tests.live.hubs import age, hub
from tests.support import end_to_end as e2e

pytestmark = pytest.mark.live

Json = dict[str, Any]
ELSEWHERE = "edge-system"
"""The namespace that gateways move to."""
SPOKES = {
    "same": "{}",
    "renamed": "{name: 'new-{{ gateway.name }}'}",
    "moved": "{namespace: edge-system, name: '{{ gateway.namespace }}-{{ gateway.name }}'}",
}
_REF = re.compile(r"(?P<kind>\w+) (?P<namespace>[^/ ]+)/(?P<name>[^ ]+)(?: \[(?P<section>.*)\])?")


def place(objects: list[Json]) -> str:
    """A placement of all gateways on three spokes."""
    names = [one["metadata"] for one in objects if one["kind"] == "Gateway"]
    gateways = ", ".join(f"{name['namespace']}/{name['name']}" for name in names)
    rules = (
        f"{{gateways: {{names: [{gateways}]}}, spokes: {{names: [{spoke}]}}, as: {settings}}}"
        for spoke, settings in SPOKES.items()
    )
    return e2e.placement(
        f"[{', '.join(f'{{name: {spoke}}}' for spoke in SPOKES)}]", f"[{', '.join(rules)}]"
    )


def find_refused(rendered: Rendered) -> frozenset[str]:
    """The spokes with errors that the unchanged one has not: they get no tree."""
    errors: dict[str, set[tuple[str, str]]] = {spoke: set() for spoke in SPOKES}
    for result in rendered.results:
        if result.severity is Severity.ERROR:
            for spoke in result.spokes or SPOKES:
                errors[spoke].add((result.code, str(result.resource)))
    return frozenset(spoke for spoke in SPOKES if errors[spoke] - errors["same"])


def read_names(rendered: Rendered, spoke: str) -> dict[Ref, Ref]:
    """What is what on a spoke: its objects by the hub's."""
    bundle = rendered.bundles[spoke]
    return {
        **{item.hub: bundle.filled(item.ref) for item in bundle.blueprint.placed},
        **{item.manifest.ref: bundle.filled(item.ref) for item in bundle.blueprint.variants},
    }


def make_spoke(objects: list[Json], rendered: Rendered, spoke: str) -> list[Json]:
    """The objects of a spoke: its tree, and what the hub has that a spoke has to have."""
    times = {
        (one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]): one[
            "metadata"
        ]
        for one in objects
    }
    origins = {new: old for old, new in read_names(rendered, spoke).items()}
    made = []
    for one in e2e.objects(rendered, spoke).values():
        group = one["apiVersion"].rpartition("/")[0]
        metadata = one["metadata"]
        ref = Ref(group, one["kind"], metadata.get("namespace", ""), metadata["name"])
        old = origins.get(ref, ref)
        time = times.get((old.kind, old.namespace, old.name), {}).get("creationTimestamp")
        made.append(
            {**one, "metadata": {**metadata, **({"creationTimestamp": time} if time else {})}}
        )
    kinds = {
        (one["kind"], one["metadata"]["name"], one["metadata"].get("namespace", "")) for one in made
    }
    return [*made, *(one for one in needs(objects) if _identity(one) not in kinds)]


def _identity(one: Json) -> tuple[str, str, str]:
    return one["kind"], one["metadata"]["name"], one["metadata"].get("namespace", "")


def needs(objects: list[Json]) -> Iterator[Json]:
    """What a spoke has though it is not rendered: in the new namespace as in that of `infra`."""
    for one in objects:
        if one["kind"] in (*FIXED, "ReferenceGrant"):
            yield one
        if one["kind"] in FIXED and one["metadata"].get("namespace") == "infra":
            copy = deepcopy(one)
            copy["metadata"]["namespace"] = ELSEWHERE
            yield copy
        elif one["kind"] == "Namespace" and one["metadata"]["name"] == "infra":
            copy = deepcopy(one)
            copy["metadata"]["name"] = ELSEWHERE
            copy["metadata"]["labels"]["kubernetes.io/metadata.name"] = ELSEWHERE
            yield copy


def rename(word: Word, names: Mapping[Ref, Ref]) -> Word:
    """What is said of the hub, with the names of a spoke, about what is there."""
    by_name = {(old.kind, old.namespace, old.name): new for old, new in names.items()}

    def renamed(text: str) -> str | None:
        match = _REF.fullmatch(text)
        if match is None:
            return text
        new = by_name.get((match["kind"], match["namespace"], match["name"]))
        return str(new.section(match["section"] or "")) if new is not None else None

    def route(text: str) -> str | None:
        kind, _, rest = text.partition("/")
        for (old, namespace, name), new in by_name.items():
            if text and old.lower() == kind and f"{namespace}/{name}" == rest:
                return f"{kind}/{new.namespace}/{new.name}"
        return None if text else ""

    conditions = {
        (kind, name, str(renamed(ancestor))): item
        for (kind, name, ancestor), item in word.conditions.items()
        if renamed(ancestor) is not None
    }
    in_force = {
        (str(renamed(place[0])), str(route(place[1])), *place[2:]): marks
        for place, marks in word.in_force.items()
        if renamed(place[0]) is not None and route(place[1]) is not None
    }
    return Word(conditions, in_force)


def compare(hub_word: Word, spoke_word: Word) -> Iterable[tuple[str, str]]:
    """How the spoke's word is to that of the hub, by condition and place."""
    pairs: tuple[tuple[str, Mapping[Any, Any], Mapping[Any, Any]], ...] = (
        ("attachment", hub_word.conditions, spoke_word.conditions),
        ("in force", hub_word.in_force, spoke_word.in_force),
    )
    for what, before, after in pairs:
        for key in before.keys() | after.keys():
            if SKIPPED in (before.get(key) or ()) or SKIPPED in (after.get(key) or ()):
                continue
            if key[2].startswith("GatewayClass ") and key[2] != "GatewayClass eg":
                continue  # it has the name of a Gateway that is merged with others
            yield (
                what,
                "equal"
                if before.get(key) == after.get(key)
                else f"{key}: {before.get(key)} -> {after.get(key)}",
            )


def test_a_spoke_is_to_envoy_gateway_what_the_hub_is() -> None:
    hubs = [hub(Random(f"{SEED} {index}")) for index in range(HUBS)]
    for objects in hubs:
        age("ordered", [one for one in objects if one["kind"] not in FIXED])
    spokes: list[tuple[int, str, Mapping[Ref, Ref]]] = []
    trees: list[list[Json]] = []
    refused: Counter[str] = Counter()
    for number, objects in enumerate(hubs):
        rendered = e2e.rendered(write_project(objects, place(objects)))
        for spoke in SPOKES:
            if spoke in find_refused(rendered):
                refused[spoke] += 1
                continue
            spokes.append((number, spoke, read_names(rendered, spoke)))
            trees.append(make_spoke(objects, rendered, spoke))
    words, found = ask(hubs), ask(trees)
    counts: dict[str, Counter[str]] = {spoke: Counter() for spoke in SPOKES}
    wrong = []
    for (number, spoke, names), word in zip(spokes, found, strict=True):
        for _, how in compare(rename(words[number], names), word):
            counts[spoke]["equal" if how == "equal" else "different"] += 1
            if how != "equal":
                wrong.append(f"hub {number}, {spoke}: {how}")
    agreement.write(
        agreement.Agreement(
            "Envoy Gateway",
            ENGINES_BY_NAME["envoy-gateway-judge"].version,
            f"spokes: {spoke}, {refused[spoke]} refused by the build",
            HUBS,
            str(SEED),
            count["equal"],
            different=count["different"],
        )
        for spoke, count in counts.items()
    )
    assert not wrong, "\n".join(wrong[:40]) + f"\n{len(wrong)} {counts} {refused}"
