"""Namespaces, where the project asks for them: rendered, and protected from every engine.

A namespace that is deleted takes everything in it along.
"""

from __future__ import annotations

from typing import Any

from spokerender.kinds.marks import Marks


def namespace_object(name: str, hub: dict[str, Any] | None, marks: Marks) -> dict[str, Any]:
    """A Namespace with the labels and annotations of the hub's own, if the hub has it."""
    metadata = (hub or {}).get("metadata", {})
    result: dict[str, Any] = {"name": name}
    if metadata.get("labels"):
        result["labels"] = metadata["labels"]
    result["annotations"] = marks.protect(metadata.get("annotations") or {})
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": result}
