"""Texts that are equal up to the spokes' own are read once, and each spoke gets its own answer."""

import json

from hypothesis import given, strategies as st

from spokerender.model.slots import text_slot
from spokerender.rendering.values.own_texts import OwnTexts, SharedByOwnTexts

WORDS = st.text("abx.-", min_size=1, max_size=6)


def _own(*texts: str) -> OwnTexts:
    return OwnTexts({text_slot(number): text for number, text in enumerate(texts)})


@given(
    st.lists(st.lists(WORDS, min_size=2, max_size=2), min_size=1, max_size=4),
    st.lists(st.one_of(WORDS, st.sampled_from([0, 1])), max_size=5),
)
def test_shared_answers_are_those_that_each_text_has_alone(
    values: list[list[str]], parts: list[str | int]
) -> None:
    own = {str(n): _own(*texts) for n, texts in enumerate(values)}
    shared = SharedByOwnTexts(json.loads, own.__getitem__)
    for n, texts in enumerate(values):
        data = {"all": [texts[part] if isinstance(part, int) else part for part in parts]}
        assert shared(str(n), json.dumps(data).encode()) == data


def test_spokes_that_differ_in_their_own_texts_share_one_call() -> None:
    calls: list[bytes] = []

    def read(data: bytes) -> tuple[str, ...]:
        calls.append(data)
        return tuple(data.decode().split())

    own = {name: _own(name, f"{name}.example") for name in ("north", "south")}
    shared = SharedByOwnTexts(read, own.__getitem__)
    assert shared("north", b"a north.example north") == ("a", "north.example", "north")
    assert shared("south", b"a south.example south") == ("a", "south.example", "south")
    assert shared("south", b"a north.example south") == ("a", "north.example", "south")
    assert len(calls) == 2


def test_no_own_text_is_found_in_the_mark_of_another() -> None:
    own = _own(*(f"word-{n}" for n in range(200)), "150", "50\n")
    texts = [f"{word}0\n".encode() for word in ("word-150", "word-50", "word-1", "150")]
    blanked = [own.blank(text) for text in texts]
    assert len({*blanked, *texts}) == 2 * len(texts)


def test_texts_at_other_places_are_not_taken_for_each_other() -> None:
    one, other = _own("EU", "one.example"), _own("eu-west", "x")
    assert one.blank(b"one.example") != other.blank(b"eu-west")
