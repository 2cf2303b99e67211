"""What is told of a whole fleet: each finding once, with the spokes that it concerns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from render.findings.codes.placement import EMPTY_SPOKE
from render.findings.codes.shipping import NOT_SHIPPED, UNLISTED_POLICY
from render.findings.filling import fill_result
from render.findings.results import Result
from render.model import Ref, Spoke, slots
from render.rendering import overrides
from render.rendering.values.bundles import Blueprint, Bundle
from render.rendering.values.placement import Override
from render.topology.hub import Hub


def of_fleet(
    hub: Hub, bundles: Sequence[Bundle], declared: Sequence[Override], used: set[int]
) -> tuple[Result, ...]:
    """Everything that the spokes' bundles have to tell, and what only the whole fleet shows."""
    told = _of_bundles(bundles)
    return (
        *told,
        *(
            overrides.unused(override)
            for override in declared
            if override.number not in used and not override.model.optional
        ),
        *_not_shipped(hub, bundles, {r.resource for r in told if r.code in _LEFT_BEHIND}),
        *_empty_spokes(bundles),
    )


_LEFT_BEHIND = {UNLISTED_POLICY.code}


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """A finding of one bundle; `key` is equal where only the spokes' own values differ."""

    result: Result
    bundle: Bundle
    key: Result


def _of_bundles(bundles: Iterable[Bundle]) -> tuple[Result, ...]:
    found = [(bundle, bundle.blueprint.results) for bundle in bundles]
    own = ((bundle, result) for bundle, _ in found for result in bundle.results)
    return _once((*_of_cases(found), *(_Told(result, bundle, result) for bundle, result in own)))


def of_cases(found: Iterable[tuple[Bundle, Iterable[Result]]]) -> tuple[Result, ...]:
    """What was found of the bundles' blueprints, told once; texts may hold slots."""
    return _once(_of_cases(found))


def of_objects(found: Iterable[tuple[Bundle, Result]]) -> tuple[Result, ...]:
    """What was found of objects with the spokes' own values in them, told once."""
    return _once(_Told(result, b, _without_values(result, b.spoke)) for b, result in found)


def _once(found: Iterable[_Told]) -> tuple[Result, ...]:
    """Findings that differ in the spokes' own values only are one; it shows those of the first."""
    concerned: dict[Result, list[_Told]] = {}
    for told in found:
        concerned.setdefault(told.result, []).append(told)
    return tuple(
        replace(
            fill_result(first.result, first.bundle.values),
            spokes=tuple(dict.fromkeys(told.bundle.spoke.name for told in (first, *others))),
        )
        for first, *others in _joined(concerned.values())
    )


def _of_cases(found: Iterable[tuple[Bundle, Iterable[Result]]]) -> Iterator[_Told]:
    for bundle, results in found:
        in_the_open = bundle.blueprint.has_errors and not bundle.values
        for result in results:
            key = _without_values(result, bundle.spoke) if in_the_open else result
            yield _Told(result, bundle, key)


def _joined(groups: Iterable[list[_Told]]) -> list[list[_Told]]:
    """Groups of equal findings, those that share a key joined."""
    found: list[list[_Told]] = []
    by_key: dict[Result, list[_Told]] = {}
    for group in groups:
        known = next((by_key[told.key] for told in group if told.key in by_key), None)
        if known is None:
            found.append(known := [])
        known += group
        by_key.update((told.key, known) for told in group)
    return found


def _without_values(result: Result, spoke: Spoke) -> Result:
    """The finding with a blank for every value of the spoke, to tell what it shares with others."""
    values = {*slots.strings_in(dict(spoke.values)), spoke.name} - {""}
    longest_first = sorted(values, key=len, reverse=True)
    own = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(map(re.escape, longest_first))})(?![A-Za-z0-9])")
    return replace(result, message=own.sub("\0", result.message), cure=own.sub("\0", result.cure))


def _blueprints(bundles: Iterable[Bundle]) -> tuple[Blueprint, ...]:
    return tuple(dict.fromkeys(bundle.blueprint for bundle in bundles))


def _not_shipped(
    hub: Hub, bundles: Sequence[Bundle], explained: set[Ref | None]
) -> tuple[Result, ...]:
    """One finding for every hub object that is on no spoke and that nothing else was said of."""
    blueprints = _blueprints(bundles)
    shipped = {variant.manifest.ref for blueprint in blueprints for variant in blueprint.variants}
    left = [
        (index, manifest)
        for index, manifest in enumerate(hub.manifests)
        if manifest.ref not in shipped and manifest.ref not in explained
    ]
    return tuple(
        NOT_SHIPPED.result(
            f"not shipped: {_reasons(index, blueprints)}",
            resource=manifest.ref,
            origin=manifest.origin,
        )
        for index, manifest in left
    )


def _reasons(index: int, blueprints: Iterable[Blueprint]) -> str:
    reasons = dict.fromkeys(blueprint.outcomes[index].reason for blueprint in blueprints)
    return "; ".join(reasons) or "no spoke is declared"


def _empty_spokes(bundles: Iterable[Bundle]) -> tuple[Result, ...]:
    return tuple(
        EMPTY_SPOKE.result(
            f"spoke {bundle.spoke.name} gets nothing; its folder stays, with an empty list",
            cure="name the spoke in a rule, or take it out of the placement",
            origin=bundle.spoke.origin,
            spokes=(bundle.spoke.name,),
        )
        for bundle in bundles
        if not bundle.blueprint.variants
    )
