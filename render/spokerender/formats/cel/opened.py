"""Map literals whose keys and values may be anything to a checker.

cel-go's checker and the library's take other maps of several types for maps of anything. What does
not compile where all of them are, compiles in neither.
"""

from collections.abc import Iterator

from spokerender.formats.cel.costs import masked

_OPENING, _CLOSING = "{[(", "}])"


def open_maps(source: str) -> str:
    """Return an expression with `dyn()` around each key and value of its map literals."""
    code = masked(source)
    edits = sorted(_find_edits(code))
    parts, last = [], 0
    for place, _, text in edits:
        parts += [source[last:place], text]
        last = place
    return "".join((*parts, source[last:]))


def _find_edits(code: str) -> Iterator[tuple[int, int, str]]:
    """Yield what is put where; of one place, what closes comes before what opens."""
    outer: list[int | None] = []
    awaited: int | None = None  # the colons of conditional expressions, in a map
    for place, letter in enumerate(code):
        if letter in _OPENING:
            outer.append(awaited)
            awaited = 0 if letter == "{" and not _is_empty(code, place) else None
            if awaited is not None:
                yield _skip_mark(code, place + 1), 1, "dyn("
        elif letter in _CLOSING and outer:
            if awaited is not None:
                yield place, 0, ")"
            awaited = outer.pop()
        elif awaited is not None and letter in "?:,":
            if letter == "?":
                awaited += _is_condition(code, place)
            elif letter == ":" and awaited:
                awaited -= 1
            else:
                yield place, 0, ")"
                yield _skip_mark(code, place + 1), 1, "dyn("


def _is_condition(code: str, place: int) -> bool:
    """Tell whether a question mark is that of a conditional expression."""
    return code[:place].rstrip()[-1:] not in ("{", ",", ".")


def _is_empty(code: str, place: int) -> bool:
    return code[place + 1 :].lstrip()[:1] == "}"


def _skip_mark(code: str, place: int) -> int:
    """Return the place behind the mark of an optional entry."""
    rest = code[place:]
    spaces = len(rest) - len(rest.lstrip())
    return place + spaces + 1 if rest[spaces : spaces + 1] == "?" else place
