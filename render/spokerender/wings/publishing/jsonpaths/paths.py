"""The steps of a path. Source: gjson's SYNTAX.md, and sjson's README for `:` and `-1`."""

import re
from functools import lru_cache
from typing import NoReturn, TypeAlias

from msgspec import Struct

MAX_PATH = 2_000
"""Characters of a path."""
MAX_STEPS = 100
"""Steps of a path, including those within queries."""
_MAX_STARS = 3
"""Stars of one step: each multiplies the time that a failing match may take."""
_MAX_INDEX_DIGITS = 9

_BRACKETS = {"(": ")", "[": "]"}
_MARKS = re.compile(r'\\.|"(?:\\.|[^"\\])*"?|[()\[\]]', re.DOTALL)
"""Brackets, and what hides them: escapes and quoted texts."""
_KEY = re.compile(r"(?:\\.|[^.|\\])*\\?", re.DOTALL)


class JsonPathError(Exception):
    """A path has no meaning, or one that is refused here; the text gives the reason."""


def reject_path(message: str) -> NoReturn:
    """Raise `JsonPathError` with this message."""
    raise JsonPathError(message)


class KeyStep(Struct, frozen=True):
    """A key of a mapping, or an index of a list; `pattern` is set if it has wildcards."""

    name: str
    pattern: re.Pattern[str] | None = None

    @property
    def index(self) -> int | None:
        """The index, or None for a key that is not a number."""
        is_index = self.name.isascii() and self.name.isdigit()
        return int(self.name) if is_index and len(self.name) <= _MAX_INDEX_DIGITS else None

    @property
    def is_end(self) -> bool:
        """True for -1, which is the end of a list in sjson."""
        return self.name == "-1"

    @property
    def written_name(self) -> str:
        """The key that is written: in sjson, `:0` is a key that looks like an index."""
        return self.name[1:] if self.name.startswith(":") and self.name != ":" else self.name


class EachStep(Struct, frozen=True):
    """`#`: every item of a list; at the end of a path the number of items."""


class QueryStep(Struct, frozen=True):
    """`#(path operator value)`: the first item that matches, or with `is_all` every one.

    `pattern` is the value compiled for the operators `%` and `!%`.
    """

    path: "PathSteps"
    operator: str
    value: str
    is_all: bool
    pattern: re.Pattern[str] | None = None


class PipeStep(Struct, frozen=True):
    """`|`: the next steps apply to the whole result so far."""


class ModifierStep(Struct, frozen=True):
    """`@name`, which transforms a value."""

    name: str
    argument: str


_Step: TypeAlias = KeyStep | EachStep | QueryStep | PipeStep | ModifierStep
PathSteps: TypeAlias = tuple[_Step, ...]

MODIFIERS = frozenset({"flatten", "keys", "reverse", "this", "values"})


@lru_cache(maxsize=4096)
def parse_path(path: str) -> PathSteps:
    """Split a path into steps. Raises `JsonPathError`."""
    if not path:
        reject_path("the path is empty")
    if len(path) > MAX_PATH:
        reject_path(f"the path has more than {MAX_PATH:,} characters")
    steps = _parse_steps(path)
    if _count_steps(steps) > MAX_STEPS:
        reject_path(f"the path has more than {MAX_STEPS} steps")
    return steps


def _count_steps(steps: PathSteps) -> int:
    return sum(1 + (_count_steps(s.path) if isinstance(s, QueryStep) else 0) for s in steps)


def _parse_steps(path: str) -> PathSteps:
    steps: list[_Step] = []
    position = 0
    while True:
        step, position = _parse_step(path, position)
        steps.append(step)
        if position >= len(path):
            return tuple(steps)
        if path[position] == "|":
            steps.append(PipeStep())
        position += 1


def _parse_step(path: str, start: int) -> tuple[_Step, int]:
    """Parse the step at `start`; return it and the position after it."""
    rest = path[start:]
    if rest.startswith(("{", "[", "!")):
        reject_path(f"multipaths and literals, which begin with {rest[0]}, are not supported")
    if rest.startswith("@"):
        return _parse_modifier(path, start)
    if rest.startswith(("#(", "#[")):
        return _parse_query(path, start)
    key = _KEY.match(path, start)
    assert key is not None  # noqa: S101  (it matches an empty text)
    return (EachStep() if key[0] == "#" else _parse_key(key[0])), key.end()


def _parse_key(text: str) -> KeyStep:
    has_wildcard = re.search(r"(?<!\\)(?:\\\\)*[*?]", text) is not None
    return KeyStep(
        re.sub(r"\\(.?)", r"\1", text, flags=re.DOTALL),
        _compile_wildcards(text) if has_wildcard else None,
    )


def _compile_wildcards(text: str) -> re.Pattern[str]:
    """Compile `*` and `?`; stars in a row count as one, so that matching stays quick."""
    pieces = [
        re.escape(piece["escaped"])
        if piece["escaped"]
        else {"*": ".*", "?": "."}.get(piece["plain"], re.escape(piece["plain"]))
        for piece in re.finditer(
            r"\\(?P<escaped>.)|(?P<plain>[^\\])", re.sub(r"(?<!\\)\*+", "*", text), re.DOTALL
        )
    ]
    if pieces.count(".*") > _MAX_STARS:
        reject_path(f"a step of the path has more than {_MAX_STARS} stars")
    return re.compile("".join(pieces), re.DOTALL)


def _parse_modifier(path: str, start: int) -> tuple[ModifierStep, int]:
    match = re.compile(r"@(\w*)(?::([^.|]*))?").match(path, start)
    assert match is not None  # noqa: S101  (the caller saw the @)
    name = match[1]
    if name not in MODIFIERS:
        supported = ", ".join(f"@{modifier}" for modifier in sorted(MODIFIERS))
        reject_path(f"the modifier @{name} is not supported; there are {supported}")
    end = match.end()
    if end < len(path) and path[end] not in ".|":
        reject_path(f"{path[end]!r} can't follow @{name}")
    return ModifierStep(name, match[2] or ""), end


def _parse_query(path: str, start: int) -> tuple[QueryStep, int]:
    end = _find_closing(path, start + 1)
    is_all = path[end + 1 : end + 2] == "#"
    after = end + 2 if is_all else end + 1
    if after < len(path) and path[after] not in ".|":
        reject_path(f"{path[after]!r} can't follow the query {path[start:after]}")
    left, operator, right = _split_comparison(path[start + 2 : end])
    value = _unquote(right)
    pattern = _compile_wildcards(value) if operator in ("%", "!%") else None
    operator = "==" if operator == "=" else operator
    return QueryStep(_parse_steps(left) if left else (), operator, value, is_all, pattern), after


def _find_closing(path: str, start: int) -> int:
    depth = 0
    for mark in _MARKS.finditer(path, start):
        depth += (mark[0] in _BRACKETS) - (mark[0] in _BRACKETS.values())
        if not depth:
            return mark.start()
    reject_path(f"the query {path[start - 1 :]} does not end")


def _split_comparison(query: str) -> tuple[str, str, str]:
    """Split a query into path, operator and value, at the first operator outside brackets."""
    operators = re.compile(r"==|!=|<=|>=|!%|[=<>%]")
    position = 0
    while position < len(query):
        character = query[position]
        if character == "\\":
            position += 1
        elif character in _BRACKETS:
            position = _find_closing(query, position)
        elif match := operators.match(query, position):
            return query[:position].strip(), match[0], query[match.end() :].strip()
        position += 1
    return query.strip(), "", ""


def _unquote(value: str) -> str:
    if value.startswith("~"):
        reject_path(f"{value} in a query is not supported")
    if value.startswith('"') and value.endswith('"') and len(value) > 1:
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value
