"""Controllers as judges of random hubs: what they answer beside what we say, counted and shown."""

import json
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.formats import yamlio
from spokerender.judging.attachment.demands import holds_rule
from spokerender.judging.cluster import Cluster, Knowledge
from spokerender.judging.judge import judge_cluster
from spokerender.judging.judgement import Judgement
from spokerender.judging.routing.judge import judge_routing
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import Routing
from spokerender.topology.hub import read_hub
from tests.live import agreement
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED, smallest_hub
from tests.live.building import program
from tests.live.hubs import find_ages
from tests.live.routing_statuses import (
    WHOLE,
    Conditions,
    compare,
    read_routing,
    read_written,
)

Json = dict[str, Any]
Hub = list[Json]
Answers = Mapping[tuple[str, ...], Conditions]
"""By object and parent or listener: conditions."""
BASIS = ("GatewayClass", "Namespace", "Service", "EndpointSlice", "Secret", "ConfigMap")
"""Kinds that a hub needs; it is not made smaller by them."""
ROUTING = "statuses of routes and listeners"
SAME = {"equal", "Unknown"}
"""Answers that no one has to explain."""


class Judge(Struct, frozen=True):
    """A controller that answers questions about hubs.

    `ask` gives its word of each hub, and `differ` how ours is to it, by question.
    """

    controller: str
    release: str
    questions: tuple[str, ...]
    ask: Callable[[list[Hub]], Sequence[Any]]
    differ: Callable[[Hub, Any], Sequence[Mapping[Any, str]]]
    explained: frozenset[str] = frozenset()
    """Answers that differ for a reason that the test has."""

    def count(self, hubs: list[Hub], report: Report) -> list[Counter[str]]:
        """How our answers are to its, by question; shown, and written if they are enough."""
        counts = [Counter[str]() for _ in self.questions]
        first: dict[tuple[int, str], Hub] = {}
        for objects, word in zip(hubs, self.ask(hubs), strict=True):
            for number, answers in enumerate(self.differ(objects, word)):
                for how in answers.values():
                    counts[number][how] += 1
                    first.setdefault((number, how), objects)
        rows = [self._row(*each) for each in zip(self.questions, counts, strict=True)]
        agreement.write(rows)
        for row, each in zip(rows, counts, strict=True):
            report(row)
            for how, count in each.most_common():
                report(f"{count:6} {how}")
        for (number, how), objects in first.items():
            if how not in SAME | self.explained:
                report(f"{how}\n{self._make_small(objects, number, how)}")
        return counts

    def _make_small(self, objects: Hub, number: int, how: str) -> str:
        """The fewest objects of a hub about which we differ in this way, as YAML."""

        def differs(part: Hub) -> bool:
            (word,) = self.ask([part])
            return how in self.differ(part, word)[number].values()

        return smallest_hub(objects, BASIS, differs)

    def _row(self, question: str, counts: Counter[str]) -> agreement.Agreement:
        different = sum(count for how, count in counts.items() if how not in SAME)
        return agreement.Agreement(
            self.controller,
            self.release,
            question,
            HUBS,
            str(SEED),
            equal=counts["equal"],
            unknown=counts["Unknown"],
            different=different,
            explained=sum(count for how, count in counts.items() if how in self.explained),
        )


def judge_objects(objects: Hub) -> tuple[Judgement, Routing]:
    """Judge objects as a cluster that has them and nothing else, and knows their ages."""
    files = read_hub([("all.yaml", "---\n".join(map(yamlio.emit, objects)).encode())])
    knowledge = Knowledge(files.catalogue, unseen=frozenset(), ages=find_ages(objects))
    judgement = judge_cluster(Cluster.of(files.manifests, files.catalogue), knowledge)
    data = {manifest.ref: manifest.object for manifest in files.manifests}
    topology, attachments = judgement.topology, judgement.attachments
    scene = Scene(topology, data, {}, knowledge.unseen, attachments, holds_rule, files.catalogue)
    return judgement, judge_routing(scene)


def judge_hub(objects: Hub) -> tuple[Judgement, Answers]:
    """What we say of a hub as a cluster: of policies, and of routes and listeners."""
    judgement, routing = judge_objects(objects)
    return judgement, read_routing(routing)


def of_parts(statuses: Answers) -> Answers:
    """Statuses of routes and listeners alone; the kinds that a listener takes are a row's."""
    return {key: answer for key, answer in without_cluster(statuses).items() if len(key) > WHOLE}


def without_cluster(statuses: Answers) -> Answers:
    """Statuses without what addresses decide of whole Gateways and ListenerSets."""
    left_out = {True: "Programmed", False: "supportedKinds"}
    return {
        key: frozenset(item for item in answer if item[0] != left_out[len(key) == WHOLE])
        for key, answer in statuses.items()
    }


def compare_statuses(mine: Answers, other: Answers) -> dict[tuple[str, ...], str]:
    """How our statuses are to theirs."""
    return {
        key: compare(mine.get(key), other.get(key)) for key in sorted(mine.keys() | other.keys())
    }


def compare_parts(objects: Hub, word: Answers) -> dict[tuple[str, ...], str]:
    """How our statuses of the routes and listeners of a hub are to a controller's."""
    _, statuses = judge_hub(objects)
    return compare_statuses(of_parts(statuses), word)


def ask_program(name: str, question: Any) -> list[Answers]:
    """The statuses of routes and listeners that a controller's program writes, hub by hub."""
    done = subprocess.run(
        [program(name)], input=json.dumps(question), capture_output=True, text=True, check=True
    )
    return [_read_parts(objects or []) for objects in json.loads(done.stdout)]


def _read_parts(objects: list[Json]) -> Answers:
    """Read statuses; of a listener's conditions the first of each type.

    Traefik adds one for each wrong certificate (v3.7.13, kubernetes.go:602), and an API server
    takes one of a type.
    """
    for one in objects:
        for entry in (one.get("status") or {}).get("listeners") or ():
            by_type = {each["type"]: each for each in reversed(entry["conditions"] or ())}
            entry["conditions"] = list(by_type.values())
    routes = [one for one in objects if one["kind"].endswith("Route")]
    return of_parts(read_written(routes, (one for one in objects if one not in routes)))
