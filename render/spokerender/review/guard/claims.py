"""Claims: acknowledged losses by object and spokes, and the change in which they count.

An entry of fleet.yaml counts only in the change that adds it. An entry that the base of the change
has, too, is spent: it acknowledged an earlier loss.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from spokerender.model import ObjectName, Origin, Ref, grouped
from spokerender.review.values import GOES, Consequence, LossName, LostObject


class Loss(StrEnum):
    """The extent of the loss in a folder."""

    SPOKE = "spoke removed"
    """The placement does not select the spoke any more, so its folder is deleted."""
    PART = "objects removed"
    DELIVERY = "delivery removed"
    """Objects of a delivery engine are deleted, or apply other trees, though their spokes remain.
    """


class Removal(Struct, frozen=True, kw_only=True):
    """The losses of one folder.

    If objects are removed, `total` is the number of objects that the spoke had. If a spoke is
    removed, `renamed_to` is the new folder that has all its objects (empty if none has), and
    `origin` the line that declared the spoke. If the spoke remains and its objects are lost in an
    earlier output folder, `left` is that folder.
    """

    spoke: str
    loss: Loss
    lost: tuple[LostObject, ...]
    total: int = 0
    renamed_to: str = ""
    left: str = ""
    origin: Origin | None = None


class Losses(Struct, frozen=True):
    """The losses of a change: deleted objects, folders and destinations, and consequences.

    The consequences are those that the guard refuses or warns of (`guard.filtering`).
    """

    removals: tuple[Removal, ...] = ()
    consequences: tuple[Consequence, ...] = ()


NO_SPOKE = ""
"""Stands for the spoke of an object outside spokes, such as an object of a delivery engine."""


class Acknowledgement(Protocol):
    """An entry of the fleet file's `spec.deletions`."""

    @property
    def ref(self) -> str | None:
        """Return the object as Kind/namespace/name; None if whole spokes are removed."""

    @property
    def spokes(self) -> Sequence[str]:
        """Return the spokes that lose the object; empty if it is outside spokes."""

    @property
    def lost(self) -> str:
        """Return the kind of loss: `goes`, `opens` or `unserved`."""

    @property
    def reason(self) -> str:
        """Return the reason that the entry gives."""


class Claim(Struct, frozen=True):
    """An acknowledgement by entry or flag: of a lost object, or of lost spokes if `name` is None.

    `spokes` is None if the object may be lost on any spoke.
    """

    name: ObjectName | None
    spokes: tuple[str, ...] | None
    lost: str = GOES
    reason: str = ""

    @classmethod
    def of_flag(cls, lost: str, text: str) -> "Claim":
        """Return the claim for `SPOKE`, `KIND/NAMESPACE/NAME` or `KIND/NAMESPACE/NAME@SPOKE,…`."""
        name = ObjectName.read(text)
        if name is None:
            return cls(None, (text,), lost)
        spokes = tuple(name.spoke.split(",")) if name.spoke else None
        return cls(replace(name, spoke=""), spokes, lost)

    @classmethod
    def of_entry(cls, entry: Acknowledgement) -> "Claim":
        """Return the claim for an entry of fleet.yaml."""
        name = ObjectName.read(entry.ref) if entry.ref else None
        return cls(name, tuple(entry.spokes) or (NO_SPOKE,), entry.lost, entry.reason)

    @property
    def spoke(self) -> str:
        """The first of the claim's spokes; empty if the claim has none."""
        return (self.spokes or (NO_SPOKE,))[0]

    def __str__(self) -> str:
        """Return the claim on its first spoke, as the option `--allow-delete` accepts it."""
        return "@".join(filter(None, (str(self.name) if self.name else "", self.spoke)))

    @property
    def losses(self) -> tuple["Claim", ...]:
        """Return one claim per spoke; empty if the claim is for any spoke."""
        return tuple(map(self.at, dict.fromkeys(self.spokes or ())))

    def at(self, place: str) -> "Claim":
        """Return the same claim for the spoke `place` only."""
        return replace(self, spokes=(place,))

    def without(self, spent: "Spent") -> "Claim":
        """Return the claim for the spokes on which it is not spent."""
        left = tuple(item.spoke for item in self.losses if item not in spent)
        return self if self.spokes is None else replace(self, spokes=left)


Spent = frozenset[Claim]
"""The claims that the base of a change has already, one per spoke."""
NOTHING_SPENT: Spent = frozenset()


def spend(entries: Iterable[Acknowledgement]) -> Spent:
    """Return the claims of the entries in the base of a change, one per spoke."""
    return frozenset(item for entry in entries for item in Claim.of_entry(entry).losses)


def place_of(removal: Removal) -> str:
    """Return the spoke of a removal; `NO_SPOKE` for a folder outside spokes."""
    return NO_SPOKE if removal.spoke.startswith("_") else removal.spoke


class Claims:
    """The claims (acknowledgements) that apply to a change, indexed by name."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._spokes: set[str] = set()
        self._by_name: dict[tuple[str, str], list[Claim]] = {}
        for claim in claims:
            if claim.name is not None:
                self._by_name.setdefault((claim.name.name, claim.lost), []).append(claim)
            elif claim.lost == GOES:
                self._spokes.update(claim.spokes or ())

    def unclaimed(self, removal: Removal) -> tuple[LostObject, ...]:
        """Return the lost objects that no claim covers, nor claims for all of their `goes_with`."""
        place = place_of(removal)
        return tuple(
            item for item in removal.lost if not (item.replaced or self._covers(item, place))
        )

    def names_spoke(self, spoke: str) -> bool:
        """Return whether the removal of a spoke is claimed."""
        return spoke in self._spokes

    def _covers(self, item: LostObject, place: str) -> bool:
        if self.has(LossName(place, item.ref, item.lost)):
            return True
        return bool(item.goes_with) and all(
            self.has(LossName(place, ref, GOES)) for ref in item.goes_with
        )

    def has(self, name: LossName) -> bool:
        """Return whether a claim covers this loss."""
        return any(
            claim.name is not None
            and claim.name.names(name.ref)
            and (claim.spokes is None or name.spoke in claim.spokes)
            for claim in self._by_name.get((name.ref.name, name.lost), ())
        )


class LossIndex:
    """An index of the losses of a change, by which claims are checked."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses

    @cached_property
    def _items(self) -> Mapping[tuple[str, str, str], list[Ref]]:
        return grouped(((name.spoke, name.ref.name, name.lost), name.ref) for name in self.names)

    @cached_property
    def spokes(self) -> frozenset[str]:
        """The spokes that are removed."""
        return frozenset(item.spoke for item in self._losses.removals if item.loss is Loss.SPOKE)

    @property
    def names(self) -> Iterator[LossName]:
        """Each loss, without the removals of whole spokes."""
        for removal in self._losses.removals:
            for item in removal.lost:
                yield LossName(place_of(removal), item.ref, item.lost)
        for consequence in self._losses.consequences:
            yield from consequence.losses

    def has(self, claimed: Claim) -> bool:
        """Return whether the claimed loss occurs on the claim's (first) spoke."""
        if claimed.name is None:
            return claimed.spoke in self.spokes and claimed.lost == GOES
        refs = self._items.get((claimed.spoke, claimed.name.name, claimed.lost), ())
        return any(map(claimed.name.names, refs))

    def narrow(self, claim: Claim) -> Claim:
        """Return the claim; if it is for any spoke, with the spokes on which it covers a loss."""
        if claim.spokes is not None:
            return claim
        places = dict.fromkeys(sorted({name.spoke for name in self.names}))
        return replace(claim, spokes=tuple(place for place in places if self.has(claim.at(place))))
