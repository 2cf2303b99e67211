"""The canonical form: data in, text out."""

from typing import Any

from spokerender.formats.yamlio import emit
from tests.support import cases, rows_of, text_of

OBJECT: dict[str, Any] = rows_of(__file__, "object")

TEXT = text_of(__file__, "emit.yaml")


def test_an_object() -> None:
    assert emit(OBJECT) == TEXT


@cases(*rows_of(__file__, "odd_roots"))
def test_odd_roots(value: Any, text: str) -> None:
    assert emit(value) == text
