"""Rollouts: groups of spokes, the strategy of a rollout, and its waves."""

import re
from collections.abc import Callable, Mapping
from math import ceil, isfinite
from pathlib import PurePath
from typing import Any

from msgspec import Struct

from spokerender.model.refs import Origin
from spokerender.model.spokes import DecisionGroup

_DIGITS = "[0-9]+(?:_[0-9]+)*"
_NUMBER = re.compile(
    rf"[-+]?(?:(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][-+]?[0-9]+)?|(?i:inf|infinity))"
    "|(?i:nan)"
)


def portion(size: int | str, total: int, default: int) -> int:
    """Return the number of clusters that `size` means; `default` if it is not in 1..`total`.

    A percentage is read as Go code of OCM does (`scheduling_controller.go`, `calculateLength`;
    sdk-go `rollout.go`, `calculateRolloutSize`; `strconv.ParseFloat`).

    Raises `ValueError` for a text that is no percentage.
    """
    number = size if isinstance(size, int) else _part_of(size, total)
    return number if 0 < number <= total else default


def _part_of(text: str, total: int) -> int:
    """Return the percentage `text` of `total`, rounded up; 0 if the result is no finite number."""
    number = text.removesuffix("%")
    percentage = float(number) if number != text and _NUMBER.fullmatch(number) else None
    # Go refuses digits that are out of range, but `inf` is a number to it.
    if percentage is None or (not isfinite(percentage) and number[-1].isdecimal()):
        raise ValueError("string is not a percentage")
    part = percentage / 100 * total
    return ceil(part) if isfinite(part) else 0


FAILED, PROGRESSING, SKIP = "Failed", "Progressing", "Skip"
SUCCEEDED, TIMED_OUT, TO_APPLY = "Succeeded", "TimeOut", "ToApply"
"""The statuses of a cluster in a rollout, as Open Cluster Management names them."""

ALL, PROGRESSIVE, PER_GROUP = "All", "Progressive", "ProgressivePerGroup"
"""The types of OCM's RolloutStrategy."""

RECORD = "rollout.yaml"
"""The file that records a rollout, in the folder `_fleet` of the output."""
NEXT_WAVE, ALL_WAVES = "next", "all"
"""Values of `build --wave` besides names of waves."""
RESERVED = frozenset((NEXT_WAVE, ALL_WAVES))
REST = "rest"
"""The name of the last group, which has all spokes that are in no other group."""

Size = int | str
"""A number, or a percentage such as `25%`."""


class MandatoryGroup(Struct, frozen=True):
    """A group to release first: every group with the name, or (without a name) with the index."""

    name: str = ""
    index: int = 0


class StrategySettings(Struct, frozen=True):
    """A RolloutStrategy (open-cluster-management.io/api, cluster/v1alpha1).

    `deadline` is how long a cluster may take to succeed; None: no limit. A cluster must have
    succeeded for the time `soak` before others follow. Times are nanoseconds (`model.times`).
    """

    type: str = ALL
    max_concurrency: Size = 0
    max_failures: Size = 0
    deadline: int | None = None
    soak: int = 0
    mandatory: tuple[MandatoryGroup, ...] = ()


class RolloutStatus(Struct, frozen=True):
    """The status of one cluster, and the time since when it has it; None if that is unknown."""

    cluster: str
    status: str
    since: int | None = None


class Release(Struct, frozen=True):
    """The clusters that a strategy releases now, and clusters that it passes over.

    `rollout` also has clusters that are in progress or still soaking. `timed_out` are clusters
    whose deadline has passed, `removed` clusters that are in no group. If `is_breached`, more
    clusters failed than are allowed, so no new cluster is released. The result may change after
    `recheck_after` nanoseconds.
    """

    rollout: tuple[RolloutStatus, ...] = ()
    timed_out: tuple[RolloutStatus, ...] = ()
    removed: tuple[RolloutStatus, ...] = ()
    is_breached: bool = False
    recheck_after: int | None = None


class Wave(Struct, frozen=True):
    """Spokes that are released together."""

    name: str
    spokes: tuple[str, ...]


class RolloutRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `_fleet/rollout.yaml`.

    `digest` is the digest of all spokes' folders after the rollout. `done` lists the waves that
    have the new content.
    """

    digest: str
    done: tuple[str, ...]


class OutputStanding(Struct, frozen=True, eq=False):
    """The output on disk, and the wave that the user asks for.

    `record` is the text of the rollout's record, if there is one, and `path` its path in messages.
    `folders` are the folders that spokerender wrote, and `read` returns a folder's files by path.
    `wave` is the value of `build --wave`: a wave, `next` or `all`; empty: only waves that are done.
    """

    record: bytes | None
    folders: frozenset[str]
    read: Callable[[str], Mapping[str, bytes]]
    wave: str = ""
    path: str = RECORD

    def find_origin(self, folder: str, path: str, line: int = 1) -> Origin:
        """Return the position of a line in a file of `folder`."""
        return Origin(str(PurePath(self.path).parent.parent / folder / path), line=line)


EVERYTHING_DONE = OutputStanding(None, frozenset(), lambda _: {}, ALL_WAVES)
"""The standing with which all waves are written, as if each were released."""


class RolloutState(Struct, frozen=True, eq=False):
    """A rollout and its progress: the first `done` waves are done."""

    groups: tuple[DecisionGroup, ...]
    waves: tuple[Wave, ...]
    done: int
    digest: str
    standing: OutputStanding
    released: frozenset[str]
    """The spokes of the waves that are done."""
    idle: int = 0
    """The number of waves, from the first that is not done, that would change nothing."""

    @property
    def record(self) -> RolloutRecord:
        """Return the record of this state."""
        return RolloutRecord(self.digest, tuple(wave.name for wave in self.waves[: self.done]))

    @property
    def waiting(self) -> tuple[Wave, ...]:
        """Return the waves that are not done."""
        return self.waves[self.done :]

    @property
    def members(self) -> list[dict[str, Any]]:
        """Return the waves as JSON, each with its spokes and whether it is done."""
        return [
            {"name": wave.name, "done": number < self.done, "spokes": wave.spokes}
            for number, wave in enumerate(self.waves)
        ]

    def holds(self, folder: str) -> bool:
        """Return whether a folder of the output has to remain unchanged.

        Until the last wave is done, folders of spokes that left the fleet remain unchanged, too.
        """
        is_over = self.done == len(self.waves)
        # Folders of the fleet (`_...`) belong to no spoke and no wave.
        return not (is_over or folder in self.released or folder.startswith("_"))
