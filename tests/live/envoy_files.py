"""Hubs with the xDS of their proxies as files, for who has Envoy and no Go.

A line is an object of the hub, or a resource of a proxy.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.conftest import DATA
from tests.live.envoy_gateway import FIXED
from tests.live.envoy_judge import Verdict
from tests.live.envoy_static import strip

Json = dict[str, Any]
FOLDER = DATA / "envoy"
FILES = 10
_SMALL = 30_000
"""The bytes of a hub that is small enough to be kept."""
_NEEDED = ("GatewayClass", "Namespace", "EndpointSlice")


def read(path: Path) -> tuple[list[Json], dict[str, Json]]:
    """The objects of a hub, and its xDS."""
    objects: list[Json] = []
    xds: dict[str, Json] = {}
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        if "proxy" in entry:
            of_type = xds.setdefault(entry["proxy"], {}).setdefault(entry["type"], [])
            of_type += [entry["resource"]] if "resource" in entry else []
        else:
            objects.append(entry)
    return objects, xds


def write(objects: Iterable[Json], xds: Mapping[str, Json]) -> str:
    """The text of a file."""
    lines = _list_needed(list(objects))
    lines += [
        {"proxy": proxy, "type": kind, "resource": each}
        for proxy, resources in sorted(xds.items())
        for kind, every in sorted(resources.items())
        for each in strip(every)
    ]
    lines += [{"proxy": proxy, "type": "none"} for proxy in sorted(xds) if not xds[proxy]]
    return "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines)


def _list_needed(objects: list[Json]) -> list[Json]:
    """Return the objects without those of fixed kinds that nothing names."""
    kept = [one for one in objects if one["kind"] not in FIXED or one["kind"] in _NEEDED]
    for _ in range(2):  # what is named may name something else
        named = json.dumps([one.get("spec") for one in kept])
        kept = [one for one in objects if one in kept or f'"{one["metadata"]["name"]}"' in named]
    return kept


def replace_all(candidates: Mapping[str, tuple[str, Collection[Verdict]]]) -> None:
    """Write the files anew; their names are the seeds of what is asked."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.jsonl"):
        path.unlink()
    for name in _choose(candidates):
        (FOLDER / f"{name.replace(' ', '-')}.jsonl").write_text(candidates[name][0])


def _choose(candidates: Mapping[str, tuple[str, Collection[Verdict]]]) -> list[str]:
    """The names of small files that together show most, of names with their texts and verdicts."""
    shows = {
        name: {item for one in verdicts for item in _list_shown(one)}
        for name, (text, verdicts) in candidates.items()
        if len(text) <= _SMALL
    }
    chosen: list[str] = []
    seen = set[object]()
    while len(chosen) < FILES and len(chosen) < len(shows):
        rest = [name for name in shows if name not in chosen]
        best = max(rest, key=lambda name: len(shows[name] - seen))
        seen |= shows[best]
        chosen.append(best)
    return chosen


def _list_shown(verdict: Verdict) -> Iterator[object]:
    """Yield what a request shows: how it ends, for whom, and what its rule asks and does."""
    status = verdict.seen.status
    yield verdict.asked.door.scheme, status
    if verdict.answer is None:
        return
    asked = verdict.asked.request
    for each in verdict.answer.passed:
        if not each.why.startswith("it wants"):  # it is for the request, and another one is taken
            yield asked.host, asked.path, asked.method, each.rule
    for rule in verdict.answer.rules:
        asks = [
            (policy.kind, one.rule.path[:1]) for policy in rule.policies for one in policy.rules
        ]
        does = [(one["type"], *one.keys()) for one in rule.does.get("filters", ())]
        yield from ((verdict.caller, item, status) for item in (*asks, *does))
