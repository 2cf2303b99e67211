"""Changes that API servers would refuse: rules of CRDs that compare an object with the old one."""

from collections.abc import Iterator, Mapping
from operator import itemgetter

from spokerender.findings.occurrences import merge_occurrences
from spokerender.findings.results import Result
from spokerender.judging.fleet.judged import Files
from spokerender.judging.fleet.objects import read_shipped_schemas
from spokerender.judging.validation.changes import check_change, has_transitions
from spokerender.judging.validation.crds import Server
from spokerender.model import Ref
from spokerender.model.plan import Plan
from spokerender.rendering.values.bundles import Bundle, with_values
from spokerender.rendering.values.provenance import History
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.trees import ObjectText
from spokerender.review.guard.documents import Before, ObjectReader, changed_objects


def find_refused_changes(
    rendered: Rendered, crd_files: Files, plan: Plan, before: Before
) -> tuple[Result, ...]:
    """Return what would be refused of the objects that differ from those of a revision, once each.

    `plan` has the files that differ, `before` reads them as they were.
    """
    check, reader = _TransitionCheck(rendered, crd_files), ObjectReader(rendered.hub.catalogue)
    results = (
        (bundle, result)
        for folder in plan.folders
        if (bundle := rendered.bundles.get(folder.folder)) is not None
        for result in check.check_spoke(
            bundle, changed_objects(folder, before, rendered.tree, reader).changed, reader
        )
    )
    return merge_occurrences(with_values(results))


class _TransitionCheck:
    """A check of one spoke after the other; each kind's schema is looked at once."""

    def __init__(self, rendered: Rendered, crd_files: Files) -> None:
        self._rendered = rendered
        self._schemas = read_shipped_schemas(rendered, crd_files)
        self._has_rules: dict[tuple[str, str], bool] = {}

    def check_spoke(
        self, bundle: Bundle, changed: Mapping[Ref, tuple[bytes, ObjectText]], reader: ObjectReader
    ) -> Iterator[Result]:
        """Yield what the API server of one spoke would refuse."""
        server = Server(bundle.spoke.bundle, bundle.spoke.channel)
        for ref, (text, written) in sorted(changed.items(), key=itemgetter(0)):
            if written.variant is None or not self._is_ruled(ref):
                continue
            old, new = reader.parse(text), reader.parse(written.text)
            if old is None or new is None:
                continue
            for fault in check_change(old.object, new.object, ref, self._schemas, server):
                source = History(self._rendered, bundle, written.variant).source(fault.field)
                yield fault.result(written.variant.manifest.ref, fault.origin or source.origin)

    def _is_ruled(self, ref: Ref) -> bool:
        key = (ref.group, ref.kind)
        if key not in self._has_rules:
            self._has_rules[key] = has_transitions(*key, self._schemas)
        return self._has_rules[key]
