"""The scales that say which values of a kind are stricter: the row's own, and implied scales."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from spokerender.judging.effective.constants import refuses_all
from spokerender.judging.effective.guarding import ANY_RULE
from spokerender.kinds.columns import About, Guarding, More, Scale, Traits
from spokerender.kinds.fields import EACH_ITEM, EACH_VALUE, find_values, split_pattern
from spokerender.kinds.kind import Kind
from spokerender.model import FieldPath


def traits_of_policies(kind: Kind) -> Traits:
    """Return a kind's traits; if a security kind lists no restricting fields, all fields count."""
    if kind.traits.guarding or not kind.security:
        return kind.traits
    return replace(kind.traits, guarding=(ANY_RULE,))


@lru_cache
def select_parts(traits: Traits, about: About) -> Traits:
    """Return the traits with only the fields that restrict one subject, such as access."""
    parts = (*traits.guarding, *traits.besides)
    return replace(traits, guarding=tuple(part for part in parts if part.about == about))


@lru_cache
def list_scales(traits: Traits) -> tuple[tuple[tuple[str, ...], Scale], ...]:
    """Return (split field pattern, scale): first the row's scales, then those that it implies."""
    scales = list(traits.scales)
    for part in (*traits.guarding, *traits.besides):
        if part.rules and part.several:
            more: More = "weaker" if part.several == "any" else "stricter"
            scales.append(Scale(_above(part.rules), part.about, entries=more))
        for name in part.when:  # a further condition makes the rule apply to fewer requests
            field = f"{part.rules or part.field}.{name}".removesuffix(EACH_ITEM)
            scales.append(Scale(field, part.about, entries="weaker", conditions="all"))
        rule = part.rules or part.field
        scales += [
            Scale(f"{rule}.{name}", part.about, entries="stricter", conditions="all")
            for name in part.asks
        ]
    abouts = {part.about for part in traits.guarding}
    for name in traits.conditions:
        about: About = next(iter(abouts)) if len(abouts) == 1 else "access"
        field = name.removesuffix(EACH_ITEM)
        scales.append(Scale(field, about, entries="weaker", conditions="all"))
    scales += [Scale(_above(name), entries="stricter") for name in traits.narrowing]
    return tuple((split_pattern(scale.field), scale) for scale in scales)


def _above(pattern: str) -> str:
    return pattern.removesuffix(EACH_ITEM).removesuffix(f".{EACH_VALUE}")


def leads_to(pattern: Sequence[str], path: Sequence[str | int]) -> bool:
    """Return whether a pattern matches exactly this field path."""
    return len(pattern) == len(path) and all(
        part in (step, EACH_VALUE) or (part == EACH_ITEM and isinstance(step, int))
        for part, step in zip(pattern, path, strict=True)
    )


def refuses_every_request(traits: Traits, spec: Mapping[str, Any]) -> bool:
    """Return whether a rule that all requests have to pass refuses every request."""
    if any(find_values(spec, name) for name in traits.conditions):
        return False
    for part in (*traits.guarding, *traits.besides):
        for _, rule in find_values(spec, part.rules) if part.several == "all" else ():
            asked = [value for name in part.asks for _, value in find_values(rule, name)]
            conditions = [value for name in part.when for _, value in find_values(rule, name)]
            if not conditions and any(map(refuses_all, asked)):
                return True
    return False


def is_opening(part: Guarding, path: FieldPath) -> bool:
    """Return whether a field is in a condition that disables the restriction `part` (`unless`)."""
    return any(leads_to(split_pattern(name), path) for item in part.unless for name, _ in item)
