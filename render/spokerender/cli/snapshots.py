"""Exports of spokes, held against a project."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from spokerender.cli.loaded import Loaded, read_crd_files
from spokerender.edge.files import OnDisk
from spokerender.edge.reading import require_files
from spokerender.explain import statuses
from spokerender.explain.observed.compare import ObservedFleet, compare_snapshots
from spokerender.explain.observed.snapshots import Snapshot, read_snapshot
from spokerender.findings.codes.observed import BAD_SNAPSHOT
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Result
from spokerender.formats.yamlio.lists import read_lists
from spokerender.model import Origin
from spokerender.pipeline import judge
from spokerender.rendering.fleet_file import configured_kinds
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.hub import read_hub
from spokerender.wings.combined import all_marks

_SUFFIXES = (".yaml", ".yml", ".json")


def read_snapshots(loaded: Loaded, folder: str, spoke: str = "") -> dict[str, Snapshot]:
    """Read the exports in a folder: `<spoke>.yaml`, or `<spoke>/` with files.

    Raises:
        InputError: an export is of no spoke, cut off, or too large.

    """
    source, rendered = OnDisk(Path(folder)), loaded.rendered
    paths: dict[str, list[str]] = {}
    results: list[Result] = []
    for entry, is_folder in sorted(source.entries(".")):
        suffix = next((text for text in _SUFFIXES if entry.endswith(text)), "")
        if entry.startswith(".") or not (is_folder or suffix):
            continue
        name = entry if is_folder else entry.removesuffix(suffix)
        if name not in rendered.bundles:
            cure = did_you_mean(name, rendered.bundles, "there are") or "name it like a spoke"
            place = Origin(source.shown(entry))
            message = f'there is no spoke "{name}"'
            results.append(BAD_SNAPSHOT.result(message, cure=cure, origin=place))
        elif spoke in ("", name):
            paths.setdefault(name, []).append(entry)
    spec = loaded.fleet_file.spec
    crds = [*(item.object for item in rendered.hub.crds), *rendered.contribution.crds]
    kinds = tuple(configured_kinds(spec))
    read = partial(read_hub, policy_kinds=kinds, crds=crds, marks=all_marks(), read=read_lists)
    snapshots: dict[str, Snapshot] = {}
    for name, entries in paths.items():
        try:
            files = require_files(source, entries, limit_bytes=spec.max_hub_bytes)
        except InputError as error:
            results += error.results
            continue
        snapshots[name], faults = read_snapshot(files, read)
        results += faults
    if results:
        raise InputError(tuple(results))
    return snapshots


def compare_with_exports(
    loaded: Loaded, snapshots: Mapping[str, Snapshot], spoke: str, kind: str, *, full: bool
) -> ObservedFleet:
    """Hold exports against what is foretold: of a spoke that waits, against its folder."""
    rendered = replace(loaded.rendered, bundles=_current_bundles(loaded.rendered))
    judged = judge(rendered, read_crd_files(loaded))
    foretold = [
        status for status in statuses(judged, spoke, kind, rendered.results) if status.spokes
    ]
    return compare_snapshots(
        foretold,
        rendered.bundles,
        {name: item for name, item in snapshots.items() if name in rendered.bundles},
        rendered.hub.catalogue,
        full=full,
    )


def _current_bundles(rendered: Rendered) -> Mapping[str, Bundle]:
    """Return what each spoke is to have now; none for a spoke that waits for its first folder."""
    rollout = rendered.rollout
    if rollout is None or not rollout.waiting:
        return rendered.bundles
    from spokerender.review.guard.waiting import TreeInRollout  # noqa: PLC0415  (few projects have one)

    tree, standing = TreeInRollout(rendered), rollout.standing
    return {
        name: tree.bundle(name) if rollout.holds(name) else bundle
        for name, bundle in rendered.bundles.items()
        if not rollout.holds(name) or name in standing.folders
    }
