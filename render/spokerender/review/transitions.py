"""Changes that API servers would refuse: rules of CRDs that compare an object with the old one."""

from collections.abc import Iterable, Iterator
from typing import Any

from spokerender.findings.occurrences import merge_occurrences
from spokerender.findings.results import Result
from spokerender.judging.fleet.judged import Files
from spokerender.judging.fleet.objects import read_shipped_schemas
from spokerender.judging.validation.changes import check_change, has_transitions
from spokerender.judging.validation.crds import Server
from spokerender.model import Ref
from spokerender.rendering.values.bundles import Bundle, Variant, with_values
from spokerender.rendering.values.provenance import History
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.guard.documents import ObjectReader, documents
from spokerender.review.pairs import FilePair


def find_refused_changes(
    rendered: Rendered, crd_files: Files, pairs: Iterable[FilePair]
) -> tuple[Result, ...]:
    """Return what would be refused of the objects that differ from those of a revision, once each.

    `pairs` are the files that differ, those of one folder one after the other.
    """
    changes = _TransitionCheck(rendered, crd_files)
    pairs_by_folder: dict[str, list[FilePair]] = {}
    for pair in pairs:
        pairs_by_folder.setdefault(pair[0], []).append(pair)
    results = (
        (bundle, result)
        for folder, folder_pairs in pairs_by_folder.items()
        if (bundle := rendered.bundles.get(folder)) is not None
        for result in changes.check_spoke(bundle, folder_pairs)
    )
    return merge_occurrences(with_values(results))


class _TransitionCheck:
    """A check of one spoke after the other; equal texts are read once."""

    def __init__(self, rendered: Rendered, crd_files: Files) -> None:
        self._rendered = rendered
        self._schemas = read_shipped_schemas(rendered, crd_files)
        self._reader = ObjectReader(rendered.hub.catalogue)
        self._has_rules: dict[tuple[str, str], bool] = {}

    def check_spoke(self, bundle: Bundle, pairs: list[FilePair]) -> Iterator[Result]:
        """Yield what the API server of one spoke would refuse."""
        server = Server(bundle.spoke.bundle, bundle.spoke.channel)
        old_texts = self._read_texts((path, old) for _, path, old, _ in pairs)
        new_texts = self._read_texts((path, new) for _, path, _, new in pairs)
        variants: dict[Ref, Variant] = {}  # filled in when the first fault is found
        for ref, text in new_texts.items():
            if ref not in old_texts or text == old_texts[ref] or not self._is_ruled(ref):
                continue
            old, new = self._parse(old_texts[ref]), self._parse(text)
            if old is None or new is None:
                continue
            for fault in check_change(old, new, ref, self._schemas, server):
                if not variants:
                    variants = {bundle.ref(item.ref): item for item in bundle.blueprint.variants}
                variant = variants[ref]
                origin = History(self._rendered, bundle, variant).source(fault.field).origin
                yield fault.result(variant.manifest.ref, fault.origin or origin)

    def _read_texts(self, files: Iterable[tuple[str, bytes | None]]) -> dict[Ref, bytes]:
        texts = documents({path: data for path, data in files if data is not None})
        return {ref: text for text in texts if (ref := self._reader.ref(text)) is not None}

    def _is_ruled(self, ref: Ref) -> bool:
        key = (ref.group, ref.kind)
        if key not in self._has_rules:
            self._has_rules[key] = has_transitions(*key, self._schemas)
        return self._has_rules[key]

    def _parse(self, text: bytes) -> dict[str, Any] | None:
        variant = self._reader.parse(text)
        return variant.object if variant is not None else None
