"""JSON of any shape, taken for what it has to be."""

from typing import Any

from spokerender.model.shapes import as_list, as_mapping, as_mappings, as_text, objects_of
from tests.support import cases, each, rows_of

OTHERS: list[Any] = [None, True, 0, 1.5, "", "a", [], [1], {}, {"a": 1}]


@each(*OTHERS)
def test_what_has_another_shape_counts_as_empty(value: Any) -> None:
    assert as_text(value) == (value if isinstance(value, str) else "")
    assert as_list(value) == (value if isinstance(value, list) else [])
    assert as_mapping(value) == (value if isinstance(value, dict) else {})


def test_items_that_are_no_mappings_are_passed_over() -> None:
    assert as_mappings([{"a": 1}, None, "b", [{}], {}]) == [{"a": 1}, {}]


@cases(*rows_of(__file__, "the_objects_of_a_document"))
def test_the_objects_of_a_document(value: Any, objects: list[Any]) -> None:
    assert objects_of(value) == objects
