"""The record of a rollout, `_fleet/rollout.yaml`, the rollout's state, and the folders that wait.

The record is the only state: the sources say which spoke has which folder, and the objects of
folders that wait are read from their files.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import takewhile
from operator import attrgetter

import msgspec
from msgspec.structs import replace

from spokerender.findings.codes.review import BAD_RECORD, HELD_CHANGED, UNKNOWN_WAVE, WAITING
from spokerender.findings.errors import InputError
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.phrasing import count, did_you_mean, joined, listed
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.formats.yamlio.reading import read
from spokerender.model import Origin, Place, identity, rollout
from spokerender.model.plan import HEADER, KUSTOMIZATION, find_first_difference, is_ours, planned
from spokerender.model.rollout import OutputStanding, RolloutState
from spokerender.model.spokes import DecisionGroup
from spokerender.rendering.values.layout import path_of
from spokerender.rendering.values.trees import Shipped

_LISTED = 10


def record_file(state: rollout.RolloutState) -> Mapping[str, str]:
    """Return the text of the rollout's record for `state`, by its path in the fleet's folder."""
    record = state.record
    return {rollout.RECORD: yamlio.proven({"digest": record.digest, "done": list(record.done)})}


def read_rollout_record(data: bytes) -> rollout.RolloutRecord | None:
    """Return the record in a file; None if it is invalid, for example due to conflict markers."""
    documents, problems = read(data, rollout.RECORD)
    if len(documents) != 1 or problems:
        return None
    try:
        return msgspec.convert(documents[0].value, rollout.RolloutRecord)
    except msgspec.ValidationError:
        return None


def advance(
    groups: tuple[DecisionGroup, ...],
    waves: tuple[rollout.Wave, ...],
    digest: str,
    standing: rollout.OutputStanding,
    files: Callable[[str], Mapping[str, bytes]],
) -> tuple[rollout.RolloutState, tuple[Result, ...]]:
    """Return the state of a rollout after the requested wave, and its faults.

    A record with another digest is about another change, and does not count: this change begins at
    the first wave. `digest` is the digest of the whole fleet after the rollout, empty if nothing
    can be written; `files` returns the files of a spoke's folder after the rollout.
    """
    results: list[Result] = []
    record = None
    if standing.record is not None and is_ours(standing.record):
        record = read_rollout_record(standing.record)
        if record is None:
            results.append(_refuse_record(standing.path, standing.record))
    done = 0
    # Another digest means another fleet: its waves begin again, one by one.
    if record is not None and record.digest == digest:  # the first that are the waves still
        pairs = zip(record.done, waves, strict=False)
        done = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1].name, pairs))
    names = [wave.name for wave in waves]
    match standing.wave:
        case "":
            pass
        case wave if wave == rollout.ALL_WAVES:
            done = len(waves)
        case wave if wave == rollout.NEXT_WAVE:
            done += 1
        case wave if wave in names:
            done = max(done, names.index(wave) + 1)
        case wave:
            cure = did_you_mean(wave, (*names, rollout.NEXT_WAVE, rollout.ALL_WAVES), "there are")
            results.append(UNKNOWN_WAVE.result(f'there is no wave "{wave}"', cure=cure))
    # A change that releases no wave would write nothing: a build always releases the first wave.
    done = min(max(done, 1), len(waves))
    released = frozenset(name for wave in waves[:done] for name in wave.spokes)
    state = rollout.RolloutState(groups, waves, done, digest, standing, released)
    state = replace(state, idle=_count_idle(state, files) if digest else 0)
    return state, (*results, *_report_waiting(state))


def _count_idle(state: rollout.RolloutState, files: Callable[[str], Mapping[str, bytes]]) -> int:
    """Return how many of the waiting waves change no folder, counted up to the first that does."""
    spokes = {name for wave in state.waves for name in wave.spokes}
    leaves_any = any(state.holds(name) and name not in spokes for name in state.standing.folders)
    for number, wave in enumerate(state.waiting):
        is_last = number + 1 == len(state.waiting)
        if (is_last and leaves_any) or not all(
            state.standing.read(name) == files(name) for name in wave.spokes
        ):
            return number
    return len(state.waiting)


def how_to_continue(state: rollout.RolloutState) -> str:
    """Return the command that continues a rollout with the next wave that changes something."""
    waiting, idle = state.waiting, state.waiting[: state.idle]
    command = "run spokerender build --wave"
    if not idle:
        return f"{command} {rollout.NEXT_WAVE} to continue with {waiting[0].name}"
    names = joined((wave.name for wave in idle), _LISTED)
    verb = "changes" if len(idle) == 1 else "change"
    if len(idle) == len(waiting):
        return f"{command} {rollout.ALL_WAVES} in the same change: {names} {verb} nothing"
    wave = waiting[len(idle)].name
    return f"{command} {wave} to continue: {names} {verb} nothing before it"


def _refuse_record(path: str, data: bytes) -> Result:
    lines = data.split(b"\n")
    line = next((n for n, text in enumerate(lines, 1) if text.startswith(b"<<<<<<< ")), 1)
    message = f"{rollout.RECORD} can't be read, so it is not known which waves are done"
    cure = "restore it from Git, or delete it: the rollout then begins at its first wave"
    if line > 1:
        message = (
            f"{rollout.RECORD} has a merge conflict here, so it is not known which waves are done"
        )
        cure = "take either side, and build: a merged change begins at its first wave"
    return BAD_RECORD.result(message, cure=cure, origin=Origin(path, line=line))


def _report_waiting(state: rollout.RolloutState) -> tuple[Result, ...]:
    if not state.waiting:
        return ()
    spokes = tuple(sorted(name for wave in state.waiting for name in wave.spokes))
    waves = joined(f'"{wave.name}"' for wave in state.waiting)
    verb = "waits" if len(state.waiting) == 1 else "wait"
    return (
        WAITING.result(
            f"{waves} {verb}, with {count(len(spokes), 'spoke')}: {listed(spokes)}",
            cure=how_to_continue(state),
            spokes=spokes,
        ),
    )


class HeldObjects:
    """The objects for delivery engines during a rollout; waiting spokes have their old objects."""

    def __init__(self, rollout: RolloutState, rendered: Callable[[str], Sequence[Shipped]]) -> None:
        self._rollout = rollout
        self._rendered = rendered
        self._read = cache(self._read_folder)

    def is_there(self, folder: str) -> bool:
        """Return whether a spoke has a folder after the build."""
        return not self._rollout.holds(folder) or folder in self._rollout.standing.folders

    def objects(self, folder: str) -> Sequence[Shipped]:
        """Return the objects in a spoke's folder, in the order of paths.

        Raises `InputError` if a file of a waiting spoke is not as a build wrote it.
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
    """Return errors for changed files in folders of waiting spokes, in which no byte may change.

    `earlier` has our files in each folder at the revision `revision`, by path.
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
