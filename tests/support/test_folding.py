"""A row that fails is as loud as a test that fails, though it is none."""

import pytest

from tests.support import case, cases, rows_of

MODULE: str = rows_of(__file__, "module")


@cases(
    case("a run of everything", [], {"passed": 4, "skipped": 1, "failed": 5}),
    case("a row", ["test_it.py::test_two_fail[3]"], {"failed": 1}),
    case("a word", ["-k", "two_fail or all_pass"], {"passed": 4, "failed": 2}),
    case("a mark", ["-m", "filterwarnings"], {"passed": 13, "skipped": 2, "failed": 3}),
)
def test_rows_are_one_test_unless_the_run_selects(
    arguments: list[str], outcomes: dict[str, int], pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(test_it=MODULE)
    run = pytester.runpytest("-p", "tests.support.folding", *arguments)
    run.assert_outcomes(**outcomes)


def test_each_row_that_fails_is_named_with_its_values(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=MODULE)
    run = pytester.runpytest("-p", "tests.support.folding", "-n", "1")
    run.stdout.fnmatch_lines_random(
        [
            "number = 3",
            "SUBFAILED[[]1[]] test_it.py::test_two_fail - assert 1 == 2",
            "SUBFAILED[[]3[]] test_it.py::test_two_fail - assert 3 == 2",
            "SUBFAILED[[]b-3[]] test_it.py::test_one_of_two_tables_fails - *",
            "FAILED test_it.py::test_two_fail - contains 2 failed subtests",
        ]
    )
