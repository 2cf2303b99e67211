"""Hostile expressions: what is read off their text is read once.

None of these asserts a time: each took minutes, so a relapse stops the run.
"""

from __future__ import annotations

import pytest

from render.formats.cel.limits import bare

LONG = 200_000


@pytest.mark.parametrize("opened", ['"', "'", '"""', "'''"])
def test_a_literal_that_is_never_closed(opened: str) -> None:
    assert bare("a + " + opened + f"\\{opened[0]}" * LONG) == 'a + ""'


@pytest.mark.parametrize("quote", ['"', "'", '"""', "'''"])
def test_literals_and_comments_are_left_out(quote: str) -> None:
    assert bare(f"a + {quote}b.map(\\{quote[0]} {quote} + c // d\n") == 'a + "" + c \n'
