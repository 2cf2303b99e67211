"""The losses that nobody has acknowledged: each told once, with the words that would allow it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from msgspec.structs import replace

from spokerender.findings.codes.deletions import STALE_ACKNOWLEDGEMENT, UNKNOWN_DELETION
from spokerender.findings.results import INFO, Result
from spokerender.findings.suggest import did_you_mean
from spokerender.model import ObjectName, Origin, Ref
from spokerender.review.guard import wording
from spokerender.review.guard.claims import Claims
from spokerender.review.guard.losses import Loss, Lost, Removal
from spokerender.review.guard.telling import LARGE_PERCENTAGE, Group, Subject, refusal

_FEWEST = 2
"""How many objects can be a large part of a tree: who takes one away has seen it."""


class Acknowledgement(Protocol):
    """An entry of the fleet file's `spec.deletions`: an object, a spoke, or one on the other."""

    @property
    def ref(self) -> str | None:
        """The object, as Kind/namespace/name."""

    @property
    def spoke(self) -> str | None:
        """The spoke."""


def refused(
    removals: Sequence[Removal],
    allowed: Sequence[str] = (),
    acknowledged: Sequence[Acknowledgement] = (),
    *,
    is_built: bool = False,
) -> tuple[Result, ...]:
    """The losses that nobody has acknowledged, and what is allowed but would not go, as errors.

    A spoke that goes has to be named itself. Where only objects go it is enough to name them, or
    the topmost ones that they hang on; it is a large part that goes if what is left is one.

    Args:
        removals: what would go.
        allowed: what `--allow-delete` names: `<spoke>`, `<kind>/<namespace>/<name>` (or
            `<kind>.<group>/…`), or the latter with `@<spoke>`.
        acknowledged: the fleet file's entries.
        is_built: the change is on disk already, so that only the fleet file can allow it.

    """
    claims = Claims([*allowed, *map(_claim, acknowledged)])
    groups: dict[Subject, Group] = {}
    for removal in removals:
        for subject, lost in _losses(removal, claims):
            groups.setdefault(subject, Group()).add(removal.spoke, lost)
    namesakes = _namesakes(removals)
    return (
        *(
            refusal(subject, group, namesakes, is_built=is_built)
            for subject, group in groups.items()
        ),
        *(_unknown(text, removals) for text in Claims(allowed).idle(removals)),
    )


def stale(
    removals: Sequence[Removal],
    acknowledged: Sequence[Acknowledgement],
    at: Callable[..., Origin],
) -> tuple[Result, ...]:
    """Tell of the fleet file's entries that name nothing that would go.

    One that is much like something that would, and that no entry names, is a wrong name, so a
    warning; any other one has done its work, or waits for it. `at` tells where a field of the
    fleet file is written.
    """
    claims = Claims(map(_claim, acknowledged))
    idle, left = set(claims.idle(removals)), _unclaimed(removals, claims)
    results = []
    for index, entry in enumerate(acknowledged):
        if _claim(entry) in idle:
            near = _near(_claim(entry), left)
            result = STALE_ACKNOWLEDGEMENT.result(
                f"{_claim(entry)} is acknowledged, and nothing that this names would go",
                cure=near or "if it has done its work, take it out: it would allow that again",
                field=f"spec.deletions[{index}]",
                origin=at("spec", "deletions", index),
                severity=None if near else INFO,
            )
            results.append(result)
    return tuple(results)


def misnamed(
    removals: Sequence[Removal],
    acknowledged: Sequence[Acknowledgement],
    at: Callable[..., Origin],
) -> tuple[Result, ...]:
    """Those of them that are wrong names."""
    leftover = stale(removals, acknowledged, at)
    return tuple(result for result in leftover if result.severity is not INFO)


def _unclaimed(removals: Iterable[Removal], claims: Claims) -> list[Removal]:
    """The losses, without what is claimed of them."""
    return [
        replace(removal, lost=claims.unclaimed(removal))
        for removal in removals
        if not claims.names_spoke(removal.spoke)
    ]


def _losses(removal: Removal, claims: Claims) -> Iterator[tuple[Subject, Iterable[Lost]]]:
    """What has to be acknowledged of one spoke, and is not."""
    if claims.names_spoke(removal.spoke):
        return
    if removal.loss is Loss.SPOKE:
        yield Subject(Loss.SPOKE, renamed_to=removal.renamed_to), removal.lost
        return
    left = claims.unclaimed(removal)
    if removal.loss is Loss.DELIVERY:
        yield from ((Subject(Loss.DELIVERY, guarded=item.guarded), (item,)) for item in left)
    elif removal.loss is Loss.PART:
        yield from _parts(removal, left)
    elif left:
        yield Subject(Loss.EMPTIED), removal.lost


def _parts(removal: Removal, left: Iterable[Lost]) -> Iterator[tuple[Subject, Iterable[Lost]]]:
    """What has to be acknowledged of a spoke that keeps some of its objects."""
    going = tuple(item for item in left if not (item.stays or item.needed_by))
    is_large = len(going) >= _FEWEST and 100 * len(going) > LARGE_PERCENTAGE * removal.total
    if is_large:
        refs = tuple(item.ref for item in going)
        yield Subject(Loss.PART, refs, total=removal.total), going
    for item in left:
        if item.guarded and not is_large:
            yield Subject(Loss.PART, guarded=item.guarded), (item,)
        elif item.needed_by:
            yield Subject(Loss.PART, (item.ref,), needed_by=item.needed_by), (item,)
        elif item.security and (item.stays or not is_large):
            refs = item.goes_with or (item.ref,)
            goes_with = bool(item.goes_with)
            yield Subject(Loss.PART, refs, goes_with=goes_with, stays=item.stays), (item,)


def _namesakes(removals: Iterable[Removal]) -> frozenset[Ref]:
    """The objects that only their group tells from another that goes."""
    groups: dict[str, set[Ref]] = {}
    for removal in removals:
        for item in removal.lost:
            groups.setdefault(wording.claim(item.ref, with_group=False), set()).add(item.ref)
    return frozenset(ref for refs in groups.values() if len(refs) > 1 for ref in refs)


def _claim(entry: Acknowledgement) -> str:
    return "@".join(filter(None, (entry.ref, entry.spoke)))


def _unknown(text: str, removals: Sequence[Removal]) -> Result:
    near = _near(text, removals, "what would go is")
    return UNKNOWN_DELETION.result(
        f"--allow-delete={text} names nothing that would go",
        cure=near or "leave it out: nothing would go",
    )


def _near(text: str, removals: Iterable[Removal], listed_as: str = "") -> str:
    """What would go under a similar name, as a question; else what would, if told how to say it.

    The same object on another spoke, or of another group, is as near as can be.
    """
    named = ObjectName.read(text)
    known: set[str] = set()
    for removal in removals:
        known.add(removal.spoke)
        for item in removal.lost:
            claim = wording.claim(item.ref, with_group=False)
            told = f"{claim}@{removal.spoke}" if "@" in text else claim
            if named is not None and replace(named, group=None).names(item.ref):
                return f'did you mean "{told}"?'
            known.add(told)
    return did_you_mean(text, known, listed_as)
