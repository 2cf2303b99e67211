"""What the CRDs of OCM refuse is refused here, and nothing else but what its webhooks refuse."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from spokerender.findings.codes.attachment import UNKNOWN_FIELD
from spokerender.judging.validation.crds import Schemas, read_schemas
from spokerender.judging.validation.objects import validate
from spokerender.model import Origin, Ref
from spokerender.model.refs import OCM, shown
from spokerender.wings.hubs.ocm.inventory import HubObject, read_inventory
from spokerender.wings.hubs.ocm.reading import (
    VERSIONS,
    find_refused,
    read_admission_schemas,
)
from tests.support import cyaml, each, text_of

OBJECTS = text_of(__file__, "admission.yaml")
KINDS = [text.split("\n")[0].removeprefix("kind: ") for text in OBJECTS.split("---\n")]
VALUES = (-1, 0, 1, 11, 101, 2.5, "", "a", "A_b", "50%", "101%", "0%", "x" * 70, "9", "1Q")
OTHERS: tuple[Any, ...] = (True, None, [], {}, "NoSchedule", "é")
GONE = object()
ONLY_HERE = {
    "spec.numberOfClusters": "a negative number ends the scheduler",
    "spec.clusterSet": "a webhook",
    "spec.taints.0.timeAdded": "a webhook sets it",
}
ONLY_THERE = {
    "status.decisions.0.reason": "nobody reads it",
    "spec.taints.0.key": "no toleration has such a key",
}


@pytest.fixture(scope="module")
def schemas(fixtures: Path) -> Schemas:
    paths = sorted((fixtures / "crds/ocm").glob("*cluster*.yaml"))
    files = [(path.name, path.read_bytes()) for path in paths]
    return read_schemas(files, (), {(OCM, kind) for kind in VERSIONS})


@each(*OBJECTS.split("---\n"), ids=KINDS)
def test_the_crds_agree(text: str, schemas: Schemas) -> None:
    value = cyaml.safe_load(text)
    kind = value["kind"]
    value |= {"apiVersion": f"{OCM}/{VERSIONS[kind]}", "metadata": {"name": "a"}}
    if kind not in {"ManagedCluster", "ManagedClusterSet"}:
        value["metadata"]["namespace"] = "n"
    assert not refused_by_crd(value, schemas)
    assert not refused_here(value)
    differing: dict[str, list[Any]] = {}
    for path, changed, new in mutations(value):
        place = ".".join(map(str, path))
        there, here = refused_by_crd(changed, schemas), refused_here(changed)
        if here and not there and place not in ONLY_HERE:
            differing.setdefault(place, []).append(new)
        if there and not here and place not in ONLY_THERE:
            differing.setdefault(place, []).append(new)
    assert differing == {}


@each(*KINDS)
def test_the_schemas_are_those_of_the_crd(kind: str, fixtures: Path) -> None:
    files = (fixtures / "crds/ocm").glob(f"*_clusters.*_{kind.lower()}s.crd.yaml")
    (crd,) = [cyaml.safe_load(path.read_bytes()) for path in files]
    schemas = [version["schema"]["openAPIV3Schema"] for version in crd["spec"]["versions"]]
    theirs, ours = (trimmed(schema) for schema in (schemas[-1], read_admission_schemas()[kind]))
    assert theirs == ours
    assert [version["name"] for version in crd["spec"]["versions"]] == [VERSIONS[kind]]


WORDS = frozenset({"description", "default", "nullable", "anyOf"})
NOT_COMPARED = ("metadata", "status")


def trimmed(schema: Any, path: tuple[str, ...] = ()) -> Any:
    """A schema with all that refuses anything; `anyOf` says once more what int-or-string does."""
    if isinstance(schema, (list, tuple)):
        return [trimmed(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    is_schema = path[-1:] != ("properties",)
    return {
        key: trimmed(item, (*path, key))
        for key, item in schema.items()
        if not (
            is_schema
            and (key in WORDS or key in {"x-kubernetes-list-type", "x-kubernetes-map-type"})
        )
        and (*path, key) not in {("properties", name) for name in NOT_COMPARED}
        and not (path == () and key == "required" and item == ["status"])
    }


@each(*OBJECTS.split("---\n"), ids=KINDS)
def test_an_unknown_field_is_told_in_every_place(text: str, schemas: Schemas) -> None:
    value = cyaml.safe_load(text)
    kind = value["kind"]
    value |= {"apiVersion": f"{OCM}/{VERSIONS[kind]}", "metadata": {"name": "a", "namespace": "n"}}
    assert not unknown(value)
    for path in [(), *places({key: value[key] for key in value if key == "spec"})]:
        changed = deepcopy(value)
        place: Any = changed
        for step in path:
            place = place[step]
        if isinstance(place, dict):
            place["clusterset"] = "x"
            there = any('unknown field "' in text for text in refused_by_crd(changed, schemas))
            assert unknown(changed) == ([(*path, "clusterset")] if there else [])


def unknown(value: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        fault.field
        for fault in find_refused(value["kind"], value)
        if fault.finding is UNKNOWN_FIELD
    ]


def refused_by_crd(value: dict[str, Any], schemas: Schemas) -> list[str]:
    ref = Ref(OCM, value["kind"], value["metadata"].get("namespace", ""), "a")
    return [fault.message for fault in validate(value, ref, schemas)]


def refused_here(value: dict[str, Any]) -> list[str]:
    inventory = read_inventory([HubObject(value, lambda _="": Origin(""))])
    refused = find_refused(value["kind"], value)
    faults = [f"{shown(fault.field)}: {fault.message}" for fault in refused]
    return [*faults, *("misread" for _ in inventory.misread if not faults)]


def mutations(value: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any], object]]:
    """Another value in each place below spec and status, or none."""
    for path in places({key: value[key] for key in value if key in {"spec", "status"}}):
        for new in (*VALUES, *OTHERS, GONE):
            changed = deepcopy(value)
            place: Any = changed
            for step in path[:-1]:
                place = place[step]
            if new is not GONE:
                place[path[-1]] = new
            elif isinstance(place, dict):
                del place[path[-1]]
            if len(path) > 1:  # the hub's reader refuses other values of spec and status
                yield path, changed, new


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for step, item in items:
        yield (*path, step)
        if isinstance(item, (dict, list)):
            yield from places(item, (*path, step))
