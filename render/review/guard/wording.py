"""How losses are told: what would go, what it protected, and what to write if that is meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from render.formats import yamlio
from render.model import Ref
from render.review.guard.losses import Lost

_LISTED = 50


def spokes(names: Sequence[str]) -> str:
    """The spokes as a subject: `spoke eu-1`, `spokes eu-1 and eu-2`."""
    return f"spoke {names[0]}" if len(names) == 1 else f"spokes {_all(names)}"


def contents(kinds: Counter[str], items: Iterable[Lost]) -> str:
    """What is in trees that go: objects, counted by kind, and what policies protect there."""
    count = kinds.total()
    if not count:
        return "no object"
    counted = _all([f"{number} {kind}" for kind, number in sorted(kinds.items())])
    told = f"{_objects(count)} ({counted})"
    policies = [item for item in items if item.security]
    return f"{told}, among them {protection(policies)}" if policies else told


def part(items: Sequence[Lost], total: int) -> str:
    """A large part of a tree: every object by name, and what the policies among them protect."""
    others = [str(item.ref) for item in items if not item.security]
    policies = protection(item for item in items if item.security)
    told = "; ".join(filter(None, (_all(others) if others else "", policies)))
    return f"{len(items)} of {_objects(total)}: {told}"


def protection(policies: Iterable[Lost]) -> str:
    """Policies with what each protects: `AuthPolicy shop/a, which protects Gateway shop/b`."""
    protected: dict[Ref, dict[str, None]] = {}
    for item in policies:
        protected.setdefault(item.ref, {}).update(dict.fromkeys(item.unprotected))
    texts = [
        f"{ref}, which protects {_all(list(targets))}" if targets else str(ref)
        for ref, targets in protected.items()
    ]
    return "; ".join(_shortened(texts))


def policy(items: Sequence[Lost]) -> str:
    """What becomes of one policy: it goes from some spokes, or stays there and protects less."""
    kind, stays = items[0].ref.kind, items[0].stays
    targets = list(dict.fromkeys(target for item in items for target in item.unprotected))
    if stays:
        return f"would no longer protect {_all(targets)}, and no other {kind} does"
    return f"would go, and no other {kind} protects {_all(targets)}" if targets else "would go"


def refs(names: Iterable[Ref]) -> str:
    """Objects by name."""
    return _all(list(map(str, names)))


def claim(ref: Ref, *, with_group: bool) -> str:
    """An object as `--allow-delete` and the fleet file name it."""
    kind = f"{ref.kind}.{ref.group}" if with_group and ref.group else ref.kind
    return "/".join(part for part in (kind, ref.namespace, ref.name) if part)


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


def _objects(count: int) -> str:
    return f"{count} object{'' if count == 1 else 's'}"


def _all(texts: Sequence[str]) -> str:
    *first, last = _shortened(texts)
    return f"{', '.join(first)} and {last}" if first else last


def _shortened(texts: Sequence[str]) -> list[str]:
    rest = len(texts) - _LISTED
    return [*texts[:_LISTED], f"{rest} more"] if rest > 0 else list(texts)
