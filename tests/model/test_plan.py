"""What a plan says of itself."""

from spokerender.model.plan import (
    FIRST_LINE_SIZE,
    HEADER,
    FolderPlan,
    Plan,
    has_conflict,
    is_beginning,
    is_ours,
    mentions_us,
)
from tests.support import cases, each

CRLF = HEADER.replace(b"\n", b"\r\n")
MARKER = b"<<<<<<< HEAD\n"


def test_the_header_is_a_yaml_comment_of_one_line() -> None:
    assert HEADER.startswith(b"# ")
    assert HEADER.endswith(b"\n")
    assert HEADER.isascii()
    assert HEADER.count(b"\n") == 1
    assert len(HEADER) <= 100


@cases(
    (HEADER, True),
    (HEADER + b"kind: Gateway\n", True),
    (HEADER[:-1], True),
    (CRLF, True),
    (CRLF + b"kind: Gateway\r\n", True),
    (CRLF[:-1], True),
    (b"", False),
    (HEADER[:-2], False),
    (HEADER[:-1] + b" Really.\n", False),
    (HEADER[:-1] + b"\rkind: Gateway\n", False),
    (b"\n" + HEADER, False),
    (b" " + HEADER, False),
    (b"\xef\xbb\xbf" + HEADER, False),
    (MARKER + HEADER, False),
    (b"kind: Gateway\n" + HEADER, False),
    ids=repr,
)
def test_the_first_line_alone_says_whose_it_is(data: bytes, expected: bool) -> None:
    assert is_ours(data) is expected
    assert is_ours(data[:FIRST_LINE_SIZE]) is expected


@each(*range(len(HEADER) + 3))
def test_what_a_killed_build_leaves_is_the_beginning_of_a_file(size: int) -> None:
    assert is_beginning((HEADER + b"kind: Gateway\n")[:size])


@each(b"kind", b"#", HEADER[:-1] + b"x", b"\n" + HEADER, ids=repr)
def test_anything_else_is_not(data: bytes) -> None:
    assert is_beginning(data) is HEADER.startswith(data)


@cases(
    (MARKER + HEADER + b"=======\n", True, True),
    (HEADER + MARKER, True, True),
    (b"a\r\n<<<<<<< HEAD\r\n" + CRLF, True, True),
    (MARKER + b"a\n", True, False),
    (b"# <<<<<<< HEAD\n", False, False),
    (HEADER, False, True),
    (b"# quoted: " + HEADER, False, False),
    (b"", False, False),
    ids=repr,
)
def test_what_a_merge_leaves(data: bytes, conflict: bool, mention: bool) -> None:
    assert (has_conflict(data), mentions_us(data)) == (conflict, mention)


def test_a_plan_counts_over_its_folders() -> None:
    plan = Plan(
        (
            FolderPlan(folder="eu", create=("a", "b"), update=("c",), unchanged=4),
            FolderPlan(folder="us", delete=("a", "b", "c"), is_removed=True),
        ),
        unchanged=9,
    )

    assert (plan.created, plan.updated, plan.deleted, plan.unchanged) == (2, 1, 3, 9)
    assert [folder.changes for folder in plan.folders] == [3, 3]
    assert not plan.is_empty


@cases(
    (FolderPlan(folder="eu", create=("a",)), True, True),
    (FolderPlan(folder="eu", update=("a",)), True, True),
    (FolderPlan(folder="eu", delete=("a",)), True, True),
    (FolderPlan(folder="eu", foreign=("a",)), False, True),
    (FolderPlan(folder="eu", blocked=("a",)), False, True),
    (FolderPlan(folder="eu", emptied=("a",)), False, True),
    (FolderPlan(folder="eu", unchanged=3), False, False),
    ids=["create", "update", "delete", "foreign", "blocked", "emptied", "unchanged"],
)
def test_what_is_a_change_and_what_is_worth_saying(
    folder: FolderPlan, changes: bool, says_something: bool
) -> None:
    plan = Plan((folder,))

    assert plan.is_empty is not changes
    assert folder.says_something is says_something


def test_an_empty_plan() -> None:
    assert Plan().is_empty
    assert Plan(unchanged=3, strays=("x",)).is_empty
