"""Objects that many spokes share are compared once: the answers are those of each by itself."""

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from hypothesis import example, given, settings, strategies as st
from msgspec.structs import replace

from benchmarks.fleets import write_fleet
from spokerender.cli.loaded import Loaded
from spokerender.cli.project import load
from spokerender.cli.snapshots import observe_spokes
from spokerender.explain.observed.reading import SnapshotReader
from spokerender.findings.errors import InputError
from spokerender.formats.yamlio import reading
from spokerender.formats.yamlio.lists import ListReader
from tests.conftest import ROOT
from tests.support import cyaml, each
from tests.support.exports import Export, make_exports

Json = Any
PROJECTS = ("fleet", "renamed-and-moved", "envoy-gateway", "placed-by-ocm")
VALUES: list[Json] = [
    *(5, 100, 1.5, "5", "1.0", "100", "", None, True, "True", "False", [], {}, ["a"]),
    *("2026-11-25T00:00:00Z", "spoke-0001", "spoke-0001.shop.example.com", "EU-0", "eu"),
    *("a.spoke-0000.shop.example.com", "berlin", "public-frankfurt", "gateways", "10s", "10000ms"),
    {"name": "public-frankfurt", "spoke-0000.shop.example.com": "EU-0"},
]


@cache
def project(name: str) -> tuple[Loaded, dict[str, Export]]:
    with TemporaryDirectory() as folder:
        place = ROOT / "examples" / name
        if name == "fleet":
            place = Path(folder) / "fleet"
            write_fleet(place, spokes=6, objects=9)
        loaded = load(str(place), None)
        loaded.rendered  # noqa: B018  (before the folder goes)
        return loaded, make_exports(place)


def leaves(value: Json, path: tuple[Json, ...] = ()) -> Iterator[tuple[Json, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from leaves(item, (*path, key))


def change(exports: dict[str, Export], random_: random.Random) -> None:
    """Change one field, of one spoke or of all that have the object; or remove it, or more."""
    spoke = random_.choice(list(exports))
    if not exports[spoke]:
        return
    key = random_.choice(list(exports[spoke]))
    path = random_.choice(list(leaves(exports[spoke][key])))
    spokes = [spoke] if random_.random() < 0.5 else list(exports)
    value, what = random_.choice(VALUES), random_.random()
    for name in spokes:
        place: Json = exports[name].get(key)
        if what < 0.1:
            exports[name].pop(key, None)
            continue
        try:
            for step in path[:-1]:
                place = place[step]
            if what < 0.25:
                del place[path[-1]]
            else:
                place[path[-1]] = deepcopy(value)
        except (LookupError, TypeError, AttributeError):
            continue


def vary(exports: dict[str, Export], random_: random.Random) -> None:
    """Write into objects what differs between servers."""
    for objects in exports.values():
        for data in objects.values():
            generation = random_.choice([2, 2, 3])
            data["metadata"] |= {
                "uid": f"{random_.randrange(16**8):08x}-0000-0000-0000-00000000000a",
                "resourceVersion": str(random_.randrange(10**6)),
                "creationTimestamp": f"2026-01-{random_.randrange(1, 28):02}T00:00:00Z",
                "generation": generation,
            }
            status = data.get("status", {})
            for part in (status, *status.get("ancestors", ())):
                for condition in part.get("conditions", ()):
                    condition["observedGeneration"] = generation - random_.choice([0, 0, 0, 1])
                    condition["lastTransitionTime"] = (
                        f"2026-02-{random_.randrange(1, 28):02}T00:00:00Z"
                    )


def write(folder: Path, exports: dict[str, Export], form: str) -> None:
    for name, objects in exports.items():
        data = {"apiVersion": "v1", "items": list(objects.values()), "kind": "List", "metadata": {}}
        if form == "json":
            (folder / f"{name}.json").write_text(json.dumps(data, indent=4))
        else:
            (folder / f"{name}.yaml").write_text(cyaml.safe_dump(data))


def observe(loaded: Loaded, folder: Path, *, full: bool, with_times: bool) -> list[Json]:
    """Return everything that is told of each spoke, and what is wrong with the exports."""
    told: list[Json] = []
    try:
        for spoke in observe_spokes(loaded, str(folder), full=full, with_times=with_times):
            conditions = [
                (policy, [item if with_times else replace(item, since=None) for item in each])
                for policy, each in spoke.conditions
            ]
            told.append((spoke.name, conditions, spoke.results, spoke.is_whole))
    except InputError as error:
        told.append(error.results)
    return told


@each(*PROJECTS)
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    form=st.sampled_from(["yaml", "json"]),
    full=st.booleans(),
    with_times=st.booleans(),
)
@example(seed=2055, form="yaml", full=False, with_times=False)  # a generation that is `true`
def test_what_spokes_share_is_compared_as_each_by_itself(
    name: str, seed: int, form: str, full: bool, with_times: bool
) -> None:
    random_ = random.Random(seed)  # noqa: S311  (no secret)
    loaded, expected = project(name)
    exports = deepcopy(expected)
    vary(exports, random_)
    for _ in range(random_.randrange(5)):
        change(exports, random_)
    with TemporaryDirectory() as place:
        folder = Path(place)
        write(folder, exports, form)
        shared = observe(loaded, folder, full=full, with_times=with_times)
        with (
            patch.object(SnapshotReader, "read", lambda *_: None),
            patch.object(ListReader, "read_documents", lambda _, *file: reading.read(*file)),
        ):
            alone = observe(loaded, folder, full=full, with_times=with_times)
    assert shared == alone
