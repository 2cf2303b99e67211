"""The losses that nobody has acknowledged: each refused once, with what would acknowledge it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from msgspec.structs import replace

from spokerender.findings.codes.shipping import STALE_ACKNOWLEDGEMENT, UNKNOWN_DELETION
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import INFO, Result
from spokerender.model import ObjectName, Origin, Ref
from spokerender.review.guard.losses import Loss, LostObject, Removal
from spokerender.review.guard.messages import (
    LARGE_PERCENTAGE,
    RefusalGroup,
    RefusalSubject,
    format_claim,
    make_refusal,
)

_FEWEST = 2
"""The fewest objects that count as a large part of a tree: who removes one object knows."""


class Acknowledgement(Protocol):
    """An entry of the fleet file's `spec.deletions`: an object, a spoke, or one on the other."""

    @property
    def ref(self) -> str | None:
        """The object, as Kind/namespace/name."""

    @property
    def spoke(self) -> str | None:
        """The spoke."""


class _Claims:
    """The spokes and objects that somebody has said may go.

    A text that is no object's name is a spoke with everything on it.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = {text: ObjectName.read(text) for text in texts}
        self._objects: dict[str, list[ObjectName]] = {}
        for name in self._texts.values():
            if name is not None:
                self._objects.setdefault(name.name, []).append(name)

    def unclaimed(self, removal: Removal) -> tuple[LostObject, ...]:
        """Return the losses of which neither the object is named nor all that it goes with."""
        return tuple(
            item
            for item in removal.lost
            if not (item.replaced or self._names_object(item, removal.spoke))
        )

    def names_spoke(self, spoke: str) -> bool:
        """Return whether the whole spoke is named."""
        return spoke in self._texts and self._texts[spoke] is None

    def unused(self, removals: Iterable[Removal]) -> Iterator[str]:
        """Return the claims, as they were written, that name nothing that would go."""
        spokes: set[str] = set()
        objects: set[ObjectName] = set()
        for removal in removals:
            spokes.add(removal.spoke)
            for item in removal.lost:
                objects.update(self._names_of(item.ref, removal.spoke))
        return (
            text
            for text, name in self._texts.items()
            if (text not in spokes if name is None else name not in objects)
        )

    def _names_object(self, item: LostObject, spoke: str) -> bool:
        if self._names_of(item.ref, spoke):
            return True
        return bool(item.goes_with) and all(self._names_of(ref, spoke) for ref in item.goes_with)

    def _names_of(self, ref: Ref, spoke: str) -> list[ObjectName]:
        names = self._objects.get(ref.name, ())
        return [name for name in names if name.spoke in ("", spoke) and name.names(ref)]


def refuse_removals(
    removals: Sequence[Removal],
    allowed: Sequence[str] = (),
    acknowledged: Sequence[Acknowledgement] = (),
    *,
    is_built: bool = False,
) -> tuple[Result, ...]:
    """Return errors for the losses that nobody has acknowledged, and for what need not be allowed.

    A spoke that goes has to be named itself. Where only objects go it is enough to name them, or
    the topmost ones that they depend on; it is a large part that goes if what is left is one.

    Args:
        removals: what would go.
        allowed: what `--allow-delete` names: `<spoke>`, `<kind>/<namespace>/<name>` (or
            `<kind>.<group>/…`), or the latter with `@<spoke>`.
        acknowledged: the fleet file's entries.
        is_built: the change is on disk already, so that only the fleet file can allow it.

    """
    claims = _Claims([*allowed, *map(_claim, acknowledged)])
    groups: dict[RefusalSubject, RefusalGroup] = {}
    for removal in removals:
        for subject, lost in _losses(removal, claims):
            groups.setdefault(subject, RefusalGroup()).add(removal.spoke, lost)
    namesakes = _namesakes(removals)
    refusals = (
        make_refusal(subject, group, namesakes, is_built=is_built)
        for subject, group in groups.items()
    )
    unknown = (_refuse_unknown(text, removals) for text in _Claims(allowed).unused(removals))
    return (*refusals, *unknown)


def find_stale_acknowledgements(
    removals: Sequence[Removal],
    acknowledged: Sequence[Acknowledgement],
    at: Callable[..., Origin],
) -> tuple[Result, ...]:
    """Report the fleet file's entries that name nothing that would go.

    An entry that is similar to something that would go unacknowledged is a wrong name, so a
    warning; any other one has been used, or will be. `at` returns where a field of the fleet file
    is written.
    """
    claims = _Claims(map(_claim, acknowledged))
    unused = set(claims.unused(removals))
    unclaimed = [
        replace(removal, lost=claims.unclaimed(removal))
        for removal in removals
        if not claims.names_spoke(removal.spoke)
    ]
    results = []
    for index, entry in enumerate(acknowledged):
        if _claim(entry) in unused:
            suggestion = _suggest(_claim(entry), unclaimed)
            result = STALE_ACKNOWLEDGEMENT.result(
                f"{_claim(entry)} is acknowledged, and nothing that this names would go",
                cure=suggestion or "remove it if it has been used: it would allow that again",
                field=f"spec.deletions[{index}]",
                origin=at("spec", "deletions", index),
                severity=None if suggestion else INFO,
            )
            results.append(result)
    return tuple(results)


def find_misnamed_acknowledgements(
    removals: Sequence[Removal],
    acknowledged: Sequence[Acknowledgement],
    at: Callable[..., Origin],
) -> tuple[Result, ...]:
    """Report only those of the stale acknowledgements that are wrong names."""
    stale = find_stale_acknowledgements(removals, acknowledged, at)
    return tuple(result for result in stale if result.severity is not INFO)


def _losses(
    removal: Removal, claims: _Claims
) -> Iterator[tuple[RefusalSubject, Iterable[LostObject]]]:
    """Yield what has to be acknowledged of one spoke, and is not."""
    if claims.names_spoke(removal.spoke):
        return
    if removal.loss is Loss.SPOKE:
        yield RefusalSubject(Loss.SPOKE, renamed_to=removal.renamed_to), removal.lost
        return
    unclaimed = claims.unclaimed(removal)
    if removal.loss is Loss.DELIVERY:
        for item in unclaimed:
            yield RefusalSubject(Loss.DELIVERY, guarded=item.guarded), (item,)
    elif removal.loss is Loss.PART:
        yield from _partial_losses(removal, unclaimed)
    elif unclaimed:
        yield RefusalSubject(Loss.EMPTIED), removal.lost


def _partial_losses(
    removal: Removal, unclaimed: Iterable[LostObject]
) -> Iterator[tuple[RefusalSubject, Iterable[LostObject]]]:
    """Yield what has to be acknowledged of a spoke that keeps some of its objects."""
    going = tuple(item for item in unclaimed if not (item.stays or item.needed_by))
    is_large = len(going) >= _FEWEST and 100 * len(going) > LARGE_PERCENTAGE * removal.total
    if is_large:
        refs = tuple(item.ref for item in going)
        yield RefusalSubject(Loss.PART, refs, total=removal.total), going
    for item in unclaimed:
        if item.guarded and not is_large:
            yield RefusalSubject(Loss.PART, guarded=item.guarded), (item,)
        elif item.needed_by:
            yield RefusalSubject(Loss.PART, (item.ref,), needed_by=item.needed_by), (item,)
        elif item.security and (item.stays or not is_large):
            refs = item.goes_with or (item.ref,)
            goes_with = bool(item.goes_with)
            yield RefusalSubject(Loss.PART, refs, goes_with=goes_with, stays=item.stays), (item,)


def _namesakes(removals: Iterable[Removal]) -> frozenset[Ref]:
    """Return the objects that differ from another one that goes in their group only."""
    refs_by_claim: dict[str, set[Ref]] = {}
    for removal in removals:
        for item in removal.lost:
            claim = format_claim(item.ref, with_group=False)
            refs_by_claim.setdefault(claim, set()).add(item.ref)
    return frozenset(ref for refs in refs_by_claim.values() if len(refs) > 1 for ref in refs)


def _claim(entry: Acknowledgement) -> str:
    return "@".join(filter(None, (entry.ref, entry.spoke)))


def _refuse_unknown(text: str, removals: Sequence[Removal]) -> Result:
    suggestion = _suggest(text, removals, "what would go is")
    return UNKNOWN_DELETION.result(
        f"--allow-delete={text} names nothing that would go",
        cure=suggestion or "leave it out: nothing would go",
    )


def _suggest(text: str, removals: Iterable[Removal], listed_as: str = "") -> str:
    """Ask for what would go under a similar name; otherwise list what would, after `listed_as`.

    The same object on another spoke, or of another group, is as similar as can be.
    """
    name = ObjectName.read(text)
    candidates: set[str] = set()
    for removal in removals:
        candidates.add(removal.spoke)
        for item in removal.lost:
            claim = format_claim(item.ref, with_group=False)
            candidate = f"{claim}@{removal.spoke}" if "@" in text else claim
            if name is not None and replace(name, group=None).names(item.ref):
                return f'did you mean "{candidate}"?'
            candidates.add(candidate)
    return did_you_mean(text, candidates, listed_as)
