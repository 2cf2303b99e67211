"""Two routes for the same requests: the older one takes all of them (HTTPRoute, `matches`).

Where something else is in force on the other one, who is older decides what guards the requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import ERROR, Result
from spokerender.judging.advice.context import SpokeView
from spokerender.judging.advice.words import some
from spokerender.judging.effective.model import EffectivePolicy
from spokerender.kinds import Kind
from spokerender.model import Ref
from spokerender.topology import RequestPath, equal_routes
from spokerender.topology.equals import Requests
from spokerender.topology.precedence import Orders, orders

InForce = Mapping[tuple[Ref, ...], Mapping[str, EffectivePolicy]]
"""What is in force by path and by kind."""


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each route of which an equal one may take all, with both outcomes."""
    contended = equal_routes(view.topology, view.hub_topology)
    in_force = _in_force(view) if contended else {}
    told: set[tuple[Ref, Ref]] = set()
    alike = Alike()
    for requests, on in contended.items():
        found = orders(on, view.topology.ages)
        first = found.likely[0]
        for other in found.likely[1:]:
            if (first, other) in told:
                continue
            kinds = _differing(view, on[first], on[other], in_force, alike)
            if kinds:
                told.add((first, other))
                paths = on[first], on[other]
                outcomes = tuple(_outcome(path, kinds, in_force) for path in paths)
                is_security = any(kind.security for kind in kinds)
                when = _when(first, outcomes, found)
                at_stake = _policies(paths, kinds, in_force)
                result = _told(view, requests, paths, when, is_security=is_security)
                yield replace(result, also=tuple(sorted(map(view.hub, at_stake))))


class Alike:
    """Whether the same rules are in force here and there; outcomes are compared once."""

    def __init__(self) -> None:
        """They are known by their ids: the view that has them has to stay."""
        self._known: dict[tuple[int, int], bool] = {}

    def are(self, one: EffectivePolicy | None, other: EffectivePolicy | None) -> bool:
        """Of two paths; what is in force on neither is alike."""
        outcomes = [each.likely if each is not None else None for each in (one, other)]
        key = id(outcomes[0]), id(outcomes[1])
        if key not in self._known:
            self._known[key] = key[0] == key[1] or _said(one) == _said(other)
        return self._known[key]


def _policies(
    paths: Iterable[RequestPath], kinds: Iterable[Kind], in_force: InForce
) -> frozenset[Ref]:
    """The policies of these kinds that are in force on one of the paths."""
    found = (in_force.get(path.levels, {}).get(kind.kind) for path in paths for kind in kinds)
    return frozenset(ref for each in found if each is not None for ref in each.likely.policies)


def _in_force(view: SpokeView) -> InForce:
    found: dict[tuple[Ref, ...], dict[str, EffectivePolicy]] = {}
    for effective in view.effective:
        if effective.path.route is not None and effective.path.backend is None:
            found.setdefault(effective.path.levels, {})[effective.kind] = effective
    return found


def _differing(
    view: SpokeView, one: RequestPath, other: RequestPath, in_force: InForce, alike: Alike
) -> tuple[Kind, ...]:
    """The kinds of which something else is in force on the one path than on the other."""
    here, there = (in_force.get(path.levels, {}) for path in (one, other))
    kinds = {name: view.kind(each) for name, each in {**here, **there}.items()}
    return tuple(
        kinds[name] for name in sorted(kinds) if not alike.are(here.get(name), there.get(name))
    )


def _said(effective: EffectivePolicy | None) -> list[tuple[str, object]]:
    rules = effective.likely.rules if effective is not None else ()
    return [(rule.key, rule.value) for rule in rules]


def _when(first: Ref, outcomes: tuple[str, ...], found: Orders) -> str:
    """Who is older, and what is in force then; both outcomes where files can't tell."""
    if found.is_certain:
        return f"That is {first}, and {outcomes[0]}"
    return (
        f"Made in one apply that is {first}, the first by name, and {outcomes[0]}; else "
        f"{outcomes[1]}. Files can't tell"
    )


def _told(
    view: SpokeView,
    requests: Requests,
    paths: tuple[RequestPath, RequestPath],
    when: str,
    *,
    is_security: bool,
) -> Result:
    section, _, hostname, _ = requests
    first, other = (path.levels[-1] for path in paths)
    return view.result(
        codes.SHADOWED,
        other.whole,
        f"requests for {hostname} on {section} that {other} is for are those of {first} as well, "
        f"and the older route takes all of them. {when}",
        "let one route have them, or let the same policies be on both",
        field="spec.rules",
        severity=ERROR if is_security else None,
    )


def _outcome(path: RequestPath, kinds: tuple[Kind, ...], in_force: InForce) -> str:
    """What is in force of these kinds: `AuthPolicy shop/a is in force, and no RateLimitPolicy`."""
    here = in_force.get(path.levels, {})
    parts = []
    for kind in kinds:
        policies = here[kind.kind].likely.policies if kind.kind in here else ()
        parts.append(some(policies) if policies else f"no {kind.kind}")
    return f"{' and '.join(parts)} {'are' if len(parts) > 1 else 'is'} in force"
