"""Changes that API servers would refuse, by rules of CRDs that compare new with old objects."""

from collections.abc import Iterator
from functools import cache, partial
from operator import itemgetter

from msgspec.structs import replace

from spokerender.findings.occurrences import merge_occurrences
from spokerender.findings.results import Result
from spokerender.judging.fleet.objects import read_shipped_schemas
from spokerender.judging.validation.changes import check_change, has_transitions
from spokerender.judging.validation.crds import Server
from spokerender.model.plan import FolderPlan, Plan
from spokerender.model.sources import Files
from spokerender.rendering.values import layout
from spokerender.rendering.values.bundles import Bundle, with_values
from spokerender.rendering.values.provenance import History
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.comparison.documents import Before, ObjectReader, changed_objects


def find_refused_changes(
    rendered: Rendered, crd_files: Files, plan: Plan, before: Before
) -> tuple[Result, ...]:
    """Return the changes that transition rules of CRDs refuse, as findings; equal ones are joined.

    `plan` has the files that differ from a revision; `before` returns the files in that revision.
    """
    reader = ObjectReader(rendered.hub.catalogue)
    schemas = read_shipped_schemas(rendered, crd_files)
    is_ruled = cache(partial(has_transitions, schemas=schemas))

    def check_spoke(bundle: Bundle, folder: FolderPlan) -> Iterator[Result]:
        refs = (item.ref for item in bundle.blueprint.variants)
        ruled = (ref for ref in refs if is_ruled(ref.group, ref.kind))
        paths = {layout.ALL_IN_ONE, *(layout.path_of(bundle.ref(ref)) for ref in ruled)}
        create, update = (tuple(paths.intersection(it)) for it in (folder.create, folder.update))
        if not (create or update):
            return
        folder = replace(folder, create=create, update=update)
        server = Server(bundle.spoke.bundle, bundle.spoke.channel)
        changed = changed_objects(folder, before, rendered.tree, reader).changed
        for ref, (text, written) in sorted(changed.items(), key=itemgetter(0)):
            if written.variant is None or not is_ruled(ref.group, ref.kind):
                continue
            old, new = reader.parse(text), reader.parse(written.text)
            if old is None or new is None:
                continue
            for fault in check_change(old.object, new.object, ref, schemas, server):
                source = History(rendered, bundle, written.variant).source(fault.field)
                yield fault.result(written.variant.manifest.ref, fault.origin or source.origin)

    results = (
        (bundle, result)
        for folder in plan.folders
        if (bundle := rendered.bundles.get(folder.folder)) is not None
        for result in check_spoke(bundle, folder)
    )
    return merge_occurrences(with_values(results))
