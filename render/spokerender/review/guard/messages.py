"""The text of a refusal: equal losses of several spokes, and how to acknowledge them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from spokerender.findings.codes.shipping import DELETION
from spokerender.findings.phrasing import count, joined
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.formats.yamlio.emit import flow
from spokerender.model import ObjectName, grouped
from spokerender.review.guard.claims import Claim, Loss, Removal, place_of
from spokerender.review.values import OPENS, UNSERVED, LossName, LostObject

LARGE_PERCENTAGE = 30
"""The percentage of a tree whose deletion must be acknowledged (octoDNS: the same for a zone)."""
_LISTED = 50


def make_refusal(parts: Sequence[Removal], *, is_built: bool) -> Result:
    """Return the error for equal losses of spokes; each part has the losses of one spoke."""
    first, spokes = parts[0], tuple(dict.fromkeys(part.spoke for part in parts))
    lost = grouped((item, place_of(part)) for part in parts for item in part.lost)
    if first.loss is Loss.SPOKE:
        claims = [Claim(None, spokes)]
    else:
        # The topmost deleted objects are the narrowest claims that cover all of them.
        claims = list_claims(
            LossName(place, ref, item.lost)
            for item, places in lost.items()
            for ref in item.goes_with or (item.ref,)
            for place in places
        )
    return DELETION.result(
        _message(first, spokes, lost),
        cure=write_cure(claims, is_built=is_built),
        origin=next((part.origin for part in parts if part.origin is not None), None),
        spokes=() if first.loss is Loss.DELIVERY else spokes,
    )


def _message(first: Removal, spokes: Sequence[str], lost: Mapping[LostObject, list[str]]) -> str:
    names = f"spoke {spokes[0]}" if len(spokes) == 1 else f"spokes {joined(spokes, _LISTED)}"
    if first.left:
        text = f"{first.left}, where the output was, would lose {_describe_contents(lost)}"
        return f"{names}: {text}: keep it until nothing is applied from there any more"
    if first.loss is Loss.SPOKE:
        # A spoke's folder is what Argo CD's generator and Flux's `path` know it by.
        rename = (
            f"; all of it is in the new folder {first.renamed_to}, so this looks like a rename, "
            "but what was applied from the old folder would be pruned"
        )
        text = f"{names} would be removed, with {_describe_contents(lost)}"
        return text + (rename if first.renamed_to else "")
    objects = joined((item.ref for item in lost), _LISTED)
    if first.total:
        part = f"{len(lost)} of {count(first.total, 'object')}: {objects}"
        return f"more than {LARGE_PERCENTAGE} % would be deleted, {part}"
    return f"{objects} would {'change' if first.lost[0].stays else 'go'}: {first.lost[0].guarded}"


def _describe_contents(lost: Mapping[LostObject, list[str]]) -> str:
    """Return the number of objects, in total and by kind, as text."""
    kinds = Counter(item.ref.kind for item, spokes in lost.items() for _ in spokes)
    if not kinds:
        return "no object"
    counts = (f"{number} {kind}" for kind, number in sorted(kinds.items()))
    return f"{count(kinds.total(), 'object')} ({joined(counts, _LISTED)})"


def list_claims(names: Iterable[LossName]) -> list[Claim]:
    """Return claims that cover these losses, joined by object."""
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


def find_option(lost: str) -> str:
    """Return the option of `build` that allows a kind of loss (`goes`, `opens` or `unserved`)."""
    return {OPENS: "--allow-open", UNSERVED: "--allow-unserved"}.get(lost, "--allow-delete")


def _flags(claim: Claim) -> Iterator[str]:
    option = find_option(claim.lost)
    spokes = [spoke for spoke in claim.spokes or () if spoke]
    if claim.name is None:
        yield from (f"{option}={spoke}" for spoke in spokes)
    else:
        yield f"{option}={'@'.join(filter(None, (str(claim.name), ','.join(spokes))))}"


def write_cure(claims: Sequence[Claim], *, is_built: bool) -> str:
    """Return a text that says how to acknowledge losses.

    A change that is built already can't be allowed by a flag of `build`. If there are very many
    spokes, the text has flags without spokes, which allow the loss on any spoke.
    """
    if not is_built and all(
        claim.name is not None and len(claim.spokes or ()) > _LISTED for claim in claims
    ):
        return (
            f"if that is meant, on every spoke, build with {_write_flags(claims)} --reason=WHY, "
            "which adds the entries to fleet.yaml"
        )
    entries = _write_entries(claims)
    if is_built:
        return f"if that is meant, add to fleet.yaml:\n{entries}"
    flags = " ".join(flag for claim in claims for flag in _flags(claim))
    return f"if that is meant, build with {flags} --reason=WHY, or add to fleet.yaml:\n{entries}"


def foretell_cure(claims: Sequence[Claim], output: str) -> str:
    """Return the text for a loss that `build` lets pass and `check --against` refuses.

    `output` is the folder that the build has written by then.
    """
    return (
        "check --against refuses this until fleet.yaml has the entry below; add it by hand, or by\n"
        f"  git restore {output} && spokerender build {_write_flags(claims)} --reason=WHY\n"
        f"{_write_entries(claims)}"
    )


def _write_flags(claims: Iterable[Claim]) -> str:
    return " ".join(flag for claim in claims for flag in _flags(replace(claim, spokes=None)))


def _write_entries(claims: Iterable[Claim]) -> str:
    entries = (entry_of(replace(claim, reason="why this is meant")) for claim in claims)
    lines = (
        f"  {'  ' if number else '- '}{key}: {yamlio.scalars(value)}\n"
        for entry in entries
        for number, (key, value) in enumerate(entry.items())
    )
    return f"spec:\n  deletions:\n{''.join(lines)}"


def write_entries(names: Iterable[LossName]) -> str:
    """Return the entries that acknowledge losses as text; for many spokes, where to find them."""
    claims = [replace(claim, reason="why this is meant") for claim in list_claims(names)]
    if any(len(claim.spokes or ()) > _LISTED for claim in claims):
        return "to accept it, add what check --against says to spec.deletions of fleet.yaml"
    # Who only adds something does not look for a way to accept it among deletions.
    weakened = [claim.lost for claim in claims if claim.lost in (OPENS, UNSERVED)]
    note = f" (lost: {weakened[0]} accepts the weakening, and deletes nothing)" if weakened else ""
    entries = "".join(f"\n- {flow(entry_of(claim))}" for claim in claims)
    return f"to accept it, add to spec.deletions of fleet.yaml{note}:{entries}"
