"""Phrases that messages share."""

from spokerender.findings.phrasing import count, describe, did_you_mean, joined, listed, on_spokes
from tests.support import cases, rows_of

NAMES = ["a", "b", "c", "d"]


@cases(*rows_of(__file__, "how_many"))
def test_how_many(number: int, noun: str, said: str) -> None:
    assert count(number, noun) == said


def test_a_list_is_cut_and_says_how_much_is_missing() -> None:
    assert listed(NAMES) == "a, b, c, d"
    assert listed(NAMES, 3) == "a, b, c and 1 more"
    assert listed(range(5000), 1) == "0 and 4,999 more"
    assert listed([]) == ""


def test_a_sentence_joins_with_and() -> None:
    assert joined(NAMES) == "a, b, c and d"
    assert joined(NAMES[:1]) == "a"
    assert joined(NAMES, 2) == "a, b and 2 more"
    assert joined(NAMES, 4) == "a, b, c and d"


def test_where() -> None:
    assert on_spokes(["eu"]) == "on eu"
    assert on_spokes(["_fleet"]) == "in _fleet"
    assert on_spokes(["eu", "us"]) == "on 2 spokes: eu, us"
    assert on_spokes(["eu", "us"], 2) == "on all 2 spokes"
    assert on_spokes([*NAMES, "e", "f"], 7) == "on 6 spokes: a, b, c, d, e and 1 more"


def test_the_nearest_word_is_asked_for() -> None:
    assert did_you_mean("selectr", ["names", "selector", "all"]) == 'did you mean "selector"?'


def test_case_is_no_difference() -> None:
    assert did_you_mean("MATCHLABELS", ["matchLabels"]) == 'did you mean "matchLabels"?'


def test_without_a_near_word_the_known_ones_are_listed_in_order() -> None:
    assert did_you_mean("zzz", ["b", "a"], "known are") == "known are a, b"


def test_a_long_list_is_cut() -> None:
    known = [f"spoke-{number:02}" for number in range(12)]
    expected = f"known are {', '.join(known[:10])} and 2 more"
    assert did_you_mean("zzz", known, "known are") == expected


def test_nothing_is_said_where_nothing_is_known() -> None:
    assert did_you_mean("zzz", [], "known are") == ""


def test_nothing_is_listed_unless_asked_for() -> None:
    assert did_you_mean("zzz", ["a"]) == ""


def test_the_order_of_the_known_words_changes_nothing() -> None:
    assert did_you_mean("aa", ["ab", "ac"]) == did_you_mean("aa", ["ac", "ab"])


@cases(*rows_of(__file__, "data_is_described_as_a_sentence_calls_it"))
def test_data_is_described_as_a_sentence_calls_it(value: object, words: str) -> None:
    assert describe(value) == words


@cases(*rows_of(__file__, "the_part_that_differs_is_measured"))
def test_the_part_that_differs_is_measured(word: str, known: list[str], meant: str) -> None:
    assert did_you_mean(word, known) == (f'did you mean "{meant}"?' if meant else "")
