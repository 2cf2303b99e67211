"""The consequences of a change that the guard refuses or warns of.

An error is refused unless somebody acknowledged it. If requests are no longer served, `build` only
warns: who removes a route knows that. A review refuses it.
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
"""The consequences that the guard warns of, with the guard's codes for them."""
_UNANSWERED = frozenset(kind.code for kind in codes.UNANSWERED)
_SHOWN = 4
"""The number of paths and of consequences that one message names."""


def filter_consequences(consequences: Iterable[Consequence]) -> tuple[Consequence, ...]:
    """Return the consequences to refuse or warn of; raised limits only if they are errors."""
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
    """Return one name (`LossName`) for each spoke of an error: unacknowledged, and acknowledged.

    `acknowledged` are spokes and objects whose deletion is acknowledged.
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
    """Yield a finding for consequences that nobody has acknowledged; equal losses share one.

    `going` are deleted objects, by spoke, that are already refused or acknowledged. `output` is the
    folder that a build writes in spite of a warning.
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
    """Yield the file and line of each cause."""
    lines = (item.result.origin for item in items)
    return (line for line in lines if line is not None and line.path)


def _describe(item: Consequence) -> str:
    """Return a text for a consequence, with its paths and an example."""
    paths = f" ({listed(item.paths, _SHOWN)})" if item.paths else ""
    example = f", for example {item.example}" if item.example else ""
    return f"{item.result.message}{paths}{example}"


def warn_of_consequences(losses: Losses) -> Iterator[Result]:
    """Yield warnings about weaker protection or new open paths that need no acknowledgement."""
    for item in losses.consequences:
        kind = _WARNED.get(item.result.code)
        if kind is not None and item.severity is not ERROR:
            line = next(_list_lines([item]), None)
            message = _describe(item).removeprefix(f"{item.result.resource} ")
            yield replace(item.result, code=kind.code, message=message, origin=line)
