"""The record of a rollout, `_fleet/rollout.yaml`, and the state that follows from it.

It is all the state there is: which folders are whose is in the sources, and what they hold in Git.
"""

from collections.abc import Callable, Mapping
from itertools import takewhile

import msgspec
from msgspec.structs import replace

from spokerender.findings.codes.rollout import BAD_RECORD, UNKNOWN_WAVE, WAITING
from spokerender.findings.phrasing import count, did_you_mean, joined, listed
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.formats.yamlio.reading import read
from spokerender.model import Origin, rollout
from spokerender.model.plan import is_ours
from spokerender.model.spokes import DecisionGroup

_LISTED = 10


def record_file(state: rollout.RolloutState) -> Mapping[str, str]:
    """Return the record's text, without a header, by its path in the fleet's folder."""
    record = state.record
    return {rollout.RECORD: yamlio.proven({"digest": record.digest, "done": list(record.done)})}


def read_rollout_record(data: bytes) -> rollout.RolloutRecord | None:
    """Read a record; None if it is not one, as with conflict markers in it."""
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
    """Return how far a rollout is after the wave that is asked for, and what is wrong with it.

    What another fleet had is forgotten: a change begins at the first wave.

    `digest` is that of the whole fleet as it shall be, empty where nothing can be written; `files`
    returns the files of a spoke's folder as they shall be.
    """
    results: list[Result] = []
    record = None
    if standing.record is not None and is_ours(standing.record):
        record = read_rollout_record(standing.record)
        if record is None:
            results.append(_refuse_record(standing.path, standing.record))
    done = 0
    # Another digest is another fleet: its waves are to begin again, one by one.
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
    # A change that releases no wave would write nothing: the first one goes with the build.
    done = min(max(done, 1), len(waves))
    released = frozenset(name for wave in waves[:done] for name in wave.spokes)
    state = rollout.RolloutState(groups, waves, done, digest, standing, released)
    state = replace(state, idle=_count_idle(state, files) if digest else 0)
    return state, (*results, *_report_waiting(state))


def _count_idle(state: rollout.RolloutState, files: Callable[[str], Mapping[str, bytes]]) -> int:
    """Return how many waves that wait change nothing, up to the first that does."""
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
