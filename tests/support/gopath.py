"""Go's `path.Match`, by its documentation: the patterns of Argo CD's Git directory generator."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def matches(pattern: str, name: str) -> bool:
    """Whether the whole name is matched; `*` and `?` stop at a slash."""
    return re.fullmatch("".join(_regex(pattern)), name, re.DOTALL) is not None


def _regex(pattern: str) -> Iterator[str]:
    rest = list(pattern)
    while rest:
        match rest.pop(0):
            case "*":
                yield "[^/]*"
            case "?":
                yield "[^/]"
            case "\\":
                yield re.escape(rest.pop(0))
            case "[":
                yield _class(rest)
            case other:
                yield re.escape(other)


def _class(rest: list[str]) -> str:
    """`[abc]`, `[a-z]`, `[^a]`; what is behind the bracket is taken away from `rest`."""
    negated = rest[0] == "^"
    if negated:
        rest.pop(0)
    made = ""
    while True:
        character = rest.pop(0)
        if character == "]" and made:
            return f"[{'^' if negated else ''}{made}]"
        if character == "\\":
            character = rest.pop(0)
        made += "-" if character == "-" else re.escape(character)


def directories(generator: Mapping[str, Any], folders: Iterable[str]) -> list[str]:
    """The folders of a repository that a Git directory generator takes (Argo CD, `filterApps`).

    A folder is one that some entry means and no entry with `exclude` does. Argo CD leaves hidden
    folders out before (`GetGitDirectories`).
    """
    entries = generator["directories"]
    return [
        folder
        for folder in folders
        if not any(part.startswith(".") for part in folder.split("/"))
        and any(matches(e["path"], folder) for e in entries if not e.get("exclude"))
        and not any(matches(e["path"], folder) for e in entries if e.get("exclude"))
    ]
