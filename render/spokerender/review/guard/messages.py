"""The text of a refusal: the losses of spokes that lose alike, and how to acknowledge them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.findings.codes.shipping import DELETION
from spokerender.findings.phrasing import count, joined
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.model import ObjectName, Origin, Ref, grouped
from spokerender.review.guard.claims import NO_SPOKE, Claim
from spokerender.review.guard.losses import Loss, Removal
from spokerender.review.values import OPENS, LossName, LostObject

LARGE_PERCENTAGE = 30
"""octoDNS refuses a plan that deletes more of a zone than this."""
_LISTED = 50


class RefusalSubject(Struct, frozen=True):
    """The subject of a refusal, shared by spokes with the same losses.

    `refs` are a large part of a tree of `total` objects. With `guarded` it is about everything that
    goes for this one reason.
    """

    loss: Loss
    refs: tuple[Ref, ...] = ()
    total: int = 0
    left: str = ""
    guarded: str = ""


class RefusalGroup(Struct):
    """The losses of all spokes that share a refusal, each with the spokes that have it."""

    spokes: list[str] = field(default_factory=list)
    origin: Origin | None = None
    lost: dict[LostObject, list[str]] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, removal: Removal, lost: Iterable[LostObject]) -> None:
        """Add what one spoke loses; all of one spoke comes in a row."""
        if self.spokes[-1:] != [removal.spoke]:
            self.spokes.append(removal.spoke)
        self.origin = self.origin or removal.origin
        for item in lost:
            self.lost.setdefault(item, []).append(removal.spoke)
            self.kinds[item.ref.kind] += 1


def make_refusal(subject: RefusalSubject, group: RefusalGroup, *, is_built: bool) -> Result:
    """Refuse the losses of a group."""
    return DELETION.result(
        _message(subject, group),
        cure=write_cure(_acknowledgements(subject, group), is_built=is_built),
        origin=group.origin,
        spokes=() if subject.loss is Loss.DELIVERY else tuple(group.spokes),
    )


def _message(subject: RefusalSubject, group: RefusalGroup) -> str:
    spokes = group.spokes
    names = f"spoke {spokes[0]}" if len(spokes) == 1 else f"spokes {joined(spokes, _LISTED)}"
    if subject.left:
        lost = f"{subject.left}, where the output was, would lose {_describe_contents(group)}"
        return f"{names}: {lost}: keep it until nothing is applied from there any more"
    if subject.loss is Loss.SPOKE:
        return f"{names} would be removed, with {_describe_contents(group)}"
    items = list(group.lost)
    names = joined((item.ref for item in items), _LISTED)
    if subject.total:
        part = f"{len(items)} of {count(subject.total, 'object')}: {names}"
        return f"more than {LARGE_PERCENTAGE} % of the tree would go, {part}"
    return f"{names} would {'change' if items[0].stays else 'go'}: {subject.guarded}"


def _describe_contents(group: RefusalGroup) -> str:
    """Count the objects of whole trees by kind."""
    if not group.kinds:
        return "no object"
    counts = (f"{number} {kind}" for kind, number in sorted(group.kinds.items()))
    return f"{count(group.kinds.total(), 'object')} ({joined(counts, _LISTED)})"


def _acknowledgements(subject: RefusalSubject, group: RefusalGroup) -> list[Claim]:
    """Return the narrowest claims that allow it: the topmost objects, where they are lost."""
    if subject.loss is Loss.SPOKE:
        return [Claim(None, tuple(group.spokes))]
    names = (
        LossName(NO_SPOKE if subject.loss is Loss.DELIVERY else spoke, ref, item.lost)
        for item, spokes in group.lost.items()
        for ref in item.goes_with or (item.ref,)
        for spoke in spokes
    )
    return list_claims(names)


def list_claims(names: Iterable[LossName]) -> list[Claim]:
    """Return the claims that name losses."""
    spokes = grouped(
        ((ObjectName.of(name.ref, with_group=False), name.lost), name.spoke) for name in names
    )
    return [Claim(name, tuple(dict.fromkeys(own)), lost) for (name, lost), own in spokes.items()]


def entry_of(claim: Claim) -> dict[str, str | list[str]]:
    """Return a claim as an entry of `spec.deletions`."""
    spokes = [spoke for spoke in claim.spokes or () if spoke]
    name = {"ref": str(claim.name)} if claim.name is not None else {}
    places: dict[str, str | list[str]] = {"spokes": spokes} if spokes else {}
    return {**name, **places, "lost": claim.lost, "reason": claim.reason}


def _flags(claim: Claim) -> Iterator[str]:
    option = "--allow-open" if claim.lost == OPENS else "--allow-delete"
    spokes = [spoke for spoke in claim.spokes or () if spoke]
    if claim.name is None:
        yield from (f"{option}={spoke}" for spoke in spokes)
    else:
        yield f"{option}={'@'.join(filter(None, (str(claim.name), ','.join(spokes))))}"


def write_cure(claims: Sequence[Claim], *, is_built: bool) -> str:
    """Say how to acknowledge a loss.

    A change that is built already can't be allowed by a flag of `build`. Flags that name no spokes
    allow what is lost on any, so that not all of many have to be read.
    """
    if not is_built and all(
        claim.name is not None and len(claim.spokes or ()) > _LISTED for claim in claims
    ):
        flags = " ".join(flag for claim in claims for flag in _flags(replace(claim, spokes=None)))
        return (
            f"if that is meant, on every spoke, build with {flags} --reason=WHY, which adds the "
            "entries to fleet.yaml"
        )
    entries = [entry_of(replace(claim, reason="why it may go")) for claim in claims]
    lines = (
        f"  {'  ' if number else '- '}{key}: {yamlio.scalars(value)}\n"
        for entry in entries
        for number, (key, value) in enumerate(entry.items())
    )
    fleet_file = f"spec:\n  deletions:\n{''.join(lines)}"
    if is_built:
        return f"if that is meant, add to fleet.yaml:\n{fleet_file}"
    flags = " ".join(flag for claim in claims for flag in _flags(claim))
    return f"if that is meant, build with {flags} --reason=WHY, or add to fleet.yaml:\n{fleet_file}"


def write_entries(names: Iterable[LossName]) -> str:
    """Say in one line which entries acknowledge losses; those of many spokes are told elsewhere."""
    claims = [replace(claim, reason="why it may") for claim in list_claims(names)]
    if any(len(claim.spokes or ()) > _LISTED for claim in claims):
        return "to accept it, add what check --against says to spec.deletions of fleet.yaml"
    entries = (
        ", ".join(f"{key}: {yamlio.scalars(value)}" for key, value in entry_of(claim).items())
        for claim in claims
    )
    texts = joined(f"{{{entry}}}" for entry in entries)
    return f"to accept it, add to spec.deletions of fleet.yaml: {texts}"
