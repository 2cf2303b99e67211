"""Report what a change would lose, on disk or since a Git revision, unless acknowledged."""

# The imports in functions are for the builds that take something away: start-up counts.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from spokerender.cli.loaded import FLEET_FILE, CommittedTree, Loaded
from spokerender.edge import files
from spokerender.edge.reading import read_optional
from spokerender.findings.codes.placement import EMPTY_SELECTION, UNPLACED_GATEWAY
from spokerender.findings.codes.shipping import DELETION, LEFT_ON_HUB, NOT_SHIPPED, UNLISTED_POLICY
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.results import Result
from spokerender.model import ObjectName, Ref
from spokerender.model.plan import KUSTOMIZATION, Plan
from spokerender.wings.combined import all_engine_objects

if TYPE_CHECKING:
    from spokerender.review.guard.delivered import Kustomized

_LEFT_BEHIND = frozenset(
    kind.code for kind in (LEFT_ON_HUB, NOT_SHIPPED, UNLISTED_POLICY, UNPLACED_GATEWAY)
)
"""The findings that say why no spoke gets an object of the hub."""


def lost_on_disk(loaded: Loaded, plan: Plan, allowed: tuple[str, ...]) -> tuple[Result, ...]:
    """Report what a plan would delete on disk, unless allowed here or in fleet.yaml."""
    if not any(folder.update or folder.delete for folder in plan.folders) and not allowed:
        return ()
    from spokerender.review.guard.delivered import read_kustomization
    from spokerender.review.guard.refusals import (
        find_misnamed_acknowledgements,
        refuse_removals,
    )
    from spokerender.review.guard.removals import (
        find_removals,
        make_context,
    )

    rendered = loaded.rendered
    guard_context = make_context(rendered, all_engine_objects())
    before = partial(_on_disk, loaded.output)
    removals = find_removals(before, rendered.tree, plan.folders, guard_context)
    acknowledged = loaded.fleet_file.spec.deletions
    refusals = _with_reason(refuse_removals(removals, allowed, acknowledged), rendered.results)
    at = loaded.document.at
    misnamed = find_misnamed_acknowledgements(removals, acknowledged, at) if refusals else ()
    # Whoever could edit a kustomization here could unlist what shall go: all files count.
    kustomizations = {
        folder.folder: read_kustomization(files.read_folder(loaded.output, folder.folder))
        for folder in plan.folders
        if KUSTOMIZATION in folder.update
    }
    return (*refusals, *misnamed, *_hand_made(kustomizations, loaded.output.as_posix()))


def _with_reason(refusals: Iterable[Result], results: Iterable[Result]) -> tuple[Result, ...]:
    """Return the refusals with a likely reason for the deletion before each cure.

    That is a selector of no spoke, or why the hub's object of that name is shipped to none.
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
        replace(
            refusal,
            cure=f"{general_reason}{reasons.get(refusal.resource, '')}{refusal.cure}",
        )
        if refusal.code == DELETION.code
        else refusal
        for refusal in refusals
    )


def _on_disk(output: Path, folder: str, paths: Collection[str] | None) -> Mapping[str, bytes]:
    """Read these files of a folder, or all."""
    if paths is None:
        return files.read_folder(output, folder)
    return files.read_files(output, folder, paths)


def acknowledge(loaded: Loaded, allowed: tuple[str, ...], reason: str) -> None:
    """Write allowed deletions to fleet.yaml; its comments are kept."""
    from spokerender.formats.yamlio.editing import add_deletions

    entries = [_entry(name, reason) for name in allowed]
    file = read_optional(loaded.source, FLEET_FILE)
    text = file.data.decode() if file is not None else ""
    files.rewrite(loaded.folder / FLEET_FILE, add_deletions(text, entries).encode())


def _entry(name: str, reason: str) -> dict[str, str]:
    """Return an entry of `spec.deletions` for REF, SPOKE or REF@SPOKE."""
    named = ObjectName.read(name)
    ref, spoke = (str(replace(named, spoke="")), named.spoke) if named else ("", name)
    return {k: v for k, v in (("ref", ref), ("spoke", spoke), ("reason", reason)) if v}


def lost_since(
    loaded: Loaded, base: CommittedTree, plan: Plan, revision: str
) -> tuple[Result, ...]:
    """Report what would be lost of a committed tree, unless fleet.yaml acknowledges it."""
    from spokerender.review.guard.delivered import (
        find_redirected,
        read_kustomization,
    )
    from spokerender.review.guard.refusals import (
        find_stale_acknowledgements,
        refuse_removals,
    )
    from spokerender.review.guard.removals import (
        find_removals,
        make_context,
    )

    rendered, acknowledged = loaded.rendered, loaded.fleet_file.spec.deletions
    kustomizations = {
        folder.folder: read_kustomization(base.whole.get(folder.folder, {}))
        for folder in plan.folders
    }

    def before(folder: str, paths: Collection[str] | None) -> Mapping[str, bytes]:
        applied = kustomizations[folder].applied(base.tree.get(folder, {}))
        return applied if paths is None else {p: applied[p] for p in paths if p in applied}

    guard_context = make_context(rendered, all_engine_objects(), base.kinds)
    removals = find_removals(before, rendered.tree, plan.folders, guard_context)
    catalogue, engines = guard_context.knowledge.catalogue, guard_context.engines
    return (
        *refuse_removals(removals, (), acknowledged, is_built=True),
        *find_stale_acknowledgements(removals, acknowledged, loaded.document.at),
        *find_redirected(plan.folders, before, rendered.tree, catalogue, engines),
        *_hand_made(kustomizations, revision),
    )


def _hand_made(kustomizations: Mapping[str, Kustomized], place: str) -> tuple[Result, ...]:
    """Report kustomizations that do more than list the files of their spokes."""
    from spokerender.review.guard.delivered import report_hand_made

    return merge_occurrences(
        Occurrence(result, (spoke,))
        for spoke, kustomization in kustomizations.items()
        for result in report_hand_made(kustomization, place)
    )
