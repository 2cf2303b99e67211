"""Decorators that keep the answers of functions, so that each answer is computed once."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

_Owner = TypeVar("_Owner")
_Asked = TypeVarTuple("_Asked")
_Answer = TypeVar("_Answer")


def memoised(
    function: Callable[[_Owner, *_Asked], _Answer],
) -> Callable[[_Owner, *_Asked], _Answer]:
    """Return the function with its answers kept on its first argument, an immutable owner.

    Use it where `functools.cache` would keep the owner alive for ever: the answers are in the
    owner's `__dict__` and are freed with it. The other arguments are positional and hashable, such
    as values that are compared by identity (`eq=False`).
    """
    # With parentheses it is no identifier, so no attribute of the owner has this name.
    name = f"{function.__module__}.{function.__qualname__}()"

    @wraps(function)
    def answer(owner: _Owner, *asked: *_Asked) -> _Answer:
        answers: dict[tuple[*_Asked], _Answer] = owner.__dict__.setdefault(name, {})
        # Not `get`: None is an answer, too.
        if asked not in answers:
            answers[asked] = function(owner, *asked)
        return answers[asked]

    return answer


_MOST = 4096
"""The number of answers that are kept for a function; when it is reached, all are dropped."""


def remembered(function: Callable[[*_Asked], _Answer]) -> Callable[[*_Asked], _Answer]:
    """Return a pure function with its answers kept by the identities of the arguments.

    Use it for large values that many objects share, as they would take long to hash or compare. The
    arguments are positional, and are kept with their answers, so that their ids are not reused.
    """
    answers: dict[tuple[int, ...], tuple[tuple[*_Asked], _Answer]] = {}

    @wraps(function)
    def answer(*asked: *_Asked) -> _Answer:
        key = tuple(map(id, asked))
        entry = answers.get(key)
        if entry is None:
            # All at once: nothing records which entries are in use.
            if len(answers) >= _MOST:
                answers.clear()
            entry = answers[key] = asked, function(*asked)
        return entry[1]

    return answer
