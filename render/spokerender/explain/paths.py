"""Where an object is written in its spoke's folder, whatever the layout."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from spokerender.formats import yamlio
from spokerender.model import Ref
from spokerender.rendering.values import layout


def path_of(ref: Ref, paths: Collection[str]) -> str:
    """Tell which file of a spoke's folder holds the object, by the paths in any spoke's."""
    return layout.ALL_IN_ONE if layout.ALL_IN_ONE in paths else layout.path_of(ref)


def rendered_namespaces(used: set[str], files: Mapping[str, bytes]) -> set[str]:
    """Tell which namespaces are rendered among a spoke's files (`namespaces: create`)."""
    if layout.ALL_IN_ONE in files:
        documents, _ = yamlio.read(files[layout.ALL_IN_ONE], layout.ALL_IN_ONE)
        return {
            document.value["metadata"]["name"]
            for document in documents
            if document.value["kind"] == "Namespace"
        }
    return {name for name in used if layout.path_of(Ref("", "Namespace", "", name)) in files}
