"""The part of a change's consequences that the guard refuses, or warns of.

An error is refused unless somebody acknowledged it. Of requests that get no answer any more `build`
warns alone: who takes a route away has seen that, and a review refuses it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.codes.shipping import DELETION, NARROWED, OPENED, UNSERVED_HOSTNAME
from spokerender.findings.phrasing import listed
from spokerender.findings.results import ERROR, WARNING, FindingKind, Result
from spokerender.model import Origin, Ref, grouped
from spokerender.review.guard.claims import Claims, Losses
from spokerender.review.guard.messages import foretell_cure, list_claims, write_cure
from spokerender.review.values import GOES, Consequence, LossName

_WARNED: Mapping[str, FindingKind] = {
    codes.ACCESS_WEAKENED.code: NARROWED,
    codes.LIMIT_RAISED.code: NARROWED,
    codes.ENCRYPTION_WEAKENED.code: NARROWED,
    codes.NEWLY_PUBLIC.code: OPENED,
}
"""The guard's codes of what it warns of."""
_UNANSWERED = frozenset(kind.code for kind in codes.UNANSWERED)
_SHOWN = 4
"""The number of paths and of consequences that one message names."""


def filter_consequences(consequences: Iterable[Consequence]) -> tuple[Consequence, ...]:
    """Return what is refused or warned of: of limits, not those that are raised."""
    return tuple(
        item
        for item in consequences
        if item.losses
        or (
            item.severity is WARNING
            and item.result.code in _WARNED
            and not (item.result.code == codes.LIMIT_RAISED.code and item.was and item.now)
        )
    )


def split_claimed(
    item: Consequence, claims: Claims, acknowledged: Collection[tuple[str, Ref]] = ()
) -> tuple[tuple[LossName, ...], tuple[LossName, ...]]:
    """Return how an error is acknowledged on the spokes where nobody did, and where somebody did.

    Of each spoke that is the first of its names. `acknowledged` are deleted objects, by spoke.
    """
    sides: tuple[list[LossName], list[LossName]] = ([], [])
    for names in grouped((name.spoke, name) for name in item.losses).values():
        is_claimed = any(
            claims.has(it) or (it.lost == GOES and (it.spoke, it.ref) in acknowledged)
            for it in names
        )
        sides[is_claimed].append(names[0])
    return tuple(sides[0]), tuple(sides[1])


def refuse_consequences(
    losses: Losses,
    claims: Claims,
    going: Collection[tuple[str, Ref]],
    *,
    is_built: bool,
    output: str = "",
) -> Iterator[Result]:
    """Yield the errors that nobody has acknowledged; those of one cause and spokes are one.

    `going` are deleted objects, by spoke, that are refused already, or acknowledged. `output` is
    the folder that a build writes although it is warned.
    """
    refused: dict[tuple[bool, tuple[LossName, ...]], list[Consequence]] = {}
    for item in losses.consequences:
        left, _ = split_claimed(item, claims, going)
        if left:
            is_unanswered = item.result.code in _UNANSWERED
            refused.setdefault((is_unanswered, left), []).append(item)
    for (is_unanswered, names), items in refused.items():
        goes = "would go: " if all(name.lost == GOES for name in names) else ""
        named = list_claims(names)
        is_foretold = is_unanswered and not is_built and output
        subject = f"{names[0].ref} " * (not goes)  # which the finding names itself
        message = f"{goes}{listed(map(_describe, items), _SHOWN, '; ')}"
        yield (UNSERVED_HOSTNAME if is_unanswered else DELETION).result(
            message.removeprefix(subject),
            cure=foretell_cure(named, output)
            if is_foretold
            else write_cure(named, is_built=is_built or is_unanswered),
            resource=names[0].ref,
            origin=next(_list_lines(items), None),
            spokes=tuple(dict.fromkeys(name.spoke for name in names)),
            severity=WARNING if is_unanswered and not is_built else None,
        )


def _list_lines(items: Sequence[Consequence]) -> Iterator[Origin]:
    """Yield the lines of causes."""
    lines = (item.result.origin for item in items)
    return (line for line in lines if line is not None and line.path)


def _describe(item: Consequence) -> str:
    """Write a consequence with its paths and an example."""
    paths = f" ({listed(item.paths, _SHOWN)})" if item.paths else ""
    example = f", for example {item.example}" if item.example else ""
    return f"{item.result.message}{paths}{example}"


def warn_of_consequences(losses: Losses) -> Iterator[Result]:
    """Yield what is weaker, or new and open, and need not be acknowledged."""
    for item in losses.consequences:
        kind = _WARNED.get(item.result.code)
        if kind is not None and item.severity is not ERROR:
            line = next(_list_lines([item]), None)
            message = _describe(item).removeprefix(f"{item.result.resource} ")
            yield replace(item.result, code=kind.code, message=message, origin=line)
