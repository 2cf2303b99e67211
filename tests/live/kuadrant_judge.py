"""Kuadrant's operator as a judge: what it is told of a hub, and its answers beside ours.

It runs in one process with a cluster in memory, where all that it and other controllers make is
ready at once. The statuses of routes and Gateways are those that we say they have: other judges
tell whether these are right. What it can't show: Authorino, Limitador and the DNS operator, which
may refuse what it makes of policies; policies that are deleted; a cluster where one of its
components is not there.
"""

import json
import re
import subprocess
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.explain.statuses import list_conditions
from spokerender.formats import yamlio
from spokerender.judging.attachment.demands import holds_rule
from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.cluster import Cluster, Knowledge
from spokerender.judging.judge import judge_cluster
from spokerender.judging.judgement import Judgement
from spokerender.judging.routing.judge import judge_routing
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import ListenerStatus, ParentStatus, Routing
from spokerender.model import GATEWAY_API, Ref
from spokerender.model.selectors import EVERY_KIND, ExternalObjects
from spokerender.topology.conflicts import find_closed_listeners
from spokerender.topology.graph import Topology
from spokerender.topology.hub import read_hub
from spokerender.topology.paths import Levels
from spokerender.topology.requests import find_rule_paths
from tests.live.building import program

Json = dict[str, Any]
Hub = list[Json]
Key = tuple[str, ...]
"""A kind of policies and the Gateway, listener, route and rule of a path, each as one text."""
Rules = Mapping[str, str]
"""The rules in force, each with its policy."""
MERGED = ("AuthPolicy", "RateLimitPolicy", "TokenRateLimitPolicy")
EXTENDED = ("OIDCPolicy", "PlanPolicy")
POLICIES = (*MERGED, *EXTENDED, "DNSPolicy", "TLSPolicy")
EQUAL, UNKNOWN = "equal", "Unknown"
TOKENS, REFUSED = "TokenRateLimitPolicy", "some are refused"
_WHEN = {"AuthPolicy": "conditions#"}
_TOP = "###_TOP_LEVEL_PREDICATES_###"
_ABOVE = {"rules.response.success.filters": "response.success.metadata"}
_OVERRULER = re.compile(r"by \w+ (\S+/\S+) on ")
_WRITTEN = re.compile(r"\w+Policy (\S+) is not enforced")


class Ours(Struct, frozen=True):
    """What we say of a hub as a cluster that has nothing else."""

    judgement: Judgement
    routing: Routing


def judge(hub: Hub) -> Ours:
    """What we say of a hub whose objects' ages are known; names decide between equal ones."""
    files = read_hub([("all.yaml", "---\n".join(map(yamlio.emit, hub)).encode())])
    times = sorted({one["metadata"].get("creationTimestamp", "") for one in hub})
    created = {
        manifest.ref: times.index(manifest.object["metadata"].get("creationTimestamp", ""))
        for manifest in files.manifests
    }
    around = Topology((), external=ExternalObjects(complete_kinds=frozenset({EVERY_KIND})))
    knowledge = Knowledge(files.catalogue, around, unseen=frozenset(), ages=created)
    judgement = judge_cluster(Cluster.of(files.manifests, files.catalogue), knowledge)
    data = {manifest.ref: manifest.object for manifest in files.manifests}
    topology, attachments = judgement.topology, judgement.attachments
    scene = Scene(topology, data, {}, knowledge.unseen, attachments, holds_rule, files.catalogue)
    return Ours(judgement, judge_routing(scene))


def ask(hubs: list[Hub]) -> list[Json]:
    """What the operator makes of each hub."""
    given = [add_statuses(hub, judge(hub).routing) for hub in hubs]
    command = [program("kuadrant-judge")]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    answers: list[Json] = json.loads(done.stdout)
    return answers


def add_statuses(hub: Hub, routing: Routing) -> Hub:
    """The objects with the statuses that the controllers of their classes write, as we say."""
    controllers = {
        one["metadata"]["name"]: one["spec"]["controllerName"]
        for one in hub
        if one["kind"] == "GatewayClass"
    }
    by_gateway = {
        name(one): controllers.get(one["spec"]["gatewayClassName"], "")
        for one in hub
        if one["kind"] == "Gateway"
    }
    return [_with_status(one, routing, by_gateway) for one in hub]


def _with_status(one: Json, routing: Routing, by_gateway: Mapping[str, str]) -> Json:
    place = one["metadata"].get("namespace", ""), one["metadata"]["name"]
    ref = Ref(one["apiVersion"].rpartition("/")[0], one["kind"], *place)
    if one["kind"] == "Gateway":
        holder = routing.holders.get(ref)
        listeners = [*map(_write_listener, holder.listeners)] if holder is not None else []
        addresses = [{"type": "IPAddress", "value": "192.0.2.1"}]
        return {**one, "status": {"addresses": addresses, "listeners": listeners}}
    if ref not in routing.routes:
        return one
    entries = (each for each in routing.routes[ref] if not each.silent)
    return {**one, "status": {"parents": [_write_parent(each, by_gateway) for each in entries]}}


def _write_listener(listener: ListenerStatus) -> Json:
    conditions = _write(listener.conditions)
    count = listener.attached
    return {
        "name": listener.name,
        "attachedRoutes": count,
        "conditions": conditions,
        "supportedKinds": [],
    }


def _write_parent(entry: ParentStatus, by_gateway: Mapping[str, str]) -> Json:
    whole = entry.parent.whole
    reference: Json = {"group": GATEWAY_API, "kind": whole.kind}
    reference |= {"namespace": whole.namespace, "name": whole.name}
    if entry.parent.section_name:
        reference["sectionName"] = entry.parent.section_name
    if entry.port is not None:
        reference["port"] = entry.port
    return {
        "parentRef": reference,
        "controllerName": by_gateway.get(f"{whole.namespace}/{whole.name}", ""),
        "conditions": _write(entry.conditions),
    }


def _write(conditions: Iterable[Condition]) -> list[Json]:
    return [
        {
            "type": item.type,
            "status": str(item.status.value),
            "reason": item.reason,
            "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        for item in conditions
    ]


def name(one: Json) -> str:
    return f"{one['metadata'].get('namespace', '')}/{one['metadata']['name']}"


def compare_paths(ours: Ours, answer: Json) -> dict[Key, str]:
    """How our effective policies are to the operator's, on the paths that requests can take."""
    served = _list_served(ours.judgement)
    mine, theirs = dict(_list_ours(ours.judgement)), dict(_list_paths(answer["inForce"]))
    keys = {*mine, *(key for key in theirs if key[1:] in served)}
    return {key: _compare(mine.get(key), theirs.get(key)) for key in sorted(keys)}


def _list_served(judgement: Judgement) -> set[Key]:
    """The paths that requests can take."""
    closed = find_closed_listeners(judgement.topology)
    paths = find_rule_paths(judgement.topology)
    return {_place(path.levels[1:]) for path in paths if path.section not in closed}


def _compare(mine: Rules | None, other: Rules | None) -> str:
    if mine == other or (other and REFUSED in other and (mine or {}).items() <= other.items()):
        return EQUAL
    if not mine or not other:
        return "ours alone" if mine else "theirs alone" if other else EQUAL
    return f"ours {sorted(mine.items())}, theirs {sorted(other.items())}"


def _place(levels: Levels) -> Key:
    """The places of a path, as the operator's locators have them."""
    return tuple(
        f"{ref.namespace}/{ref.name}" + (f"#{ref.section_name}" if ref.section_name else "")
        for ref in levels
    )


def _list_ours(judgement: Judgement) -> Iterator[tuple[Key, Rules]]:
    for item in judgement.effective:
        if item.kind in MERGED and item.path.route is not None and not item.is_beyond:
            rules = {
                _name_rule(item.kind, tuple(map(str, rule.path))): (
                    f"{rule.policy.namespace}/{rule.policy.name}"
                )
                for rule in item.likely.rules
            }
            yield (item.kind, *_place(item.path.levels[1:])), rules


def _name_rule(kind: str, path: tuple[str, ...]) -> str:
    """A rule's name as the operator has it: `authentication#jwt`, or a limit's own."""
    if path == ("when",):
        return _WHEN.get(kind, _TOP)
    if path[0] == "limits":
        return path[1]
    if path[0] == "patterns":
        return f"patterns#{path[1]}"
    if path[-1] in {"unauthenticated", "unauthorized"} and path[1] == "response":
        return f"response.{path[-1]}#"
    above = ".".join(path[:-1])
    return f"{_ABOVE.get(above, above.removeprefix('rules.'))}#{path[-1]}"


def _list_paths(paths: list[Json] | None) -> Iterator[tuple[Key, Rules]]:
    for one in paths or ():
        places = (locator.rpartition(":")[2] for locator in one["path"][1:])
        rules = {key: source.rpartition(":")[2] for key, source in one["rules"].items()}
        if one["refused"]:
            rules = rules | {REFUSED: ""} if one["kind"] == TOKENS else {}
        yield (one["kind"], *places), rules


def find_written(judgement: Judgement, kinds: Collection[str] = EXTENDED) -> set[str]:
    """The names of policies of extensions, and so of those that are written for them."""
    return {ref.full_name for ref in judgement.attachments if ref.kind in kinds}


def compare_conditions(ours: Ours, answer: Json, kind: str) -> dict[Key, str]:
    """How a condition of ours is to the operator's, for each policy."""
    found: dict[Key, str] = {}
    written = find_written(ours.judgement)
    for one in answer["objects"]:
        if one["kind"] in POLICIES:
            conditions = one.get("status", {}).get("conditions") or ()
            theirs = {each["type"]: each for each in conditions}.get(kind)
            group = one["apiVersion"].rpartition("/")[0]
            metadata = one["metadata"]
            ref = Ref(group, one["kind"], metadata["namespace"], metadata["name"])
            if ref not in ours.judgement.attachments and ref.full_name in written:
                continue  # for a policy of an extension
            mine = find_condition(ours.judgement, ref, kind)
            other = (
                (theirs["status"], theirs["reason"], _list_names(theirs["message"]))
                if theirs is not None
                else None
            )
            told = _compare_told(mine, other)
            found[one["kind"], name(one)] = (
                told if told in {EQUAL, UNKNOWN} else f"{one['kind']}: {told}"
            )
    return found


Told = tuple[str, str, tuple[str, ...]]
"""A condition's status and reason, and the policies that its message names."""


def _compare_told(mine: "Told | None", other: "Told | None") -> str:
    """How two conditions are; who overrides a policy is told by both, or by none.

    Of those, theirs names the policies that are in force in the end. A policy that an extension
    writes is named alike.
    """
    if mine is None or other is None:
        return EQUAL if mine == other else f"ours {mine}, theirs {other}"
    if mine[:2] == (UNKNOWN, "NotKnown"):
        return UNKNOWN
    is_overridden = mine[1] == "Overridden" and bool(mine[2]) == bool(other[2])
    is_same = mine[:2] == other[:2] and (is_overridden or mine[2] == other[2])
    return EQUAL if is_same else f"ours {mine}, theirs {other}"


def find_condition(judgement: Judgement, policy: Ref, kind: str) -> Told | None:
    """A condition of a policy as we have it."""
    attachment = judgement.attachments[policy]
    if attachment.is_silent:
        return None
    reports = [own for (ref, _), own in judgement.reported.items() if ref == policy]
    statuses = {True: Truth.TRUE, False: Truth.FALSE, None: Truth.UNKNOWN}
    told = {
        (str(each.status.value), each.reason, _list_own_names(each.reason, each.message))
        for own in reports or [()]
        for each in list_conditions(
            attachment,
            [Condition(it.type, statuses[it.status], it.reason, it.message) for it in own],
        )
        if each.type == kind
    }
    if not told:
        return None
    return next(iter(told)) if len(told) == 1 else ("several", str(sorted(told)), ())


def _list_names(message: str) -> tuple[str, ...]:
    """The policies in `AuthPolicy is overridden by [ns/one ns/two]`, or the one that is written."""
    names = re.search(r"is overridden by \[(.*)\]", message)
    return tuple(sorted(names[1].split() if names else _WRITTEN.findall(message)))


def _list_own_names(reason: str, message: str) -> tuple[str, ...]:
    names = _OVERRULER if reason == "Overridden" else _WRITTEN
    return tuple(sorted(set(names.findall(message))))
