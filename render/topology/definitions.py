"""CustomResourceDefinitions among files: only those of kinds that somebody asks for are read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from render.formats import yamlio
from render.kinds import ConfiguredKind
from render.kinds.crds import CRD_KIND
from render.model import Origin
from render.topology.hub import Hub, assemble

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
            for item in _items(document.value):
                if item.get("kind") == CRD_KIND and defined(item) in wanted:
                    yield item, Origin(path, document.index, document.line)


def assembled(files: Files, policy_kinds: Iterable[ConfiguredKind], crd_files: Files) -> Hub:
    """Read a hub; where it has kinds that nobody knows, with the CRDs of these among the files."""
    configured = tuple(policy_kinds)
    hub = assemble(files, configured)
    kinds = {(manifest.ref.group, manifest.ref.kind) for manifest in hub.manifests}
    unknown = {kind for kind in kinds if not hub.catalogue.known(*kind)}
    crds = [crd for crd, _ in definitions(crd_files, unknown)]
    return assemble(files, configured, crds) if crds else hub


def defined(crd: Mapping[str, Any]) -> Identity:
    """What a CRD defines."""
    spec = crd.get("spec")
    names = spec.get("names") if isinstance(spec, Mapping) else None
    kind = names.get("kind") if isinstance(names, Mapping) else None
    return str(spec.get("group")) if isinstance(spec, Mapping) else "", str(kind)


def _items(value: Any) -> Iterable[Mapping[str, Any]]:  # noqa: ANN401  (JSON of any shape)
    if not isinstance(value, dict):
        return ()
    items = value.get("items")
    if str(value.get("kind", "")).endswith("List") and isinstance(items, list):
        return (item for item in items if isinstance(item, dict))
    return (value,)
