"""A consequence on one path of one spoke, before it is joined with those that are equal."""

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
    """The likely change behind a consequence: an object under its name on the hub, and its line.

    `placed` is the object's name on the spokes; None where they do not have it.
    """

    resource: Ref
    origin: Origin | None
    placed: Ref | None = None


class Draft(Struct, frozen=True, kw_only=True):
    """A consequence before it is joined; its texts may hold slots.

    `levels`, `match` and `is_latent` are those of one path, empty where it is about none. `names`
    are the hostnames that stand for `{names}` in the message, `others` the objects that it names
    beside those of the path, the policies and the cause; `taken` is the rule that took the requests
    before, if it is another one. The other fields are as in `Consequence`.
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
    """The objects by which it is acknowledged, and how each is lost; only of errors."""

    @classmethod
    def on(
        cls, way: Way, kind: FindingKind, topic: Topic, message: str, cause: Cause, **others: object
    ) -> Self:
        """Return a consequence on a path; `others` are its further fields."""
        fields: dict[str, Any] = {"levels": way.levels, "hostnames": way.hostnames} | others
        return cls(kind=kind, topic=topic, message=message, cause=cause, **fields)

    def about_requests(self, taken: Ref | None, example: Request | None) -> Self:
        """Return it with one of its requests, and the rule that took them, if it is another one."""
        whose = f"; {taken} took these requests before" if taken is not None else ""
        message = f"{self.message}{whose}"
        return replace(self, message=message, taken=taken, example=str(example or ""))

    @property
    def is_error(self) -> bool:
        """Tell whether it is an error, which has to be acknowledged."""
        return (self.severity or self.kind.severity) is ERROR

    @property
    def place(self) -> ConsequencePath:
        """Return its path, which has no levels where it is about none."""
        return ConsequencePath(self.levels, self.match, self.is_latent)

    @property
    def objects(self) -> tuple[Ref, ...]:
        """Return the objects that it is about, as they are called on the spokes."""
        placed = (self.cause.placed,) if self.cause.placed is not None else ()
        refs = (*self.levels, *self.policies, *self.others, *placed)
        return tuple(ref.whole for ref in refs)


def write_value(value: Json, way: str = "") -> str:
    """Write a value, and the way to it, in a few words; nothing for one that is absent."""
    text = _write_whole(value, way)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"


def _write_whole(value: Json, way: str) -> str:
    if value is ABSENT or value is None:
        return ""
    return " ".join(", ".join(_write_leaves(value, way)).split())


def write_sides(old: Json, new: Json, way: str = "") -> tuple[str, str]:
    """Write two values as `write_value` does, but cut around what differs in them."""
    if old in (ABSENT, None) or new in (ABSENT, None):
        return write_value(old, way), write_value(new, way)
    return cut_around(_write_whole(old, way), _write_whole(new, way), _WIDTH)


def write_matching(old: Way, new: Way) -> tuple[str, str]:
    """Write the matches of a rule before and after a change; empty texts where they are equal."""
    sides = (old.match, new.match) if old.match != new.match else ()
    was, now = (write_value(write_matches(match)) for match in sides) if sides else ("", "")
    return was, now


def write_change(old: Json, new: Json) -> tuple[str, str]:
    """Write two values in a few words; of objects, what differs and the way to it."""
    steps = ""
    while (step := _find_step(old, new, is_first=not steps)) is not None:
        key, old, new = step
        steps += f"[{key}]" if isinstance(key, int) else f".{key}"
    return write_sides(old, new, steps[1:])


def _find_step(old: Json, new: Json, *, is_first: bool) -> tuple[str | int, Json, Json] | None:
    """Return the one field in which two objects differ, or the only item of two lists."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [key for key in (old | new) if old.get(key, ABSENT) != new.get(key, ABSENT)]
        key = keys[0] if len(keys) == 1 else None
        return (key, old.get(key, ABSENT), new.get(key, ABSENT)) if key is not None else None
    is_list = isinstance(old, list) and isinstance(new, list) and not is_first
    return (0, old[0], new[0]) if is_list and len(old) == len(new) == 1 else None


def _write_leaves(value: Json, way: str) -> Iterator[str]:
    """Write each leaf with the way to it; a list of several items as rates, or as JSON."""
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
    """Write a rate limit as people say it: `100 in 10s`; nothing for another value."""
    for count, time, word in (("limit", "window", "in"), ("requests", "unit", "per")):
        if isinstance(value, dict) and set(value) == {count, time}:
            return f"{value[count]} {word} {value[time]}"
    return ""


def _dump(value: Json) -> str:
    """Write JSON; a slot of a number has no quotes, as filling puts digits there."""
    if isinstance(value, NumberSlot):
        return str(value)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_dump(key)}: {_dump(value[key])}' for key in value)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_dump, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)
