"""Answers are worked out once, and go with the value that they are about."""

import gc
import weakref

from spokerender.model.memo import memoised


class Owner:
    """A value with identity that counts how often it is asked."""

    def __init__(self) -> None:
        """It has been asked nothing."""
        self.asked: list[str] = []

    @memoised
    def spell(self, word: str) -> str:
        """Answer, and remember that somebody asked."""
        self.asked.append(word)
        return f"{word}!"


@memoised
def compare(owner: Owner, other: Owner) -> tuple[Owner, Owner]:
    """Answer with what keeps the owner alive."""
    owner.asked.append("other")
    return owner, other


def test_an_answer_is_worked_out_once() -> None:
    owner, other = Owner(), Owner()
    assert [owner.spell("a"), owner.spell("b"), owner.spell("a")] == ["a!", "b!", "a!"]
    assert compare(owner, other) is compare(owner, other)
    assert compare(owner, owner) == (owner, owner)
    assert owner.asked == ["a", "b", "other", "other"]
    assert other.spell("a") == "a!"
    assert other.asked == ["a"]


def test_answers_go_with_their_owner() -> None:
    owner = Owner()
    compare(owner, owner)
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None
