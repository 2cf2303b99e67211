"""Clusters as objects, adopted: what comes back of each, and edits as people make them by hand."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from spokerender.adopting.fleets.adopt import Adoption
from spokerender.adopting.fleets.gathering import Gatherer
from spokerender.formats import yamlio
from spokerender.model import Ref, identity
from spokerender.wings.combined import all_engines
from tests.support import end_to_end as e2e

Objects = list[dict[str, Any]]
Clusters = Mapping[str, Objects]


def read_objects(folder: Path) -> Objects:
    """All objects in the files of a folder."""
    paths = sorted(path for path in folder.rglob("*.yaml") if path.name != "kustomization.yaml")
    return [item.value for path in paths for item in yamlio.read(path.read_bytes(), path.name)[0]]


def write_objects(objects: Objects) -> str:
    return "---\n".join(map(yamlio.emit, objects))


def adopt(clusters: Clusters) -> Adoption:
    """Adopt clusters, each of which is one file `live/<name>.yaml`."""
    gatherer = Gatherer(all_engines().marks)
    gathered = [
        gatherer.gather(name, [(f"live/{name}.yaml", write_objects(objects).encode())])
        for name, objects in sorted(clusters.items())
    ]
    assert gatherer.results == []
    adopted = Adoption(gathered, gatherer, ">=0.1,<0.2", e2e.rendered)
    adopted.complete()
    return adopted


def rendered_objects(adopted: Adoption) -> dict[str, dict[Ref, Any]]:
    """What each cluster gets from the adopted project."""
    return {
        name: {
            bundle.ref(variant.ref): bundle.object_of(variant)
            for variant in bundle.blueprint.variants
        }
        for name, bundle in adopted.rendered.bundles.items()
    }


def by_identity(clusters: Clusters) -> dict[str, dict[Ref | None, Any]]:
    return {name: {identity(data): data for data in each} for name, each in clusters.items()}


def count_lines(adopted: Adoption) -> int:
    """The lines of hub and placement."""
    return sum(data.count(b"\n") for path, data in adopted.files.items() if path != "fleet.yaml")


Edit = Callable[[Random, Objects, str], None]


def _fields(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    paths = [(*path, key) for key, _ in items]
    for step in paths[:]:
        inner = value[step[-1]]
        paths += _fields(inner, step) if isinstance(inner, dict | list) else []
    return paths


_HANGING = {"targetRef", "targetRefs", "targetSelectors", "parentRefs", "gatewayClassName"}


def _draw(
    rng: Random, objects: Objects, fits: Callable[[Any, Any], object]
) -> tuple[Any, Any] | None:
    """A collection of some object with one of its keys, of those that are of no reference."""
    places = []
    for data in objects:
        for path in _fields(data["spec"]):
            holder = data["spec"]
            for step in path[:-1]:
                holder = holder[step]
            if _HANGING.isdisjoint(path) and fits(holder[path[-1]], path[-1]):
                places.append((holder, path[-1]))
    return rng.choice(places) if places else None


def _change(rng: Random, objects: Objects, name: str) -> None:
    place = _draw(rng, objects, lambda value, _: not isinstance(value, dict | list))
    if place is not None:
        holder, key = place
        old = holder[key]
        holder[key] = (
            not old
            if isinstance(old, bool)
            else old + 7
            if isinstance(old, int)
            else f"{old}.{name}"
        )


def _leave_out(rng: Random, objects: Objects, _: str) -> None:
    place = _draw(rng, objects, lambda _, key: isinstance(key, str))
    if place is not None:
        del place[0][place[1]]


def _add(rng: Random, objects: Objects, name: str) -> None:
    place = _draw(rng, objects, lambda value, _: isinstance(value, dict))
    if place is not None:
        values: tuple[Any, ...] = (1, "a {{ b }}", name, {"x": [1, None]}, [{"y": {}}], "")
        place[0][place[1]]["added"] = rng.choice(values)


def _put_in(rng: Random, objects: Objects, _: str) -> None:
    place = _draw(rng, objects, lambda value, _: isinstance(value, list) and value)
    if place is not None:
        items = place[0][place[1]]
        item = deepcopy(rng.choice(items))
        if isinstance(item, dict) and "name" in item:
            item["name"] += "-2"
        items.insert(rng.randint(0, len(items)), item)


def _take_out(rng: Random, objects: Objects, _: str) -> None:
    place = _draw(rng, objects, lambda value, _: isinstance(value, list) and value)
    if place is not None:
        items = place[0][place[1]]
        del items[rng.randrange(len(items))]


def _label(rng: Random, objects: Objects, name: str) -> None:
    rng.choice(objects)["metadata"].setdefault("labels", {})["team"] = rng.choice(["a", name])


def _delete(rng: Random, objects: Objects, _: str) -> None:
    others = [data for data in objects if data["kind"] != "Gateway"]
    if others:
        objects.remove(rng.choice(others))


def _copy(rng: Random, objects: Objects, _: str) -> None:
    others = [data for data in objects if data["kind"].endswith("Policy")]
    if others:
        copy = deepcopy(rng.choice(others))
        copy["metadata"]["name"] += f"-{len(objects)}"
        objects.append(copy)


def _rename(rng: Random, objects: Objects, name: str) -> None:
    """Another name for a Gateway, in all that names it."""
    gateways = [data for data in objects if data["kind"] == "Gateway"]
    if not gateways:
        return
    gateway = rng.choice(gateways)
    old = gateway["metadata"]["name"]
    new = gateway["metadata"]["name"] = f"{old}-{name}"
    for data in objects:
        spec = data["spec"]
        named = [*spec.get("targetRefs", ()), *spec.get("parentRefs", ())]
        for ref in [*named, *([spec["targetRef"]] if "targetRef" in spec else [])]:
            if ref.get("kind", "Gateway") == "Gateway" and ref["name"] == old:
                ref["name"] = new


EDITS: Sequence[Edit] = (
    *(_change, _change, _leave_out, _add, _put_in, _take_out, _label, _delete, _copy, _rename),
)


def edit(rng: Random, objects: Objects, name: str) -> str:
    """Make one edit of a cluster; return what it was."""
    change = rng.choice(EDITS)
    change(rng, objects, name)
    return change.__name__
