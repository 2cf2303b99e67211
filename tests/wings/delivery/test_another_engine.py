"""The port carries an engine that is nothing like ours: a file per object, laid out its own way."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from spokerender.edge import files
from spokerender.model.plan import HEADER
from spokerender.rendering.tree import SpokeFolders
from spokerender.rendering.values.engines import Carrier, DeliveryField, EngineObjects, loses_always
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.guard.refusals import refuse_removals
from spokerender.review.guard.removals import find_losses
from spokerender.wings.delivery import engines
from spokerender.wings.delivery.engine import Delivered, Engine
from spokerender.wings.delivery.engines import engine_facts
from spokerender.wings.part import Texts
from tests.review.guard.trees import (
    GATEWAY as ON_SPOKE,
    KNOWN,
    After,
    changes,
    reading,
    tree as files_of,
)
from tests.support import cyaml, each, manifest
from tests.support.stages import CLASS, GATEWAY, auth, objects, render, route
from tests.wings.delivery.delivering import deliver

DOCUMENTS = (CLASS, GATEWAY, route("r"), auth("p", "kind: Gateway, name: web"))
OBJECTS = EngineObjects(
    carriers=(
        Carrier("works.example.com", "Work", lambda work: str(work["metadata"]["namespace"])),
        Carrier("works.example.com", "Fleet", lambda _: ""),
    ),
    groups=frozenset({"works.example.com"}),
    fields=(DeliveryField("repository", "works come from elsewhere", loses=loses_always),),
)
WORK = manifest("Work eu/web", api="works.example.com/v1")
FLEET = manifest(
    "Fleet works/all", "repository: https://git.example.com/fleet", api="works.example.com/v1"
)
SPOKE = files_of(ON_SPOKE)


def in_fleet(texts: Mapping[str, str]) -> dict[str, bytes]:
    """Texts of the fleet's folder, by name."""
    return {f"{name}.yaml": HEADER + text.encode() for name, text in texts.items()}


@dataclass
class Works(Mapping[str, str]):
    """A work per object, by the region of its spoke; each is made when it is asked for."""

    prefix: str
    fleet: Delivered
    made: list[str] = field(default_factory=list)

    def __getitem__(self, path: str) -> str:
        """Make a file."""
        self.made.append(path)
        _, _, spoke, name = path.split("/")
        shipped = {each.path: each for each in self.fleet.objects(spoke)}
        manifest = shipped[name.replace("__", "/")].text()
        work = {
            "apiVersion": "works.example.com/v1",
            "kind": "Work",
            "metadata": {"name": f"{self.prefix}-{len(manifest)}", "namespace": spoke},
            "spec": {"workload": {"manifests": [cyaml.safe_load(manifest)]}},
        }
        return cyaml.safe_dump(work, sort_keys=False)

    def __iter__(self) -> Iterator[str]:
        """The paths of all files."""
        for spoke in self.fleet.spokes:
            for item in self.fleet.objects(spoke.name):
                name = item.path.replace("/", "__")
                yield f"works/{spoke.labels['region']}/{spoke.name}/{name}"

    def __len__(self) -> int:
        """How many there are."""
        return sum(1 for _ in self)


@pytest.fixture(scope="module")
def found() -> Rendered:
    """A fleet, rendered with the engines that there are."""
    return render(DOCUMENTS)


@pytest.fixture
def works(monkeypatch: pytest.MonkeyPatch) -> list[Works]:
    """The engine is the only one; what it was asked for."""
    asked: list[Works] = []

    def make(settings: dict[str, Any], fleet: Delivered) -> Texts:
        asked.append(Works(settings["prefix"], fleet))
        return asked[-1]

    engine = Engine(name="works", files=make, objects=OBJECTS)
    monkeypatch.setattr(engines, "ENGINES", (engine,))
    return asked


@each("object", "spoke")
def test_an_engine_with_a_file_for_each_object(
    layout: str, found: Rendered, works: list[Works], tmp_path: Path
) -> None:
    trees = SpokeFolders(found.bundles, one_file=layout == "spoke", namespaces=None)
    spokes = [bundle.spoke for bundle in found.bundles.values()]
    fleet = Delivered("clusters", spokes, trees.shipped, {})

    made, results = deliver(SimpleNamespace(works={"prefix": "shop"}), fleet)
    tree = trees.with_fleet(made)

    assert (results, works[0].made) == ((), [])
    files.apply(tmp_path, files.compare(tmp_path, tree), tree)
    assert files.compare(tmp_path, tree).is_empty
    for spoke in spokes:
        folder = tmp_path / "_fleet/works" / spoke.labels["region"] / spoke.name
        texts = [path.read_bytes() for path in sorted(folder.iterdir())]
        assert all(text.startswith(HEADER) for text in texts)
        inside = [cyaml.safe_load(text)["spec"]["workload"]["manifests"][0] for text in texts]
        shipped = objects(found, spoke.name).values()
        assert sorted(map(repr, inside)) == sorted(map(repr, shipped))


def test_one_that_is_switched_off_makes_nothing(works: list[Works]) -> None:
    fleet = Delivered("clusters", [], lambda _: (), {})
    assert deliver(SimpleNamespace(works=None), fleet) == ((), ())
    assert works == []


@pytest.mark.usefixtures("works")
def test_the_guard_refuses_that_its_objects_go() -> None:
    """Its row is enough: the engine would delete what it has applied."""

    def goes(before: dict[str, Any], after: dict[str, Any], spokes: Sequence[str]) -> list[str]:
        old = {"eu": SPOKE, "us": SPOKE, "_fleet": in_fleet(before)}
        new = {"eu": {}, "us": {}, **dict.fromkeys(spokes, SPOKE), "_fleet": in_fleet(after)}
        plans = changes(old, new)
        found = find_losses(
            reading(old), After(new), plans, replace(KNOWN, engines=engine_facts().objects)
        )
        return [result.message for result in refuse_removals(found) if "engine" in result.message]

    refusal = (
        "{} would go: what an engine applied through it may be deleted with it, and is no "
        "longer applied"
    )
    assert goes({"eu": WORK}, {}, ["eu", "us"]) == [refusal.format("Work eu/web")]
    assert goes({"a": FLEET}, {}, ["us"]) == [refusal.format("Fleet works/all")]
    assert goes({"eu": WORK}, {}, ["us"]) == []  # it goes with its spoke
    assert goes({"eu": WORK}, {"us": WORK}, ["eu", "us"]) == []


@pytest.mark.usefixtures("works")
def test_the_guard_refuses_another_source() -> None:
    moved = FLEET.replace("/fleet", "/other")
    old, new = {"_fleet": in_fleet({"a": FLEET})}, {"_fleet": in_fleet({"a": moved})}
    found = find_losses(
        reading(old), After(new), changes(old, new), replace(KNOWN, engines=engine_facts().objects)
    )
    (refusal,) = refuse_removals(found)
    change = "spec.repository: https://git.example.com/fleet -> https://git.example.com/other"
    assert refusal.message == f"Fleet works/all would change: {change}: works come from elsewhere"
