"""Quantities are written as the API server stores them (apimachinery, `quantity.go`)."""

import pytest

from spokerender.model.quantities import canonical_quantity


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("0.5Gi", "512Mi"),
        ("1e1", "10"),
        ("1e4", "10e3"),
        ("1500m", "1500m"),
        ("1.5", "1500m"),
        ("1000", "1k"),
        ("1024Ki", "1Mi"),
        ("0.5Ki", "512"),
        ("1.0001Ki", "1024102400u"),
        ("-2Ki", "-2Ki"),
        ("0.0000000001", "1n"),
        ("0Gi", "0"),
    ],
)
def test_a_quantity_has_one_form(written: str, stored: str) -> None:
    assert canonical_quantity(written) == stored


def test_what_is_no_quantity_is_refused() -> None:
    with pytest.raises(ValueError, match='"1Zi" is not a quantity'):
        canonical_quantity("1Zi")
