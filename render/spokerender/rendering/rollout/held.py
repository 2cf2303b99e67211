"""The objects of folders that wait, read from their files as they are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from operator import attrgetter

from msgspec.structs import replace

from spokerender.findings.codes.rollout import HELD_CHANGED
from spokerender.findings.errors import InputError
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.phrasing import listed
from spokerender.findings.results import Result
from spokerender.formats.yamlio.reading import read
from spokerender.model import Place, identity
from spokerender.model.plan import HEADER, KUSTOMIZATION, find_first_difference, planned
from spokerender.model.rollout import OutputStanding, RolloutState
from spokerender.rendering.values.layout import path_of
from spokerender.rendering.values.trees import Shipped


class HeldObjects:
    """The objects of spokes for the engines that deliver them, in mid-rollout."""

    def __init__(self, rollout: RolloutState, rendered: Callable[[str], Sequence[Shipped]]) -> None:
        self._rollout = rollout
        self._rendered = rendered
        self._read = cache(self._read_folder)

    def is_there(self, folder: str) -> bool:
        """Tell whether a spoke has a folder after the build."""
        return not self._rollout.holds(folder) or folder in self._rollout.standing.folders

    def objects(self, folder: str) -> Sequence[Shipped]:
        """Return the objects in a spoke's folder, in the order of paths.

        Raises `InputError` if a file of a spoke that waits is no longer what a build wrote.
        """
        return self._read(folder) if self._rollout.holds(folder) else self._rendered(folder)

    def _read_folder(self, folder: str) -> Sequence[Shipped]:
        standing = self._rollout.standing
        files = standing.read(folder).items()
        place = partial(standing.find_origin, folder)
        shipped = (item for path, data in files for item in _shipped(folder, path, data, place))
        return sorted(shipped, key=attrgetter("path"))


def report_changed(
    rollout: RolloutState, earlier: Mapping[str, Mapping[str, bytes]], revision: str
) -> tuple[Result, ...]:
    """Refuse changes in folders that wait: they are to be byte for byte what they were.

    `earlier` has our files in each folder at the revision, by path.
    """
    folders = sorted({*earlier, *rollout.standing.folders})
    return merge_occurrences(
        occurrence
        for folder in filter(rollout.holds, folders)
        for occurrence in _changes(folder, earlier.get(folder, {}), rollout.standing, revision)
    )


def _changes(
    folder: str, old: Mapping[str, bytes], standing: OutputStanding, revision: str
) -> Iterator[Occurrence]:
    new = standing.read(folder)
    plan = planned(folder, old, new)
    paths = sorted((*plan.create, *plan.update, *plan.delete))
    if not paths:
        return
    result = HELD_CHANGED.result(
        f"the spoke waits for its wave, and its folder is not what it was at {revision}: "
        f"{listed(paths)} differ{'s' * (len(paths) == 1)}",
        cure=f"restore the folder with git checkout {revision}, or continue with build --wave",
    )
    first = paths[0]
    line = find_first_difference(old.get(first, b""), new.get(first, b""))
    origin = standing.find_origin(folder, first, line)
    yield Occurrence(replace(result, origin=origin), (folder,), key=result)


def _shipped(folder: str, path: str, data: bytes, place: Place) -> Iterator[Shipped]:
    if path == KUSTOMIZATION:
        return
    documents, problems = read(data.removeprefix(HEADER), path)
    for document in documents:
        ref = identity(document.value)
        if ref is None or problems:
            break
        text = document.text
        yield Shipped(ref, path_of(ref), text, document.value, {}, text.encode)
    else:
        if not problems:
            return
    # Lines were counted without the header.
    line = data.startswith(HEADER) + min((problem.line for problem in problems), default=1)
    message = f"{folder}/{path} can't be read, and its spoke, which waits, is delivered from it"
    cure, spokes = "restore it from Git", (folder,)
    raise InputError(
        (HELD_CHANGED.result(message, cure=cure, origin=place(path, line), spokes=spokes),)
    )
