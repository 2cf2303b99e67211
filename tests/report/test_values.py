"""Old and new values side by side."""

from typing import Any

from spokerender.formats.comparing import ABSENT
from spokerender.report.fields import change_lines
from tests.support import cases

LONG = "request.auth.identity.metadata.annotations['secret.kuadrant.io/plan-id'] == 'gold' && true"


@cases(
    (100, 120, "100 -> 120"),
    ("100", 100, '"100" -> 100'),
    (True, "true", 'true -> "true"'),
    ("EU", "GEO-EU", "EU -> GEO-EU"),
    ("", None, '"" -> null'),
    (["a"], ["a", 1], '["a"] -> ["a", 1]'),
    (ABSENT, "x", "added x"),
    ({"a": 1}, ABSENT, 'removed {"a": 1}'),
    (ABSENT, {}, "added {}"),
)
def test_short_values_stand_side_by_side(old: Any, new: Any, told: str) -> None:
    assert change_lines(old, new, color=False) == (told, [])


def test_long_texts_are_cut_to_where_they_differ() -> None:
    assert change_lines(LONG, LONG.replace("gold", "silver"), color=False) == (
        "\"…/plan-id'] == 'gold' && true\" -> \"…/plan-id'] == 'silver' && true\"",
        [],
    )


def test_long_texts_that_only_grow_show_what_grew() -> None:
    told, more = change_lines(LONG, f"{LONG} || false", color=False)
    assert (told, more) == ("\"… 'gold' && true\" -> \"… 'gold' && true || false\"", [])


def test_long_texts_that_have_nothing_in_common_are_cut_in_the_middle() -> None:
    told, more = change_lines("a" * 500, "b" * 500, color=False)
    assert more == []
    assert len(told) < 300
    assert "a" * 60 + "…" + "a" * 60 in told


def test_block_texts_are_told_line_by_line() -> None:
    old = "package authz\n\nimport rego\n\nallow {\n  input.user == 'a'\n}\n"
    assert change_lines(old, old.replace("'a'", "'b'"), color=False) == (
        "text changed",
        [
            "@@ -4,4 +4,4 @@",
            "  ",
            "  allow {",
            "-   input.user == 'a'",
            "+   input.user == 'b'",
            "  }",
        ],
    )


def test_a_block_text_that_loses_its_last_line_feed_differs() -> None:
    assert change_lines("a\nb\n", "a\nb", color=False) == (
        "text changed",
        ["@@ -1,3 +1,2 @@", "  a", "  b", "- "],
    )


def test_what_is_added_is_yaml_on_lines_of_its_own() -> None:
    rule = {"name": "new", "backendRefs": [{"name": "a-rather-long-name-of-a-service", "port": 80}]}
    assert change_lines(ABSENT, rule, color=False) == (
        "added",
        [
            "+ name: new",
            "+ backendRefs:",
            "+ - name: a-rather-long-name-of-a-service",
            "+   port: 80",
        ],
    )


def test_large_values_of_two_types_are_told_line_by_line() -> None:
    old = {"first": "a" * 30, "second": "b" * 30}
    told, more = change_lines(old, [old], color=False)
    assert told == "changed"
    assert f"- first: {'a' * 30}" in more
    assert f"+ - first: {'a' * 30}" in more


def test_very_large_values_are_cut() -> None:
    told, more = change_lines(ABSENT, [f"item-{number}" for number in range(100)], color=False)
    assert (told, len(more), more[-1]) == ("added", 21, "… 80 more lines")


def test_colours_tell_old_from_new() -> None:
    _, more = change_lines("a\nx\n", "a\ny\n", color=True)
    assert more[-2:] == ["\x1b[1;31m- x\x1b[0m", "\x1b[32m+ y\x1b[0m"]


def test_a_text_can_do_nothing_to_the_terminal() -> None:
    evil = "\x1b[2J"
    told, more = change_lines("a\n", f"a\n{evil}\n", color=False)
    assert more[-1] == "+ \\x1b[2J"
    assert "\x1b" not in told + change_lines("a", evil, color=False)[0]
