"""The canonical form: data in, text out."""

from typing import Any

from spokerender.formats.yamlio import emit
from tests.support import cases, rows_of, text_of

OBJECT = {
    "kind": "A",
    "metadata": {"name": "a", "labels": {}, "annotations": {"on": "yes", "a b": "x"}},
    "spec": {
        "rules": [
            {"matches": [{"path": {"value": "/"}}], "weight": 1},
            ["a", ["b", {"c": None}], []],
            "d",
            {},
        ],
        "empty": [],
        "text": "first\n\n  second\nthird\n",
        "cut": ["a\nb", {"c": "d\ne\n"}],
        "quoted": [" a\n", "a \n", "a\n\n", "a\n\u2028\n", "\n"],
    },
}

TEXT = text_of(__file__, "emit.yaml")


def test_an_object() -> None:
    assert emit(OBJECT) == TEXT


@cases(*rows_of(__file__, "odd_roots"))
def test_odd_roots(value: Any, text: str) -> None:
    assert emit(value) == text
