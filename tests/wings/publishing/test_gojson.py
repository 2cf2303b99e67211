"""JSON as Go writes it: numbers, escapes, order."""

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from spokerender.wings.publishing import gojson
from tests.support import each, rows_of

# Go 1.26, json.Marshal of a float64.
NUMBERS = rows_of(__file__, "numbers")


@each(*NUMBERS)
def test_numbers_have_no_padded_exponent_and_no_fraction_of_zero(value: float) -> None:
    assert gojson.format_float64(value) == NUMBERS[value]


@each(float("inf"), float("nan"))
def test_what_json_has_no_number_for_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no number"):
        gojson.encode({"a": value})


def test_text_is_escaped_as_go_escapes_it() -> None:
    text = '<a href="x">&\u2028\u2029 \x7f \x01\n\t\b\f é'
    assert gojson.encode(text) == (
        '"\\u003ca href=\\"x\\"\\u003e\\u0026\\u2028\\u2029 \x7f \\u0001\\n\\t\\b\\f é"'
    )
    assert gojson.encode("<&>", escape_html=False) == '"<&>"'


def test_a_struct_keeps_its_order_and_a_map_has_its_keys_sorted() -> None:
    value = {"b": 1, "a": [True, None, {"d": 2, "c": "x"}]}
    assert gojson.encode(value) == '{"b":1,"a":[true,null,{"d":2,"c":"x"}]}'
    assert gojson.encode(value, sort_keys=True) == '{"a":[true,null,{"c":"x","d":2}],"b":1}'


_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(-1e3, 1e3).filter(lambda x: not x.is_integer())
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.property
@given(_JSON)
def test_what_is_written_reads_as_what_was_meant(value: Any) -> None:
    assert json.loads(gojson.encode(value)) == value
