"""How losses are told: what would go, what it protected, and what to write if that is meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from spokerender.findings.words import count, joined, listed
from spokerender.formats import yamlio
from spokerender.model import ObjectName, Ref
from spokerender.review.guard.losses import Lost

_LISTED = 50


def spokes(names: Sequence[str]) -> str:
    """The spokes as a subject: `spoke eu-1`, `spokes eu-1 and eu-2`."""
    return f"spoke {names[0]}" if len(names) == 1 else f"spokes {joined(names, _LISTED)}"


def contents(kinds: Counter[str], items: Iterable[Lost]) -> str:
    """What is in trees that go: objects, counted by kind, and what policies protect there."""
    if not kinds:
        return "no object"
    counted = joined((f"{number} {kind}" for kind, number in sorted(kinds.items())), _LISTED)
    text = f"{count(kinds.total(), 'object')} ({counted})"
    policies = [item for item in items if item.security]
    return f"{text}, among them {protection(policies)}" if policies else text


def part(items: Sequence[Lost], total: int) -> str:
    """A large part of a tree: every object by name, and what the policies among them protect."""
    others = [str(item.ref) for item in items if not item.security]
    policies = protection(item for item in items if item.security)
    text = "; ".join(filter(None, (joined(others, _LISTED) if others else "", policies)))
    return f"{len(items)} of {count(total, 'object')}: {text}"


def protection(policies: Iterable[Lost]) -> str:
    """Policies with what each protects: `AuthPolicy shop/a, which protects Gateway shop/b`."""
    protected: dict[Ref, dict[str, None]] = {}
    for item in policies:
        protected.setdefault(item.ref, {}).update(dict.fromkeys(item.unprotected))
    texts = [
        f"{ref}, which protects {joined(targets, _LISTED)}" if targets else str(ref)
        for ref, targets in protected.items()
    ]
    return listed(texts, _LISTED, "; ")


def policy(items: Sequence[Lost]) -> str:
    """What becomes of one policy: it goes from some spokes, or stays there and protects less."""
    kind, stays = items[0].ref.kind, items[0].stays
    targets = list(dict.fromkeys(target for item in items for target in item.unprotected))
    if stays:
        return f"would no longer protect {joined(targets, _LISTED)}, and no other {kind} does"
    return (
        f"would go, and no other {kind} protects {joined(targets, _LISTED)}"
        if targets
        else "would go"
    )


def refs(names: Iterable[Ref]) -> str:
    """Objects by name."""
    return joined(names, _LISTED)


def claim(ref: Ref, *, with_group: bool) -> str:
    """An object as `--allow-delete` and the fleet file name it."""
    return str(ObjectName.of(ref, with_group=with_group))


def cure(claims: Collection[tuple[str, str]], *, is_built: bool) -> str:
    """What to do if the loss is meant; each claim is an object and a spoke, either may be empty.

    Where the change has been built there is nothing that a build could be allowed.
    """
    entries = [
        {key: text for key, text in (("ref", ref), ("spoke", spoke)) if text}
        | {"reason": "why it may go"}
        for ref, spoke in claims
    ]
    fleet_file = yamlio.emit({"spec": {"deletions": entries}})
    if is_built:
        return f"if that is meant, add to fleet.yaml:\n{fleet_file}"
    flags = " ".join(
        f"--allow-delete={'@'.join(filter(None, (ref, spoke)))}" for ref, spoke in claims
    )
    return f"if that is meant, build with {flags} --reason=WHY, or add to fleet.yaml:\n{fleet_file}"
