"""Compare exports of live spokes with a project."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from spokerender.cli.loaded import Loaded, read_crd_files
from spokerender.edge.files import OnDisk
from spokerender.edge.reading import require_files
from spokerender.explain.observed.compare import Observer
from spokerender.explain.observed.snapshots import (
    EXPORT_AGAIN,
    Snapshot,
    collect_objects,
    list_errors,
)
from spokerender.explain.observed.values import ObservedSpoke
from spokerender.explain.statuses import share_statuses
from spokerender.findings.codes.review import BAD_SNAPSHOT
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Result
from spokerender.judging.fleet.objects import read_shipped_schemas
from spokerender.model import Origin
from spokerender.model.sources import Files
from spokerender.pipeline import judge
from spokerender.rendering.fleet_file import configured_kinds
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.hub import Hub, read_hub
from spokerender.wings.combined import all_engines

_SUFFIXES = (".yaml", ".yml", ".json")


def observe_spokes(  # noqa: PLR0913  (the options of the command)
    loaded: Loaded,
    folder: str,
    spoke: str = "",
    kind: str = "",
    *,
    full: bool = False,
    look: Callable[[str, Hub], None] | None = None,
) -> Iterator[ObservedSpoke]:
    """Compare the exports in a folder with the expected state, one spoke after another.

    The exports are `<spoke>.yaml`, or `<spoke>/` with files; one export is in memory at a time. A
    spoke that waits for its wave is compared with its folder. `spoke` and `kind` select if they are
    not empty. With `full`, fields that only a cluster has count as drift, too. `look` is called
    with the name and the objects of each spoke with an export. Raises `InputError` after the last
    spoke if an export is cut off, too large, or of no spoke.
    """
    rendered = replace(loaded.rendered, bundles=_current_bundles(loaded.rendered))
    # Exports of unknown spokes are noticed here, before the fleet is judged.
    exports = _Exports(loaded, folder, look)
    crd_files = read_crd_files(loaded)
    judged = judge(rendered, crd_files)
    expected = share_statuses(judged, spoke, kind, rendered.results)
    schemas = partial(read_shipped_schemas, rendered, crd_files)
    observer = Observer(expected, rendered.hub.catalogue, schemas, full=full)
    for name, bundle in rendered.bundles.items():
        if spoke in ("", name):
            yield observer.observe(bundle, exports.read(bundle))
    # After the last spoke: one broken export does not hide the state of the others.
    if exports.faults:
        raise InputError(tuple(exports.faults))


class _Exports:
    """The exports in a folder, read on demand; problems are added to `faults`."""

    def __init__(
        self, loaded: Loaded, folder: str, look: Callable[[str, Hub], None] | None
    ) -> None:
        self._source, rendered = OnDisk(Path(folder)), loaded.rendered
        self.faults: list[Result] = []
        self._entries: dict[str, list[str]] = {}
        for entry, is_folder in sorted(self._source.entries(".")):
            suffix = next((text for text in _SUFFIXES if entry.endswith(text)), "")
            # Folders such as `.git` are no exports; neither are notes in Markdown.
            if entry.startswith(".") or not (is_folder or suffix):
                continue
            name = entry if is_folder else entry.removesuffix(suffix)
            self._entries.setdefault(name, []).append(entry)
            if name not in rendered.bundles:
                cure = did_you_mean(name, rendered.bundles, "there are") or "name it like a spoke"
                place = Origin(self._source.shown(entry))
                message = f'there is no spoke "{name}"'
                self.faults.append(BAD_SNAPSHOT.result(message, cure=cure, origin=place))
        spec = loaded.fleet_file.spec
        self._limit = spec.max_hub_bytes
        # The CRDs of the hub say what is a list of objects, and the exports name such kinds as
        # well.
        crds = [*(item.object for item in rendered.hub.crds), *rendered.contribution.crds]
        self._read_hub = partial(
            read_hub,
            policy_kinds=tuple(configured_kinds(spec)),
            crds=crds,
            marks=all_engines().marks,
        )
        self._look = look

    def read(self, bundle: Bundle) -> Snapshot | None:
        """Return the objects of a spoke's export; None if it is absent, or can't be read."""
        spoke = bundle.spoke.name
        if spoke not in self._entries:
            return None
        try:
            files = require_files(
                self._source,
                self._entries[spoke],
                limit_bytes=self._limit,
                named_at=lambda entry: ("", Origin(entry)),
            )
        except InputError as error:
            self.faults += error.results
            return None
        live = self._read_all(files)
        if self._look is not None:
            self._look(spoke, live)
        return collect_objects((manifest.ref, manifest.object) for manifest in live.manifests)

    def _read_all(self, files: Files) -> Hub:
        """Return an export, read like a hub; problems are added to `faults`."""
        for path, data in files:
            # `kubectl get > file` leaves an empty file where kubectl fails.
            if not data.strip():
                message = "the file is empty: the export failed, or was cut off"
                result = BAD_SNAPSHOT.result(message, cure=EXPORT_AGAIN, origin=Origin(path))
                self.faults.append(result)
        live = self._read_hub(files)
        self.faults += list_errors(live)
        return live


def _current_bundles(rendered: Rendered) -> Mapping[str, Bundle]:
    """Return the present bundle of each spoke, without spokes that wait for their first folder."""
    rollout = rendered.rollout
    if rollout is None or not rollout.waiting:
        return rendered.bundles
    from spokerender.review.guard.earlier import TreeInRollout  # noqa: PLC0415  (few projects have one)

    tree, standing = TreeInRollout(rendered), rollout.standing
    # A spoke whose wave has not come has what its folder has, not what a render would give it.
    return {
        name: tree.bundle(name) if rollout.holds(name) else bundle
        for name, bundle in rendered.bundles.items()
        if not rollout.holds(name) or name in standing.folders
    }
