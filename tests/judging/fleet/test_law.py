"""The law of slots once more: what is judged for many spokes is what each would be told alone."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.judging.fleet.exact import assert_alike
from tests.property.laws import law
from tests.rendering.bundles.documents import HUB, LENIENT
from tests.support import traps


@pytest.mark.property
@law
@given(st.sampled_from([HUB, LENIENT]), traps.spokes, traps.rules, traps.overrides)
def test_texts_that_are_traps(
    documents: str,
    values: list[dict[str, Any]],
    placed: tuple[dict[str, Any] | None, ...],
    patches: list[tuple[str, dict[str, Any], dict[str, Any]]],
) -> None:
    assert_alike(traps.project(documents, values, placed, patches))
