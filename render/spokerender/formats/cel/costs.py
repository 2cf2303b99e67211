"""Limits on the cost of expressions, checked before they run and in our own functions.

The library bounds iterations (10,000 for each evaluation), nesting and the length of a source.
It bounds neither the texts and lists that `+` makes, which each macro can double, nor the values
that a loop reads repeatedly. So an upper limit of both is estimated from the source of an
expression and the size of its value.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from spokerender.model.budget import Budget, BudgetSpentError

MAX_SOURCE = 20_000
"""Characters; the longest rule of the Gateway API has 1,270."""
MAX_MADE = 1 << 28
"""Bytes that one evaluation may make, by the estimate."""
MAX_LISTED = 1 << 29
"""Bytes of lists that one evaluation may leave behind, by the estimate."""
MAX_READ = 1_000_000_000
"""Characters that one evaluation may read, by the estimate; RE2 takes some 2 ns for each."""
MAX_WORK = 10_000_000
"""Characters that our own functions may read and write in one evaluation."""
MAX_TEXT = 1 << 16
"""The most characters of a text that our functions make: a loop may list it 10,000 times."""

_ITERATIONS = 10_000
_LITERAL = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"""|\Z)|\'\'\'(?:[^\\]|\\.)*?(?:\'\'\'|\Z)|'
    r'"(?:[^"\\\n]|\\.)*+"?|\'(?:[^\'\\\n]|\\.)*+\'?',
    re.DOTALL,
)
"""A literal; an unclosed literal reaches to the end, so that each quote is read only once."""
_RAW = re.compile(
    r"[rR][bB]?(?:\"\"\".*?\"\"\"|'''.*?'''|\"[^\"\n]*\"|'[^'\n]*')|[bB][rR]\"[^\"\n]*\"", re.DOTALL
)
_COMMENT = re.compile(r"//[^\n]*")
_SCOPE = re.compile(
    r"\.\s*(?:all|exists|exists_one|existsOne|map|filter|bind|opt\w+|transform\w+)\s*\("
)
_KEEPING = re.compile(r"\.\s*(?:map|transform\w+)\s*\(")


_LISTING = re.compile(r"\.\s*(?:map|filter|transform\w+)\s*\(")
_WRITTEN_LIST = re.compile(r"\[[^\[\]]*")
"""A written list up to a list inside it; an index looks like a list of one item."""
_LEAF = 8
"""The weight of an item in addition to its own characters."""
_WEIGHED = 4_096
"""The most weights that are remembered."""
_COPIED = 64
"""The bytes counted for an item of a list, which a macro copies for each item that it adds."""


@lru_cache(maxsize=4096)
def bare(source: str) -> str:
    """Return the source without the content of literals and comments."""
    return _COMMENT.sub("", _LITERAL.sub('""', _RAW.sub('""', source)))


def masked(source: str) -> str:
    """Return the source, of the same length, with its literals and comments blacked out."""
    for pattern in (_RAW, _LITERAL, _COMMENT):
        source = pattern.sub(lambda match: "_" * len(match[0]), source)  # no quote, for the next
    return source


def growth(source: str, *, copies_lists: bool = False) -> int:
    """Return an upper estimate of the factor by which an expression's values exceed its input.

    Without macros, `+` adds the written values: the growth is linear. Each macro can reuse the
    result of another macro, so that factors multiply. With `copies_lists`, the items of written
    lists count as well: the library copies each item that it passes to a function of ours.
    """
    code = bare(source)
    additions = code.count("+") + (_count_further_items(code) if copies_lists else 0)
    if not additions:
        return 1
    steps = min(additions, len(_SCOPE.findall(code)) + 1)
    return int(min((1 + additions / steps) ** steps, 1e18))


def list_growth(source: str) -> int:
    """Return the most values that the macros of an expression can keep in a list."""
    return _ITERATIONS if _KEEPING.search(bare(source)) else 1


def _count_further_items(code: str) -> int:
    """Return how many names written lists have, not counting the first name of each list."""
    lists = (re.findall(r"[A-Za-z_][\w.]*", each) for each in _WRITTEN_LIST.findall(code))
    return sum(max(len(names) - 1, 0) for names in lists)


def scopes(source: str) -> int:
    """Return the number of macros: loops, in the worst case nested in each other."""
    return len(_SCOPE.findall(bare(source)))


def estimate_list_bytes(source: str, loops: int, items: int) -> int:
    """Return an estimate of the bytes of lists that nested `loops` over a number of items make."""
    if not _LISTING.search(bare(source)):
        return 0
    return iterations(loops, items) * min(items, _ITERATIONS) * _COPIED


def iterations(loops: int, items: int) -> int:
    """Return how often the innermost loop can run over `items`, up to the library's limit."""
    return min(_ITERATIONS, items**loops) if loops else 1


class Weights:
    """The weights of values: how many characters reading a value copies. Each is computed once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, int]] = {}

    def of(self, value: Any) -> int:  # noqa: ANN401  (whatever an expression may read)
        """Return the weight of JSON data in characters; the weight of a message is constant."""
        if isinstance(value, str):
            return len(value)
        if not isinstance(value, Mapping | list):
            return _COPIED
        remembered = self._known.get(id(value))
        if remembered is not None and remembered[0] is value:
            return remembered[1]
        items = value if isinstance(value, list) else value.values()
        weight = sum(map(self.of, items)) + _LEAF * (len(value) + 1)
        if len(self._known) >= _WEIGHED:
            self._known.clear()
        self._known[id(value)] = value, weight  # kept, so that no other gets its number
        return weight


BUDGET = Budget(MAX_WORK)
"""The budget of our own functions for the current evaluation; there is one evaluation at a time."""


def charge_made_text(size: int, function: str) -> None:
    """Spend the cost of a text of `size` characters before the text is made.

    Raises `BudgetSpentError` if the text is too long, or the budget is spent.
    """
    if size > MAX_TEXT:
        raise BudgetSpentError(f"{function} would make a text of more than {MAX_TEXT:,} characters")
    BUDGET.spend(size, function)


WEIGHTS = Weights()
DOUBTS: list[str] = []
"""Reasons why the current evaluation has no answer here; another error may hide them."""
