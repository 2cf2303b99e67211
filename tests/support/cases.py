"""Tables of cases: a test runs once for each row, and its first parameters are the columns.

That is ``pytest.mark.parametrize``, but no name of a parameter stands twice. Of several tables the
nearest to the test fills its first parameters, the table above it the parameters that follow.
Fixtures come last.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])
Ids = Iterable[str | int] | Callable[[Any], object] | None


def case(name: str, *columns: Any) -> Any:
    """A row with a name, which pytest shows."""
    return pytest.param(*columns, id=name)


def cases(*rows: Sequence[Any], ids: Ids = None) -> Callable[[Test], Test]:
    """Run a test once for each row, a column in each parameter."""
    return _fill(rows, min(map(_width, rows)), ids)


def each(*values: Any, ids: Ids = None) -> Callable[[Test], Test]:
    """Run a test once for each value of one parameter."""
    return _fill(values, 1, ids)


def _width(row: Any) -> int:
    return len(getattr(row, "values", row))


def _fill(rows: Sequence[Any], width: int, ids: Ids) -> Callable[[Test], Test]:
    def decorate(test: Test) -> Test:
        marks = (mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize")
        filled = {name for mark in marks for name in mark.args[0].split(",")}
        free = [name for name in inspect.signature(test).parameters if name not in filled]
        run: Test = pytest.mark.parametrize(",".join(free[:width]), rows, ids=ids)(test)
        return run

    return decorate
