"""Exports of the spokes of a project, as its clusters would give them if all is as expected."""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from spokerender.cli.loaded import read_crd_files
from spokerender.cli.project import load
from spokerender.explain.values import PolicyStatus
from spokerender.pipeline import judge
from spokerender.report.serializing import write_reference
from tests.support import cyaml
from tests.support.answers import statuses

Json = dict[str, Any]
Export = dict[str, Json]
"""Objects by `Kind/namespace/name`."""
TIME = "2026-11-24T10:00:00Z"


def make_exports(folder: Path) -> dict[str, Export]:
    """Return the objects of each spoke, with expected statuses and what servers add."""
    loaded = load(str(folder), None)
    rendered = loaded.rendered
    judged = judge(rendered, read_crd_files(loaded))
    status_of: dict[tuple[str, str], Json] = {}
    for status in statuses(judged):
        for spoke in status.spokes:
            ref = status.policy
            status_of[spoke, f"{ref.kind}/{ref.namespace}/{ref.name}"] = _status(status)
    exports: dict[str, Export] = {}
    for name, bundle in rendered.bundles.items():
        exports[name] = {}
        for variant in bundle.blueprint.variants:
            data = deepcopy(bundle.object_of(variant))
            ref = bundle.ref(variant.ref)
            data["metadata"] |= {"uid": "u", "generation": 2, "resourceVersion": "7"}
            key = f"{ref.kind}/{ref.namespace}/{ref.name}"
            if (name, key) in status_of:
                data["status"] = status_of[name, key]
            exports[name][key] = data
    return exports


def _status(status: PolicyStatus) -> Json:
    def conditions(entry: Any) -> list[Json]:
        return [
            {
                **to_builtins(condition),
                "type": "Enforced"
                if condition.type == "Programmed" and not status.has_ancestors
                else condition.type,
                "lastTransitionTime": TIME,
                "observedGeneration": 2,
            }
            for condition in entry.conditions
        ]

    if not status.has_ancestors:
        return {"conditions": conditions(status.ancestors[0])}
    return {
        "ancestors": [
            {
                "ancestorRef": {"group": entry.ancestor.group, **write_reference(entry.ancestor)},
                "controllerName": "example.com/controller",
                "conditions": conditions(entry),
            }
            for entry in status.ancestors
        ]
    }


def write_exports(folder: Path, exports: Mapping[str, Export]) -> None:
    """Write each export as `kubectl get -o yaml` prints it."""
    folder.mkdir(exist_ok=True)
    for name, objects in exports.items():
        data = {"apiVersion": "v1", "kind": "List", "items": list(objects.values())}
        (folder / f"{name}.yaml").write_text(cyaml.safe_dump(data))
