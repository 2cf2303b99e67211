"""CustomResourceDefinitions among files: only those of kinds that somebody asks for are read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from spokerender.formats import yamlio
from spokerender.kinds import ConfiguredKind
from spokerender.kinds.crds import CRD_KIND
from spokerender.kinds.marks import NO_MARKS, Marks
from spokerender.model import Origin
from spokerender.model.shapes import as_mapping, objects_of
from spokerender.topology.hub import Hub, assemble

Files = Sequence[tuple[str, bytes]]
Identity = tuple[str, str]
"""The group and kind that a CRD defines."""


def definitions(
    files: Files, wanted: Collection[Identity]
) -> Iterator[tuple[Mapping[str, Any], Origin]]:
    """The CRDs of the wanted kinds; a file that has none of their names is not even parsed."""
    words = [(group.encode(), kind.encode()) for group, kind in wanted]
    for path, data in sorted(files) if words else ():
        if not any(group in data and kind in data for group, kind in words):
            continue
        for document in yamlio.read(data, path)[0]:
            for item in objects_of(document.value):
                if item.get("kind") == CRD_KIND and defined(item) in wanted:
                    yield item, Origin(path, document.index, document.line)


def assembled(
    files: Files,
    policy_kinds: Iterable[ConfiguredKind],
    crd_files: Files,
    marks: Marks = NO_MARKS,
) -> Hub:
    """Read a hub; where it has kinds that nobody knows, with the CRDs of these among the files."""
    configured = tuple(policy_kinds)
    hub = assemble(files, configured, marks=marks)
    kinds = {(manifest.ref.group, manifest.ref.kind) for manifest in hub.manifests}
    unknown = {kind for kind in kinds if not hub.catalogue.known(*kind)}
    crds = [crd for crd, _ in definitions(crd_files, unknown)]
    return assemble(files, configured, crds, marks) if crds else hub


def defined(crd: Mapping[str, Any]) -> Identity:
    """What a CRD defines."""
    spec = as_mapping(crd.get("spec"))
    return str(spec.get("group")), str(as_mapping(spec.get("names")).get("kind"))
