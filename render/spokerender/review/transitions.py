"""What API servers would refuse of a change: rules of CRDs that look at the object as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from spokerender.findings.once import once
from spokerender.findings.results import Result
from spokerender.judging.fleet.model import Files
from spokerender.judging.fleet.objects import schemas_of
from spokerender.judging.validation import Server, change_faults, has_transitions
from spokerender.model import Ref
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.occurrences import with_values
from spokerender.rendering.values.provenance import origin_of
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.guard.documents import Reader, documents
from spokerender.review.opposites import FilePair


def refused_changes(
    rendered: Rendered, crd_files: Files, pairs: Iterable[FilePair]
) -> tuple[Result, ...]:
    """What is refused of objects that differ from what a revision has of them, told once each.

    `pairs` are the files that differ, those of one folder one after the other.
    """
    changes = _Changes(rendered, crd_files)
    folders: dict[str, list[FilePair]] = {}
    for pair in pairs:
        folders.setdefault(pair[0], []).append(pair)
    told = (
        (bundle, result)
        for folder, files in folders.items()
        if (bundle := rendered.bundles.get(folder)) is not None
        for result in changes.of(bundle, files)
    )
    return once(with_values(told))


class _Changes:
    """Looks at one spoke after the other; equal texts are read once."""

    def __init__(self, rendered: Rendered, crd_files: Files) -> None:
        self._rendered = rendered
        self._schemas = schemas_of(rendered, crd_files)
        self._reader = Reader(rendered.hub.catalogue)
        self._ruled: dict[tuple[str, str], bool] = {}

    def of(self, bundle: Bundle, files: list[FilePair]) -> Iterator[Result]:
        """What is refused on one spoke."""
        server = Server(bundle.spoke.bundle, bundle.spoke.channel)
        old = self._texts((path, before) for _, path, before, _ in files)
        new = self._texts((path, after) for _, path, _, after in files)
        variants: dict[Ref, Variant] = {}
        for ref, text in new.items():
            if ref not in old or text == old[ref] or not self._is_ruled(ref.group, ref.kind):
                continue
            before, after = self._object(old[ref]), self._object(text)
            if before is None or after is None:
                continue
            for fault in change_faults(before, after, ref, self._schemas, server):
                variants = variants or _variants(bundle)
                variant = variants[ref]
                origin = origin_of(self._rendered, bundle, variant, fault.field).origin
                yield fault.result(variant.manifest.ref, fault.origin or origin)

    def _texts(self, files: Iterable[tuple[str, bytes | None]]) -> dict[Ref, bytes]:
        texts = documents({path: data for path, data in files if data is not None})
        return {ref: text for text in texts if (ref := self._reader.ref(text)) is not None}

    def _is_ruled(self, group: str, kind: str) -> bool:
        if (group, kind) not in self._ruled:
            self._ruled[group, kind] = has_transitions(group, kind, self._schemas)
        return self._ruled[group, kind]

    def _object(self, text: bytes) -> dict[str, Any] | None:
        variant = self._reader.parse(text)
        return variant.object if variant is not None else None


def _variants(bundle: Bundle) -> dict[Ref, Variant]:
    """A spoke's objects by what they are called there."""
    return {bundle.ref(variant.ref): variant for variant in bundle.blueprint.variants}
