"""Answers that a value keeps about itself, so that each question is worked out once."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, TypeVar, TypeVarTuple

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


_REMEMBERED = 4096


class Remembering(Generic[_Answer]):
    """A pure function that remembers its answers by the identities of its arguments.

    Use it for large values that many objects share. The number of answers has a bound, because an
    answer about a value that is not shared is never asked for again.
    """

    def __init__(self, function: Callable[..., _Answer]) -> None:
        """Start; arguments are kept with their answers, so that their ids are not reused."""
        self._function = function
        self._answers: dict[tuple[int, ...], tuple[tuple[Any, ...], _Answer]] = {}

    def __call__(self, *asked: object) -> _Answer:
        """Return the function's answer."""
        key = tuple(map(id, asked))
        entry = self._answers.get(key)
        if entry is None:
            # All at once: nothing records which entries are in use.
            if len(self._answers) >= _REMEMBERED:
                self._answers.clear()
            entry = self._answers[key] = asked, self._function(*asked)
        return entry[1]
