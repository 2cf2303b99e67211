"""A path's text as steps. Source: gjson's SYNTAX.md, and sjson's README for `:` and `-1`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

MAX_PATH = 2_000
"""Characters of a path."""
MAX_STEPS = 100
"""Steps of a path, those within queries included."""

_PIECE = re.compile(r"\\(?P<escaped>.)|(?P<plain>[^\\])", re.DOTALL)
_OPERATOR = re.compile(r"==|!=|<=|>=|!%|[=<>%]")
_OPEN, _CLOSE = {"(": ")", "[": "]"}, {")", "]"}


class PathProblem(Exception):  # noqa: N818  (a finding about the path, not a fault of ours)
    """A path means nothing, or something that is refused here; the text says what."""


class Key(Struct, frozen=True):
    """A key of a mapping, or an index of a list; `pattern` where it has wildcards."""

    name: str
    pattern: re.Pattern[str] | None = None

    @property
    def index(self) -> int | None:
        """The index that it is, if it is one."""
        is_index = self.name.isascii() and self.name.isdigit()
        return int(self.name) if is_index and len(self.name) < 10 else None  # noqa: PLR2004

    @property
    def is_last(self) -> bool:
        """Whether it stands for the end of a list, as sjson has it."""
        return self.name == "-1"

    @property
    def written(self) -> str:
        """The key where one is written: `:0` is a key that looks like an index (sjson)."""
        return self.name[1:] if self.name.startswith(":") and self.name != ":" else self.name


class Each(Struct, frozen=True):
    """`#`: every item of a list, or how many there are where nothing follows."""


class Query(Struct, frozen=True):
    """`#(path operator value)`: the first item for which it holds, or with `all` each of them."""

    path: Steps
    operator: str
    value: str
    all: bool
    literal: re.Pattern[str] | None = None
    """The value as a pattern, for `%` and `!%`."""


class Pipe(Struct, frozen=True):
    """`|`: what follows is asked of all that was found so far."""


class Modifier(Struct, frozen=True):
    """`@name`, which makes another value of the one it is given."""

    name: str
    argument: str


Step: TypeAlias = Key | Each | Query | Pipe | Modifier
Steps: TypeAlias = tuple[Step, ...]

MODIFIERS = frozenset({"flatten", "keys", "reverse", "this", "values"})


@lru_cache(maxsize=4096)
def parse(path: str) -> Steps:
    """The steps of a path. Raises `PathProblem`."""
    if not path:
        message = "the path is empty"
        raise PathProblem(message)
    if len(path) > MAX_PATH:
        message = f"the path has more than {MAX_PATH:,} characters"
        raise PathProblem(message)
    steps = _steps(path)
    if _count(steps) > MAX_STEPS:
        message = f"the path has more than {MAX_STEPS} steps"
        raise PathProblem(message)
    return steps


def _count(steps: Steps) -> int:
    return sum(1 + (_count(step.path) if isinstance(step, Query) else 0) for step in steps)


def _steps(path: str) -> Steps:
    steps: list[Step] = []
    position = 0
    while True:
        step, position = _step(path, position)
        steps.append(step)
        if position >= len(path):
            return tuple(steps)
        if path[position] == "|":
            steps.append(Pipe())
        position += 1


def _step(path: str, start: int) -> tuple[Step, int]:
    """The step that begins at `start`, and where it ends."""
    rest = path[start:]
    if rest.startswith(("{", "[", "!")):
        message = f"{rest[0]} begins a multipath or a literal, and none is known here"
        raise PathProblem(message)
    if rest.startswith("@"):
        return _modifier(path, start)
    if rest.startswith(("#(", "#[")):
        return _query(path, start)
    end = start
    while end < len(path) and path[end] not in ".|":
        end += 2 if path[end] == "\\" else 1
    text = path[start:end]
    return (Each() if text == "#" else _key(text)), end


def _key(text: str) -> Key:
    pieces = list(_PIECE.finditer(text))
    name = "".join(piece["escaped"] or piece["plain"] or "" for piece in pieces)
    is_wild = any(piece["plain"] in ("*", "?") for piece in pieces)
    return Key(name, _wildcards(text) if is_wild else None)


def _wildcards(text: str) -> re.Pattern[str]:
    """A pattern of `*` and `?`; stars in a row are one, so that matching stays quick."""
    pieces = [
        re.escape(piece["escaped"])
        if piece["escaped"]
        else {"*": ".*", "?": "."}.get(piece["plain"], re.escape(piece["plain"]))
        for piece in _PIECE.finditer(re.sub(r"(?<!\\)\*+", "*", text))
    ]
    if pieces.count(".*") > 3:  # noqa: PLR2004  (each star multiplies what a failing match may cost)
        message = "a step with more than three stars"
        raise PathProblem(message)
    return re.compile("".join(pieces), re.DOTALL)


def _modifier(path: str, start: int) -> tuple[Modifier, int]:
    match = re.compile(r"@(\w*)(?::([^.|]*))?").match(path, start)
    name, argument = (match[1], match[2] or "") if match else ("", "")
    if match is None or name not in MODIFIERS:
        known = ", ".join(f"@{known}" for known in sorted(MODIFIERS))
        message = f"@{name} is no modifier that is known here; there are {known}"
        raise PathProblem(message)
    end = match.end()
    if end < len(path) and path[end] not in ".|":
        message = f"@{name} ends with {path[end]!r}"
        raise PathProblem(message)
    return Modifier(name, argument), end


def _query(path: str, start: int) -> tuple[Query, int]:
    end = _closing(path, start + 1)
    inner = path[start + 2 : end]
    takes_all = path[end + 1 : end + 2] == "#"
    after = end + 2 if takes_all else end + 1
    if after < len(path) and path[after] not in ".|":
        message = f"{path[after]!r} follows the query {path[start:after]}"
        raise PathProblem(message)
    left, operator, value = _compared(inner)
    steps = _steps(left) if left else ()
    operator, text = "==" if operator == "=" else operator, _unquoted(value)
    pattern = _wildcards(text) if operator in ("%", "!%") else None
    return Query(steps, operator, text, takes_all, pattern), after


def _closing(path: str, start: int) -> int:
    """Where the bracket that opens at `start` closes."""
    depth, position = 0, start
    while position < len(path):
        character = path[position]
        if character == "\\":
            position += 1
        elif character == '"':
            position = _quoted(path, position)
        elif character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
            if not depth:
                return position
        position += 1
    message = f"the query {path[start - 1 :]} does not end"
    raise PathProblem(message)


def _quoted(path: str, start: int) -> int:
    """Where the quotes that open at `start` close."""
    position = start + 1
    while position < len(path) and path[position] != '"':
        position += 2 if path[position] == "\\" else 1
    return position


def _compared(inner: str) -> tuple[str, str, str]:
    """A query as path, operator and value; the operator is the first outside of brackets."""
    position = 0
    while position < len(inner):
        character = inner[position]
        if character == "\\":
            position += 1
        elif character in _OPEN:
            position = _closing(inner, position)
        elif match := _OPERATOR.match(inner, position):
            return inner[:position].strip(), match[0], inner[match.end() :].strip()
        position += 1
    return inner.strip(), "", ""


def _unquoted(value: str) -> str:
    """The value of a query; quotes only keep what is in them together."""
    if value.startswith("~"):
        message = f"{value} in a query is not known here"
        raise PathProblem(message)
    if value.startswith('"') and value.endswith('"') and len(value) > 1:
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value
