"""What policies on one way come to, said a second time: one slow function for each process.

Read off what each controller does, and not off the vocabulary of `spokerender.kinds.merging`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.property.hubs import Object
from tests.property.ways import Level, Way

Units = dict[str, set[str]]
"""The parts of a policy, and the names of the policies that give each."""
Levels = Sequence[tuple[Level, Sequence[Object]]]
"""The levels of a way with the policies on each, the least specific level and the oldest first."""
Model = Callable[[Levels, Way], Units | None]
"""What is in force on a way; None where nobody can tell."""


@dataclass(frozen=True)
class Parts:
    """Where a kind has its parts: below which fields of `spec` each field is one of its own.

    A policy without any has those that are `implied`.
    """

    below: tuple[str, ...] = ("",)
    not_parts: tuple[str, ...] = ()
    implied: tuple[str, ...] = ()

    def of(self, spec: Mapping[str, Any]) -> list[str]:
        """The parts that a spec has."""
        found = []
        for key, value in spec.items():
            if key in (*_NAMING, *self.not_parts):
                continue
            if key in self.below and isinstance(value, dict):
                found += [f"{key}.{name}" for name in value]
            else:
                found.append(key)
        return found or [*self.implied]


_NAMING = ("targetRef", "targetRefs")


def name(policy: Object) -> str:
    """What a policy is called."""
    return str(policy["metadata"]["name"])


def _whole(parts: Parts, policy: Object) -> Units:
    return {part: {name(policy)} for part in parts.of(policy["spec"])}


def nearest(parts: Parts) -> Model:
    """One policy holds, whole: the oldest of the most specific level that has any."""

    def found(levels: Levels, _way: Way) -> Units:
        return _whole(parts, levels[-1][1][0]) if levels else {}

    return found


def every_equal(parts: Parts) -> Model:
    """The same, but of those that are of one age all are carried out (kuadrant-operator)."""

    def found(levels: Levels, _way: Way) -> Units:
        return _united(_whole(parts, policy) for policy in levels[-1][1]) if levels else {}

    return found


def asked(parts: Parts, field: str, *, only_authorization: bool = False) -> Model:
    """As `nearest`; a route's policy that asks is laid over the closest one above all routes."""

    def found(levels: Levels, way: Way) -> Units:
        if only_authorization and way.route is not None and way.route[0] == "TCPRoute":
            return _authorization(levels)
        if not levels:
            return {}
        (kind, *_), (holder, *_) = levels[-1]
        above = [held for place, held in levels if not place[0].endswith("Route")]
        if field in holder["spec"] and kind.endswith("Route") and above:
            return {**_whole(parts, above[-1][0]), **_whole(parts, holder)}
        return _whole(parts, holder)

    return found


def _authorization(levels: Levels) -> Units:
    """Of a TCPRoute's policies nothing but `authorization` counts, nor one that has none."""
    for _, (first, *_) in reversed(levels):
        if "authorization" in first["spec"]:
            return {"authorization": {name(first)}}
    return {}


def field_by_field(  # noqa: PLR0913  (as many things as a row says of fields)
    parts: Parts,
    *,
    gathered: Sequence[str] = (),
    united: Sequence[str] = (),
    general: Sequence[str] = (),
    youngest: bool = False,
    lock: Callable[[Object], bool] = lambda _: False,
    weight: Callable[[Object], float] = lambda _: 0,
) -> Model:
    """Each part is the most specific level's that has it, and there the first policy's."""

    def found(levels: Levels, _way: Way) -> Units:
        units: Units = {}
        locked: set[str] = set()
        for _, policies in levels:
            ordered = sorted(policies, key=weight, reverse=True)
            here: Units = {}
            for policy in reversed(ordered) if youngest else ordered:
                for part in parts.of(policy["spec"]):
                    if part not in here or part in (*united, *gathered):
                        here.setdefault(part, set()).add(name(policy))
            for part, by in here.items():
                if part in locked or (part in general and part in units):
                    continue
                units[part] = units.get(part, set()) | by if part in gathered else by
            locked |= {part for each in ordered if lock(each) for part in parts.of(each["spec"])}
        return units

    return found


def all_of_them(parts: Parts) -> Model:
    """All are in force, side by side."""

    def found(levels: Levels, _way: Way) -> Units:
        return _united(_whole(parts, policy) for _, on in levels for policy in on)

    return found


def alone(parts: Parts) -> Model:
    """Of several on one target, nothing is known."""

    def found(levels: Levels, way: Way) -> Units | None:
        if any(len(on) > 1 for _, on in levels):
            return None
        return field_by_field(parts)(levels, way)

    return found


def single_level(parts: Parts) -> Model:
    """Of policies on several levels, nothing is known."""

    def found(levels: Levels, _way: Way) -> Units | None:
        return _whole(parts, levels[0][1][0]) if len(levels) == 1 else {} if not levels else None

    return found


def unknown(levels: Levels, _way: Way) -> Units | None:
    """Nothing is known of any."""
    return None if levels else {}


def kuadrant(patterns: Parts, bare_at: str) -> Model:
    """kuadrant-operator: from the most specific one upward, each higher one by its own strategy.

    A policy that lacks what is at `bare_at` is empty, and gives way to atomic defaults.
    """

    def found(levels: Levels, _way: Way) -> Units:
        stack = [policy for _, on in levels for policy in on]
        if not stack:
            return {}
        *above, last = stack
        units, is_empty = _proper(patterns, bare_at, last)
        for policy in reversed(above):
            own, own_is_empty = _proper(patterns, bare_at, policy)
            match _strategy(policy):
                case ("defaults", "atomic"):
                    units, is_empty = (own, own_is_empty) if is_empty else (units, is_empty)
                case ("overrides", "atomic"):
                    units, is_empty = own, own_is_empty
                case ("defaults", "merge"):
                    units, is_empty = {**own, **units}, is_empty and own_is_empty
                case ("overrides", "merge"):
                    units, is_empty = {**units, **own}, is_empty and own_is_empty
        return units

    return found


def _strategy(policy: Object) -> tuple[str, str]:
    if policy["kind"] == "OIDCPolicy":
        return "overrides", "merge"
    for side in ("defaults", "overrides"):
        if side in policy["spec"]:
            return side, policy["spec"][side].get("strategy", "atomic")
    return "defaults", "atomic"


def _proper(parts: Parts, bare_at: str, policy: Object) -> tuple[Units, bool]:
    if policy["kind"] == "OIDCPolicy":
        made = ["rules.authentication.oidc", "rules.response.unauthenticated"]
        made += ["rules.authorization.oidc"] if "auth" in policy["spec"] else []
        return {part: {name(policy)} for part in made}, False
    side, _ = _strategy(policy)
    proper = policy["spec"].get(side, policy["spec"])
    below = proper.get(bare_at, {})
    units = {f"{bare_at}.{key}": value for key, value in below.items()}
    flat = {
        f"{key}.{inner}" if isinstance(value, dict) else key
        for key, value in units.items()
        for inner in (value if isinstance(value, dict) and key in parts.below else {"": 0})
    }
    flat = {part.rstrip(".") for part in flat}
    flat |= {key for key in ("when",) if key in proper}
    return {part: {name(policy)} for part in flat}, not below


def gep_713(parts: Parts) -> Model:
    """GEP-713: from the top down, what stands takes the strategy of what it took in last."""

    def found(levels: Levels, _way: Way) -> Units:
        stack = [policy for _, on in levels for policy in on]
        if not stack:
            return {}
        units, strategy = _proper_of(parts, stack[0]), _strategy(stack[0])
        for policy in stack[1:]:
            own = _proper_of(parts, policy)
            match strategy:
                case ("defaults", "atomic"):
                    units = own
                case ("defaults", _):
                    units = {**units, **own}
                case ("overrides", "merge" | "patch"):
                    units = {**own, **units}
            strategy = _strategy(policy)
        return units

    return found


def _proper_of(parts: Parts, policy: Object) -> Units:
    side, _ = _strategy(policy)
    proper = policy["spec"].get(side, policy["spec"])
    return {part: {name(policy)} for part in parts.of(proper) if part != "strategy"}


def both_sides(levels: Levels, _way: Way) -> Units:
    """Kuadrant's RFC: of `override` the least specific holds, then of `default` the most."""
    units: Units = {}
    for _, on in levels:
        for policy in on:
            for part in policy["spec"].get("override", {}):
                units.setdefault(part, {name(policy)})
    for _, on in reversed(levels):
        for policy in on:
            for part in policy["spec"].get("default", {}):
                units.setdefault(part, {name(policy)})
    return units


def _united(every: Iterable[Units]) -> Units:
    units: Units = {}
    for each in every:
        for part, by in each.items():
            units.setdefault(part, set()).update(by)
    return units
