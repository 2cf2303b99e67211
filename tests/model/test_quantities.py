"""Quantities are written as the API server stores them (apimachinery, `quantity.go`)."""

import pytest

from spokerender.model.quantities import canonical_quantity, parse_amount, parse_int64
from tests.support import cases, each, rows_of


@cases(*rows_of(__file__, "a_quantity_has_one_form"))
def test_a_quantity_has_one_form(written: str, stored: str) -> None:
    assert canonical_quantity(written) == stored


@each("1Zi", "", "Pi", "+.Ei", "e-10", "1e1.5", "1e", "1 ", "\u0661")
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        canonical_quantity(text)


@cases(*rows_of(__file__, "zeros_behind_the_point_are_kept"))
def test_zeros_behind_the_point_are_kept(first: str, added: list[str], is_integer: bool) -> None:
    amount = parse_amount(first)
    for text in added:
        amount = amount.plus(parse_amount(text))
    assert amount.is_integer() is is_integer


@cases(
    ("0", 0),
    ("+007", 7),
    ("-12", -12),
    ("9223372036854775807", 2**63 - 1),
    ("-9223372036854775808", -(2**63)),
    ("9223372036854775808", None),
    ("0" * 5000 + "1", 1),
    ("9" * 5000, None),
    *((text, None) for text in ("", "-", "+-1", " 1", "1 ", "1_0", "1.0", "0x1", "\u0661")),
)
def test_an_integer_is_read_as_go_reads_it(text: str, number: int | None) -> None:
    """Go, `strconv.Atoi`."""
    assert parse_int64(text) == number
