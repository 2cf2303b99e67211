"""Report the losses of a change, on disk or since a Git revision, that nobody acknowledged."""

# Imports in functions: only builds that remove something need them, and start-up counts.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from spokerender.cli.loaded import (
    FLEET_FILE,
    CommittedTree,
    Loaded,
    read_changed_objects,
    read_fleet_file,
    reading,
    tree_after,
)
from spokerender.edge import files
from spokerender.edge.presence import real, top_of
from spokerender.edge.reading import read_optional, read_sources
from spokerender.findings.codes import shipping as codes
from spokerender.findings.codes.placement import EMPTY_SELECTION, UNPLACED_GATEWAY
from spokerender.findings.codes.review import WAITING
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.phrasing import joined
from spokerender.findings.results import WARNING, Result
from spokerender.kinds.crds import CRD_KIND
from spokerender.model import Origin, Ref
from spokerender.model.plan import KUSTOMIZATION, Plan
from spokerender.rendering.fleet_file import configured_kinds
from spokerender.wings.combined import all_engines

if TYPE_CHECKING:
    from spokerender.model.refs import DataByRef
    from spokerender.rendering.values.bundles import Bundle
    from spokerender.review.guard.acknowledging import Flag, LossyChange
    from spokerender.review.guard.claims import Claim, Losses, Spent
    from spokerender.review.guard.delivered import Kustomized
    from spokerender.review.meaning.consequences import ComparedSpokes

_AROUND = ("GatewayClass", "Namespace")
"""Kinds of hub objects that affect Gateways and are in no tree."""
_BELIEVED = ("ConfigMap", "ClusterTrustBundle")
"""Kinds of objects with certificates and keys that authenticate callers and backends."""
_DEFINITIONS = ("MetapolicyDefinition",)
_LEFT_BEHIND = frozenset(
    kind.code
    for kind in (
        codes.LEFT_ON_HUB,
        codes.NOT_SHIPPED,
        codes.UNLISTED_NEED,
        codes.UNLISTED_POLICY,
        UNPLACED_GATEWAY,
    )
)
"""Findings that say why no spoke gets an object of the hub."""


class PlanLosses(Struct, frozen=True):
    """The losses of a plan, None if it can't have any, and the findings about them.

    `needed` has warnings of changed objects that security needs; a review reports these itself.
    """

    results: tuple[Result, ...] = ()
    losses: Losses | None = None
    needed: tuple[Result, ...] = ()


def lost_on_disk(loaded: Loaded, plan: Plan, flags: Sequence[Flag]) -> PlanLosses:
    """Return what a build would lose on disk, with errors unless flags or fleet.yaml allow it."""
    if not any(folder.update or folder.delete for folder in plan.folders) and not flags:
        return PlanLosses()
    from spokerender.review.guard.acknowledging import LossyChange
    from spokerender.review.guard.delivered import read_kustomization
    from spokerender.review.guard.refusals import place_losses
    from spokerender.review.guard.removals import find_losses, make_context

    rendered = loaded.rendered
    guard_context = replace(
        make_context(rendered, all_engines().objects), declared=_places_at(loaded, "HEAD")
    )
    before, after = partial(_on_disk, loaded.output), tree_after(rendered)
    losses = find_losses(before, after, plan.folders, guard_context)
    losses = place_losses(losses, rendered.decision, loaded.document.at("spec", "delivery"))
    is_acknowledged = bool(loaded.fleet_file.spec.deletions)
    # An entry that an earlier commit already had allows no further loss.
    spent, is_moved = _spent_at_head(loaded) if is_acknowledged else (frozenset(), False)
    is_kept = partial(_is_kept, rendered.bundles, is_moved=is_moved)
    change = LossyChange(losses, spent, is_kept)
    # Whoever could edit a kustomization here could unlist what shall go: all files count.
    kustomizations = {
        folder.folder: read_kustomization(files.read_folder(loaded.output, folder.folder))
        for folder in plan.folders
        if KUSTOMIZATION in folder.update
    }
    results = (
        *_with_reason(_judge(loaded, change, flags), rendered.results),
        *_judge_entries(loaded, change),
        *_hand_made(kustomizations, loaded.output.as_posix()),
    )
    return PlanLosses(results, losses)


def refused_on_disk(loaded: Loaded, plan: Plan) -> tuple[Result, ...]:
    """Return findings about losses on disk that a build without flags refuses, or warns of."""
    return lost_on_disk(loaded, plan, ()).results


def unselected_on_disk(loaded: Loaded, plan: Plan) -> tuple[Result, ...]:
    """Return all refused deletions, if one is of a Gateway whose rule selects no spoke now."""
    # A changed label may take a Gateway and its routes from every spoke.
    goes = any(folder.delete for folder in plan.folders)
    if not (goes and loaded.rendered.decision.idle_rules):
        return ()
    from spokerender.review.guard.refusals import is_unselected

    lost = lost_on_disk(loaded, plan, ())
    removals = lost.losses.removals if lost.losses is not None else ()
    if not any(is_unselected(item) for removal in removals for item in removal.lost):
        return ()
    return tuple(item for item in lost.results if item.code == codes.DELETION.code)


def _judge(loaded: Loaded, change: LossyChange, flags: Sequence[Flag] | None) -> tuple[Result, ...]:
    """Return errors for losses not in `flags` or fleet.yaml, and warnings of weaker protection."""
    from spokerender.review.guard.refusals import refuse_removals, report_weaknesses

    entries = loaded.fleet_file.spec.deletions
    refused = refuse_removals(
        change.losses, flags, entries, spent=change.spent, output=loaded.output.name
    )
    return (*refused, *report_weaknesses(change.losses))


def _judge_entries(loaded: Loaded, change: LossyChange) -> tuple[Result, ...]:
    """Return findings about entries of `spec.deletions` that have no effect."""
    from spokerender.review.guard.acknowledging import judge_entries

    return judge_entries(loaded.fleet_file.spec.deletions, change, loaded.document.at)


def _spent_at_head(loaded: Loaded) -> tuple[Spent, bool]:
    """Return the deletions that the last commit allowed, and whether the output moved since."""
    from spokerender.config.loading import read_deletions
    from spokerender.edge.git.revision import AtRevision
    from spokerender.findings.errors import GitError, InputError
    from spokerender.review.guard.claims import spend

    try:
        source = AtRevision(loaded.folder, "HEAD")
        file = read_optional(source, FLEET_FILE)
    except GitError:
        return frozenset(), False
    # Without a fleet file, the project was elsewhere at the last commit.
    if file is None:
        return frozenset(), True
    spent = spend(read_deletions(file.data))
    try:
        output = read_fleet_file(source).model.spec.output
    except InputError:
        return spent, False
    return spent, output != loaded.fleet_file.spec.output


def _places_at(loaded: Loaded, revision: str) -> Callable[[], Mapping[str, Origin]]:
    """Return a function that returns the lines at which a revision declares its spokes.

    Their paths are those of present files, where annotations can be shown. The result is empty if
    the declarations can't be read.
    """

    @cache
    def read() -> Mapping[str, Origin]:
        from spokerender.edge.git.revision import AtRevision
        from spokerender.findings.errors import GitError, InputError
        from spokerender.rendering.placement.sources import list_suffixes, read_declarations

        try:
            source = AtRevision(loaded.folder, revision)
            spec = read_fleet_file(source).model.spec
            files, _ = read_sources(
                source, spec.placement, suffixes=list_suffixes(), limit_bytes=spec.max_hub_bytes
            )
            shown = [(loaded.source.shown(file.path), file.data) for file in files]
            spokes = read_declarations(shown).spokes
        except (GitError, InputError):
            return {}
        return {spoke.name: spoke.origin for spoke in spokes}

    return read


def _is_kept(bundles: Mapping[str, Bundle], claimed: Claim, *, is_moved: bool = False) -> bool:
    """Return whether a spoke or object is still rendered, although an entry allows its deletion.

    If the output has moved, a spoke may be deleted from the earlier folder.
    """
    bundle = bundles.get(claimed.spoke)
    if bundle is None or claimed.lost != "goes" or (is_moved and claimed.name is None):
        return False
    refs = (bundle.ref(variant.ref) for variant in bundle.blueprint.variants)
    return claimed.name is None or any(map(claimed.name.names, refs))


def steered_above(loaded: Loaded) -> tuple[Result, ...]:
    """Return errors for files above the output that hide or change rendered files."""
    top, place = top_of(loaded.output), real(loaded.output)
    if top is None:
        return ()
    from spokerender.edge.files.above import report_above
    from spokerender.edge.git.attributes import report_attributes

    rules, tree = all_engines().rules, loaded.rendered.tree
    return (
        *report_above(place, top, tree, rules.above),
        *report_attributes(place, top, tree, rules.attributes),
    )


def _with_reason(refusals: Iterable[Result], results: Iterable[Result]) -> tuple[Result, ...]:
    """Return the refusals of deletions, with a likely reason before each suggested fix.

    The reason is a selector that matches no spoke, or why no spoke gets the hub's object.
    """
    general_reason, reasons = "", dict[Ref | None, str]()
    for result in results:
        cure = result.cure.partition(";")[0]
        reason = f"{result.origin} may be the cause: {result.message}{f' ({cure})' * bool(cure)}\n"
        if result.code == EMPTY_SELECTION.code:
            general_reason += reason
        elif result.code in _LEFT_BEHIND:
            reasons[result.resource] = reason
    return tuple(
        replace(refusal, cure=f"{general_reason}{reasons.get(refusal.resource, '')}{refusal.cure}")
        if refusal.code == codes.DELETION.code
        else refusal
        for refusal in refusals
    )


def _on_disk(output: Path, folder: str, paths: Collection[str] | None) -> Mapping[str, bytes]:
    """Return our files in a folder, if in `paths` (None: all); with no paths, it need not exist."""
    if paths is None:
        return files.read_folder(output, folder)
    return files.read_files(output, folder, paths) if paths else {}


def judge_losses(loaded: Loaded, base: CommittedTree, losses: Losses) -> tuple[Result, ...]:
    """Return errors for losses since a committed tree that fleet.yaml does not acknowledge."""
    from spokerender.review.guard.acknowledging import LossyChange
    from spokerender.review.guard.claims import spend

    return _judge(loaded, LossyChange(losses, spend(base.deletions)), None)


def lost_of_tree(
    loaded: Loaded,
    base: CommittedTree,
    plan: Plan,
    revision: str,
    compared: ComparedSpokes | None = None,
) -> PlanLosses:
    """Return the losses since an earlier tree, acknowledged or not, and findings on weaker checks.

    `compared` has the comparison of earlier and present spokes, if the caller has made it.
    """
    from spokerender.edge.git.revision import AtRevision
    from spokerender.review.guard.acknowledging import LossyChange
    from spokerender.review.guard.claims import spend
    from spokerender.review.guard.controls import compare_believed, compare_immutable
    from spokerender.review.guard.delivered import find_left, read_kustomization
    from spokerender.review.guard.refusals import place_losses
    from spokerender.review.guard.removals import find_losses, make_context

    rendered, place = loaded.rendered, _find_earlier_output(loaded, base)
    kustomizations = {
        folder.folder: read_kustomization(base.whole.get(folder.folder, {}))
        for folder in plan.folders
    }
    before, document = reading(_list_applied(loaded, base, kustomizations, place)), base.document
    kinds = configured_kinds(document.model.spec) if document is not None else None
    refs = {manifest.ref for manifest in rendered.hub.manifests}
    ruled = {ref.kind for ref in refs if rendered.hub.catalogue.kind(ref.group, ref.kind).immutable}
    sorts = ((CRD_KIND,), _AROUND, _BELIEVED, _DEFINITIONS, ruled)
    differing = read_changed_objects(loaded, base, [kind for kinds in sorts for kind in kinds])
    crds, around, believed, definitions, immutable = (
        [{ref: it[ref] for ref in it if ref.kind in names} for it in differing] for names in sorts
    )
    context = replace(
        make_context(rendered, all_engines().objects, kinds, around),
        declared=_places_at(loaded, revision),
    )
    after = tree_after(rendered)
    losses = find_losses(before, after, plan.folders, context, compared)
    if place is not None and document is not None and isinstance(base.source, AtRevision):
        committed = base.source.tree(document.model.spec.output)
        left, catalogue = partial(files.read_folder, place), context.knowledge.catalogue
        more = tuple(find_left(place.as_posix(), committed, left, after, catalogue))
        losses = replace(losses, removals=(*losses.removals, *more))
    losses = place_losses(losses, rendered.decision, loaded.document.at("spec", "delivery"))
    results = (
        *_judge_entries(loaded, LossyChange(losses, spend(base.deletions))),
        *_hand_made(kustomizations, revision),
        *_loosened(loaded, base, crds, definitions),
        *compare_immutable(rendered.hub, *immutable),
    )
    return PlanLosses(results, losses, tuple(compare_believed(rendered.hub, *believed)))


def _list_applied(
    loaded: Loaded,
    base: CommittedTree,
    kustomizations: Mapping[str, Kustomized],
    place: Path | None,
) -> Mapping[str, Mapping[str, bytes]]:
    """Return the applied files of an earlier tree; `place`, its output, becomes the present one."""
    applied = {name: item.applied(base.tree.get(name, {})) for name, item in kustomizations.items()}
    if place is not None:  # an engine that reads the new output takes the same trees
        from spokerender.edge.git.repository import below_top

        output = loaded.folder / loaded.fleet_file.spec.output
        old, new = (f"{below_top(it)}/".encode() for it in (place, output))
        for name in (name for name in applied if name.startswith("_")):
            applied[name] = {path: data.replace(old, new) for path, data in applied[name].items()}
    return applied


def _find_earlier_output(loaded: Loaded, base: CommittedTree) -> Path | None:
    """Return the path on disk of the base's output; None if it is the present one, or unknown."""
    from spokerender.edge.git.revision import AtRevision

    if base.document is None or not isinstance(base.source, AtRevision):
        return None
    place = base.source.on_disk(base.document.model.spec.output)
    return place if real(place) != real(loaded.folder / loaded.fleet_file.spec.output) else None


def _loosened(
    loaded: Loaded, base: CommittedTree, crds: Sequence[DataByRef], definitions: Sequence[DataByRef]
) -> Iterator[Result]:
    """Yield findings about weaker checks; `crds` and `definitions` are pairs of old and new."""
    if base.document is None:
        return
    from spokerender.review.guard.controls import compare_checks, compare_controls, compare_crds

    now, at = loaded.document.settings, loaded.document.at
    # Whoever loosens the checks changes the verdict, so that a review must not say that nothing
    # changes.
    yield from compare_controls(base.document.settings, now, at)
    yield from compare_crds(crds[0], crds[1], at)
    yield from compare_checks(definitions[0], definitions[1], at)
    rendered, rollout = loaded.rendered, loaded.rendered.rollout
    if rollout is None or now.get("rollout") == base.document.settings.get("rollout"):
        return
    standing = rollout.standing
    waiting = filter(rollout.holds, standing.folders & {*rendered.tree.folders})
    behind = [it for it in waiting if dict(rendered.tree.files(it)) != dict(standing.read(it))]
    if behind:
        yield WAITING.result(
            f"the rollout is another one: {joined(sorted(behind))} keep{'s' * (len(behind) == 1)} "
            "what is there until the wave comes, and gets no stricter policy before it",
            severity=WARNING,
            cure="continue with spokerender build --wave, or let the change go before the rollout",
            field="spec.rollout",
            origin=at("spec", "rollout"),
        )


def _hand_made(kustomizations: Mapping[str, Kustomized], place: str) -> tuple[Result, ...]:
    """Return findings about kustomizations that do more than list the files of their spokes."""
    from spokerender.review.guard.delivered import report_hand_made

    return merge_occurrences(
        Occurrence(result, (spoke,))
        for spoke, kustomization in kustomizations.items()
        for result in report_hand_made(kustomization, place)
    )
