"""Answers that a value keeps about itself, so that each question is worked out once."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, TypeVarTuple

_Owner = TypeVar("_Owner")
_Asked = TypeVarTuple("_Asked")
_Answer = TypeVar("_Answer")


def memoised(
    function: Callable[[_Owner, *_Asked], _Answer],
) -> Callable[[_Owner, *_Asked], _Answer]:
    """Keep each answer of a function with the function's first argument, which never changes.

    Use it where `functools.cache` would keep the owner alive for ever: the answers are in the
    owner's `__dict__` and go with it. The other arguments are positional and hashable; what is
    compared by identity (`eq=False`) is a key as it is.
    """
    name = f"{function.__module__}.{function.__qualname__}()"

    @wraps(function)
    def answer(owner: _Owner, *asked: *_Asked) -> _Answer:
        answers: dict[tuple[*_Asked], _Answer] = owner.__dict__.setdefault(name, {})
        if asked not in answers:
            answers[asked] = function(owner, *asked)
        return answers[asked]

    return answer
