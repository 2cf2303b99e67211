"""What a rule in force asks, in words; what has no words is written by its fields."""

from spokerender.explain.words import label_rule, read_words
from spokerender.judging.effective.outcomes import EffectiveRule
from tests.judging.effective.policies import CATALOGUE, ref
from tests.support import cases, rows_of
from tests.support.stages import values


@cases(*rows_of(__file__, "words"))
def test_words(kind: tuple[str, str], key: str, value: str, label: str, words: str) -> None:
    row = CATALOGUE.kind(*kind)
    rule = EffectiveRule(tuple(key.split(".")), values(value)[0], ref(row, "own"), ())
    assert (label_rule(row, rule), str(read_words(row, rule))) == (label, words)
