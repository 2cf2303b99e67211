"""What Kuadrant's operator makes of the policies of a hub, beside what we say that it makes.

Objects are compared as data, without what their API server writes, and without the empty values
that Go writes where nothing is. Left out is what we do not show: what the operator makes on paths
with a predicate that it refuses, which nothing asks for, and with rules of extensions.
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from spokerender.judging.effective.outcomes import MadePart
from spokerender.judging.effective.rates import hash_limit_name
from spokerender.judging.judgement import Judgement
from spokerender.judging.lookups import is_valid
from spokerender.judging.made import list_made, shorten
from spokerender.kinds.catalogue import Catalogue
from spokerender.topology.conflicts import find_silent_listeners
from spokerender.topology.requests import find_listener, find_listener_paths, find_rule_paths
from tests.live.kuadrant_judge import find_written

Json = dict[str, Any]
Things = Mapping[str, Any]
"""What is made, by a name."""
QUESTIONS = (
    "AuthConfigs",
    "Limitador's limits",
    "actions of the plugin",
    "DNSRecords, Certificates",
)
ADDRESS, CLUSTER = "192.0.2.1", "cluster"
"""The address of each Gateway, and the UID of the cluster."""
TOKENS = "tokenlimit."
EMPTY = ("credentials", "success", "group", "resource", "subresource", "name", "namespace", "verb")
OBJECTS = {"AuthConfig": 0, "DNSRecord": 3, "Certificate": 3}


def compare_made(judgement: Judgement, answer: Json) -> list[dict[Any, str]]:
    """How what we say is made is to what the operator made, by question."""
    written = find_written(judgement, ("OIDCPolicy",))
    mine, others = read_ours(judgement), read_theirs(answer, written)
    idle = list_idle(answer, written) | list_closed(judgement)
    for own, other in zip(mine, others, strict=True):
        for key in [key for key in other if name_made(key) in idle]:
            if not (TOKENS in key and key in own):  # one of several limits may be sound
                del other[key]
    return [_compare(*each) for each in zip(mine, others, strict=True)]


def list_idle(answer: Json, written: Collection[str]) -> set[str]:
    """The names of AuthConfigs and limits that are made on paths of which we show nothing."""
    named = [
        (one["refused"] or has_written(one["rules"].values(), written), set(_list_names(one)))
        for one in answer["inForce"] or ()
    ]
    sound = {name for refused, names in named if not refused for name in names}
    return {name for refused, names in named if refused for name in names - sound}


def has_written(sources: Iterable[str], written: Collection[str]) -> bool:
    """Whether one of the policies is written for one of an extension."""
    return any(source.rpartition(":")[2] in written for source in sources)


def _list_names(one: Json) -> Iterator[str]:
    places = [locator.rpartition(":")[2] for locator in one["path"]]
    if one["kind"] == "AuthPolicy":
        yield f"AuthConfig /{hashlib.sha256('|'.join(places).encode()).hexdigest()}"
    else:
        for limit, source in one["rules"].items():
            prefix = TOKENS if one["kind"] == "TokenRateLimitPolicy" else "limit."
            namespace, name = source.rpartition(":")[2].split("/")
            yield f"{places[3]} {hash_limit_name(prefix, namespace, name, limit)}"


def list_closed(judgement: Judgement) -> set[str]:
    """The names of what is made for listeners that serve nothing, which `effective` leaves out."""
    topology = judgement.topology
    paths, silent = find_listener_paths(topology), find_silent_listeners(topology)
    every = {node.ref.section(it.name) for node in topology.nodes.values() for it in node.listeners}
    idle = every - ({path.section for path in paths} - silent)
    unused = idle | (every - {path.section for path in find_rule_paths(topology)})
    return {
        f"{kind} {ref.namespace}/{ref.name}-{ref.section_name}"
        for kind, refs in (("Certificate", idle), ("DNSRecord", unused))
        for ref in refs
    }


def name_made(key: str) -> str:
    """The name of an object, or a limit's namespace and identifier."""
    limit = re.search(r'descriptors\[0\]\[\\"(\S+)\\"\] ==.*"namespace": "(\S+)"', key)
    return f"{limit[2]} {limit[1]}" if limit else key


def _compare(mine: Things, others: Things) -> dict[Any, str]:
    return {
        key: "equal"
        if others.get(key) in (mine.get(key), *_list_turns(mine.get(key)))
        else f"ours {json.dumps(mine.get(key))}, theirs {json.dumps(others.get(key))}"
        for key in sorted({*mine, *others})
    }


def _list_turns(one: Any) -> list[Any]:
    """What an object is in turn, if several policies write it."""
    return one if isinstance(one, list) else []


def read_ours(judgement: Judgement) -> list[Json]:
    """What we say is made, by question."""
    found: list[Json] = [{} for _ in QUESTIONS]
    for gateway, made in list_ours(judgement):
        if made.to != "the operator":
            add(found, gateway, made)
    return found


def add(found: list[Json], gateway: str, made: MadePart) -> None:
    text = json.dumps(made.value).replace("<addresses>", ADDRESS)
    value = json.loads(text.replace("<cluster>", shorten(CLUSTER)))
    if made.to == "Limitador":
        add_limits(found[1], value)
    elif made.to == "the plugin":
        found[2] |= {f"{gateway} {write(one)}": one for one in value}
    else:
        add_object(found, value)


def add_limits(limits: Json, more: Iterable[Json]) -> None:
    for one in more:
        limits[write(one)] = one


def add_object(found: list[Json], one: Json) -> None:
    metadata = one["metadata"]
    kept = {key: metadata[key] for key in ("name", "labels", "annotations") if metadata.get(key)}
    spec = without_empty(one["spec"])
    for endpoints in ("endpoints",) if "endpoints" in spec else ():
        spec[endpoints].sort(key=lambda each: each["dnsName"] + each.get("setIdentifier", ""))
    place = "" if one["kind"] == "AuthConfig" else metadata["namespace"]
    objects, key = found[OBJECTS[one["kind"]]], f"{one['kind']} {place}/{metadata['name']}"
    whole = {"apiVersion": one["apiVersion"], "metadata": kept, "spec": spec}
    before = _list_turns(objects.get(key)) or [objects[key]] if key in objects else []
    objects[key] = [*before, whole] if before else whole


def without_empty(value: Any) -> Any:
    """A value without what Go writes where nothing is."""
    if isinstance(value, list):
        return [*map(without_empty, value)]
    if not isinstance(value, dict):
        return value
    inner = {key: without_empty(item) for key, item in value.items()}
    return {k: v for k, v in inner.items() if v is not None and (v != {} or k not in EMPTY)}


def write(one: Json) -> str:
    return json.dumps(one, sort_keys=True)


def list_ours(judgement: Judgement) -> Iterator[tuple[str, MadePart]]:
    catalogue, topology = Catalogue.of([]), judgement.topology
    counted = [item for items in judgement.counted.values() for item, _ in items]
    without_route = [item for item in judgement.effective if item.path.route is None]
    for item in (*counted, *without_route):
        if item.path.route is None or (is_valid(topology, item.path) and not item.is_beyond):
            kind, ends = catalogue.kind(item.group, item.kind), item.path.route is None
            listener = find_listener(topology, item.path) if ends else None
            for made in list_made(kind, item.path, item.likely.rules, listener):
                yield item.path.gateway.full_name, made


def read_theirs(answer: Json, written: Collection[str] = frozenset()) -> list[Json]:
    """What the operator made, by question, without what belongs to refused policies."""
    found: list[Json] = [{} for _ in QUESTIONS]
    for gateway, sets in answer["plugins"].items():
        for action in (action for one in sets for action in one["actions"]):
            if has_written(action["sources"], written):
                continue
            bare = {key: value for key, value in action.items() if key != "sources"}
            found[2][f"{gateway.rpartition(':')[2]} {write(bare)}"] = bare
    for one in answer["objects"]:
        if one["kind"] in OBJECTS:
            add_object(found, one)
        elif one["kind"] == "Limitador":
            add_limits(found[1], one["spec"].get("limits", ()))
    return found
