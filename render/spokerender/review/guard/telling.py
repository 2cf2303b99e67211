"""One refusal: the losses of many spokes that are alike, and what to write if they are meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field

from spokerender.findings.codes.deletions import DELETION
from spokerender.findings.results import Result
from spokerender.model import Ref
from spokerender.review.guard import wording
from spokerender.review.guard.losses import Loss, Lost

LARGE_PERCENTAGE = 30
"""octoDNS refuses a plan that deletes more of a zone than this."""


class Subject(Struct, frozen=True):
    """What one result is about; spokes that lose alike share it.

    `refs` are a large part of a tree of `total` objects, what security policies go with, what
    those need that stay, or, with neither, one policy. With `guarded` it is about all that goes for
    this one reason.
    """

    loss: Loss
    refs: tuple[Ref, ...] = ()
    total: int = 0
    goes_with: bool = False
    stays: bool = False
    needed_by: tuple[Ref, ...] = ()
    renamed_to: str = ""
    guarded: str = ""


class Group(Struct):
    """What the spokes of one result lose."""

    spokes: list[str] = field(default_factory=list)
    lost: dict[Lost, None] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, spoke: str, lost: Iterable[Lost]) -> None:
        """Add what one spoke loses; all of one spoke comes in a row."""
        if self.spokes[-1:] != [spoke]:
            self.spokes.append(spoke)
        for item in lost:
            self.lost[item] = None
            self.kinds[item.ref.kind] += 1


def refusal(subject: Subject, group: Group, namesakes: frozenset[Ref], *, is_built: bool) -> Result:
    """Refuse the losses of a group; `namesakes` have to be named with their group."""
    return DELETION.result(
        _message(subject, group),
        cure=wording.cure(_claims_that_allow(subject, group, namesakes), is_built=is_built),
        resource=subject.refs[0] if subject.refs and not subject.total else None,
        spokes=() if subject.loss is Loss.DELIVERY else tuple(group.spokes),
    )


def _message(subject: Subject, group: Group) -> str:
    if subject.loss is Loss.SPOKE:
        text = f"{wording.spokes(group.spokes)} would be removed, with "
        text += wording.contents(group.kinds, group.lost)
        return text + (_looks_renamed(subject.renamed_to) if subject.renamed_to else "")
    if subject.loss is Loss.EMPTIED:
        text = f"{wording.spokes(group.spokes)} would be emptied of "
        return text + wording.contents(group.kinds, group.lost)
    if subject.total:
        text = wording.part(list(group.lost), subject.total)
        return f"more than {LARGE_PERCENTAGE} % of the tree would go, {text}"
    return _message_of_objects(subject, group)


def _message_of_objects(subject: Subject, group: Group) -> str:
    """What becomes of single objects."""
    if subject.guarded:
        return f"{wording.refs(item.ref for item in group.lost)} would go: {subject.guarded}"
    if subject.needed_by:
        return f"would go, and what stays is on it: {wording.refs(subject.needed_by)}"
    if subject.goes_with:
        parents = f"with {wording.refs(subject.refs[1:])} " if subject.refs[1:] else ""
        return f"would go {parents}and take along {wording.protection(group.lost)}"
    return wording.policy(list(group.lost))


def _looks_renamed(new_name: str) -> str:
    """A spoke's folder is what Argo CD's generator and Flux's `path` know it by."""
    return (
        f"; all of it is in the new folder {new_name}, so this looks like a rename, but what was "
        "applied from the old folder would be pruned"
    )


def _claims_that_allow(
    subject: Subject, group: Group, namesakes: frozenset[Ref]
) -> list[tuple[str, str]]:
    """The fewest claims that allow it: object and spoke, either may be empty."""
    if subject.loss is Loss.SPOKE:
        return [("", spoke) for spoke in group.spokes]
    topmost = dict.fromkeys(ref for item in group.lost for ref in item.goes_with or (item.ref,))
    if subject.loss is Loss.DELIVERY:
        return [(wording.claim(ref, with_group=ref in namesakes), "") for ref in topmost]
    is_whole = subject.loss is Loss.EMPTIED or subject.total or subject.guarded
    if is_whole and len(group.spokes) <= len(topmost):
        return [("", spoke) for spoke in group.spokes]
    spoke = group.spokes[0] if len(group.spokes) == 1 else ""
    return [(wording.claim(ref, with_group=ref in namesakes), spoke) for ref in topmost]
