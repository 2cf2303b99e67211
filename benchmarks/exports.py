"""Exports of the spokes of a project, each object with what its own API server wrote into it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import yaml

from tests.support.exports import Json, make_exports


def write_live(project: Path, folder: Path) -> None:
    """Write what `kubectl get -o yaml` would print of each spoke, if all is as expected.

    No two objects have the same identifier, version, and times.
    """
    folder.mkdir()
    for number, (name, objects) in enumerate(make_exports(project).items()):
        for key, data in objects.items():
            _mark(data, hashlib.md5(f"{name}/{key}".encode()).hexdigest(), number)  # noqa: S324  (no secret)
        items = {"apiVersion": "v1", "items": list(objects.values()), "kind": "List"}
        text = yaml.dump(items, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper))
        (folder / f"{name}.yaml").write_text(text)


def _mark(data: Json, digest: str, number: int) -> None:
    time = (
        f"2026-{1 + number % 12:02}-{1 + int(digest[:4], 16) % 28:02}T{number // 12 % 24:02}:00:00Z"
    )
    data["metadata"] |= {
        "creationTimestamp": time,
        "resourceVersion": str(int(digest[:8], 16)),
        "uid": f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:]}",
    }
    status = data.get("status", {})
    for part in (status, *status.get("ancestors", ())):
        for condition in part.get("conditions", ()):
            condition["lastTransitionTime"] = time
