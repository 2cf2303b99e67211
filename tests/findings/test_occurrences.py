"""What is found on many spokes is told once."""

from msgspec.structs import replace

from spokerender.findings.codes.shipping import FREE_STRING
from spokerender.findings.occurrences import Occurrence, fold_infos, join_alike, merge_occurrences
from spokerender.findings.results import INFO, WARNING, Result, Severity
from spokerender.model import Origin, Ref
from spokerender.model.slots import text_slot
from tests.support import each


def said(text: str) -> Result:
    return FREE_STRING.result(text)


def told(*found: Occurrence) -> list[tuple[str, tuple[str, ...]]]:
    return [(result.message, result.spokes) for result in merge_occurrences(found)]


def test_equal_findings_are_one_with_all_spokes_sorted() -> None:
    assert told(
        Occurrence(said("b"), ("us", "eu")),
        Occurrence(said("a"), ("eu",)),
        Occurrence(said("b"), ("ap", "eu")),
    ) == [("b", ("ap", "eu", "us")), ("a", ("eu",))]


def test_a_key_joins_what_differs() -> None:
    key = said("of …")
    assert told(
        Occurrence(said("of eu"), ("eu",), key),
        Occurrence(said("of all"), ("eu",)),
        Occurrence(said("of us"), ("us",), key),
    ) == [("of eu (elsewhere us)", ("eu", "us")), ("of all", ("eu",))]


def test_slots_are_filled_with_the_values_of_all_spokes() -> None:
    slot = text_slot(0)
    assert told(
        Occurrence(said(f"at {slot}"), ("eu",), values={slot: "x"}),
        Occurrence(said(f"at {slot}"), ("us",), values={slot: "y"}),
        Occurrence(said("at x"), ("ap",)),
    ) == [("at x (elsewhere y)", ("eu", "us")), ("at x", ("ap",))]


def test_what_differs_between_spokes_is_listed_word_by_word() -> None:
    slot, text = text_slot(0), f"no {text_slot(0)}.example (of {text_slot(0)}.example, or any)"
    occurrences = [
        Occurrence(said(text), (name,), values={slot: value})
        for name, value in zip("abcd", ("x", "y", "x", "z"), strict=True)
    ]
    ((message, spokes),) = told(*occurrences)
    assert message == (
        "no x.example (elsewhere y.example, z.example) "
        "(of x.example (elsewhere y.example, z.example), or any)"
    )
    assert spokes == ("a", "b", "c", "d")


def test_what_concerns_no_spoke_is_told() -> None:
    assert told(Occurrence(said("a"), ())) == [("a", ())]
    assert told() == []


def joined(*results: tuple[str, tuple[str, ...]]) -> list[tuple[str, tuple[str, ...]]]:
    alike = join_alike(replace(said(text), spokes=spokes) for text, spokes in results)
    return [(result.message, result.spokes) for result in alike]


def test_findings_alike_on_different_spokes_are_one() -> None:
    assert joined(
        ("no listener of web serves a.example", ("eu", "us")),
        ("no listener of web serves a.staging.example", ("test",)),
        ("no rule of all it has", ("ap",)),
    ) == [
        ("no listener of web serves a.example (elsewhere a.staging.example)", ("eu", "test", "us")),
        ("no rule of all it has", ("ap",)),
    ]


@each(("eu",), ())
def test_findings_alike_on_one_spoke_or_on_none_stay_two(spokes: tuple[str, ...]) -> None:
    findings = [(f"no listener of web serves {name}.example", spokes) for name in "ab"]
    assert joined(*findings) == findings


def test_infos_that_say_the_same_of_several_objects_are_one() -> None:
    def info(name: str, message: str = "not shipped", severity: Severity = INFO) -> Result:
        ref = Ref("", "Secret", "infra", name)
        return Result(
            code="SR1501",
            severity=severity,
            message=message,
            resource=ref,
            origin=Origin(f"{name}.yaml"),
        )

    a, b, c, other = info("a"), info("b"), info("c"), info("d", "another reason")
    warnings = info("a", severity=WARNING), info("b", severity=WARNING)
    first, *others = fold_infos([a, warnings[0], b, other, warnings[1], c])
    same = "not shipped. The same is true of Secret infra/b, Secret infra/c"
    assert (first.resource, first.origin, first.message) == (a.resource, a.origin, same)
    assert first.also == (b.resource, c.resource)
    assert others == [warnings[0], other, warnings[1]]


def test_of_many_other_words_two_are_listed() -> None:
    key = said("at …")
    ((message, _),) = told(*(Occurrence(said(f"at {name}"), (name,), key) for name in "abcde"))
    assert message == "at a (elsewhere b, c and 2 more)"
