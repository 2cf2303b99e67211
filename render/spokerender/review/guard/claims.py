"""Claims: which loss of which object on which spokes somebody has acknowledged, and for how long.

An entry of the fleet file counts in the change that adds it. What the base of the change had as
well is spent: it acknowledged a loss that has happened.
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
    """The spoke has left the placement, so its folder goes."""
    PART = "objects removed"
    DELIVERY = "delivery removed"
    """Objects of an engine go although their spokes stay, or apply trees otherwise."""


class Removal(Struct, frozen=True, kw_only=True):
    """The losses of one folder; `total` is the number of objects that it had.

    `renamed_to` is the new folder, if any, that has all objects of a spoke that goes. `left` is an
    earlier output, in which the spoke loses them although it stays. `origin` is where the spoke was
    declared, if it goes.
    """

    spoke: str
    loss: Loss
    lost: tuple[LostObject, ...]
    total: int
    renamed_to: str = ""
    left: str = ""
    origin: Origin | None = None


class Losses(Struct, frozen=True):
    """The losses of a change: objects, folders and destinations, and its meaning for requests.

    The consequences are those that the guard refuses or warns of (`guard.filtering`).
    """

    removals: tuple[Removal, ...] = ()
    consequences: tuple[Consequence, ...] = ()


NO_SPOKE = ""
"""The place of objects that are on no spoke, such as those of a delivery engine."""


class Acknowledgement(Protocol):
    """An entry of the fleet file's `spec.deletions`."""

    @property
    def ref(self) -> str | None:
        """Return the object, as Kind/namespace/name; None for the spokes themselves."""

    @property
    def spokes(self) -> Sequence[str]:
        """Return the spokes that lose it; none if it is on no spoke."""

    @property
    def lost(self) -> str:
        """Return `goes`, `opens` or `unserved`."""

    @property
    def reason(self) -> str:
        """Return the reason."""


class Claim(Struct, frozen=True):
    """An entry or a flag, about an object, or about spokes themselves without a `name`.

    `spokes` is None where the loss may be on any spoke.
    """

    name: ObjectName | None
    spokes: tuple[str, ...] | None
    lost: str = GOES
    reason: str = ""

    @classmethod
    def of_flag(cls, lost: str, text: str) -> "Claim":
        """Read `SPOKE`, `KIND/NAMESPACE/NAME` or `KIND/NAMESPACE/NAME@SPOKE,SPOKE`."""
        name = ObjectName.read(text)
        if name is None:
            return cls(None, (text,), lost)
        spokes = tuple(name.spoke.split(",")) if name.spoke else None
        return cls(replace(name, spoke=""), spokes, lost)

    @classmethod
    def of_entry(cls, entry: Acknowledgement) -> "Claim":
        """Read an entry of the fleet file."""
        name = ObjectName.read(entry.ref) if entry.ref else None
        return cls(name, tuple(entry.spokes) or (NO_SPOKE,), entry.lost, entry.reason)

    @property
    def spoke(self) -> str:
        """The first of its spokes; empty if it is on none."""
        return (self.spokes or (NO_SPOKE,))[0]

    def __str__(self) -> str:
        """Write the first of its losses as `--allow-delete` takes it."""
        return "@".join(filter(None, (str(self.name) if self.name else "", self.spoke)))

    @property
    def losses(self) -> tuple["Claim", ...]:
        """Return the claim in each place, where it names its places."""
        return tuple(map(self.at, dict.fromkeys(self.spokes or ())))

    def at(self, place: str) -> "Claim":
        """Return what it claims in one place."""
        return replace(self, spokes=(place,))

    def without(self, spent: "Spent") -> "Claim":
        """Return the claim for the places where it is not spent."""
        left = tuple(item.spoke for item in self.losses if item not in spent)
        return self if self.spokes is None else replace(self, spokes=left)


Spent = frozenset[Claim]
"""What the base of a change acknowledged already, place by place."""
NOTHING_SPENT: Spent = frozenset()


def spend(entries: Iterable[Acknowledgement]) -> Spent:
    """Return what the entries of the base acknowledged."""
    return frozenset(item for entry in entries for item in Claim.of_entry(entry).losses)


def place_of(removal: Removal) -> str:
    """Return where something is lost: the spoke, or none."""
    return NO_SPOKE if removal.spoke.startswith("_") else removal.spoke


class Claims:
    """The claims that count in a change."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._spokes: set[str] = set()
        self._by_name: dict[tuple[str, str], list[Claim]] = {}
        for claim in claims:
            if claim.name is not None:
                self._by_name.setdefault((claim.name.name, claim.lost), []).append(claim)
            elif claim.lost == GOES:
                self._spokes.update(claim.spokes or ())

    def unclaimed(self, removal: Removal) -> tuple[LostObject, ...]:
        """Return the losses of which neither the object is named nor all that it goes with."""
        place = place_of(removal)
        return tuple(
            item for item in removal.lost if not (item.replaced or self._covers(item, place))
        )

    def names_spoke(self, spoke: str) -> bool:
        """Return whether the spoke itself is named."""
        return spoke in self._spokes

    def _covers(self, item: LostObject, place: str) -> bool:
        if self.has(LossName(place, item.ref, item.lost)):
            return True
        return bool(item.goes_with) and all(
            self.has(LossName(place, ref, GOES)) for ref in item.goes_with
        )

    def has(self, name: LossName) -> bool:
        """Tell whether one of them names a loss."""
        return any(
            claim.name is not None
            and claim.name.names(name.ref)
            and (claim.spokes is None or name.spoke in claim.spokes)
            for claim in self._by_name.get((name.ref.name, name.lost), ())
        )


class LossIndex:
    """The losses of a change by place and name, to hold claims against."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses

    @cached_property
    def _items(self) -> Mapping[tuple[str, str, str], list[Ref]]:
        return grouped(((name.spoke, name.ref.name, name.lost), name.ref) for name in self.names)

    @cached_property
    def spokes(self) -> frozenset[str]:
        """The spokes that go."""
        return frozenset(item.spoke for item in self._losses.removals if item.loss is Loss.SPOKE)

    @property
    def names(self) -> Iterator[LossName]:
        """Every loss but those of spokes themselves."""
        for removal in self._losses.removals:
            for item in removal.lost:
                yield LossName(place_of(removal), item.ref, item.lost)
        for consequence in self._losses.consequences:
            yield from consequence.losses

    def has(self, claimed: Claim) -> bool:
        """Return whether that is lost there."""
        if claimed.name is None:
            return claimed.spoke in self.spokes and claimed.lost == GOES
        refs = self._items.get((claimed.spoke, claimed.name.name, claimed.lost), ())
        return any(map(claimed.name.names, refs))

    def narrow(self, claim: Claim) -> Claim:
        """Return a claim for exactly the places where something is lost that it names."""
        if claim.spokes is not None:
            return claim
        places = dict.fromkeys(sorted({name.spoke for name in self.names}))
        return replace(claim, spokes=tuple(place for place in places if self.has(claim.at(place))))
