"""Numbers of clusters; the answers are those of OCM's code, as `make live` compares them."""

import pytest

from spokerender.model.rollout import portion
from tests.support import cases, each, rows_of


@cases(*rows_of(__file__, "a_size_is_a_part_of_the_clusters"))
def test_a_size_is_a_part_of_the_clusters(
    size: int | str, total: int, default: int, number: int
) -> None:
    assert portion(size, total, default) == number


@each("2", "two", "%", "", "1__0%", "_1%", " 10%", "x%", "1e999%", "-nan%", "0x10%")
def test_another_text_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="string is not a percentage"):
        portion(text, 5, 0)
