"""A draft: a consequence on one path of one spoke, before equal ones are joined."""

import json
from collections.abc import Iterator
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.phrasing import cut_around
from spokerender.findings.results import ERROR, FindingKind, Severity
from spokerender.formats.comparing import ABSENT
from spokerender.model import Origin, Ref
from spokerender.model.shapes import Json
from spokerender.model.slots import NumberSlot
from spokerender.review.comparison.views import Way
from spokerender.review.values import ConsequencePath, Topic
from spokerender.topology.matches import Request, write_matches
from spokerender.topology.node import Match
from spokerender.topology.paths import Levels

CURE_OF_OPEN = "attach a policy that guards it, if it is not for everybody"
_WIDTH = 160
"""The length to which a value is cut."""


class Cause(Struct, frozen=True):
    """The likely cause of a consequence: an object by its name on the hub, and a line.

    `placed` is the object's name on the spokes; None if the spokes do not have it.
    """

    resource: Ref
    origin: Origin | None
    placed: Ref | None = None


class Draft(Struct, frozen=True, kw_only=True):
    """A consequence before equal ones are joined; its texts may have slots (placeholders).

    `levels`, `match` and `is_latent` are those of its path, or empty. `names` are the hostnames
    that replace `{names}` in the message. `others` are further objects that the draft names,
    besides its path, policies and cause. `taken` is the rule that served the requests before, if
    another one does now. The other fields are as in `Consequence`.
    """

    kind: FindingKind
    topic: Topic
    message: str
    cause: Cause
    cure: str = ""
    levels: Levels = ()
    match: tuple[Match, ...] = ()
    is_latent: bool = False
    others: tuple[Ref, ...] = ()
    names: tuple[str, ...] = ()
    hostnames: tuple[str, ...] = ()
    policies: tuple[Ref, ...] = ()
    was: str = ""
    now: str = ""
    example: str = ""
    taken: Ref | None = None
    severity: Severity | None = None
    lost: tuple[tuple[Ref, str], ...] = ()
    """For an error: the objects that acknowledge it, each with the kind of its loss."""

    @classmethod
    def on(
        cls, way: Way, kind: FindingKind, topic: Topic, message: str, cause: Cause, **others: object
    ) -> Self:
        """Return a consequence on a path; `others` are its further fields."""
        fields: dict[str, Any] = {"levels": way.levels, "hostnames": way.hostnames} | others
        return cls(kind=kind, topic=topic, message=message, cause=cause, **fields)

    def about_requests(self, taken: Ref | None, example: Request | None) -> Self:
        """Return the draft with an `example` request; `taken` is another rule that served it."""
        whose = f"; {taken} took these requests before" if taken is not None else ""
        message = f"{self.message}{whose}"
        return replace(self, message=message, taken=taken, example=str(example or ""))

    @property
    def is_error(self) -> bool:
        """Return whether the draft is an error, which has to be acknowledged."""
        return (self.severity or self.kind.severity) is ERROR

    @property
    def place(self) -> ConsequencePath:
        """Return the path; it has no levels if the draft is about no path."""
        return ConsequencePath(self.levels, self.match, self.is_latent)

    @property
    def objects(self) -> tuple[Ref, ...]:
        """Return the affected objects by their names on the spokes."""
        placed = (self.cause.placed,) if self.cause.placed is not None else ()
        refs = (*self.levels, *self.policies, *self.others, *placed)
        return tuple(ref.whole for ref in refs)


def write_value(value: Json, way: str = "") -> str:
    """Return a value, shortened, after its field path `way`; an empty text for an absent value."""
    text = _write_whole(value, way)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"


def _write_whole(value: Json, way: str) -> str:
    if value is ABSENT or value is None:
        return ""
    return " ".join(", ".join(_write_leaves(value, way)).split())


def write_sides(old: Json, new: Json, way: str = "") -> tuple[str, str]:
    """Return two values as `write_value` does, but shortened around their difference."""
    if old in (ABSENT, None) or new in (ABSENT, None):
        return write_value(old, way), write_value(new, way)
    return cut_around(_write_whole(old, way), _write_whole(new, way), _WIDTH)


def write_matching(old: Way, new: Way) -> tuple[str, str]:
    """Return the matches of a rule before and after a change, as texts; empty if equal."""
    sides = (old.match, new.match) if old.match != new.match else ()
    was, now = (write_value(write_matches(match)) for match in sides) if sides else ("", "")
    return was, now


def write_change(old: Json, new: Json) -> tuple[str, str]:
    """Return two values as short texts; for objects, the differing fields with their paths."""
    steps = ""
    while (step := _find_step(old, new, is_first=not steps)) is not None:
        key, old, new = step
        steps += f"[{key}]" if isinstance(key, int) else f".{key}"
    return write_sides(old, new, steps[1:])


def _find_step(old: Json, new: Json, *, is_first: bool) -> tuple[str | int, Json, Json] | None:
    """Return the only differing key or index and both values; None if there is no such key."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [key for key in (old | new) if old.get(key, ABSENT) != new.get(key, ABSENT)]
        key = keys[0] if len(keys) == 1 else None
        return (key, old.get(key, ABSENT), new.get(key, ABSENT)) if key is not None else None
    is_list = isinstance(old, list) and isinstance(new, list) and not is_first
    return (0, old[0], new[0]) if is_list and len(old) == len(new) == 1 else None


def _write_leaves(value: Json, way: str) -> Iterator[str]:
    """Yield each single value in `value` as text, with its field path; lists as rates or JSON."""
    rates = [_write_rate(item) for item in (value if isinstance(value, list) else [value])]
    if isinstance(value, dict) and value and not all(rates):
        for key, item in value.items():
            yield from _write_leaves(item, f"{way}.{key}" if way else key)
    elif isinstance(value, list) and len(value) == 1 and isinstance(value[0], (dict, list)):
        yield from _write_leaves(value[0], way)
    else:
        text = value if isinstance(value, str) else _dump(value)
        text = " and ".join(rates) if rates and all(rates) else text
        yield f"{way}: {text}" if way else text


def _write_rate(value: Json) -> str:
    """Return a rate limit as `100 in 10s`; an empty text for another value."""
    for count, time, word in (("limit", "window", "in"), ("requests", "unit", "per")):
        if isinstance(value, dict) and set(value) == {count, time}:
            return f"{value[count]} {word} {value[time]}"
    return ""


def _dump(value: Json) -> str:
    """Return a value as JSON; a placeholder (slot) for a number has no quotes."""
    if isinstance(value, NumberSlot):
        return str(value)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_dump(key)}: {_dump(value[key])}' for key in value)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_dump, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)
