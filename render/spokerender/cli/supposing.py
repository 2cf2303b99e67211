"""Render a project in memory with other values in its files."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from spokerender.adopting.assigning import assign, read_assignment, set_field
from spokerender.cli.loaded import Loaded
from spokerender.cli.project import load, read_own_files
from spokerender.edge.files import OnDisk, Overlaid
from spokerender.explain import attaching
from spokerender.explain.near_misses import (
    HubEdit,
    NearMiss,
    Unattached,
    Unpermitted,
    find_near_misses,
)
from spokerender.explain.values import NotShipped, ObjectExplanation
from spokerender.findings.errors import InputError
from spokerender.findings.results import Severity
from spokerender.formats import yamlio
from spokerender.model import Manifest, Ref
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered

_MOST_TRIED = 6
"""The most candidates that are rendered for one explanation, as each takes a whole render."""
_MOST_NAMED = 2


def suppose(folder: str, settings: Sequence[str], edits: Sequence[HubEdit] = ()) -> Loaded:
    """Return the project, loaded with these values (`PATH=VALUE`) and edits of the hub.

    Raises `InputError` if a path leads nowhere, or the changed project can't be rendered.
    """
    source, project = OnDisk(Path(folder)), Path(folder)
    assignments = [read_assignment(text) for text in settings]
    changed = dict(assign(read_own_files(source), assignments))
    for edit in edits:
        path = edit.origin.path
        data = changed[path] if path in changed else Path(path).read_bytes()
        if edit.path:
            changed |= set_field((path, data), edit.origin.index, edit.path, edit.value)
        else:
            changed[path] = data + f"\n---\n{yamlio.emit(edit.value)}".encode()
    relative = {Path(path).relative_to(project).as_posix(): data for path, data in changed.items()}
    return load(folder, None, Overlaid(source, relative))


def with_near_misses(explanation: ObjectExplanation, loaded: Loaded) -> ObjectExplanation:
    """Return the explanation with edits that would bring the object to other spokes.

    An edit is included only if a render with it shows the effect. The explanation also gets routes
    that attach to nothing and references that no ReferenceGrant permits, with edits that fix them.
    """
    rendered = loaded.rendered
    manifests = (item for item in rendered.hub.manifests if item.ref == explanation.ref)
    manifest = next(manifests, None)
    if manifest is None:
        return explanation
    tries = iter(range(_MOST_TRIED))
    absences = tuple(
        replace(item, near_misses=tuple(_find_shipping(loaded, manifest, item, tries)))
        for item in explanation.not_shipped
    )
    spokes = [name for item in explanation.destinations for name in item.spokes]
    unattached = tuple(
        replace(item, near_misses=tuple(_find_attaching(loaded, item, tries)))
        for item in attaching.find_unattached(rendered, manifest.ref, spokes, judge)
    )
    unpermitted = tuple(
        replace(item, near_misses=tuple(_find_permitting(loaded, item, tries)))
        for item in attaching.find_unpermitted(rendered, manifest.ref, spokes, judge)
    )
    return replace(
        explanation, not_shipped=absences, unattached=unattached, unpermitted=unpermitted
    )


def _find_permitting(loaded: Loaded, item: Unpermitted, tries: Iterator[int]) -> Iterator[NearMiss]:
    def permits(after: Rendered) -> bool:
        left = attaching.find_unpermitted(after, item.referrer, item.spokes[:1], judge)
        return (item.referrer, item.field) not in ((each.referrer, each.field) for each in left)

    miss = attaching.permit(loaded.rendered, item)
    return _find_true(loaded, [miss] if miss is not None else [], permits, tries)


def _find_attaching(loaded: Loaded, item: Unattached, tries: Iterator[int]) -> Iterator[NearMiss]:
    def attaches(after: Rendered) -> bool:
        spokes = item.spokes[:1]
        return _has(after, item.route, *spokes) and not attaching.find_unattached(
            after, item.route, spokes, judge
        )

    candidates = attaching.find_attaching(loaded.rendered, item.route)
    return _find_true(loaded, candidates, attaches, tries)


def _find_shipping(
    loaded: Loaded, manifest: Manifest, absence: NotShipped, tries: Iterator[int]
) -> Iterator[NearMiss]:
    rendered, spoke = loaded.rendered, absence.spokes[0]
    candidates = find_near_misses(rendered, manifest, rendered.bundles[spoke])
    return _find_true(loaded, candidates, lambda after: _has(after, manifest.ref, spoke), tries)


def _find_true(
    loaded: Loaded,
    candidates: Iterable[NearMiss],
    is_mended: Callable[[Rendered], bool],
    tries: Iterator[int],
) -> Iterator[NearMiss]:
    """Yield candidates after which `is_mended` holds, at most `_MOST_NAMED`, until `tries` end."""
    named = 0
    for miss in candidates:
        if named == _MOST_NAMED or next(tries, None) is None:
            return
        # A candidate is a guess by the labels and names of files: only a render proves it.
        after = _render(loaded, miss)
        if after is not None and is_mended(after):
            named += 1
            yield miss


def _render(loaded: Loaded, miss: NearMiss) -> Rendered | None:
    """Return the fleet rendered with the edits of `miss`; None if they cause a new error."""
    try:
        after = suppose(str(loaded.folder), miss.settings, miss.edits).rendered
    except (InputError, OSError):
        return None
    return after if _errors(after) <= _errors(loaded.rendered) else None


def _has(rendered: Rendered, ref: Ref, spoke: str) -> bool:
    bundle = rendered.bundles.get(spoke)
    return bundle is not None and any(
        variant.manifest.ref == ref for variant in bundle.blueprint.variants
    )


def _errors(rendered: Rendered) -> set[tuple[str, str]]:
    errors = (item for item in rendered.results if item.severity is Severity.ERROR)
    return {(item.code, item.message) for item in errors}
